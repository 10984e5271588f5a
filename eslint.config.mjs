import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = dirname(fileURLToPath(import.meta.url));

/**
 * What each folder of src may import, besides itself. Anything that is not listed is refused, so a new
 * folder has to be placed here before it can be used.
 */
const BASE = ['domain', 'errors', 'support', 'storage'];
const ADAPTERS = ['runtimes', 'agents', 'report', 'temporal'];
/** How an app becomes what trials start from, and what of the network a trial reaches. */
const HOUSE = ['git', 'apps', 'network'];
const MAY_IMPORT = {
  domain: [],
  errors: ['domain'],
  support: ['domain', 'errors'],
  storage: ['domain', 'errors', 'support'],
  ...Object.fromEntries(ADAPTERS.map((adapter) => [adapter, BASE])),
  git: ['domain', 'errors', 'support'],
  network: ['domain', 'errors', 'support'],
  apps: [...BASE, 'runtimes', 'git'],
  trial: [...BASE, ...ADAPTERS, ...HOUSE],
  preflight: [...BASE, ...ADAPTERS, ...HOUSE],
  activities: [...BASE, ...ADAPTERS, ...HOUSE, 'trial', 'preflight'],
  // Narrowed below: values from few places, types from all of these.
  workflows: [...BASE, ...ADAPTERS, ...HOUSE, 'trial', 'preflight', 'activities'],
  worker: [...BASE, ...ADAPTERS, ...HOUSE, 'trial', 'preflight', 'activities', 'workflows'],
  client: [...BASE, ...ADAPTERS, ...HOUSE, 'trial', 'preflight', 'activities', 'workflows'],
};

const zones = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  target: `./src/${folder}`,
  from: './src',
  except: [folder, ...allowed].map((name) => `./${name}`),
  message: `src/${folder} may import ${allowed.length === 0 ? 'nothing else' : `only ${allowed.join(', ')}`}; see CONTRIBUTING.md.`,
}));

/** A rule entry that refuses every import whose specifier matches. */
const refuse = (regex, message, extra = {}) => [
  'error',
  { patterns: [{ regex, message, ...extra }] },
];

/** A leading underscore says that a name is there for its place only. */
const unusedVars = ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }];

const style = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true },
  ],
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/no-unused-vars': unusedVars,
  // Numbers read well in a template; everything else is converted on purpose.
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
  'no-restricted-syntax': [
    'error',
    { selector: 'TSEnumDeclaration', message: 'Use a union of string literals or `as const`.' },
  ],
  'import-x/no-default-export': 'error',
  'import-x/no-cycle': ['error', { ignoreExternal: true }],
  // Two function types may look the same to the rule and still read better by both names.
  '@typescript-eslint/no-duplicate-type-constituents': 'off',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-console': 'error',
};

/** Rules about JavaScript itself that hold for programs and tests alike. */
const plainScripts = {
  eqeqeq: 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-empty': 'error',
  'no-unreachable': 'error',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'examples/*/app/',
      'examples/*/.app-*/',
      '**/results-raw/',
      'examples/*/report/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      ...plainScripts,
      'max-lines': ['error', 400],
      '@typescript-eslint/no-unused-vars': unusedVars,
    },
  },
  {
    files: ['**/*.{ts,cts}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: root },
    },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.cts'] },
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: root })],
    },
    rules: style,
  },
  {
    files: ['src/**/*.{ts,cts}'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 80 }],
      'max-params': ['error', 5],
      'import-x/no-restricted-paths': ['error', { basePath: root, zones }],
    },
  },
  {
    // Pure: no I/O, clock or random, nothing of Node or Temporal.
    files: ['src/domain/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': refuse(
        '^[^.]',
        'src/domain imports no packages.',
      ),
      'no-restricted-globals': ['error', 'process', 'performance', 'crypto', 'setTimeout', 'fetch'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Times are parameters in src/domain.' },
        { object: 'Math', property: 'random', message: 'Use src/domain/random with a seed.' },
      ],
    },
  },
  {
    files: ['src/domain/experiment/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': refuse(
        '^(?!\\.|(zod|yaml|fastest-levenshtein)$)',
        'src/domain/experiment imports zod, yaml and fastest-levenshtein only.',
      ),
    },
  },
  {
    // Runs in the workflow sandbox: deterministic code only. Types may come from anywhere below.
    files: ['src/workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': refuse(
        '^(?!\\./|(\\.\\./)+(domain|errors)/|(\\.\\./)+temporal/search-attributes\\.js$|@temporalio/(workflow|common)$)',
        'Workflow code takes values from domain, errors, temporal/search-attributes, @temporalio/workflow and @temporalio/common; use `import type`.',
        { allowTypeImports: true },
      ),
    },
  },
  {
    // Background processes: their output is a log file.
    files: ['src/trial/supervisor/**/*.ts', 'src/trial/program/**/*.ts', 'src/worker/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // CommonJS: Temporal loads the failure converter with require().
    files: ['**/*.cts'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines': ['error', 600],
      // Tests look at JSON and at rejected promises without naming every type.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-console': 'off',
    },
  },
);
