/** Ends a command with an exit code after it has printed its own result. Not an error. */
export class ExitRequest extends Error {
  override readonly name = 'ExitRequest';

  constructor(readonly exitCode: number) {
    super(`exit ${exitCode}`);
  }
}
