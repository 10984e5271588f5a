import type { ErrorSpecs } from '../error-spec.js';

/** Container engines and images. */
export const ENGINE_ERRORS = {
  engine_unreachable: {
    message: 'the container engine {kind} does not answer: {reason}',
    hint: '{hint}',
    exitCode: 4,
    retry: 'transient',
  },
  image_build_failed: {
    message: 'image {tag} could not be built: {reason}; the whole output is in {log}',
    hint: '{hint}',
    exitCode: 1,
    retry: 'never',
  },
  engine_refuses: {
    message: '{kind} can not be given {what}',
    hint: 'choose another name or folder, or set runtime: process in experiment.yml',
    exitCode: 2,
    retry: 'never',
  },
  build_disk_low: {
    message:
      'only {freeGb} GB free; this build needs about {needGb} GB, and most of what is used is usually the image builder, not an image',
    hint: '{hint}',
    exitCode: 3,
    retry: 'never',
  },
  image_missing: {
    message: 'image {reference} is not there on {kind}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  image_foreign: {
    message: 'image {reference} is not an image that llmx built for this: it {problem}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  clean_not_confirmed: {
    message: 'nothing was deleted: nobody can be asked whether to remove {what}',
    hint: '{hint}',
    exitCode: 2,
    retry: 'never',
  },
  clean_incomplete: {
    message: '{count} of {total} could not be removed; {first}',
    hint: 'llmx-client clean',
    exitCode: 1,
    retry: 'never',
  },
} as const satisfies ErrorSpecs;
