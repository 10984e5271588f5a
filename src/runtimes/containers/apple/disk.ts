import { homedir } from 'node:os';
import { LlmxError } from '../../../errors/llmx-error.js';
import { freeGb } from '../../../support/free-disk.js';
import type { Environment } from '../../../support/paths.js';
import { runCommand } from '../../../support/run-command.js';

/** Where macOS keeps what users and services write, the virtual machines' disks among it. */
const DATA_VOLUME = '/System/Volumes/Data';

const DEFAULT_BUILD_GB = 10;

/** The fourth column of the last line of `df -g`; null for another answer. */
export function parseFreeGb(output: string): number | null {
  const cell = output.trim().split('\n').at(-1)?.trim().split(/\s+/)[3];
  return cell !== undefined && /^\d+$/.test(cell) ? Number(cell) : null;
}

async function dataVolumeFreeGb(): Promise<number> {
  const asked = await runCommand(['df', '-g', DATA_VOLUME], { timeoutMs: 10_000 });
  const free = asked.ok ? parseFreeGb(asked.stdout) : null;
  return free ?? freeGb(homedir());
}

/**
 * A build on a full disk dies without a message, and then even the error can't be written.
 * @throws LlmxError `build_disk_low`
 */
export async function ensureBuildDisk(env: Environment = process.env): Promise<void> {
  const given = Number(env['LLMX_MIN_FREE_GB']);
  const needGb = given > 0 ? given : DEFAULT_BUILD_GB;
  const free = await dataVolumeFreeGb();
  if (free >= needGb) return;
  throw new LlmxError('build_disk_low', {
    freeGb: Math.floor(free),
    needGb,
    // Its cache is made again by the next build.
    hint: 'container builder delete --force',
  });
}
