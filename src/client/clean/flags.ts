/** What a person asked `clean` for. */
export interface CleanFlags {
  readonly builder?: boolean;
  readonly images?: boolean;
  readonly leftovers?: boolean;
  readonly yes?: boolean;
  readonly address?: string;
  readonly json?: boolean;
}
