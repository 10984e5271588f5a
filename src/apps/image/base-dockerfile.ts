import { QUIET_AGENTS } from '../../domain/agents/quiet.js';
import { AGENT } from './names.js';
import { CLI_PACKAGES, DEFAULT_VERSIONS, type AgentCli, type BaseRecipe } from './base-recipe.js';

/** Debian packages: what an app needs to be installed, compiled and tested. */
const PACKAGES = [
  ...[
    'bash',
    'ca-certificates',
    'coreutils',
    'curl',
    'git',
    'patch',
    'procps',
    'unzip',
    'xz-utils',
  ],
  ...['build-essential', 'pkg-config', 'libffi-dev', 'libssl-dev', 'libyaml-dev', 'zlib1g-dev'],
  ...['libreadline-dev', 'libpq-dev', 'libsqlite3-dev', 'sqlite3', 'postgresql'],
  ...['python3', 'python3-dev', 'python3-venv'],
];

const CA_FILE = '/opt/llmx/ca.crt';

/** Each tool has a name of its own for the same file. */
const CA_VARIABLES = [
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'GIT_SSL_CAINFO',
  'npm_config_cafile',
];

/** Native modules are compiled against these; the download of others would need another site. */
const NODE_HEADERS = 'ENV npm_config_nodedir=/usr/local';

/** Text of the Dockerfile of a base image. Instructions of every engine's builder only. */
export function baseDockerfile(recipe: BaseRecipe): string {
  const { source } = recipe;
  return [
    ...(source.kind === 'image'
      ? [`FROM ${source.from}`, 'USER root']
      : ['FROM scratch', 'ADD root.tar /']),
    envLine({ LANG: 'C.UTF-8', ...QUIET_AGENTS }),
    ...(recipe.hasCaFile
      ? [
          `COPY ca.crt ${CA_FILE}`,
          envLine(Object.fromEntries(CA_VARIABLES.map((name) => [name, CA_FILE]))),
        ]
      : []),
    ...(source.kind === 'image' ? [...fromImage(recipe), NODE_HEADERS] : fromHost(recipe)),
    'COPY versions.mjs expected.json /opt/llmx/',
    // What a program answers here is what trials get; an answer that differs from a pin ends the build.
    'RUN node /opt/llmx/versions.mjs /opt/llmx/expected.json /etc/llmx-versions.json',
    `USER ${AGENT.id}:${AGENT.id}`,
    `WORKDIR ${AGENT.home}`,
    'CMD ["bash"]',
    '',
  ].join('\n');
}

function fromImage(recipe: BaseRecipe): readonly string[] {
  return [
    run([
      'export DEBIAN_FRONTEND=noninteractive',
      // Each app has a cluster of its own.
      'mkdir -p /etc/postgresql-common',
      "echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf",
      'apt-get update -qq',
      `apt-get install -y -qq --no-install-recommends ${[...PACKAGES, ...debianRuby(recipe)].join(' ')}`,
      'rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb',
      'ln -sf /usr/lib/postgresql/*/bin/* /usr/local/bin/',
    ]),
    run([
      `groupadd --gid ${AGENT.id} ${AGENT.name}`,
      `useradd --uid ${AGENT.id} --gid ${AGENT.id} --create-home --shell /bin/bash ${AGENT.name}`,
    ]),
    ...sourceRuby(recipe),
    installNode(recipe),
    run([
      'python3 -m venv /opt/llmx/uv',
      `/opt/llmx/uv/bin/pip install -q --no-cache-dir uv==${DEFAULT_VERSIONS.uv}`,
      'ln -s /opt/llmx/uv/bin/uv /usr/local/bin/uv',
    ]),
    ...installAgents(recipe),
  ];
}

