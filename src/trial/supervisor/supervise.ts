import { dirname, join } from 'node:path';
import type { AgentVerdict } from '../../agents/agent.js';
import { pinProblem } from '../../agents/cli-version.js';
import type { CredentialPlan } from '../../agents/credential-plan.js';
import { runtimeOf } from '../../runtimes/registry.js';
import type { Runtime, Sandbox, SandboxStage } from '../../runtimes/runtime.js';
import { sandboxPaths } from '../../runtimes/sandbox-paths.js';
import { refusalOf } from '../../support/file-faults.js';
import { isDiskFullAt } from '../../support/free-disk.js';
import { crashPoint } from '../../support/test-switches.js';
import { hidePaths } from '../../support/hide-paths.js';
import { acquireKernelLock, type KernelLock } from '../../support/kernel-lock.js';
import { pathExists } from '../../support/path-exists.js';
import { ownIdentity } from '../../support/process-identity.js';
import type { AttemptFacts } from '../attempt-records.js';
import {
  classify,
  classifyError,
  stoppedTrial,
  voidTrial,
  type Classification,
} from '../classify.js';
import { closeTrial, recordTrial, reserveRoom, writeOutcome } from '../close-trial.js';
import { takeOwnership } from '../owner.js';
import { readSupervisorSpec, type SupervisorSpec } from '../supervisor-spec.js';
import { removeTrialFolder, trialFiles, type TrialFiles } from '../trial-files.js';
import { planAccess, takeKeySettings } from './access.js';
import { hostFacts, toolchain } from './host-facts.js';
import { removeLeftovers } from './leftovers.js';
import { ProgressFile } from './progress.js';
import type { ProgramRun } from './run-program.js';
import { runStages } from './run-stages.js';
import { watchSleep } from './sleep-watch.js';
import type { StopSwitch } from './stop-signals.js';

interface Ending {
  readonly classification: Classification;
  /** Null when the program did not run to an end. */
  readonly run: ProgramRun | null;
}

/** Runs one trial from its spec to its closed record, alone on this host. */
export async function supervise(trialDir: string, stop: StopSwitch): Promise<void> {
  const files = trialFiles(trialDir);
  crashPoint('supervisor:started');
  const spec = await readSupervisorSpec(files.spec);
  if (spec === null) return; // given up and removed before this process came up
  if (!(await takeOwnership(files.owner, { fenced: false, ...ownIdentity() }))) return;
  crashPoint('supervisor:owned');
  if (await pathExists(join(spec.attemptDir, 'meta.json'))) {
    // Given up and closed between the two lines above: the fence went with the folder.
    await removeTrialFolder(trialDir);
    return;
  }
  if (await pathExists(files.stop)) stop.stop('cancelled');
  await new Supervisor(spec, files, stop).run();
}

class Supervisor {
  private readonly runtime: Runtime;
  private readonly progress: ProgressFile;
  private readonly settings = takeKeySettings(process.env);
  private startedAt = new Date().toISOString();
  private startedMs = performance.now();
  private host: AttemptFacts['host'] = {};
  private toolchain: AttemptFacts['toolchain'] = {};
  private imageId: string | null = null;
  private leftoversBefore = 0;
  private diskWasFull = false;

  constructor(
    private readonly spec: SupervisorSpec,
    private readonly files: TrialFiles,
    private readonly stop: StopSwitch,
  ) {
    this.runtime = runtimeOf(spec.sandbox.runtime);
    this.progress = new ProgressFile(files.progress);
  }

  async run(): Promise<void> {
    let lock: KernelLock | null = null;
    let ending: Ending;
    try {
      lock = await acquireKernelLock(this.spec.hostLock, {
        signal: this.stop.signal,
        onWait: () => {
          this.progress.enter('waiting');
        },
        // A dead trial may hold the host: its program has the lock until it is gone.
        beforeWait: () => this.removeLeftovers(),
      });
      crashPoint('supervisor:locked');
      ending = await this.trial(lock);
    } catch (error) {
      ending = { classification: this.explain(error), run: null };
      await this.endLeftovers();
    }
    crashPoint('supervisor:before-record');
    const isClosed = await this.close(ending);
    crashPoint('supervisor:recorded');
    await this.progress.settled();
    if (isClosed) await this.removeSandbox();
    crashPoint('supervisor:sandbox-removed');
    await lock?.release();
    crashPoint('supervisor:host-released');
    if (isClosed) await removeTrialFolder(this.files.dir);
  }

