/** What the supervisor tells the trial program, and what the program answers. Paths are as seen inside the sandbox. */

export const TRIAL_PHASES = ['isolate', 'prepare', 'before', 'agent', 'collect', 'grade'] as const;
export type TrialPhase = (typeof TRIAL_PHASES)[number];

/** How to start the agent; null argv means that nothing is started (`nop`). */
export interface AgentLaunch {
  readonly argv: readonly string[] | null;
  /** The agent's whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** File whose content becomes standard input, or null for an empty one. */
  readonly stdinFile: string | null;
  /** Left out: the agent is ended at the limits of the trial only. */
  readonly stall?: AgentStall;
}

/** When an agent is known to wait for something that no trial can wait for. It is ended then. */
export interface AgentStall {
  /**
   * JavaScript regular expression for the last line of either output: what the agent says when it waits. On
   * standard output it may be said again meanwhile; on standard error it counts until more comes on either.
   */
  readonly said: string;
  /** So long it was the last line. */
  readonly forMs: number;
  /** So long not a byte of standard output came at all. */
  readonly startMs: number;
}

/**
 * Control groups of one trial. Each list names one folder in every hierarchy that is in use, the one
 * that tells who is in the group first.
 */
export interface TrialGroups {
  /** The trial program, and what it runs of the experiment. */
  readonly program: readonly string[];
  /** The agent and everything below it. */
  readonly agent: readonly string[];
}

/** How processes of the trial are found after the agent has ended, wherever they went. */
export interface Containment {
  readonly trialHash: string;
  readonly stateId: string;
  /** Sandbox folder. */
  readonly root: string;
  /** Null where the host lets nobody make control groups. */
  readonly groups: TrialGroups | null;
}

/**
 * The program is alone in a container: its own environment (that of the image) is added to every other,
 * and all processes but it and the first are the agent's.
 */
export interface ContainerFacts {
  /** Folder that the checkout is copied from. */
  readonly appDir: string;
}

/** Where an app image has the app: one orphan commit for each task, dependencies installed. */
export const APP_DIR = '/opt/llmx/app';

/** In an image: command that starts what the app needs beside it, and waits until it answers. */
export const SERVICES_FILE = '/opt/llmx/start-services';

/** In an image: JSON object of what is installed and its version. */
export const TOOLCHAIN_FILE = '/etc/llmx-versions.json';

/** Where a sandbox's folders are inside a container. */
export const SANDBOX_DIR = '/trial';

/** The way out of a container whose network is `model-only`, or to the key proxy. Open while the agent runs, and only then. */
export interface EgressRoute {
  /** Unix socket at which the supervisor's proxy listens. */
  readonly socket: string;
  /** Servers of the host that are to be found under the same loopback address inside. */
  readonly loopback: readonly { readonly host: string; readonly port: number }[];
  /** False where the container has a network of its own. @defaultValue true */
  readonly isOnlyWay?: boolean;
}

/** Where the socket is, below the sandbox folder. */
export const EGRESS_SOCKET = 'net/egress.sock';

/** JSON file given to the program as its only argument. */
export interface ProgramSpec {
  readonly schemaVersion: 1;
  /** Run in {@link TRIAL_PHASES} order; the first that aborts ends the program. */
  readonly phases: readonly TrialPhase[];
  /** `trial/<task>`. */
  readonly branch: string;
  /** Checkout in which the agent works. */
  readonly checkoutDir: string;
  /**
   * A second, untouched checkout of the same commit, for `grade`. Best left out: when it does not exist (or
   * is empty) `isolate` copies the isolated checkout there, which is faster than isolating two. May be the
   * checkout itself where no agent runs.
   */
  readonly gradeDir: string;
  /** Where the program writes its files; see {@link PROGRAM_FILES}. */
  readonly outDir: string;
  readonly neutralize: readonly string[];
  readonly dbPrepare: string | null;
  readonly testCommand: string;
  readonly testFile: string;
  readonly implFiles: readonly string[];
  readonly suiteRanPattern: string;
  readonly suiteRanFlags: string;
  /** Environment of db_prepare and the tests; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly agent: AgentLaunch;
  readonly agentTimeoutMs: number;
  readonly testTimeoutMs: number;
  /** Between TERM and KILL. */
  readonly killGraceMs: number;
  /**
   * The agent is ended when the sandbox takes more than this on disk.
   * @defaultValue SANDBOX_LIMIT_BYTES
   */
  readonly diskLimitBytes?: number;
  /** Left out: only the agent's process group is ended. */
  readonly containment?: Containment;
  /** Left out: the program runs on the host itself. */
  readonly container?: ContainerFacts;
  /** Left out: nothing is done about the network. */
  readonly egress?: EgressRoute;
  /**
   * Goes on from what another program found, given to it as `earlier` in `outDir`, although it isolates anew.
   * @defaultValue false
   */
  readonly continues?: boolean;
  /**
   * Before this phase the program says in its progress that it waits, and goes on at the first line of its
   * standard input. Only then it reads the result to go on from.
   */
  readonly waitsBefore?: TrialPhase;
  /**
   * Standard input is a pipe that its owner holds open. When it closes the owner is dead, and the
   * program ends itself and the agent at once, without a result.
   * @defaultValue false
   */
  readonly endWithStdin?: boolean;
}

