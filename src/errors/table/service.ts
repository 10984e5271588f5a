import type { ErrorSpecs } from '../error-spec.js';

/** Temporal server, background worker and the host's state folder. */
export const SERVICE_ERRORS = {
  temporal_program_missing: {
    message: 'no Temporal program could be found or made on this machine:\n{attempts}',
    hint: '{hint}',
    exitCode: 4,
    retry: 'never',
  },
  temporal_unreachable: {
    message: 'the Temporal server at {address} does not answer: {reason}',
    hint: '{hint}',
    exitCode: 4,
    retry: 'transient',
  },
  temporal_refused: {
    message: 'the Temporal server at {address} refused the request: {reason}',
    hint: 'check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and temporal.toml, then: llmx-client doctor',
    exitCode: 4,
    retry: 'transient',
  },
  server_start_failed: {
    message: 'the embedded Temporal server did not start: {reason}',
    hint: '{hint}',
    exitCode: 4,
    retry: 'transient',
  },
  worker_start_failed: {
    message: 'the background worker did not start: {reason}',
    hint: '{hint}',
    exitCode: 4,
    retry: 'transient',
  },
  state_folder_unusable: {
    message: 'the state folder {folder} cannot be used: {reason}',
    hint: 'set LLMX_STATE_DIR to a folder you can write to',
    exitCode: 2,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
