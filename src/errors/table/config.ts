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
  init_exists: {
    message: '{folder} already has {names}; init never overwrites anything',
    hint: 'llmx-client init another-folder',
    exitCode: 2,
    retry: 'never',
  },
  init_failed: {
    message: 'nothing was made in {folder}: {reason}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  experiment_unknown_here: {
    message: 'this host does not know the experiment {key}; start it once in its folder',
    hint: 'llmx-client start-grid',
    exitCode: 6,
    retry: 'never',
  },
  frozen_plan_missing: {
    message: 'this host has no frozen plan {frozenId} of {key}',
    hint: 'llmx-client start-grid',
    exitCode: 6,
    retry: 'never',
  },
  frozen_plan_damaged: {
    message: 'the frozen plan {frozenId} of {key} was changed on disk: {problem}',
    hint: 'llmx-client start-grid',
    exitCode: 6,
    retry: 'never',
  },
  plan_file_unreadable: {
    message: '{file} can not be read: {reason}',
    hint: 'chmod u+r {file}',
    exitCode: 2,
    retry: 'never',
  },
  filter_matches_nothing: {
    message: 'no tasks match {filters}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  unknown_agent: {
    message: 'unknown agent(s): {unknown} (experiment.yml declares {declared})',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  model_hosts_invalid: {
    message: 'LLMX_MODEL_HOSTS: {value} {problem}',
    hint: 'export LLMX_MODEL_HOSTS=api.example.com,127.0.0.1:8080',
    exitCode: 2,
    retry: 'never',
  },
  proxy_setting_invalid: {
    message: '{name} is no proxy that can be used: {problem}',
    hint: 'export {name}=http://proxy.example.com:3128',
    exitCode: 2,
    retry: 'never',
  },
  results_not_found: {
    message: 'there are no results in {folder}: {problem}',
    hint: 'give the folder that holds results-raw/ or results/: llmx-client report --results DIR',
    exitCode: 6,
    retry: 'never',
  },
  usage: {
    message: '{problem}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
