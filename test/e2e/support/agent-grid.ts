import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeApp } from '../../fixtures/trial/trial-lab.js';
import { ContainerLab, writeApps } from './container-lab.js';

export interface AgentGridOptions {
  /** Lines of `agents:` in experiment.yml. */
  readonly agents: string;
  readonly conditions: readonly string[];
  /** The prompt of each task. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Agents in podman containers, on an app of two tasks with a planted bug each. */
export function agentGrid(options: AgentGridOptions): Promise<ContainerLab> {
  const { conditions, prompts } = options;
  return ContainerLab.make(
    'podman',
    'app',
    async (dir, image) => {
      const app = join(dir, '..', 'app');
      makeApp(app);
      await mkdir(dir, { recursive: true });
      await writeApps(dir, app);
      await writeFile(join(dir, 'experiment.yml'), experimentText(options, image));
      for (const [task, prompt] of Object.entries(prompts)) {
        await mkdir(join(dir, 'prompts', 'app', task), { recursive: true });
        for (const condition of conditions) {
          const file = join(dir, 'prompts', 'app', task, `${condition}.txt`);
          await writeFile(file, `${prompt} (${condition})\n`);
        }
      }
    },
    options.env,
    { image: 'llmx-test-agents-base:latest', agents: 'claude,codex,opencode' },
  );
}

function experimentText(
  { agents, conditions, prompts, timeoutSeconds }: AgentGridOptions,
  image: string,
): string {
  const files = 'test_file: test/add.test.sh, impl_files: [src/add.sh]';
  return `name: real agents
question: Do real agents run?
runtime: podman
network: model-only
agents:
${agents}
conditions: [${conditions.join(', ')}]
trial: { timeout_seconds: ${timeoutSeconds}, memory: 2g, cpus: 2 }
limits: { max_consecutive_voids: 99 }
preflight: { min_free_gb: 0.01, max_load: 1000 }
pins: { claude: 2.1.332, codex: 0.171.0, opencode: 1.18.33 }
apps:
  app:
    toolchain: none
    branch_prefix: exp
    test_command: bash
    image: '${image}'
tasks:
${Object.keys(prompts)
  .map((task) => `  - { id: ${task}, app: app, ${files} }`)
  .join('\n')}
`;
}

export interface Attempt {
  readonly cell: string;
  readonly dir: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** All closed attempts by cell, the oldest of a cell first. */
export async function attemptsOf(dir: string): Promise<readonly Attempt[]> {
  const tree = join(dir, 'results-raw');
  const names = await readdir(tree, { recursive: true });
  const files = names.filter((name) => name.endsWith('/meta.json')).sort();
  return Promise.all(
    files.map(async (name) => ({
      cell: name.split('/').slice(0, 3).join('/'),
      dir: join(tree, name, '..'),
      meta: JSON.parse(await readFile(join(tree, name), 'utf8')) as Attempt['meta'],
    })),
  );
}
