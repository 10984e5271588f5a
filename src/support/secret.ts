import { inspect } from 'node:util';

const SHOWN = '[secret]';

/** A value that shows up in no log, message or JSON by accident; who needs it says so. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: for the one place that hands it on. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
