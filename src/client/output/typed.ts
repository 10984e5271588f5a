import type { CliContext } from '../context.js';

/**
 * Commands in a text as this person has to type them: who runs llmx through npx has no `llmx-client` on
 * PATH. JSON keeps the plain names.
 */
export function typed(cli: Pick<CliContext, 'env'>, text: string): string {
  const throughNpx = cli.env['npm_command'] === 'exec' || cli.env['npm_command'] === 'run-script';
  return throughNpx
    ? text.replace(/(?<![\w/.-]|npx )llmx(-client)? (?=[a-z]|--)/g, 'npx $&')
    : text;
}