function fromHost(recipe: BaseRecipe): readonly string[] {
  const links = [
    ...(recipe.needs.includes('npm')
      ? [
          'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm',
          'ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/bin/npx',
        ]
      : []),
    ...(recipe.needs.includes('postgresql')
      ? ['ln -sf /usr/lib/postgresql/*/bin/* /usr/bin/']
      : []),
  ];
  return [
    // The archive gives everything to root.
    run([`chown ${AGENT.id}:${AGENT.id} ${AGENT.home}`, ...links]),
    ...(cliNames(recipe).length > 0 ? ['COPY agents/ /usr/local/'] : []),
  ];
}

/** From the packages of npm: one address for node, npm and the agents, and a version that stays. */
function installNode({ node, registry }: BaseRecipe): string {
  return run([
    'case "$(uname -m)" in aarch64|arm64) cpu=arm64 ;; *) cpu=x64 ;; esac',
    'mkdir -p /usr/local/lib/node_modules/npm',
    `curl -fsSL "${registry}/node-linux-$cpu/-/node-linux-$cpu-${node}.tgz" | tar -xz -C /usr/local --strip-components=1 --no-same-owner package/bin package/include`,
    `curl -fsSL "${registry}/npm/-/npm-${DEFAULT_VERSIONS.npm}.tgz" | tar -xz -C /usr/local/lib/node_modules/npm --strip-components=1 --no-same-owner`,
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    'ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
    'chmod 755 /usr/local/lib/node_modules/npm/bin/*-cli.js',
    'node --version',
  ]);
}

function installAgents(recipe: BaseRecipe): readonly string[] {
  const packages = cliPackages(recipe);
  if (packages.length === 0) return [];
  return [
    run([
      `npm install --global --no-fund --no-audit --no-update-notifier --registry ${recipe.registry} ${packages.join(' ')}`,
      'rm -rf /root/.npm',
    ]),
  ];
}

/** `package@version` of each agent CLI. */
export function cliPackages(recipe: Pick<BaseRecipe, 'agents'>): readonly string[] {
  return cliNames(recipe).map((name) => `${CLI_PACKAGES[name]}@${recipe.agents[name] ?? ''}`);
}

export function cliNames({ agents }: Pick<BaseRecipe, 'agents'>): readonly AgentCli[] {
  return Object.keys(agents) as AgentCli[];
}

/** Bookworm's own; anything else is compiled. */
const DEBIAN_RUBY = /^3\.1(\.2)?$/;

function debianRuby({ ruby }: BaseRecipe): readonly string[] {
  return ruby !== null && DEBIAN_RUBY.test(ruby) ? ['ruby-full', 'ruby-bundler'] : [];
}

/** `3.4` means the newest 3.4; `3.4.1` that one. */
function sourceRuby({ ruby }: BaseRecipe): readonly string[] {
  if (ruby === null || DEBIAN_RUBY.test(ruby)) return [];
  const site = 'https://cache.ruby-lang.org/pub/ruby';
  const pattern = `^ruby-${ruby.replaceAll('.', '[.]')}([.][0-9]+)*$`;
  return [
    run([
      'cd /tmp',
      `name=$(curl -fsSL ${site}/index.txt | cut -f1 | grep -E '${pattern}' | sort -V | tail -n 1)`,
      `test -n "$name" || { echo 'llmx: there is no ruby ${ruby}'; exit 1; }`,
      `series=$(echo "$name" | sed -E 's/^ruby-([0-9]+[.][0-9]+).*/\\1/')`,
      `curl -fsSL "${site}/$series/$name.tar.gz" | tar -xz`,
      'cd "$name"',
      './configure --prefix=/usr/local --disable-install-doc --enable-shared > /dev/null',
      'make -j"$(nproc)" > /dev/null',
      'make install > /dev/null',
      'rm -rf "/tmp/$name"',
    ]),
  ];
}

/** One layer; the first step that fails ends it. */
function run(steps: readonly string[]): string {
  return `RUN set -eu; ${steps.join('; \\\n    ')}`;
}

/** Settings for everything that runs in the image, as one layer. */
export function envLine(variables: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `ENV ${pairs.join(' \\\n    ')}`;
}
