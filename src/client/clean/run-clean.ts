import { LlmxError } from '../../errors/llmx-error.js';
import type { CleanFlags } from './flags.js';
import type { CliContext } from '../context.js';
import { note, printJson, printLine } from '../output/print.js';
import { askYesNo } from './ask-yes-no.js';
import { countsText, engineLines, targetLines, targetsJson } from './render.js';
import { surveyDisk, type Survey } from './survey.js';
import { TARGET_KINDS, type Target, type TargetKind } from './target.js';

/** Reports without a kind; with kinds lists, asks and removes. */
export async function runClean(cli: CliContext, flags: CleanFlags): Promise<void> {
  const kinds = TARGET_KINDS.filter((kind) => flags[kind] === true);
  if (kinds.length === 0 && flags.yes === true) {
    const problem = '--yes needs what to remove: --images, --builder or --leftovers';
    throw new LlmxError('usage', { problem, hint: 'llmx-client clean' });
  }
  const survey = await surveyDisk(cli, flags.address);
  if (kinds.length === 0) {
    report(cli, survey, flags);
    return;
  }
  const listed = of(survey, kinds);
  if (flags.json !== true) list(cli, survey, kinds);
  const removable = listed.filter(({ kept }) => kept === null);
  const agreed = removable.length === 0 || (await isAgreed(cli, removable, kinds, flags));
  const done = agreed ? await removeAll(await lookAgain(cli, removable, flags)) : new Map();
  tell(cli, survey, { listed, removable, done }, flags);
}

function of({ targets }: Survey, kinds: readonly TargetKind[]): readonly Target[] {
  return targets.filter(({ kind }) => kinds.includes(kind));
}

function report(cli: CliContext, survey: Survey, flags: CleanFlags): void {
  if (flags.json === true) {
    const { targets, engines } = survey;
    printJson(cli, 'clean', { items: targetsJson(targets), engines, removed: 0 });
    return;
  }
  list(cli, survey, TARGET_KINDS);
  printLine(cli, 'nothing was deleted');
}

function list(cli: CliContext, survey: Survey, kinds: readonly TargetKind[]): void {
  for (const kind of kinds) {
    for (const line of targetLines(kind, of(survey, [kind]))) printLine(cli, line);
  }
  for (const line of engineLines(survey.engines)) note(cli, line);
}

/** @throws LlmxError `clean_not_confirmed` where nobody can be asked */
async function isAgreed(
  cli: CliContext,
  removable: readonly Target[],
  kinds: readonly TargetKind[],
  flags: CleanFlags,
): Promise<boolean> {
  if (flags.yes === true) return true;
  const what = countsText(removable);
  if (!cli.stdinIsTty || !cli.stderrIsTty || flags.json === true) {
    const hint = `llmx-client clean ${kinds.map((kind) => `--${kind}`).join(' ')} --yes`;
    throw new LlmxError('clean_not_confirmed', { what, hint });
  }
  return askYesNo(cli, `Remove ${what}? [y/N] `);
}

/** A person takes time to answer: what has come into use meanwhile stays. */
async function lookAgain(
  cli: CliContext,
  removable: readonly Target[],
  flags: CleanFlags,
): Promise<readonly Target[]> {
  if (flags.yes === true) return removable;
  const agreed = new Set(removable.map(keyOf));
  const { targets } = await surveyDisk(cli, flags.address);
  return targets.filter((target) => target.kept === null && agreed.has(keyOf(target)));
}

function keyOf({ what, engine, name }: Target): string {
  return `${what} ${engine ?? ''} ${name}`;
}

/** Why each of them is still there, or null; keyed as {@link keyOf}. */
type Removed = ReadonlyMap<string, string | null>;

async function removeAll(targets: readonly Target[]): Promise<Removed> {
  const done = new Map<string, string | null>();
  for (const target of targets) done.set(keyOf(target), await removeOne(target));
  // An image goes only after all that were built on it, whose order nobody tells.
  for (const target of targets) {
    if (done.get(keyOf(target)) !== null) done.set(keyOf(target), await removeOne(target));
  }
  return done;
}

/** One that can't be removed does not keep the others back. */
async function removeOne(target: Target): Promise<string | null> {
  try {
    return await target.remove();
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  }
}

interface Ending {
  readonly listed: readonly Target[];
  readonly removable: readonly Target[];
  readonly done: Removed;
}

/** @throws LlmxError `clean_incomplete` */
function tell(cli: CliContext, survey: Survey, ending: Ending, flags: CleanFlags): void {
  const { listed, removable, done } = ending;
  const removed = removable.filter((target) => done.get(keyOf(target)) === null);
  const failed = removable.flatMap((target) => {
    const problem = done.get(keyOf(target));
    return problem == null ? [] : [{ target, problem }];
  });
  if (failed[0] !== undefined) {
    const { target, problem } = failed[0];
    const total = removable.length;
    const first = `${target.what} ${target.name}: ${problem}`;
    throw new LlmxError('clean_incomplete', { count: failed.length, total, first });
  }
  if (flags.json === true) {
    const items = targetsJson(listed, (target) => done.get(keyOf(target)) === null);
    printJson(cli, 'clean', { items, engines: survey.engines, removed: removed.length });
  } else if (removed.length > 0) printLine(cli, `removed ${countsText(removed)}`);
  else printLine(cli, removable.length === 0 ? 'nothing to remove' : 'nothing was deleted');
}
