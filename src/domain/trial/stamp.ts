/** Name of an attempt's folder, from an ISO-8601 UTC time: `YYYYMMDDTHHMMSSZ`. */
export function stampOf(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, '');
}
