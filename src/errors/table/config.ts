import type { ErrorSpecs } from '../error-spec.js';

/** The experiment file, flags and other input of a person. */
export const CONFIG_ERRORS = {
  experiment_not_found: {
    message: 'no experiment.yml found in {start} or any parent',
    hint: 'llmx-client init',
    exitCode: 2,
    retry: 'never',
  },
  experiment_invalid: {
    message: '{faults}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  filter_matches_nothing: {
    message: 'no tasks match {filters}',
    hint: 'llmx-client plan',
    exitCode: 2,
    retry: 'never',
  },
  unknown_agent: {
    message: 'unknown agent(s): {unknown} (experiment.yml declares {declared})',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  usage: {
    message: '{problem}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
