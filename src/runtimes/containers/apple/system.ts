import { ASK_MS, callContainer, explain, faultOf, START, type Explanation } from './call.js';
import { parseSystem, type AppleSystem } from './output.js';
import { has, parseVersion, type AppleVersion } from './version.js';

/** The first start fetches a kernel and the image that virtual machines begin with. */
const START_MS = 5 * 60_000;

export type Found<T> = ({ readonly ok: true } & T) | ({ readonly ok: false } & Explanation);

/** Asks the CLI alone: this works without its apiserver. */
export async function findCli(): Promise<
  Found<{ readonly version: AppleVersion; readonly text: string }>
> {
  const args = ['--version'];
  const asked = await callContainer(args);
  if (!asked.ok) return { ok: false, ...explain(args, asked, ASK_MS) };
  const text = asked.stdout.trim();
  const version = parseVersion(text);
  return version === null
    ? {
        ok: false,
        reason: `the program container on PATH is not Apple’s: it says "${text.split('\n')[0] ?? ''}"`,
        hint: `install container from Apple, then: ${START}`,
      }
    : { ok: true, version, text };
}

/** Whether the apiserver runs. It is not started by asking. */
export async function findSystem(cli: AppleVersion): Promise<Found<AppleSystem>> {
  const format = has(cli, 'statusAsJson') ? ['--format', 'json'] : [];
  const args = ['system', 'status', ...format];
  const asked = await callContainer(args);
  // Exit 1 is its way to say no.
  const answered = !asked.timedOut && !asked.notFound && asked.exit !== null;
  if (!answered) return { ok: false, ...explain(args, asked, ASK_MS) };
  const system = parseSystem(asked);
  return system.running
    ? { ok: true, ...system }
    : { ok: false, reason: 'its apiserver is not running', hint: START };
}

/** @throws LlmxError `engine_unreachable` */
export async function ensureSystem(cli: AppleVersion, log: (line: string) => void): Promise<void> {
  if ((await findSystem(cli)).ok) return;
  log('starting the container system');
  // Without the flag it asks on its standard input whether it may fetch a kernel.
  const args = ['system', 'start', '--enable-kernel-install'];
  const started = await callContainer(args, START_MS);
  if (!started.ok) throw faultOf(args, started, START_MS);
}
