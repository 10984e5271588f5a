import type { VoidReason } from '../../domain/trial/outcome.js';
import type { ErrorSpec } from '../error-spec.js';

/** Sentence and next step for every reason an attempt can be void, plus `ungraded`. */
export const VOID_ERRORS = {
  suite_did_not_run: voidError(
    'the test suite did not run before the agent started',
    'read test_before.txt in the attempt folder; check test_command and suite_ran_pattern',
  ),
  bug_did_not_reproduce: voidError(
    'the test passed before the agent started: the bug is not there',
    'read test_before.txt in the attempt folder; check the task branch and test_file',
  ),
  prompt_missing: voidError('there is no prompt file {file}', 'write {file}'),
  solution_did_not_apply: voidError(
    'the solution patch does not apply to the task branch',
    'read agent_stderr.txt in the attempt folder; make the patch again with git diff',
  ),
  agent_not_runnable: voidError(
    'the agent program could not be started',
    'read agent_stderr.txt in the attempt folder; check argv and its execute permission',
  ),
  agent_setup_failed: voidError(
    'the agent program refused to work as it was started',
    'read agent_stderr.txt in the attempt folder, then: llmx-client doctor',
  ),
  agent_killed: voidError(
    'the agent was killed by something outside llmx',
    'llmx-client start-grid',
  ),
  setup_failed: voidError(
    'the app could not be prepared',
    'read db_prepare.txt in the attempt folder; check db_prepare',
  ),
  isolation_failed: voidError(
    'the checkout could not be reduced to one commit on one branch',
    'llmx-client doctor',
  ),
  sandbox_failed: voidError('the sandbox died', 'llmx-client doctor'),
  image_gone: voidError(
    'the image of the app was removed before the trial started',
    'llmx-client start-grid',
  ),
  out_of_memory: voidError('the sandbox ran out of memory', 'raise trial.memory in experiment.yml'),
  disk_full: voidError(
    'the disk filled up during the trial',
    'free some space, then: llmx-client doctor',
  ),
  login: voidError('the agent can not log in', 'llmx-client login {agent}'),
  contaminated: voidError(
    'the agent loaded configuration that is not the trial’s',
    'llmx-client doctor',
  ),
  model_differs: voidError(
    'another model answered than the one asked for',
    'check the model in experiment.yml',
  ),
  model_unavailable: voidError(
    'the model does not exist, or this account may not use it',
    'check the model in experiment.yml, then: llmx-client start-grid',
  ),
  nothing_done: voidError('the agent made no model call at all', 'llmx-client doctor'),
  cancelled: voidError('the trial was cancelled', 'llmx-client start-grid'),
  host_slept: voidError('the machine slept during the trial', 'llmx-client start-grid'),
  supervisor_died: voidError('the trial’s supervisor died with its host', 'llmx-client start-grid'),
  overload: voidError('the model provider was overloaded', 'llmx-client start-grid'),
  network: voidError(
    'the connection to the model provider failed',
    'check the connection, then: llmx-client start-grid',
  ),
  quota: voidError('the model provider’s quota is used up', 'llmx-client start-grid'),
  unknown_error: voidError(
    'the trial ended in a way llmx does not know: {reason}',
    'llmx-client doctor',
  ),
  ungraded: voidError(
    'the tests could not run after the agent had finished',
    'read test_after.txt in the attempt folder',
  ),
} as const satisfies Record<VoidReason | 'ungraded', ErrorSpec>;

function voidError(message: string, hint: string): ErrorSpec {
  return { message, hint, exitCode: 5, retry: 'never' };
}
