import type { AppSpec } from '../../domain/experiment/experiment.js';
import { APP_DIR } from '../../domain/trial/program-contract.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
import { runCommand } from '../../support/run-command.js';

/** Prints the branches of the app in an image; fails where there is none. */
const LIST = `git -c safe.directory='*' -C ${APP_DIR} for-each-ref --format='%(refname)' refs/heads/`;

const LOOK_TIMEOUT_MS = 60_000;

/**
 * An image of somebody else is used as it is, if trials can start from it.
 * @throws LlmxError `image_foreign`
 */
export async function assertHoldsApp(
  engine: ContainerEngine,
  imageId: string,
  { app, tasks }: { readonly app: AppSpec; readonly tasks: readonly string[] },
): Promise<void> {
  const branches = await branchesIn(engine, imageId, app.key);
  const missing = tasks.find((task) => !branches.includes(`refs/heads/trial/${task}`));
  if (missing === undefined) return;
  const hint = `give apps.${app.key} another image: in experiment.yml (or none), then: llmx-client build app ${app.key}`;
  const problem =
    branches.length === 0
      ? `has no app at ${APP_DIR}`
      : `has no branch trial/${missing} at ${APP_DIR}`;
  throw new LlmxError('image_foreign', { reference: app.image, problem, hint });
}

async function branchesIn(
  engine: ContainerEngine,
  image: string,
  key: string,
): Promise<readonly string[]> {
  const name = `llmx-look-${process.pid}-${key}`;
  const client = await engine.runCommand({
    name,
    image,
    labels: {},
    memory: { text: '512m', bytes: 512 * 1024 * 1024 },
    cpus: '1',
    pidsLimit: 64,
    network: 'none',
    mounts: [],
    env: {},
    workdir: '/',
    user: await engine.user(),
    argv: ['sh', '-c', LIST],
  });
  try {
    const { argv, env } = client;
    const listed = await runCommand(argv, { env, timeoutMs: LOOK_TIMEOUT_MS });
    return listed.ok ? listed.stdout.split('\n').filter((line) => line !== '') : [];
  } finally {
    await engine.remove(name);
  }
}
