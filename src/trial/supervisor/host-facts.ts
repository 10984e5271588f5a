import { execFile } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { installedVersion } from '../../agents/cli-version.js';
import type { AgentKind } from '../../domain/experiment/experiment.js';
import type { Sandbox } from '../../runtimes/runtime.js';

/** The machine, and how busy it was before the trial started. */
export function hostFacts(): Readonly<Record<string, string | number>> {
  const processors = cpus();
  return {
    platform: `${process.platform}-${process.arch}`,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_bytes: totalmem(),
    load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** Versions of what a trial uses of the host; in a container nothing, its image has a list of its own. */
export async function toolchain(
  { container }: Pick<Sandbox, 'container'>,
  agent: AgentKind,
): Promise<Readonly<Record<string, string>>> {
  if (container !== null) return {};
  const [git, cli] = await Promise.all([gitVersion(), installedVersion(agent, process.env)]);
  return { node: process.versions.node, git, ...(cli === null ? {} : { [agent]: cli }) };
}

async function gitVersion(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], { timeout: 5_000 });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
  } catch {
    return 'unknown'; // a host without git is the preflight's to report
  }
}
