import type { MemorySize } from '../../domain/experiment/experiment.js';
import type { RuntimeProbe } from '../runtime.js';

export type EngineKind = 'apple' | 'docker' | 'podman';

/** A host folder (or socket) seen inside a container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Everything that decides what a container may do. No secrets: all of it can be read in the process list. */
export interface ContainerRun {
  /** Derived from the trial, so that a second start of the same trial is refused by the engine. */
  readonly name: string;
  /** Image id, or a reference that is known to be there. Never pulled. */
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly memory: MemorySize;
  /** Positive number as text; more than the machine has means all it has. */
  readonly cpus: string;
  readonly pidsLimit: number;
  readonly network: 'none' | 'open';
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  /** Numeric, as `uid:gid`; see {@link ContainerEngine.user}. */
  readonly user: string;
  readonly argv: readonly [string, ...string[]];
  /** Its standard input and output are this terminal. @defaultValue false */
  readonly hasTerminal?: boolean;
}

/** A client process that runs a container in the foreground: its exit code is the command's. */
export interface ClientCommand {
  readonly argv: readonly [string, ...string[]];
  /** Whole environment of the client. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ContainerRow {
  readonly name: string;
  readonly running: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ImageRow {
  /** By content: `sha256:…`. */
  readonly id: string;
  /** `name:tag`, without the engine's own prefixes; null for an image nobody named. */
  readonly reference: string | null;
  /** Null where the engine does not tell. */
  readonly sizeBytes: number | null;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ImageBuild {
  readonly tag: string;
  /** Folder that holds the Dockerfile and all it copies. */
  readonly contextDir: string;
  /** Dockerfile, relative to the context. */
  readonly file: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** File that gets the whole output. */
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly noCache?: boolean;
}

/**
 * One container engine's command line. The only place that knows its flags and its quirks. Every call has a
 * time limit of its own. An engine that can't be asked throws LlmxError `engine_unreachable`.
 */
export interface ContainerEngine {
  readonly kind: EngineKind;
  /** Whether containers can be started here, with the next command to type where they can't. */
  probe(): Promise<RuntimeProbe>;
  /** Who runs in a container, as `uid:gid`, so that the folders of a sandbox are his and can be removed here. */
  user(): Promise<string>;
  /** The client that runs a container in the foreground and removes it when it ends. Its stdin is the container's. */
  runCommand(run: ContainerRun): Promise<ClientCommand>;
  /**
   * What the engine has to say about the end of a run, from the client's exit code and the end of its error
   * output; null when the exit code is the command's own.
   */
  runFailure(exit: number, stderr: string): string | null;
  /**
   * Ends a container with KILL and removes it. Idempotent.
   * @returns whether there was one
   * @throws LlmxError `engine_unreachable` when it is still there afterwards
   */
  remove(name: string): Promise<boolean>;
  /** Gives a running container all processors there are. Left out where a container has no quota of them. */
  giveAllCpus?(name: string): Promise<void>;
  /** Running and ended containers that carry all these labels. */
  containers(labels: Readonly<Record<string, string>>): Promise<readonly ContainerRow[]>;
  images(): Promise<readonly ImageRow[]>;
  /** The image of that name or id, or null when the engine does not have it. Never pulls. */
  image(reference: string): Promise<ImageRow | null>;
  /** @throws LlmxError `image_build_failed` */
  build(build: ImageBuild): Promise<void>;
  /** @returns false when there was none, or a container still uses it */
  removeImage(reference: string): Promise<boolean>;
  /** What builds left behind beside their images; an engine that keeps nothing of the kind leaves it out. */
  readonly buildCache?: BuildCache;
}

/** Shared by everything that is built on the engine, not only by llmx. All of it can be made again. */
export interface BuildCache {
  /** Null where the engine does not tell. */
  sizeBytes(): Promise<number | null>;
  /** @throws LlmxError `engine_unreachable` */
  clear(): Promise<void>;
}
