import { isMap } from 'yaml';
import { brief } from './code-frame.js';
import { DATABASES, TOOLCHAINS, type AppSpec, type Toolchain } from './experiment.js';
import { describe, entriesOf, Fields, isNothing, type Entry } from './fields.js';
import { translateRubyPattern } from './ruby-pattern.js';
import {
  ANY_TEXT,
  BRANCH_PREFIX,
  COMMAND,
  IMAGE,
  INSIDE_PATH,
  insidePath,
  PLAIN_NAME,
  VERSION,
} from './rules.js';

const APP_KEYS = [
  'ruby',
  'bundler',
  'database',
  'test_command',
  'db_prepare',
  'suite_ran_pattern',
  'publish_transcripts',
  'branch_prefix',
  'neutralize',
  'toolchain',
  'setup',
  'image',
];

const RAILS_TEST = 'bin/rails test';
const RAILS_PREPARE = 'bin/rails db:test:prepare';

/** Summary lines that only a suite which ran prints. Every toolchain may print the first one. */
const MINITEST_RAN = String.raw`\d+ runs?, \d+ assertions?`;
const SUITE_RAN: Readonly<Record<Toolchain, string>> = {
  ruby: MINITEST_RAN,
  none: MINITEST_RAN,
  node: String.raw`${MINITEST_RAN}|^(?:#|ℹ) tests [1-9]|^Tests:? +.*\d+ (?:passed|failed)`,
  python: String.raw`${MINITEST_RAN}|^Ran [1-9]\d* tests?|\d+ (?:passed|failed)`,
};

export interface Apps {
  readonly apps: readonly AppSpec[];
  /** Every key of the section, whatever is wrong below it; null when not all of them can be read. */
  readonly keys: readonly string[] | null;
}

export function parseApps(file: Fields): Apps {
  const hint = 'write an app below apps: with ruby, database and branch_prefix';
  file.need('apps', hint, 'apps must not be empty');
  const map = file.mapAt('apps');
  if (map === null) return { apps: [], keys: null };
  if (map.items.length === 0) {
    file.source.fault(map, 'apps must not be empty', hint);
    return { apps: [], keys: null };
  }
  const entries = entriesOf(file.source, map, 'apps');
  const keys = entries.map((entry) => entry.key);
  // A key with a fault of its own may be the one that a task means.
  const allRead = keys.length === map.items.length && keys.every(PLAIN_NAME.allows);
  return {
    apps: entries.flatMap((entry) => parseApp(file, entry) ?? []),
    keys: allRead ? keys : null,
  };
}

function parseApp(file: Fields, { key, keyNode, value }: Entry): AppSpec | null {
  const { source } = file;
  const where = `apps.${brief(key)}`;
  if (!PLAIN_NAME.allows(key)) {
    source.fault(keyNode, `${where}: the key ${PLAIN_NAME.must}`, PLAIN_NAME.hint);
    return null;
  }
  if (value !== null && source.isSpoiled(value)) return null;
  if (value === null || isNothing(value) || !isMap(value)) {
    const seen = value === null || isNothing(value) ? '' : `, not ${describe(value)}`;
    source.fault(
      isNothing(value) ? keyNode : (value ?? keyNode),
      `${where} must be a map${seen}`,
      `write ruby, database and branch_prefix below ${brief(key)}:`,
    );
    return null;
  }
  return readApp(new Fields(source, where, keyNode, value, APP_KEYS), key);
}

function readApp(app: Fields, key: string): AppSpec {
  // Null: a toolchain that can't be read asks for nothing, or its one fault would make others.
  const toolchain = app.has('toolchain') ? app.choice('toolchain', TOOLCHAINS) : 'ruby';
  const isRuby = toolchain === 'ruby';
  if (isRuby) needRubyKeys(app);
  app.need('branch_prefix', BRANCH_PREFIX.hint);
  if (toolchain !== null && !isRuby) {
    app.need('test_command', `write test_command: toolchain ${toolchain} has no default`);
  }
  const pattern = suiteRanPattern(app, toolchain ?? 'ruby');
  return {
    key,
    toolchain: toolchain ?? 'ruby',
    ruby: app.text('ruby', VERSION),
    bundler: app.text('bundler', VERSION) ?? 'default',
    database: app.choice('database', DATABASES),
    testCommand: app.text('test_command', COMMAND) ?? RAILS_TEST,
    dbPrepare: dbPrepare(app, isRuby),
    suiteRanPattern: pattern.source,
    suiteRanFlags: pattern.flags,
    publishTranscripts: app.flag('publish_transcripts') ?? false,
    branchPrefix: app.text('branch_prefix', BRANCH_PREFIX) ?? '',
    neutralize: app.texts('neutralize', INSIDE_PATH).map((path) => insidePath(path) ?? path),
    setup: app.text('setup', COMMAND),
    image: app.text('image', IMAGE) ?? `llmx-app-${key}:latest`,
  };
}

function needRubyKeys(app: Fields): void {
  const hint = 'or write toolchain: node, python or none where the app has no ruby';
  app.need('ruby', `write ruby: with its version, ${hint}`);
  app.need(
    'database',
    `write database: sqlite3 or postgresql, ${hint}`,
    `${app.where}: database must be one of ${DATABASES.join(', ')}`,
  );
}

/** An empty command prepares nothing. */
function dbPrepare(app: Fields, isRuby: boolean): string | null {
  if (!app.has('db_prepare')) return isRuby ? RAILS_PREPARE : null;
  const command = app.text('db_prepare', ANY_TEXT);
  return command === null || command.trim() === '' ? null : command;
}

function suiteRanPattern(app: Fields, toolchain: Toolchain): { source: string; flags: string } {
  const written = app.text('suite_ran_pattern', ANY_TEXT);
  if (written === null) return { source: SUITE_RAN[toolchain], flags: 'm' };
  const pattern = translateRubyPattern(written);
  if (pattern.ok) return pattern;
  app.source.fault(
    app.place('suite_ran_pattern'),
    `${app.where}: suite_ran_pattern ${pattern.problem}`,
    pattern.hint,
  );
  return { source: '', flags: 'm' };
}
