import type { ContainerRow, ImageRow } from './engine.js';

interface PsRow {
  readonly Names: string | readonly string[];
  readonly State: string;
  readonly Labels: string | Readonly<Record<string, string>> | null;
}

/**
 * What `ps` prints in JSON: docker one object a line with labels as text, podman a list of objects with
 * labels as an object.
 */
export function parseContainers(text: string): readonly ContainerRow[] {
  return psRows(text).flatMap((row) => {
    const name = typeof row.Names === 'string' ? row.Names.split(',')[0] : row.Names[0];
    if (name === undefined) return [];
    return [{ name, running: row.State === 'running', labels: labelsOf(row.Labels) }];
  });
}

function psRows(text: string): readonly PsRow[] {
  if (text.trimStart().startsWith('[')) return JSON.parse(text) as readonly PsRow[];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as PsRow);
}

function labelsOf(
  labels: string | Readonly<Record<string, string>> | null,
): Readonly<Record<string, string>> {
  if (labels === null) return {};
  if (typeof labels !== 'string') return labels;
  // Ours have no comma in name or value.
  return Object.fromEntries(
    labels.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
    }),
  );
}

/**
 * `image inspect` of docker, `image ls` of podman, in JSON: a row for each name, one without a name for the
 * rest.
 */
export function parseImages(text: string): readonly ImageRow[] {
  const images = JSON.parse(text) as readonly {
    readonly Id: string;
    readonly RepoTags: readonly string[] | null;
    readonly Names?: readonly string[] | null;
    readonly Size?: number;
    readonly Labels?: Readonly<Record<string, string>> | null;
    readonly Config?: { readonly Labels?: Readonly<Record<string, string>> | null } | null;
  }[];
  return images.flatMap((image): ImageRow[] => {
    const row = {
      id: image.Id.startsWith('sha256:') ? image.Id : `sha256:${image.Id}`,
      sizeBytes: image.Size ?? null,
      labels: image.Config?.Labels ?? image.Labels ?? {},
    };
    const tags = image.RepoTags ?? image.Names ?? [];
    return tags.length === 0
      ? [{ ...row, reference: null }]
      : tags.map((tag) => ({ ...row, reference: tag.replace(/^localhost\//, '') }));
  });
}

const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** The build cache in what `docker system df` prints, in bytes; null when it says nothing of one. */
export function parseCacheSize(text: string): number | null {
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  const cache = rows
    .map((line) => JSON.parse(line) as { readonly Type: string; readonly Size: string })
    .find(({ Type }) => Type === 'Build Cache');
  const [, number = '', unit = ''] = /^([\d.]+)\s*([kMGT]?B)$/.exec(cache?.Size ?? '') ?? [];
  const factor = UNITS[unit];
  return factor === undefined ? null : Math.round(Number(number) * factor);
}
