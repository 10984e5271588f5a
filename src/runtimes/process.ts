import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { isErrno } from '../support/atomic-file.js';
import { baseEnv } from './base-env.js';
import { endOf } from './command-end.js';
import { oomKillsIn, startInGroup } from './control-groups/group.js';
import {
  findTrialGroups,
  makeTrialGroups,
  ownGroups,
  removeTrialGroups,
  trialsWithGroups,
} from './control-groups/trial-groups.js';
import { machineOomKills } from './machine-oom.js';
import { endMarked, findMarked, markerEnv } from './marked-processes.js';
import { removeFolder } from './remove-folder.js';
import { withTag } from './process-tag.js';
import { sandboxPaths } from './sandbox-paths.js';
import type {
  LeftoversEnd,
  Runtime,
  RuntimeProbe,
  Sandbox,
  SandboxCommand,
  SandboxEnd,
  SandboxRequest,
  TrialMarker,
} from './runtime.js';

/**
 * Runs the trial as processes of this user: private HOME and TMPDIR, environment from an allow-list,
 * process groups of their own. It keeps trials apart, it does not lock an agent in.
 */
export const processRuntime: Runtime = {
  kind: 'process',
  gradesApart: false,
  probe: (): Promise<RuntimeProbe> =>
    Promise.resolve({
      ok: process.platform === 'linux' || process.platform === 'darwin',
      version: process.version,
      detail: `processes of this user on ${process.platform}; the agent can read this machine`,
      hint: null,
    }),
  prepare,
  run,
  // A quota holds the agent's group alone: the program is outside it.
  giveAllCpus: () => Promise.resolve(),
  endLeftovers,
  findLeftovers,
  destroy,
};

async function prepare(request: SandboxRequest): Promise<Sandbox> {
  const paths = sandboxPaths(request.root);
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  await Promise.all(
    // The two checkouts are made by whoever fills them.
    [paths.home, paths.out, paths.inputs, paths.tmp].map((dir) => mkdir(dir, { mode: 0o700 })),
  );
  const owned = makeTrialGroups(request.marker, request.memory.bytes);
  return {
    marker: request.marker,
    stage: request.stage,
    host: paths,
    inside: paths,
    node: process.execPath,
    env: {
      ...baseEnv(process.env),
      HOME: paths.home,
      TMPDIR: paths.tmp,
      ...markerEnv(request.marker),
    },
    imageId: null,
    groups: owned?.groups ?? null,
    limits: owned?.limits ?? [],
    container: null,
  };
}

async function run(sandbox: Sandbox, command: SandboxCommand): Promise<SandboxEnd> {
  const { agent = [], program = [] } = sandbox.groups ?? {};
  const oomBefore = machineOomKills();
  const back = program.length === 0 ? [] : ownGroups();
  const { started, isInside } = startInGroup({ inside: program, back }, () =>
    start(sandbox, command),
  );
  const groups = isInside ? findTrialGroups(sandbox.marker) : [];
  const query = { ...sandbox.marker, root: sandbox.host.root, groups };
  const end = await endOf(started, command, query);
  const rest = await endMarked(query, 0);
  endGroup(started.pid);
  const oom = {
    agent: oomKillsIn(agent),
    program: oomKillsIn(program),
    machine: machineOomKills() - oomBefore,
  };
  return {
    ...end,
    oom: oom.program > 0,
    agentOom: oom.agent > 0,
    machineOom: oom.machine > oom.program + oom.agent,
    // Killing on request is no leftover: only what survived a program that ended by itself counts.
    leftoversKilled: rest.found,
    leftoversAlive: rest.alive,
    proof: rest.proof,
    detail: null,
  };
}

function start(sandbox: Sandbox, command: SandboxCommand): ChildProcess {
  const [program = '', ...args] = withTag(command.argv, sandbox.marker);
  const held = command.holdFd ?? null;
  const child = spawn(program, args, {
    cwd: sandbox.host.root,
    env: { ...command.env, ...markerEnv(sandbox.marker) },
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit', ...(held === null ? [] : [held])],
  });
  child.stdin?.on('error', () => undefined); // whoever does not read it has ended, or will not go on
  void command.goAhead?.then(() => child.stdin?.write('\n'));
  return child;
}

/** What stayed in the program's own group, also where the folder of a process can't be seen. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH') && !isErrno(error, 'EPERM')) throw error;
  }
}

async function endLeftovers(marker: TrialMarker, root: string): Promise<LeftoversEnd> {
  const groups = findTrialGroups(marker);
  const { found, proof } = await endMarked({ ...marker, root, groups }, 0);
  await removeTrialGroups(groups);
  return { ended: found, proof };
}

async function findLeftovers(stateId: string): Promise<readonly string[]> {
  const marked = await findMarked({ stateId, trialHash: null, root: null });
  const hashes = marked.flatMap(({ trialHash }) => (trialHash === null ? [] : [trialHash]));
  return [...new Set([...hashes, ...trialsWithGroups(stateId)])];
}

async function destroy(marker: TrialMarker, root: string): Promise<void> {
  await removeTrialGroups(findTrialGroups(marker));
  await removeFolder(root);
}
