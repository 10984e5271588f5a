import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** JSON lines of one writer, up to a number: an agent in a loop must not fill the disk. */
export class LineLog {
  private readonly fd: number;
  private count = 0;

  constructor(
    file: string,
    private readonly maxLines: number,
  ) {
    this.fd = openSync(file, 'a', 0o600);
  }

  /** Lines that were written. */
  get lines(): number {
    return this.count;
  }

  /** A write that fails stops nobody: the line is missing from the count. */
  write(line: Readonly<Record<string, unknown>>): void {
    if (this.count < this.maxLines && this.tryWrite(line)) this.count += 1;
  }

  /** Says how many lines are missing, and makes the rest durable. */
  close(dropped: number): void {
    if (dropped > 0) this.tryWrite({ at: new Date().toISOString(), dropped });
    try {
      fsyncSync(this.fd);
    } catch {
      // The disk is full or gone: the attempt is judged by that, not by its log.
    }
    closeSync(this.fd);
  }

  private tryWrite(line: Readonly<Record<string, unknown>>): boolean {
    try {
      writeSync(this.fd, `${JSON.stringify(line)}\n`);
      return true;
    } catch {
      return false; // counted as dropped
    }
  }
}
