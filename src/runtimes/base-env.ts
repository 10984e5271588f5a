/** What an agent and the tests see of the host's environment: names that carry no secret. */
const ALLOWED = /^(PATH|LANG|LC_[A-Z]+|TERM)$/;

export function baseEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && ALLOWED.test(name)) kept[name] = value;
  }
  return kept;
}
