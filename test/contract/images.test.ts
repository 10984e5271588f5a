import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KIND_LABEL, taskImage } from '../../src/apps/image/names.js';
import { imageChecks } from '../../src/preflight/checks/images.js';
import { engineOf } from '../../src/runtimes/containers/engines.js';
import { importProbeImage, PROBE_IMAGE } from '../../src/runtimes/containers/probe-image.js';
import { subjectOf, CHECKED_FILE } from '../fixtures/check-subject.js';
import { commitOf, TELLTALE } from '../fixtures/trial/trial-lab.js';
import { GIT, ImageLab } from './support/image-lab.js';

const BUILD_MS = 240_000;

const EXAMPLE = join(import.meta.dirname, '../../examples/postgres');
const MAKE_APP = join(import.meta.dirname, '../../examples/quickstart/make-app.mjs');

/** docker is tried where its engine answers; podman can be installed anywhere. */
const KINDS = (await engineOf('docker').probe()).ok
  ? (['podman', 'docker'] as const)
  : (['podman'] as const);

describe.each(KINDS)('images on %s', (kind) => {
  let lab: ImageLab;
  let base: Awaited<ReturnType<ImageLab['base']>>;

  beforeAll(async () => {
    lab = await ImageLab.open(kind);
    base = await lab.base();
  }, BUILD_MS);
  afterAll(() => lab.close(), BUILD_MS);

  const test = (name: string, run: () => Promise<void>): void => {
    it(name, run, BUILD_MS);
  };

  describe('a base image of this machine’s own programs', () => {
    test('lists what its programs say they are', async () => {
      const text = await lab.run(base.imageId, 'cat /etc/llmx-versions.json');
      const asked = (await lab.run(base.imageId, 'git --version; node --version')).split('\n');
      const { git, node } = JSON.parse(text) as Record<string, string>;
      expect(asked).toEqual([`git version ${git}`, `v${node}`]);
    });

    test('has the agent user and tells every agent to be quiet', async () => {
      const script = 'id -u; id -un; stat -c %U /home/agent; echo $DISABLE_AUTOUPDATER';
      expect(await lab.run(base.imageId, script, '1001:1001')).toBe('1001\nagent\nagent\n1');
    });

    test('is not built again as long as nothing has changed', async () => {
      expect(await lab.base()).toEqual({ ...base, built: false });
    });
  });

  describe('the image of an app', () => {
    test('holds one flat commit for each task and nothing that was not committed', async () => {
      const app = lab.app('flat');
      const { imageId, built } = await lab.ensure(app);
      expect(built).toBe(true);
      const found = await lab.run(
        imageId,
        `${GIT} log --all --format='%D %s' | sort
         ${GIT} status --porcelain
         ${GIT} cat-file --batch-all-objects --batch | grep -c -e only-here -e '${TELLTALE}'
         find /opt/llmx -name .env -o -name '*.bundle' -o -name CLAUDE.md -o -path '*/hooks/*'
         find /opt/llmx ! -user agent ! -user root
         find /opt/llmx ! -perm -o+r`,
      );
      expect(found.split('\n')).toEqual([
        'HEAD -> trial/t1 Import application source',
        'trial/t2 Import application source',
        '0',
      ]);
    });

    test('is found without the engine the second time, and by its label without a record', async () => {
      const app = lab.app('again');
      const first = await lab.ensure(app);
      expect(await lab.ensure(app)).toEqual({ ...first, built: false });
      const nobody = { ...lab.engine, imageId: never, images: never, build: never };
      expect(await lab.ensure(app, { engine: nobody })).toEqual({ ...first, built: false });
      expect(await lab.ensure(app, { verify: true })).toEqual({ ...first, built: false });
    });

    test('is built anew when a branch or a setting is another, or when asked to', async () => {
      const app = lab.app('changed');
      const first = await lab.ensure(app);
      const setting = await lab.ensure({ ...app, neutralize: [] });
      expect(setting).toMatchObject({ built: true });
      expect(setting.imageId).not.toBe(first.imageId);
      const { commits } = lab.input(app);
      const branch = { ...commits, tasks: { t1: commits.tasks['t2'] ?? '' } };
      expect(await lab.ensure(app, { commits: branch })).toMatchObject({ built: true });
      expect(await lab.ensure(app, { noCache: true })).toMatchObject({ built: true });
    });

    test('keeps what the set-up rewrites and leaves the tree clean', async () => {
      const app = lab.app(
        'setup',
        ", setup: 'echo locked > README.md; mkdir vendor; touch vendor/x; echo said-by-setup'",
      );
      const { imageId } = await lab.ensure(app);
      const found = await lab.run(
        imageId,
        `${GIT} status --porcelain; ${GIT} show trial/t2:README.md; ls /opt/llmx/app/vendor`,
      );
      expect(found).toBe('locked\nx');
    });

    test('says which command failed, and where its output is', async () => {
      const app = lab.app('broken', ", setup: 'echo the-compiler-is-missing; exit 7'");
      const error = await lab.failure(app);
      expect(error).toMatchObject({ code: 'app_setup_failed' });
      expect(error.message).toContain('exit 7');
      const log = join(lab.layout.logsDir, 'build-app-broken.txt');
      expect(error.hint).toContain(log);
      expect(readFileSync(log, 'utf8')).toContain('the-compiler-is-missing');
      expect(await lab.engine.image(app.image)).toBeNull();
      expect(readdirSync(join(lab.layout.root, 'contexts'))).toEqual([]);
    });

    test('carries no commit of the set-up on', async () => {
      const commit = 'git -c user.name=x -c user.email=x@y commit -q --allow-empty -m mine';
      const { imageId } = await lab.ensure(lab.app('committed', `, setup: '${commit}'`));
      expect(await lab.run(imageId, `${GIT} log --all --format=%s | sort -u`)).toBe(
        'Import application source',
      );
    });

    test('is built anew after its base image was', async () => {
      const app = lab.app('rebased');
      await lab.ensure(app);
      expect(await lab.base({}, true)).toMatchObject({ built: true });
      expect(await lab.ensure(app)).toMatchObject({ built: true });
    });

    test('names the command that builds the base image when there is none', async () => {
      const error = await lab.failure(lab.app('baseless'), { baseImage: 'llmx-no-such:latest' });
      expect(error).toMatchObject({ code: 'image_missing', hint: 'llmx-client build base' });
    });

    test('is not taken from an image of somebody else that has no app', async () => {
      expect(await importProbeImage(kind)).toBe(true);
      const app = { ...lab.app('foreign'), image: PROBE_IMAGE };
      expect(await lab.failure(app)).toMatchObject({ code: 'image_foreign' });
      const error = await lab.failure({ ...app, image: lab.image('base') });
      expect(error.message).toContain('is a base image');
    });
  });

  describe('the image of one task', () => {
    test('holds no branch of another task, in which the fix could be read', async () => {
      const app = lab.app('secret');
      const whole = await lab.ensure(app);
      const one = await lab.ensure(app, { task: 't2' });
      expect(one.reference).toBe(taskImage(app.image, 't2'));
      expect(one.imageId).not.toBe(whole.imageId);
      expect(
        await lab.run(
          one.imageId,
          `${GIT} for-each-ref --format='%(refname)'; ${GIT} status --porcelain
           ${GIT} cat-file --batch-all-objects --batch-check='%(objecttype)' | grep -c commit
           cat /opt/llmx/app/src/add.sh | head -n 1`,
        ),
      ).toBe('refs/heads/trial/t2\n1\n# t2');
      expect(await lab.ensure(app, { task: 't2' })).toEqual({ ...one, built: false });
    });
  });

  describe('an app with PostgreSQL', () => {
    test('has a cluster that anybody can start without writing to the image', async () => {
      const { imageId } = await lab.ensure(lab.app('database', ', database: postgresql'));
      const found = await lab.run(
        imageId,
        `/opt/llmx/start-services && /opt/llmx/start-services
         psql -qAt -c 'CREATE TABLE t (n integer)' -c 'INSERT INTO t VALUES (42)' -c 'SELECT n FROM t'
         psql -h 127.0.0.1 -At -c 'SELECT current_user, current_database()' -c 'SHOW fsync'`,
      );
      expect(found.split('\n').slice(-3)).toEqual(['42', 'agent|app', 'off']);
    });
  });

  describe('the example with PostgreSQL', () => {
    test('fails with its bug and passes with its solution', async () => {
      const folder = join(lab.root, 'example');
      execFileSync(process.execPath, [MAKE_APP, folder, EXAMPLE, 'stock']);
      const checkout = join(folder, 'app');
      const head = (branch: string): string => commitOf(checkout, branch);
      const commits = { base: head('bench/base'), tasks: { oversold: head('bench/oversold') } };
      const app = lab.app('stock', ', database: postgresql');
      const { imageId } = await lab.ensure(app, { checkout, commits, task: 'oversold' });
      const patch = readFileSync(join(EXAMPLE, 'solutions/oversold.patch')).toString('base64');
      const found = await lab.run(
        imageId,
        `/opt/llmx/start-services && cp -R /opt/llmx/app /tmp/stock && cd /tmp/stock || exit 1
         sh test/reserve.test.sh; echo "exit $?"
         echo ${patch} | base64 -d | git apply && sh test/reserve.test.sh; echo "exit $?"`,
      );
      expect(found).toMatch(/7 assertions, 3 failures\nexit 1\n7 runs, .* 0 failures\nexit 0$/);
    });
  });

  describe('the checks of the images', () => {
    const file = CHECKED_FILE.replace('runtime: process', `runtime: ${kind}`);

    test('are ok with the name of each image that is there', async () => {
      const app = lab.app('checked');
      await lab.ensure(app);
      const text = file.replace('  shop: {', `  shop: {image: '${app.image}', `);
      const subject = subjectOf(lab.root, text);
      expect(await imageChecks(subject, { LLMX_BASE_IMAGE: lab.image('base') })).toEqual([
        check('base-image', 'base image', lab.image('base')),
        check('app-image-shop', 'app image shop', app.image),
      ]);
    });

    test('warn about an image that is not built, with the command that builds it', async () => {
      const text = file.replace('  shop: {', '  shop: {image: llmx-no-such-app, ');
      const env = { LLMX_BASE_IMAGE: 'llmx-no-such:latest' };
      expect(await imageChecks(subjectOf(lab.root, text), env)).toMatchObject([
        {
          status: 'warn',
          detail: 'llmx-no-such:latest not built',
          hint: 'llmx-client build base',
        },
        {
          status: 'warn',
          detail: 'llmx-no-such-app not built',
          hint: 'llmx-client build app shop',
        },
      ]);
    });
  });

  test('every image says what it is', async () => {
    const kinds = new Map(
      (await lab.engine.images()).map(({ reference, labels }) => [reference, labels[KIND_LABEL]]),
    );
    expect(kinds.get(lab.image('base'))).toBe('base');
    expect(kinds.get(lab.image('flat'))).toBe('app');
  });
});

describe('the checks of the images', () => {
  it('are left out where trials run on the host itself', async () => {
    expect(await imageChecks(subjectOf('/nowhere'), {})).toEqual([]);
  });
});

function check(code: string, name: string, detail: string): object {
  return { code, name, status: 'ok', detail, hint: null };
}

function never(): never {
  throw new Error('the engine was asked');
}
