/** One row of the error table. `{name}` in message and hint is replaced by the parameter of that name. */
export interface ErrorSpec {
  /** What was wrong, the value seen and where. */
  readonly message: string;
  /** The next command or edit, as typed; null when there is nothing to do. */
  readonly hint: string | null;
  readonly exitCode: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 130;
  /** `never`: a Temporal retry can't help; `transient`: it may. */
  readonly retry: 'never' | 'transient';
}

export type ErrorSpecs = Readonly<Record<string, ErrorSpec>>;
