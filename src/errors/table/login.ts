import type { ErrorSpecs } from '../error-spec.js';

/** The auth store, and logging in. */
export const LOGIN_ERRORS = {
  login_needs_terminal: {
    message: '{agent} asks questions when it logs in, so it needs a terminal',
    hint: 'llmx-client login {agent}',
    exitCode: 2,
    retry: 'never',
  },
  login_incomplete: {
    message: '{agent} ended without a login ({how}); the auth store is as it was',
    hint: 'llmx-client login {agent}',
    exitCode: 6,
    retry: 'never',
  },
  login_unusable: {
    message: '{agent} can not log in: {reason}',
    hint: 'llmx-client login {agent}',
    exitCode: 6,
    retry: 'never',
  },
  agent_cli_missing: {
    message: '{agent} does not run here: {places}',
    hint: '{hint}',
    exitCode: 6,
    retry: 'never',
  },
  auth_store_unusable: {
    message: 'the auth store {root} can not be used: {reason}',
    hint: 'ls -la {root}',
    exitCode: 2,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