  private async trial(lock: KernelLock): Promise<Ending> {
    this.progress.enter('preparing');
    this.startedAt = new Date().toISOString();
    this.startedMs = performance.now();
    const { out } = sandboxPaths(this.files.sandbox);
    const sleepWatch = watchSleep(
      {
        sleep: () => {
          this.stop.stop('host_slept');
        },
        tick: () => {
          void this.progress.follow(out);
          void this.watchDisk();
        },
      },
      this.spec.sleepGapMs,
    );
    try {
      await reserveRoom(this.spec.attemptDir);
      crashPoint('supervisor:room-reserved');
      const credentials = await planAccess(this.spec, this.files, {
        env: this.settings,
        removeLeftovers: () => this.removeLeftovers(),
      });
      if (credentials.status === 'unusable') {
        return { classification: voidTrial('login', credentials.reason), run: null };
      }
      const run = await this.runInSandbox(lock, credentials);
      sleepWatch.look();
      await this.watchDisk();
      return { classification: this.classify(run), run };
    } finally {
      sleepWatch.stop();
    }
  }

  /** On a full disk agent and tests fail in ways that look like their own. */
  private async watchDisk(): Promise<void> {
    try {
      this.diskWasFull ||= await isDiskFullAt(this.files.dir);
    } catch (error) {
      console.error(error); // a disk that can't be looked at is met again when the trial is closed
    }
  }

  private classify(run: ProgramRun): Classification {
    const stopped = this.stop.reason;
    if (stopped === null && this.diskWasFull) return voidTrial('disk_full', 'in the state folder');
    return classify({ stopped, ...run, verdict: this.drift() ?? run.verdict });
  }

  /** A result of another version than the pinned one belongs to another experiment. */
  private drift(): AgentVerdict | null {
    const { agent, facts } = this.spec;
    const problem = pinProblem(agent.kind, facts.pins, this.toolchain);
    return problem === null ? null : { status: 'void', reason: 'contaminated', detail: problem };
  }

  /** A run that failed in llmx itself may have left processes; the record must not say otherwise. */
  private async endLeftovers(): Promise<void> {
    try {
      await this.runtime.endLeftovers(this.spec.marker, this.files.sandboxes);
    } catch (error) {
      console.error(error);
    }
  }

  /** Whatever failed after a stop failed because of it. */
  private explain(error: unknown): Classification {
    const { reason } = this.stop;
    if (reason !== null) return stoppedTrial(reason);
    console.error(error);
    return classifyError(error);
  }

  private async removeLeftovers(): Promise<void> {
    this.leftoversBefore += await removeLeftovers(this.spec, this.files.dir);
  }

  private async runInSandbox(lock: KernelLock, credentials: CredentialPlan): Promise<ProgramRun> {
    const run = await runStages(this.spec, {
      runtime: this.runtime,
      files: this.files,
      credentials,
      prepare: (stage, root) => this.prepare(stage, root),
      onPrepared: async (sandbox) => {
        this.imageId = sandbox.imageId;
        this.host = { ...hostFacts(), ...this.confinement(sandbox) };
        // Nothing is started beside what an earlier trial left.
        const [versions] = await Promise.all([
          toolchain(sandbox, this.spec.agent.kind),
          this.removeLeftovers(),
        ]);
        this.toolchain = versions;
      },
      onGrading: () => {
        this.progress.enter('grade');
      },
      signal: this.stop.signal,
      holdFd: lock.fd,
    });
    this.toolchain = { ...this.toolchain, ...run.result?.toolchain };
    return run;
  }

