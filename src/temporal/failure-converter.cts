import common = require('@temporalio/common');

/**
 * Failures without stack traces: history is read by others, and a trace names folders of this host.
 * Runs in the workflow sandbox too, so it knows nothing of Node. CommonJS: the SDK loads it by `require`.
 */
class TracelessFailureConverter extends common.DefaultFailureConverter {
  override errorToFailure(
    error: unknown,
    payloadConverter: common.PayloadConverter,
  ): common.ProtoFailure {
    return withoutTrace(super.errorToFailure(error, payloadConverter));
  }
}

function withoutTrace(failure: common.ProtoFailure): common.ProtoFailure {
  return {
    ...failure,
    stackTrace: '',
    ...(failure.cause ? { cause: withoutTrace(failure.cause) } : {}),
  };
}

const failureConverter = new TracelessFailureConverter();

export = { failureConverter };
