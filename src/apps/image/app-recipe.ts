import type { AppSpec } from '../../domain/experiment/experiment.js';
import { APP_DIR, SERVICES_FILE } from '../../domain/trial/program-contract.js';
import { envLine } from './base-dockerfile.js';
import { AGENT } from './names.js';

type App = Pick<AppSpec, 'toolchain' | 'database' | 'bundler'>;

const BUILD_DIR = '/opt/llmx/build';
/** Dependencies that need not be in the checkout. */
const DEPS_DIR = '/opt/llmx/deps';
const CLUSTER_DIR = '/opt/llmx/postgres';
const CACHE_DIR = `${BUILD_DIR}/cache`;

/** Where the toolchains keep packages: outside the checkout, and the same in the build and in a trial. */
function toolchainEnv({ toolchain }: App): Readonly<Record<string, string>> {
  if (toolchain === 'ruby') {
    return {
      GEM_HOME: `${DEPS_DIR}/gems`,
      BUNDLE_PATH: `${DEPS_DIR}/bundle`,
      BUNDLE_APP_CONFIG: `${DEPS_DIR}/bundle-config`,
      PATH: `${DEPS_DIR}/gems/bin:$PATH`,
    };
  }
  if (toolchain === 'python') {
    return {
      VIRTUAL_ENV: `${DEPS_DIR}/venv`,
      UV_PROJECT_ENVIRONMENT: `${DEPS_DIR}/venv`,
      PATH: `${DEPS_DIR}/venv/bin:$PATH`,
    };
  }
  return {};
}

/** What the client library of PostgreSQL looks at. */
const DATABASE_ENV = {
  PGHOST: '/tmp',
  PGPORT: '5432',
  PGUSER: AGENT.name,
  PGDATABASE: 'app',
} as const;

/** Caches are of no use in a trial, where they could not be written. */
const CACHES = {
  npm_config_cache: `${CACHE_DIR}/npm`,
  YARN_CACHE_FOLDER: `${CACHE_DIR}/yarn`,
  PIP_CACHE_DIR: `${CACHE_DIR}/pip`,
  UV_CACHE_DIR: `${CACHE_DIR}/uv`,
  UV_LINK_MODE: 'copy',
  BUNDLE_USER_CACHE: `${CACHE_DIR}/bundle`,
} as const;

/** Text of the Dockerfile of an app image, whose context holds the bundle and the program that assembles it. */
export function appDockerfile(app: App, from: string): string {
  const variables = {
    ...toolchainEnv(app),
    ...(app.database === 'postgresql' ? DATABASE_ENV : {}),
  };
  const user = `${AGENT.id}:${AGENT.id}`;
  const cluster = app.database === 'postgresql' ? [CLUSTER_DIR] : [];
  const folders = [BUILD_DIR, DEPS_DIR, ...cluster].join(' ');
  return [
    `FROM ${from}`,
    'USER root',
    `RUN mkdir -p ${folders} && chown ${user} /opt/llmx ${folders}`,
    ...(app.database === 'postgresql'
      ? [`COPY start-services ${SERVICES_FILE}`, `RUN chmod 755 ${SERVICES_FILE}`]
      : []),
    `USER ${user}`,
    ...(Object.keys(variables).length === 0 ? [] : [envLine(variables)]),
    ...(app.database === 'postgresql' ? [makeCluster()] : []),
    `COPY --chown=${user} assemble.mjs assembly.json app.bundle ${BUILD_DIR}/`,
    assemble([...toolchainSteps(app), `node ${BUILD_DIR}/assemble.mjs ${BUILD_DIR}/assembly.json`]),
    `WORKDIR ${APP_DIR}`,
    '',
  ].join('\n');
}

/** Text of the Dockerfile of the image of one task: the app without what the other tasks' branches tell. */
export function taskDockerfile(from: string): string {
  const user = `${AGENT.id}:${AGENT.id}`;
  return [
    `FROM ${from}`,
    `COPY --chown=${user} assemble.mjs assembly.json ${BUILD_DIR}/`,
    `USER ${user}`,
    assemble([`node ${BUILD_DIR}/assemble.mjs ${BUILD_DIR}/assembly.json`]),
    '',
  ].join('\n');
}

/** In a trial the user may be another than the agent of the image: everything can be read by anybody. */
function assemble(steps: readonly string[]): string {
  const caches = Object.entries(CACHES).map(([name, value]) => `${name}=${value}`);
  return [
    'RUN set -eu; umask 022',
    `export HOME=${AGENT.home} ${caches.join(' ')}`,
    ...steps,
    `rm -rf ${BUILD_DIR}/*`,
    `chmod -R a+rX ${APP_DIR} ${DEPS_DIR}`,
  ].join('; \\\n    ');
}

function toolchainSteps({ toolchain, bundler }: App): readonly string[] {
  if (toolchain === 'python') return [`python3 -m venv ${DEPS_DIR}/venv`];
  if (toolchain === 'ruby' && bundler !== 'default') {
    return [`gem install --silent --no-document bundler --version ${bundler}`];
  }
  return [];
}

/** Nothing in it has to outlive a power cut, and nobody but the container can reach it. */
const CLUSTER_CONFIG = [
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = '/tmp'",
  'fsync = off',
  'synchronous_commit = off',
  'full_page_writes = off',
  'jit = off',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
];

function makeCluster(): string {
  const lines = CLUSTER_CONFIG.map((line) => `"${line}"`).join(' ');
  return [
    'RUN set -eu',
    "command -v initdb > /dev/null || { echo 'llmx: the base image has no PostgreSQL server'; exit 1; }",
    `initdb --pgdata ${CLUSTER_DIR} --username ${AGENT.name} --auth trust --encoding UTF8 --locale C --wal-segsize 1 --no-sync > /tmp/initdb.txt || { cat /tmp/initdb.txt; exit 1; }`,
    `printf '%s\\n' ${lines} >> ${CLUSTER_DIR}/postgresql.conf`,
    `echo 'CREATE DATABASE ${DATABASE_ENV.PGDATABASE};' | postgres --single -D ${CLUSTER_DIR} postgres > /dev/null`,
    `rm -f /tmp/initdb.txt`,
    // Whoever runs the trial copies it.
    `chmod -R a+rX ${CLUSTER_DIR}`,
  ].join('; \\\n    ');
}

/**
 * Runs in a container before anything of the app: copies the cluster to where it may be written, because the
 * image may not be, and whoever runs it must own it. Waits until it answers.
 */
export const START_SERVICES = `#!/bin/sh
set -eu
folder="\${TMPDIR:-/tmp}"
data="$folder/llmx-postgres"
if [ -e "$data/postmaster.pid" ] && pg_ctl status --pgdata "$data" > /dev/null 2>&1; then exit 0; fi
rm -rf "$data"
umask 077
cp -R ${CLUSTER_DIR} "$data"
chmod 700 "$data"
if ! pg_ctl start --silent --wait --timeout 60 --pgdata "$data" --log "$folder/llmx-postgres.log"; then
  cat "$folder/llmx-postgres.log" >&2
  exit 1
fi
`;
