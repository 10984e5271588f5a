import type { CliContext } from '../context.js';

const BAR_WIDTH = 24;

/** A bar that redraws on a terminal; one line per change elsewhere. Always on stderr. */
export class Progress {
  private last = '';
  private drawn = false;

  constructor(private readonly cli: CliContext) {}

  show(text: string, done: number, total: number): void {
    if (text === this.last) return;
    this.last = text;
    if (!this.animated()) {
      this.cli.stderr.write(`${text}\n`);
      return;
    }
    const filled = total === 0 ? 0 : Math.round((done / total) * BAR_WIDTH);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
    const columns = process.stderr.columns || 80;
    this.cli.stderr.write(`\r\u001b[2K${cut(`${bar} ${text}`, columns - 1)}`);
    this.drawn = true;
  }

  /** Leaves the last state on the screen and the cursor below it. */
  end(): void {
    if (this.drawn) this.cli.stderr.write('\n');
    this.drawn = false;
  }

  private animated(): boolean {
    const { env } = this.cli;
    return this.cli.stderrIsTty && env['TERM'] !== 'dumb' && !env['CI'];
  }
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
