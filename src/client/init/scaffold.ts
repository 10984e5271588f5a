/** What `init` writes, by path below the new experiment. The app's own files are in sample-app.ts. */

export const APP_DIR = 'app';
export const APP_KEY = 'shop';
export const BRANCH_PREFIX = 'bench';
export const TASK = 'free-delivery';
export const SOLUTION = `solutions/${TASK}.patch`;
export const TEST_FILE = 'test/delivery.test.mjs';
export const IMPL_FILE = 'src/delivery.mjs';

export function scaffoldFiles(name: string): Readonly<Record<string, string>> {
  return {
    [`prompts/${APP_KEY}/${TASK}/plain.txt`]: PLAIN_PROMPT,
    [`prompts/${APP_KEY}/${TASK}/hinted.txt`]: HINTED_PROMPT,
    '.apps.local': APPS_LOCAL,
    '.gitignore': GIT_IGNORE,
    'experiment.yml': experimentFile(name),
  };
}

const PLAIN_PROMPT = `The test ${TEST_FILE} fails. Find the bug and fix it. Don't change the tests.
`;

const HINTED_PROMPT = `The test ${TEST_FILE} fails. Find the bug and fix it. Don't change the tests.
Look at how orders are compared with the limit in ${IMPL_FILE}.
`;

const APPS_LOCAL = `# Where this machine has the checkouts. Not for version control.
LLMX_APP_SHOP=./${APP_DIR}
`;

const GIT_IGNORE = `.apps.local
/${APP_DIR}/
/results-raw/
/report/
`;

function experimentFile(name: string): string {
  return `# One planted bug × two agents × two prompts = 4 cells. Try it as it is: llmx-client start-grid --wait
name: ${/^\d|^null$/.test(name) ? `'${name}'` : name}
question: Does a hint in the prompt help an agent to fix a bug?

# process runs agents as you, in a private copy of the app; this version has no other runtime yet.
runtime: process

# oracle applies the solution and nop does nothing: they show that the set-up can tell a fix from none.
# Any program that reads a prompt on its standard input is an agent of kind command. For example:
#   mine: {kind: command, argv: [./agent.sh]}
agents:
  oracle:
  nop:

# One prompt each: prompts/<app>/<task>/<condition>.txt
conditions: [plain, hinted]

# How often each cell is measured. A comparison needs several results on either side.
repeats: 1

trial:
  timeout_seconds: 120
  memory: 1g
  cpus: 1

apps:
  # The checkout is named by LLMX_APP_SHOP, here or in .apps.local. It has the branches
  # ${BRANCH_PREFIX}/base (the app in order) and ${BRANCH_PREFIX}/<task> (with the bug of the task).
  ${APP_KEY}:
    toolchain: node
    branch_prefix: ${BRANCH_PREFIX}
    # Runs as: <test_command> <test_file>
    test_command: node --test --test-reporter=tap
    # Proof that the suite ran at all: one that could not be loaded reports 0 suites.
    suite_ran_pattern: '^# suites [1-9]'

tasks:
  - id: ${TASK}
    app: ${APP_KEY}
    test_file: ${TEST_FILE}
    impl_files: [${IMPL_FILE}]
    solution: ${SOLUTION}
`;
}
