/** `assembly.json`: what the program that runs in the build of an image is told. */
export type AssemblyFile =
  | {
      readonly schemaVersion: 1;
      readonly kind: 'app';
      readonly app: string;
      readonly setup: string | null;
      /** Full ref name and commit id of all that the bundle beside it holds. */
      readonly refs: readonly (readonly [string, string])[];
    }
  | {
      readonly schemaVersion: 1;
      readonly kind: 'task';
      readonly app: string;
      /** The one branch that stays: `trial/<task>`. */
      readonly branch: string;
    };

/** Before a line with the code and the parameters of an error, as JSON; read from the log of the build. */
export const ERROR_MARK = 'llmx-error: ';
