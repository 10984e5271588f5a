import type {
  AgentSpec,
  MemorySize,
  NetworkMode,
  RuntimeKind,
} from '../domain/experiment/experiment.js';
import type { TrialTimes } from '../domain/trial/deadlines.js';
import type { ProgramSpec } from '../domain/trial/program-contract.js';
import type { MetaRecord } from '../domain/trial/records.js';
import type { TrialMarker } from '../runtimes/runtime.js';
import { readRecord } from './trial-files.js';

/** What is known of an attempt before it starts, under the names of its record. */
export type TrialFacts = Pick<
  MetaRecord,
  | 'task'
  | 'app'
  | 'agent'
  | 'agent_kind'
  | 'condition'
  | 'repeat'
  | 'stamp'
  | 'model_requested'
  | 'targets'
  | 'prompt_sha256'
  | 'runtime'
  | 'pins'
  | 'engine_version'
  | 'workflow_id'
  | 'run_id'
  | 'frozen_id'
>;

/** The part of the program's spec that does not depend on where the sandbox is. */
export type ProgramFacts = Pick<
  ProgramSpec,
  | 'branch'
  | 'neutralize'
  | 'dbPrepare'
  | 'testCommand'
  | 'testFile'
  | 'implFiles'
  | 'suiteRanPattern'
  | 'suiteRanFlags'
  | 'diskLimitBytes'
>;

/** `spec.json`: all that a supervisor needs. Holds host paths, so it never leaves the state folder. */
export interface SupervisorSpec {
  readonly schemaVersion: 1;
  readonly marker: TrialMarker;
  /** Name of the lock that keeps trials of one host apart. */
  readonly hostLock: string;
  readonly attemptDir: string;
  readonly facts: TrialFacts;
  readonly agent: AgentSpec;
  readonly experimentDir: string;
  readonly promptFile: string;
  readonly solutionFile: string | null;
  /** Null where the image has the app. */
  readonly templateDir: string | null;
  /** The bundled trial program. */
  readonly programFile: string;
  readonly program: ProgramFacts;
  readonly times: TrialTimes;
  /** A machine that stood still for longer has slept. @defaultValue 30 s */
  readonly sleepGapMs?: number;
  readonly sandbox: {
    readonly runtime: RuntimeKind;
    readonly image: string | null;
    readonly memory: MemorySize;
    readonly cpus: string;
    readonly network: NetworkMode;
  };
}

/** Null when there is none that can be read: the trial was buried, or never came so far. */
export async function readSupervisorSpec(file: string): Promise<SupervisorSpec | null> {
  const spec = await readRecord(file);
  return isSpec(spec) ? spec : null;
}

/** llmx writes it whole or not at all; what a damaged disk leaves must not break who reads it. */
function isSpec(value: unknown): value is SupervisorSpec {
  const spec = (value ?? {}) as Record<string, unknown>;
  const objects = ['marker', 'facts', 'agent', 'program', 'times', 'sandbox'];
  return (
    spec['schemaVersion'] === 1 &&
    typeof spec['attemptDir'] === 'string' &&
    objects.every((key) => typeof spec[key] === 'object' && spec[key] !== null)
  );
}