/** Names inside `outDir`. */
export const PROGRAM_FILES = {
  result: 'program-result.json',
  /** What the program that ran the agent found, for the one that grades. */
  earlier: 'agent-result.json',
  progress: 'program-progress.json',
  before: 'test_before.txt',
  after: 'test_after.txt',
  /** The test once more without the agent's change, when the suite did not run with it. */
  pristine: 'test_pristine.txt',
  prepare: 'db_prepare.txt',
  diff: 'agent.diff',
  agentStdout: 'agent_stdout.txt',
  agentStderr: 'agent_stderr.txt',
} as const;

/** Written whenever it changes. */
export interface ProgramProgress {
  readonly phase: TrialPhase;
  /** For a line on standard input, before the phase. */
  readonly waits: boolean;
  readonly startedAt: string;
}

export interface TestRun {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly seconds: number;
  /** Output (both streams) matched the suite-ran pattern. */
  readonly suiteRan: boolean;
  /** Ended because it wrote more than the output limit. @defaultValue false */
  readonly outputLimited?: boolean;
}

export interface AgentRun {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Monotonic, around the agent process alone. */
  readonly wallSeconds: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Ended because it wrote more than the limit of its output, or of its sandbox. @defaultValue false */
  readonly outputLimited?: boolean;
  /** Ended because of {@link AgentStall}. @defaultValue false */
  readonly stalled?: boolean;
}

/**
 * `container`: the engine says that the container is gone. `cgroup`: a control group that held the processes
 * was seen empty. `best-effort`: a scan found none.
 */
export type EndProof = 'container' | 'cgroup' | 'best-effort';

/** What the agent left running, ended before anything it changed was looked at. */
export interface Escapees {
  readonly killed: number;
  /** Could not be ended. */
  readonly alive: number;
  readonly proof: EndProof;
}

export interface Isolation {
  readonly branches: readonly string[];
  readonly commits: number;
  /** `<short id> <subject>` of the one commit. */
  readonly head: string;
  readonly clean: boolean;
}

export interface Changes {
  readonly changedFiles: readonly string[];
  readonly untrackedFiles: readonly string[];
  readonly touchedImplFile: boolean;
  readonly editedTestDir: boolean;
  readonly testFileEdited: boolean;
}

export type ProgramAbort =
  | 'isolation_failed'
  | 'setup_failed'
  | 'suite_did_not_run'
  | 'bug_did_not_reproduce'
  | 'sandbox_failed';

/** `program-result.json`, written atomically, also when a phase aborts. Parts that were not reached are null. */
export interface ProgramResult {
  readonly schemaVersion: 1;
  readonly aborted: ProgramAbort | null;
  readonly abortDetail: string | null;
  readonly isolation: Isolation | null;
  readonly dbPrepareExit: number | null;
  readonly before: TestRun | null;
  readonly agent: AgentRun | null;
  readonly changes: Changes | null;
  readonly after: TestRun | null;
  /** Null until graded. `ungraded`: the suite does not even run on the untouched checkout. */
  readonly grade: 'passed' | 'failed' | 'ungraded' | null;
  /** Left out when no agent was started, or there was no containment. */
  readonly escapees?: Escapees;
  /** In a container: processes that the kernel killed at its memory limit while the agent ran. */
  readonly agentOomKills?: number;
  /** In a container: versions that the image's own list gives. */
  readonly toolchain?: Readonly<Record<string, string>>;
  /** How long each phase took, whole milliseconds. */
  readonly phaseMs?: Readonly<Partial<Record<TrialPhase, number>>>;
}
