import { access, constants, stat } from 'node:fs/promises';
import type { Check } from '../../domain/preflight/check.js';
import type { CheckSubject } from '../context.js';

const MAX_NAMED = 5;

/** Cells without a prompt are not started; a person decides whether the rest is worth running. */
export async function promptsCheck(subject: CheckSubject): Promise<Check> {
  const base = { code: 'prompts', name: 'prompts' } as const;
  const wanted = new Map(
    subject.cells.map((cell) => [`${cell.task}/${cell.condition}`, cell] as const),
  );
  const missing: string[] = [];
  for (const [label, cell] of wanted) {
    if (!(await isPrompt(subject.promptFile(cell.task, cell.condition)))) missing.push(label);
  }
  if (missing.length === 0) return { ...base, status: 'ok', detail: 'all rendered', hint: null };
  const rest = missing.length > MAX_NAMED ? ` (+${missing.length - MAX_NAMED})` : '';
  return {
    ...base,
    status: 'warn',
    detail: `missing: ${missing.slice(0, MAX_NAMED).join(', ')}${rest}`,
    hint: 'render your prompts before llmx-client start-grid',
  };
}

/** A readable file with something in it: an agent can't be asked nothing. */
async function isPrompt(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    const info = await stat(file);
    return info.isFile() && info.size > 0;
  } catch {
    return false; // missing, or closed to us: either way it is not rendered
  }
}
