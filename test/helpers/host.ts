// The person at the terminal, for end-to-end tests: a real PTY with the program in it and @xterm/headless as the screen
// that the person sees. Waits are for conditions, never for time.
import { readFileSync } from 'node:fs';
import { Terminal } from '@xterm/headless';
import * as pty from 'node-pty';

export interface HostOptions {
  cols?: number;
  rows?: number;
  env: Record<string, string>;
  cwd?: string;
}

export interface HostCell {
  chars: string;
  width: number;
  fg: number;
  bg: number;
  bold: boolean;
  inverse: boolean;
}

const WAIT_MS = 15_000;
const POLL_MS = 20;

export class Host {
  readonly pty: pty.IPty;
  readonly term: Terminal;
  /** Every byte the program wrote to its terminal. */
  readonly raw: Buffer[] = [];
  exited: { exitCode: number; signal?: number } | undefined;

  constructor(file: string, args: string[], options: HostOptions) {
    const cols = options.cols ?? 80;
    const rows = options.rows ?? 24;
    this.term = new Terminal({ cols, rows, allowProposedApi: true, scrollback: 2000 });
    this.pty = pty.spawn(file, args, {
      name: 'xterm-256color',
      cols,
      rows,
      cwd: options.cwd ?? process.cwd(),
      env: options.env,
      encoding: null,
    });
    this.pty.onData((data) => {
      const bytes = data as unknown as Buffer;
      this.raw.push(bytes);
      this.term.write(bytes);
    });
    // The emulator answers the program's queries as a terminal would.
    this.term.onData((reply) => this.pty.write(reply));
    this.pty.onExit((exit) => {
      this.exited = exit;
    });
  }

  get bytesWritten(): number {
    return this.raw.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** What the person sees, one string per row, trailing blanks trimmed. */
  screen(): string[] {
    const buffer = this.term.buffer.active;
    return Array.from(
      { length: this.term.rows },
      (_, y) => buffer.getLine(buffer.viewportY + y)?.translateToString(true) ?? '',
    );
  }

  text(): string {
    return this.screen().join('\n');
  }

  cells(y: number): HostCell[] {
    const buffer = this.term.buffer.active;
    const line = buffer.getLine(buffer.viewportY + y);
    return Array.from({ length: this.term.cols }, (_, x) => {
      const cell = line?.getCell(x);
      return {
        chars: cell?.getChars() ?? '',
        width: cell?.getWidth() ?? 1,
        fg: cell?.getFgColor() ?? -1,
        bg: cell?.getBgColor() ?? -1,
        bold: (cell?.isBold() ?? 0) !== 0,
        inverse: (cell?.isInverse() ?? 0) !== 0,
      };
    });
  }

  get cursor(): { x: number; y: number } {
    const buffer = this.term.buffer.active;
    return { x: buffer.cursorX, y: buffer.cursorY };
  }

  type(text: string): void {
    this.pty.write(text);
  }

  resize(cols: number, rows: number): void {
    this.term.resize(cols, rows);
    this.pty.resize(cols, rows);
  }

  /** Waits until `condition` holds; fails with the screen as it was seen last. */
  async waitFor(what: string, condition: (host: Host) => boolean, timeoutMs = WAIT_MS): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (!condition(this)) {
      if (Date.now() > end)
        throw new Error(`waited ${timeoutMs} ms for ${what}; the screen was:\n${this.framed()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async waitForText(text: string | RegExp, timeoutMs = WAIT_MS): Promise<void> {
    await this.waitFor(
      String(text),
      (host) => (typeof text === 'string' ? host.text().includes(text) : text.test(host.text())),
      timeoutMs,
    );
  }

  async waitForExit(timeoutMs = WAIT_MS): Promise<number> {
    await this.waitFor('the end of the program', (host) => host.exited !== undefined, timeoutMs);
    return this.exited!.exitCode;
  }

  /** Waits until no byte came for `quietMs`. */
  async waitForQuiet(quietMs = 300, timeoutMs = WAIT_MS): Promise<void> {
    let seen = -1;
    let since = Date.now();
    await this.waitFor(
      `${quietMs} ms without output`,
      (host) => {
        if (host.raw.length !== seen) {
          seen = host.raw.length;
          since = Date.now();
        }
        return Date.now() - since >= quietMs;
      },
      timeoutMs,
    );
  }

  framed(): string {
    const edge = '+' + '-'.repeat(this.term.cols) + '+';
    return [edge, ...this.screen().map((row) => `|${row}`), edge].join('\n');
  }

  kill(signal = 'SIGKILL'): void {
    if (!this.exited) this.pty.kill(signal);
  }

  dispose(): void {
    this.kill();
    this.term.dispose();
  }
}

/** The command line of a process, or '' when it is gone. Linux. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
