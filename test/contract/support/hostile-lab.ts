import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  makeTrialGroups,
  removeTrialGroups,
} from '../../../src/runtimes/control-groups/trial-groups.js';
import type { EndProof } from '../../../src/domain/trial/program-contract.js';
import { attachOrStart } from '../../../src/trial/attach-or-start.js';
import type { PreparedTrial, TrialRequest } from '../../../src/trial/trial-request.js';
import { TrialLab } from '../../fixtures/trial/trial-lab.js';
import { bundlePrograms, TrialHarness, type Programs } from './trial-harness.js';

const AGENTS = resolve('test/fixtures/hostile-agents');

/** What became of a trial of a hostile agent. */
export interface HostileEnd {
  readonly meta: Readonly<Record<string, unknown>>;
  /** Processes of the agent that ran while the tests did, as `grep` names their files. */
  readonly seenByTests: string;
  /** Processes of the agent that run now. */
  readonly left: readonly number[];
  /** What the agent wrote, or null where nothing was kept. */
  readonly transcript: { readonly sizeBytes: number; readonly start: Buffer } | null;
}

/** The real supervisor and the real trial program, on an app with a bug. */
export class HostileLab {
  private count = 0;

  private constructor(
    private readonly app: TrialLab,
    private readonly programs: Programs,
    readonly trials: TrialHarness,
  ) {}

  static async make(): Promise<HostileLab> {
    const [app, programs] = await Promise.all([TrialLab.make(), bundlePrograms()]);
    return new HostileLab(app, programs, await TrialHarness.create(programs));
  }

  async remove(): Promise<void> {
    this.app.remove();
    await this.trials.remove();
    await rm(dirname(this.programs.supervisor), { recursive: true, force: true });
  }

  /** A number, so that `sleep` takes it, that no other process on this machine has in its command line. */
  token(): string {
    this.count += 1;
    return `86400.${String(process.pid).padStart(8, '0')}${String(this.count).padStart(3, '0')}`;
  }

  /** A trial in which the fixture runs as the agent, with a token that all its processes carry. */
  request(fixture: string, token: string, changes: Partial<PreparedTrial> = {}): TrialRequest {
    const cell = { task: `t${this.count}`, agent: 'hostile', condition: 'plain', repeat: 1 };
    const tokenFile = this.tokenFile();
    const prepare = async (): Promise<PreparedTrial> => {
      await writeFile(tokenFile, `${token}\n`);
      return { ...this.prepared(fixture, token, tokenFile), ...changes };
    };
    return this.trials.request({ cell, prepare });
  }

  /** Its own name must not hold the token: `grep` would find itself. */
  private tokenFile(): string {
    return join(this.trials.root, `token-${this.count}`);
  }

  private prepared(fixture: string, token: string, tokenFile: string): PreparedTrial {
    return {
      ...this.trials.prepared({}, [join(AGENTS, fixture), token]),
      templateDir: this.app.template.dir,
      programFile: this.app.program,
      program: {
        branch: 'trial/t1',
        neutralize: ['CLAUDE.md'],
        dbPrepare: null,
        // Says whom of the agent's it sees before it tests.
        testCommand: `grep -lsF -f '${tokenFile}' /proc/[0-9]*/cmdline >> '${tokenFile}.seen'; bash`,
        testFile: 'test/add.test.sh',
        implFiles: ['src/add.sh'],
        suiteRanPattern: '\\d+ runs?, \\d+ assertions?',
        suiteRanFlags: 'm',
      },
      times: { agentTimeoutMs: 1_500, testTimeoutMs: 20_000, killGraceMs: 300 },
    };
  }

  async run(fixture: string, changes: Partial<PreparedTrial> = {}): Promise<HostileEnd> {
    const token = this.token();
    const request = this.request(fixture, token, changes);
    const answer = await attachOrStart(request, this.trials.host);
    if (answer.kind !== 'record') throw new Error(`no record: ${answer.kind}`);
    const { meta, dir } = answer.attempt;
    return {
      meta: meta ?? {},
      seenByTests: await readFile(`${this.tokenFile()}.seen`, 'utf8'),
      left: processesWith(token),
      transcript: await transcriptIn(dir),
    };
  }
}

async function transcriptIn(attemptDir: string): Promise<HostileEnd['transcript']> {
  const file = join(attemptDir, 'transcript.jsonl');
  try {
    const { size } = await stat(file);
    const start = size > 1_000_000 ? Buffer.alloc(0) : await readFile(file);
    return { sizeBytes: size, start };
  } catch {
    return null;
  }
}

/** Running processes with the text in their command line. */
export function processesWith(text: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false; // ended in between
    }
  });
}

/** What this machine lets a trial have: both kinds of machine have to pass the tests. */
export async function hostGives(): Promise<{ proof: EndProof; limits: readonly string[] }> {
  const marker = { stateId: 'probe', trialHash: String(process.pid) };
  const owned = makeTrialGroups(marker, 1e9);
  if (owned === null) return { proof: 'best-effort', limits: [] };
  await removeTrialGroups(owned.groups.agent.map((folder) => dirname(folder)));
  return { proof: 'cgroup', limits: owned.limits };
}