  /** What the sandbox was held to; on the host itself nobody keeps a process from the network. */
  private confinement({ limits, container }: Sandbox): Readonly<Record<string, string>> {
    const network = container === null ? 'open' : this.spec.sandbox.network;
    return { limits: limits.join(',') || 'none', network };
  }

  private prepare(stage: SandboxStage, root: string): Promise<Sandbox> {
    const { runtime: _, network, ...limits } = this.spec.sandbox;
    return this.runtime.prepare({
      ...limits,
      // The model is of no use to a test.
      network: stage === 'grade' && network === 'model-only' ? 'none' : network,
      marker: this.spec.marker,
      grid: this.spec.facts.workflow_id,
      stage,
      root,
    });
  }

  /**
   * The record comes last but for the cleaning up: what it says has happened.
   * @returns false when it can't be written now: then all stays for whoever asks for the cell next
   */
  private async close({ classification, run }: Ending): Promise<boolean> {
    this.progress.enter('closing');
    const attempt = this.attempt(classification, run);
    await this.saveOutcome(attempt);
    crashPoint('supervisor:outcome-saved');
    const { attemptDir, experimentDir } = this.spec;
    const outDir = sandboxPaths(this.files.sandbox).out;
    try {
      await closeTrial({ attemptDir, experimentDir, outDir, logFile: this.files.log }, attempt);
      return true;
    } catch (error) {
      console.error(error);
      return refusalOf(error) === null && (await this.closeWithout(error, run));
    }
  }

  /** Most of all after a full disk: without the sandbox and the artifacts there is room for the record. */
  private async closeWithout(cause: unknown, run: ProgramRun | null): Promise<boolean> {
    const attempt = this.attempt(classifyError(cause), run);
    await this.removeSandbox();
    await this.saveOutcome(attempt);
    try {
      await recordTrial(this.spec, attempt);
      return true;
    } catch (error) {
      console.error(error);
      return false;
    }
  }

  /** A net for the moment before the record is there: failing to spread it changes nothing. */
  private async saveOutcome(attempt: AttemptFacts): Promise<void> {
    try {
      await writeOutcome(this.files.outcome, attempt);
    } catch (error) {
      console.error(error);
    }
  }

  /** What can't be removed is tried again before the next trial; this one is closed as it is. */
  private async removeSandbox(): Promise<void> {
    try {
      await this.runtime.destroy(this.spec.marker, this.files.sandboxes);
    } catch (error) {
      console.error(error);
    }
  }

  private attempt(classification: Classification, run: ProgramRun | null): AttemptFacts {
    return {
      facts: this.spec.facts,
      classification: { ...classification, detail: this.readable(classification.detail) },
      result: run?.result ?? null,
      reading: run?.reading ?? null,
      startedAt: this.startedAt,
      finishedAt: new Date().toISOString(),
      hostWallSeconds: (performance.now() - this.startedMs) / 1000,
      toolchain: this.toolchain,
      host: this.host,
      imageId: this.imageId,
      ...proofOf(run),
      leftoversBefore: this.leftoversBefore,
    };
  }

  private readable(detail: string | null): string | null {
    if (detail === null) return null;
    return hidePaths(detail, [
      { path: this.files.sandbox, label: '<sandbox>' },
      { path: dirname(dirname(this.files.dir)), label: '<state>' },
      { path: this.spec.experimentDir, label: '<experiment>' },
      { path: dirname(this.spec.programFile), label: '<llmx>' },
    ]);
  }
}

/** Nothing was left after the agent, and nothing after the program: the weaker of the two counts. */
function proofOf(
  run: ProgramRun | null,
): Pick<AttemptFacts, 'proof' | 'leftoversKilled' | 'agentOom'> {
  if (run === null) return { proof: 'best-effort', leftoversKilled: 0, agentOom: false };
  const { end, result } = run;
  const { killed = 0, proof = 'cgroup' } = result?.escapees ?? {};
  return {
    proof: proof === 'cgroup' ? end.proof : proof,
    leftoversKilled: killed + end.leftoversKilled,
    agentOom: end.agentOom,
  };
}
