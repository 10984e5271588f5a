import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleAssemble } from '../../../scripts/bundle-trial.mjs';
import { ensureAppImage, type AppImageInput } from '../../../src/apps/image/app-image.js';
import { buildBaseImage, type BaseImageInput } from '../../../src/apps/image/base-image.js';
import type { BuiltImage } from '../../../src/apps/image/build-image.js';
import type { AppSpec } from '../../../src/domain/experiment/experiment.js';
import { parseExperiment } from '../../../src/domain/experiment/parse-experiment.js';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import type { ContainerEngine } from '../../../src/runtimes/containers/engine.js';
import { engineOf } from '../../../src/runtimes/containers/engines.js';
import { stateLayout, type StateLayout } from '../../../src/storage/state-layout.js';
import { commitOf, makeApp } from '../../fixtures/trial/trial-lab.js';

/** Another user than the image's, as where an engine runs without root. */
const SOMEBODY = '4321:4321';

/** An engine, a checkout and a state folder, with names for images that no other run uses. */
export class ImageLab {
  private containers = 0;
  /** Names and ids: an image that was built anew leaves one without a name behind. */
  private readonly images = new Set<string>();

  private constructor(
    readonly engine: ContainerEngine,
    readonly root: string,
    readonly programFile: string,
  ) {}

  static async open(kind: 'docker' | 'podman'): Promise<ImageLab> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'llmx-images-')));
    const lab = new ImageLab(engineOf(kind), root, await bundleAssemble(join(root, 'bin')));
    makeApp(lab.checkout);
    // Neither is committed, so neither may get into an image.
    writeFileSync(join(lab.checkout, '.env'), 'SECRET=only-here\n');
    mkdirSync(join(lab.checkout, '.git/hooks'), { recursive: true });
    writeFileSync(join(lab.checkout, '.git/hooks/post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
    return lab;
  }

  async close(): Promise<void> {
    // Those that were made last are made of the others.
    for (const reference of [...this.images].reverse()) await this.engine.removeImage(reference);
    rmSync(this.root, { recursive: true, force: true });
  }

  get checkout(): string {
    return join(this.root, 'app');
  }

  get layout(): StateLayout {
    return stateLayout(join(this.root, 'state'));
  }

  /** A name of this run; the image goes when the lab is closed. */
  image(name: string): string {
    const reference = `llmx-test-${process.pid}-${name}:latest`;
    this.images.add(reference);
    return reference;
  }

  async base(more: Partial<BaseImageInput['recipe']> = {}, noCache = false): Promise<BuiltImage> {
    const image = await buildBaseImage({
      layout: this.layout,
      engine: this.engine,
      reference: this.image('base'),
      recipe: {
        source: { kind: 'host' },
        node: '0.0.0',
        ruby: null,
        agents: {},
        needs: ['postgresql'],
        registry: 'https://registry.example.test',
        ...more,
      },
      caFile: null,
      noCache,
    });
    this.images.add(image.imageId);
    return image;
  }

  /** `settings` are lines of the app in an experiment file. */
  app(name: string, settings = ''): AppSpec {
    const text = `name: x
agents: {nop: }
conditions: [plain]
apps:
  ${name}: {toolchain: none, branch_prefix: exp, test_command: sh, image: '${this.image(name)}', neutralize: [CLAUDE.md]${settings}}
tasks:
  - {id: t1, app: ${name}, test_file: test/add.test.sh}
  - {id: t2, app: ${name}, test_file: test/add.test.sh}
`;
    const parsed = parseExperiment(text, { env: {} });
    const [app] = parsed.ok ? parsed.experiment.apps : [];
    if (app === undefined) throw new Error('the app of the test has a fault');
    return app;
  }

  input(app: AppSpec, more: Partial<AppImageInput> = {}): AppImageInput {
    const at = (name: string): string => commitOf(this.checkout, `exp/${name}`);
    return {
      layout: this.layout,
      engine: this.engine,
      app,
      checkout: this.checkout,
      commits: { base: at('base'), tasks: { t1: at('t1'), t2: at('t2') } },
      baseImage: this.image('base'),
      programFile: this.programFile,
      ...more,
    };
  }

  async ensure(app: AppSpec, more: Partial<AppImageInput> = {}): Promise<BuiltImage> {
    const image = await ensureAppImage(this.input(app, more));
    this.images.add(image.imageId).add(image.reference);
    return image;
  }

  async failure(app: AppSpec, more: Partial<AppImageInput> = {}): Promise<LlmxError> {
    const error: unknown = await this.ensure(app, more).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error instanceof LlmxError) return error;
    throw new Error('it did not fail as it should', { cause: error });
  }

  /** What a shell in a container of the image prints, held to what a trial is held to. */
  async run(image: string, script: string, user = SOMEBODY): Promise<string> {
    const name = `llmx-test-${process.pid}-${++this.containers}`;
    const { argv, env } = await this.engine.runCommand({
      name,
      image,
      labels: {},
      memory: { text: '512m', bytes: 512 * 1024 * 1024 },
      cpus: '1',
      pidsLimit: 256,
      network: 'none',
      mounts: [],
      env: {},
      workdir: '/',
      user,
      argv: ['sh', '-c', script],
    });
    const [program, ...args] = argv;
    return new Promise((resolve, reject) => {
      const child = execFile(program, args, { env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`${stdout}${stderr}`, { cause: error }));
      });
      child.stdin?.end();
    });
  }
}

/** git in the app of an image, whoever owns it. */
export const GIT = "git -c safe.directory='*' -C /opt/llmx/app";
