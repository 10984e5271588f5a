import {
  gigabytes,
  totalBytes,
  type EngineAnswer,
  type Target,
  type TargetKind,
} from './target.js';

const TITLES: Readonly<Record<TargetKind, string>> = {
  images: 'images',
  builder: 'build cache',
  leftovers: 'leftovers',
};

const COMMANDS: Readonly<Record<TargetKind, string>> = {
  images: 'llmx-client clean --images',
  builder: 'llmx-client clean --builder',
  leftovers: 'llmx-client clean --leftovers',
};

/** One kind: its title with the command that removes it, then a line each. */
export function targetLines(kind: TargetKind, targets: readonly Target[]): readonly string[] {
  if (targets.length === 0) return [`${TITLES[kind]}: none`];
  const size = gigabytes(totalBytes(targets));
  const total = kind === 'images' ? `up to ${size}, they share layers` : size;
  const names = width(targets, ({ name }) => name);
  const places = width(targets, placeOf);
  return [
    `${TITLES[kind]}: ${targets.length} (${total})  ${COMMANDS[kind]}`,
    ...targets.map((target) => {
      const bytes = target.sizeBytes === null ? '' : gigabytes(target.sizeBytes);
      const kept = target.kept === null ? '' : `; stays: ${target.kept}`;
      const columns = [
        target.name.padEnd(names),
        placeOf(target).padEnd(places),
        bytes.padStart(9),
      ];
      return `  ${columns.join('  ')}  ${target.note}${kept}`;
    }),
  ];
}

function placeOf({ engine, what }: Target): string {
  return engine ?? what;
}

function width(targets: readonly Target[], textOf: (target: Target) => string): number {
  return Math.max(...targets.map((target) => textOf(target).length));
}

/** What could not be looked at. */
export function engineLines(engines: readonly EngineAnswer[]): readonly string[] {
  const absent = engines.filter(({ state }) => state === 'not installed');
  return [
    ...engines
      .filter(({ state }) => state === 'does not answer')
      .map(({ engine, reason, hint }) => `${engine} does not answer: ${reason}; next: ${hint}`),
    ...(absent.length === 0
      ? []
      : [`not installed here: ${absent.map(({ engine }) => engine).join(', ')}`]),
  ];
}

/** `2 images, 1 container (0.41 GB)` */
export function countsText(targets: readonly Target[]): string {
  const counts = new Map<string, number>();
  for (const { what } of targets) counts.set(what, (counts.get(what) ?? 0) + 1);
  const parts = [...counts].map(([what, count]) => `${count} ${count === 1 ? what : plural(what)}`);
  const bytes = totalBytes(targets);
  const hasImages = targets.some(({ kind }) => kind === 'images');
  const size = bytes === 0 ? '' : ` (${hasImages ? 'up to ' : ''}${gigabytes(bytes)})`;
  return `${parts.join(', ')}${size}`;
}

function plural(what: string): string {
  if (what === 'sandbox') return 'sandboxes';
  return what.endsWith('s') ? what : `${what}s`;
}

export function targetsJson(
  targets: readonly Target[],
  isRemoved: (target: Target) => boolean = () => false,
): readonly object[] {
  return targets.map((target) => {
    const { remove: _, ...facts } = target;
    return { ...facts, removed: isRemoved(target) };
  });
}
