import { describe, expect, it } from '@jest/globals';
import {
  appDockerfile,
  START_SERVICES,
  taskDockerfile,
} from '../../../../src/apps/image/app-recipe.js';
import { baseDockerfile, cliPackages } from '../../../../src/apps/image/base-dockerfile.js';
import { expectedVersions } from '../../../../src/apps/image/base-files.js';
import type { BaseRecipe } from '../../../../src/apps/image/base-recipe.js';

const RECIPE: BaseRecipe = {
  source: { kind: 'image', from: 'debian:bookworm-slim' },
  node: '20.1.0',
  ruby: null,
  agents: { claude: '1.2.3', codex: '4.5.6' },
  needs: [],
  hasCaFile: false,
  registry: 'https://registry.example.test',
};
const base = (more: Partial<BaseRecipe> = {}): string => baseDockerfile({ ...RECIPE, ...more });

describe('the Dockerfile of a base image', () => {
  it('starts from the image asked for and ends as the agent user', () => {
    const lines = base().split('\n');
    expect(lines[0]).toBe('FROM debian:bookworm-slim');
    expect(lines).toContain('USER 1001:1001');
    expect(base()).toContain('useradd --uid 1001 --gid 1001 --create-home --shell /bin/bash agent');
  });

  it('installs the pinned node and agents, and nothing by a name without a version', () => {
    expect(base()).toContain('/node-linux-$cpu/-/node-linux-$cpu-20.1.0.tgz');
    expect(base()).toContain('@anthropic-ai/claude-code@1.2.3 @openai/codex@4.5.6');
    expect(base()).not.toContain('opencode-ai');
    expect(base({ agents: {} })).not.toContain('npm install');
    expect(cliPackages({ agents: { opencode: '9.9.9' } })).toEqual(['opencode-ai@9.9.9']);
  });

  it.each([
    'DISABLE_AUTOUPDATER=1',
    'DISABLE_TELEMETRY=1',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1',
    'OPENCODE_DISABLE_AUTOUPDATE=1',
    'OTEL_SDK_DISABLED=true',
  ])('sets %s for every program', (setting) => {
    expect(base()).toContain(setting);
    expect(base({ source: { kind: 'host' } })).toContain(setting);
  });

  it('names the certificates of the network only when there are some', () => {
    expect(base()).not.toContain('ca.crt');
    const text = base({ hasCaFile: true });
    expect(text.indexOf('COPY ca.crt')).toBeLessThan(text.indexOf('npm install'));
    expect(text).toContain('NODE_EXTRA_CA_CERTS=/opt/llmx/ca.crt');
  });

  it('takes the ruby of the distribution where that is the one asked for, else compiles it', () => {
    expect(base()).not.toContain('ruby');
    expect(base({ ruby: '3.1' })).toContain(' ruby-full ruby-bundler');
    expect(base({ ruby: '3.1' })).not.toContain('./configure');
    expect(base({ ruby: '3.4.1' })).toContain("grep -E '^ruby-3[.]4[.]1([.][0-9]+)*$'");
  });

  it('needs no network when it is made of the host’s own programs', () => {
    const text = base({ source: { kind: 'host' }, needs: ['npm', 'postgresql'] });
    expect(text.split('\n').slice(0, 2)).toEqual(['FROM scratch', 'ADD root.tar /']);
    expect(text).not.toMatch(/apt-get|curl|npm install/);
    expect(text).toContain('COPY agents/ /usr/local/');
  });

  it('has no instruction that an old builder refuses', () => {
    for (const text of [
      base({ ruby: '3.4.1', hasCaFile: true }),
      base({ source: { kind: 'host' } }),
    ]) {
      expect(text).not.toMatch(/<<|--mount|--link|^# syntax/m);
    }
  });

  it('is held to the versions asked for, but not to those of the host', () => {
    expect(expectedVersions(RECIPE)).toEqual({ node: '20.1.0', claude: '1.2.3', codex: '4.5.6' });
    expect(expectedVersions({ ...RECIPE, ruby: '3.4' })).toMatchObject({ ruby: '3.4' });
    expect(expectedVersions({ ...RECIPE, source: { kind: 'host' } })).toEqual(RECIPE.agents);
  });
});

describe('the Dockerfile of an app image', () => {
  const app = { toolchain: 'none', database: null, bundler: 'default' } as const;

  it('assembles the app as the agent user and leaves what it was made from behind', () => {
    const text = appDockerfile(app, 'llmx-base:latest');
    expect(text.split('\n')[0]).toBe('FROM llmx-base:latest');
    const steps = text.slice(text.indexOf('RUN set -eu; umask 022'));
    expect(text.lastIndexOf('USER 1001:1001')).toBeLessThan(text.indexOf(steps));
    expect(steps).toContain('rm -rf /opt/llmx/build/*');
    expect(steps).toContain('chmod -R a+rX /opt/llmx/app');
  });

  it.each([
    ['ruby', 'BUNDLE_PATH=/opt/llmx/deps/bundle'],
    ['python', 'VIRTUAL_ENV=/opt/llmx/deps/venv'],
  ] as const)('keeps the packages of %s outside the checkout', (toolchain, setting) => {
    expect(appDockerfile({ ...app, toolchain }, 'b')).toMatch(
      new RegExp(`^ENV [^]*${setting}`, 'm'),
    );
    expect(appDockerfile(app, 'b')).not.toContain(setting);
  });

  it('installs the bundler asked for', () => {
    const text = appDockerfile({ ...app, toolchain: 'ruby', bundler: '2.5.4' }, 'b');
    expect(text).toContain('gem install --silent --no-document bundler --version 2.5.4');
  });

  it('makes a cluster for PostgreSQL that only its container can reach', () => {
    const text = appDockerfile({ ...app, database: 'postgresql' }, 'b');
    expect(text).toContain('initdb --pgdata /opt/llmx/postgres --username agent --auth trust');
    expect(text).toContain("listen_addresses = '127.0.0.1'");
    expect(text).toContain('fsync = off');
    expect(text).toContain('ENV PGHOST=/tmp');
    expect(text).toContain('COPY start-services /opt/llmx/start-services');
    expect(appDockerfile({ ...app, database: 'sqlite3' }, 'b')).not.toMatch(
      /initdb|start-services/,
    );
  });

  it('starts the services from a copy, because an image may not be written to', () => {
    expect(START_SERVICES).toContain('cp -R /opt/llmx/postgres "$data"');
    expect(START_SERVICES).toContain('--wait');
  });

  it('makes the image of one task from that of the app', () => {
    expect(taskDockerfile('llmx-app-x:latest').split('\n')[0]).toBe('FROM llmx-app-x:latest');
  });
});
