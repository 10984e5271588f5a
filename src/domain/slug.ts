const MAX_LENGTH = 64;

/**
 * A name for folders and ids: lower case, hyphens, at most 64 characters. Accents are dropped; a text
 * without any latin letter or digit becomes `x-` and a hash of it, so that two of them stay apart.
 */
export function slug(text: string): string {
  const latin = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH + 1)
    .replace(/^-+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-+$/, '');
  return latin === '' ? `x-${fnv1a(text)}` : latin;
}

/** FNV-1a over UTF-16 units: names need to differ, not to be secret. */
function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
