import type { MemorySize, NetworkMode, RuntimeKind } from '../domain/experiment/experiment.js';
import type { EndProof, TrialGroups } from '../domain/trial/program-contract.js';

/** Folders of one sandbox. The same names exist on the host and inside; only the roots differ. */
export interface SandboxPaths {
  readonly root: string;
  /** Private HOME. */
  readonly home: string;
  /** Where the agent works. */
  readonly checkout: string;
  /** Untouched copy in which the result is graded. */
  readonly grade: string;
  /** What the trial program writes. */
  readonly out: string;
  /** What the trial program and the agent read. */
  readonly inputs: string;
  /** Private TMPDIR. */
  readonly tmp: string;
}

/** What tells the processes (or the container) of one trial from everything else on the host. */
export interface TrialMarker {
  readonly trialHash: string;
  /** Names the state folder, so that two state folders never clean up after each other. */
  readonly stateId: string;
}

export interface SandboxRequest {
  readonly marker: TrialMarker;
  /** Workflow id of the grid, for people who look at what runs; null outside a grid. */
  readonly grid: string | null;
  /** Host folder that holds everything of the sandbox. */
  readonly root: string;
  readonly image: string | null;
  readonly memory: MemorySize;
  readonly cpus: string;
  readonly network: NetworkMode;
  /** `grade`: a second sandbox of the same trial, in which the result is graded. */
  readonly stage: SandboxStage;
}

export type SandboxStage = 'trial' | 'grade';

export interface Sandbox {
  readonly marker: TrialMarker;
  readonly stage: SandboxStage;
  readonly host: SandboxPaths;
  readonly inside: SandboxPaths;
  /** Node binary as seen inside. */
  readonly node: string;
  /** Where the marker and the private folders are named; everything that runs inside gets it. */
  readonly env: Readonly<Record<string, string>>;
  readonly imageId: string | null;
  /** Null where there are none, or the sandbox is one of its own. */
  readonly groups: TrialGroups | null;
  /** Limits that the kernel keeps here: `memory`, `pids`. */
  readonly limits: readonly string[];
  /** Null where the sandbox is a folder of this machine. */
  readonly container: ContainerSettings | null;
}

/** What the container of a sandbox is started with. */
export interface ContainerSettings {
  readonly name: string;
  /** Inside: where the image has the app, which the trial program copies. */
  readonly appDir: string;
  /** Image id. */
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memory: MemorySize;
  readonly cpus: string;
  readonly network: 'none' | 'open';
  readonly user: string;
}

export interface SandboxCommand {
  /** As seen inside. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Between TERM and KILL. */
  readonly killGraceMs: number;
  /** Ends the command and everything it started. */
  readonly signal: AbortSignal;
  /** When it resolves the command gets an empty line on its standard input. Never rejects. */
  readonly goAhead?: Promise<void> | undefined;
  /**
   * Descriptor that the command keeps open for as long as it runs, so that the host lock outlives a
   * supervisor that is killed.
   */
  readonly holdFd?: number | null;
}

/** One shape for every end; the reason is in the flags. */
export interface SandboxEnd {
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The kernel killed processes for lack of memory in the sandbox, but not of the agent. */
  readonly oom: boolean;
  /** The kernel killed processes of the agent at the trial's own limit. */
  readonly agentOom: boolean;
  /** The kernel killed processes for lack of memory elsewhere on the machine. */
  readonly machineOom: boolean;
  /** Processes that had outlived the command and were killed. */
  readonly leftoversKilled: number;
  /** Processes that could not be killed: the sandbox is not clean. */
  readonly leftoversAlive: number;
  /** How it was shown that nothing is left. */
  readonly proof: EndProof;
  /** What the engine said when the command could not be run as it should, or null. */
  readonly detail: string | null;
  /** The command was not run: somebody has removed the image since the sandbox was prepared. */
  readonly imageGone?: true;
}

/** What was left of a trial, and ended. */
export interface LeftoversEnd {
  /** Processes or containers. */
  readonly ended: number;
  readonly proof: EndProof;
}

export interface RuntimeProbe {
  readonly ok: boolean;
  readonly version: string | null;
  readonly detail: string;
  /** The next command when it is not ok. */
  readonly hint: string | null;
}

/** Where a trial runs. The trial program and its spec are the same in every runtime. */
export interface Runtime {
  readonly kind: RuntimeKind;
  /** Whether grading gets a sandbox of its own, where the agent never was. */
  readonly gradesApart: boolean;
  probe(): Promise<RuntimeProbe>;
  /** Makes the folders of the sandbox (empty) and whatever else it needs. */
  prepare(request: SandboxRequest): Promise<Sandbox>;
  /**
   * Runs a command to its end and ends everything it started. Never throws for what the command did. Its
   * standard input is a pipe that closes when the caller dies.
   */
  run(sandbox: Sandbox, command: SandboxCommand): Promise<SandboxEnd>;
  /**
   * Lets a running command have the whole machine: under a quota, thousands of processes of an agent can take
   * so much of it that nothing else in the sandbox runs, not even what ends them. Nothing is measured any more.
   */
  giveAllCpus(sandbox: Sandbox): Promise<void>;
  /** Ends what is left of a trial whose supervisor is dead. Needs nothing but the marker. */
  endLeftovers(marker: TrialMarker, root: string): Promise<LeftoversEnd>;
  /** Hashes of trials of a state folder of which something is left, also without their folder. */
  findLeftovers(stateId: string): Promise<readonly string[]>;
  /** Removes the sandbox's folders and whatever else it has. Nothing of it may run any more. */
  destroy(marker: TrialMarker, root: string): Promise<void>;
}
