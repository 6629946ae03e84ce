// The host terminal is given back as it was found on every way out (A32, A33, C05), and no answer of the host reaches the
// shell (B01): a real PTY, a real shell around the client, `stty -a` before and after.
import { mkdtempSync, readFileSync, rmSync, existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Terminal } from '@xterm/headless';
import * as pty from 'node-pty';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'agentile-host-'));
const program = join(folder, 'host-client.mjs');
const COLS = 60;
const ROWS = 12;

beforeAll(async () => {
  // Readline switches bracketed paste on at its prompt: that would hide what the client leaves on.
  writeFileSync(join(folder, 'inputrc'), 'set enable-bracketed-paste off\n');
  await build({
    entryPoints: ['test/agents/host-client.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The person's terminal with a shell in it. `answerAfterMs` delays what it answers, as a slow link does. */
class Desk {
  readonly term = new Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true });
  readonly pty: pty.IPty;
  readonly logFile: string;
  /** Modes of the host that the emulator does not keep. */
  kittyDepth = 0;
  output = '';
  exited = false;
  /** The terminal's window has been closed. */
  closed = false;

  constructor(name: string, shell: string[], answerAfterMs = 0) {
    this.logFile = join(folder, `${name}.log`);
    this.pty = pty.spawn('bash', shell, {
      name: 'xterm-256color',
      cols: COLS,
      rows: ROWS,
      env: {
        PATH: process.env.PATH!,
        HOME: folder,
        PS1: '$ ',
        LANG: 'C.UTF-8',
        INPUTRC: join(folder, 'inputrc'),
        HOST_LOG: this.logFile,
        NODE: process.execPath,
        PROGRAM: program,
        OUT: join(folder, name),
      },
    });
    this.pty.onData((text) => {
      this.output += text;
      this.term.write(text);
    });
    this.pty.onExit(() => {
      this.exited = true;
    });
    this.term.onData((reply) => {
      if (answerAfterMs > 0) setTimeout(() => this.answer(reply), answerAfterMs);
      else this.answer(reply);
    });
    this.term.parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
      this.term.input('\x1b[?0u', false);
      return true;
    });
    this.term.parser.registerCsiHandler({ prefix: '>', final: 'u' }, () => (this.kittyDepth++, true));
    this.term.parser.registerCsiHandler({ prefix: '<', final: 'u' }, () => (this.kittyDepth--, true));
  }

  answer(text: string): void {
    if (!this.exited && !this.closed) this.pty.write(text);
  }

  log(): Record<string, unknown>[] {
    if (!existsSync(this.logFile)) return [];
    return readFileSync(this.logFile, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get pid(): number {
    return this.log().find((entry) => entry.pid !== undefined)?.pid as number;
  }

  get screen(): string {
    const buffer = this.term.buffer.active;
    return Array.from({ length: ROWS }, (_, y) =>
      buffer.getLine(buffer.baseY + y)?.translateToString(true),
    ).join('\n');
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = Date.now() + 15_000;
    while (!condition()) {
      if (Date.now() > end)
        throw new Error(`waited for ${what}; screen:\n${this.screen}\nlog: ${JSON.stringify(this.log())}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async ready(): Promise<void> {
    await this.until('the first paint', () => this.screen.includes('READY 1') && this.pid > 0);
    await this.until('the probe', () => this.log().some((entry) => entry.caps));
    await this.until('the keyboard', () => this.kittyDepth === 1);
  }

  /** What must be true of a host that nobody has touched. */
  expectUntouched(): void {
    const { modes } = this.term;
    expect(modes.mouseTrackingMode).toBe('none');
    expect(modes.bracketedPasteMode).toBe(false);
    expect(modes.sendFocusMode).toBe(false);
    expect(modes.wraparoundMode).toBe(true);
    expect(this.term.buffer.active.type).toBe('normal');
    expect((this.term as any)._core.coreService.isCursorHidden).toBe(false);
    expect((this.term as any)._core.coreService.decPrivateModes.synchronizedOutput).toBe(false);
    expect(this.kittyDepth).toBe(0);
    // Mouse off comes behind the end of the alternate screen as well.
    expect(this.output.lastIndexOf('\x1b[?1000l')).toBeGreaterThan(this.output.lastIndexOf('\x1b[?1049l'));
  }

  dispose(): void {
    if (!this.exited && !this.closed) this.pty.kill('SIGKILL');
    this.term.dispose();
  }
}

const ROUND =
  'stty -a > "$OUT.before"; "$NODE" "$PROGRAM"; echo "CODE=$?"; stty -a > "$OUT.after"; echo DONE';
const read = (name: string, when: string) => readFileSync(join(folder, `${name}.${when}`), 'utf8');
let desk: Desk;
afterEach(() => desk.dispose());

describe('HostTerminal', () => {
  const WAYS: [name: string, code: number, leave: (desk: Desk) => void][] = [
    ['detach', 0, (d) => d.pty.write('d')],
    ['sighup', 71, (d) => process.kill(d.pid, 'SIGHUP')],
    ['sigterm', 71, (d) => process.kill(d.pid, 'SIGTERM')],
    ['sigint', 71, (d) => process.kill(d.pid, 'SIGINT')],
    ['throw', 70, (d) => d.pty.write('t')],
    ['reject', 70, (d) => d.pty.write('r')],
    ['exit', 3, (d) => d.pty.write('x')],
  ];

  it.each(WAYS)('A32 A33: leaves the terminal as it found it: %s', async (name, code, leave) => {
    desk = new Desk(name, ['--norc', '-c', ROUND]);
    await desk.ready();
    expect(desk.term.modes.mouseTrackingMode).toBe('drag');
    expect(desk.term.buffer.active.type).toBe('alternate');
    leave(desk);
    await desk.until('the shell', () => desk.screen.includes('DONE'));
    expect(desk.screen).toContain(`CODE=${code}`);
    expect(read(name, 'after')).toBe(read(name, 'before'));
    desk.expectUntouched();
  });

  it('A33: a signal in the middle of a flood of paints leaves nothing on', async () => {
    desk = new Desk('flood', ['--norc', '-c', ROUND]);
    await desk.ready();
    desk.pty.write('f');
    await desk.until('the flood', () => desk.screen.includes('flood 2'));
    process.kill(desk.pid, 'SIGTERM');
    await desk.until('the shell', () => desk.screen.includes('DONE'));
    expect(read('flood', 'after')).toBe(read('flood', 'before'));
    desk.expectUntouched();
    expect(desk.screen).not.toContain('flood');
  });

  it('B01: answers that come late land neither in the program nor in the shell', async () => {
    const shell = `${ROUND}; IFS= read -rs -t 1 -n 100 left; printf 'LEFT=[%q]\\n' "$left"`;
    desk = new Desk('late', ['--norc', '-c', shell], 600);
    await desk.until('the first paint', () => desk.screen.includes('READY 1') && desk.pid > 0);
    desk.pty.write('d');
    await desk.until('the shell', () => desk.screen.includes('LEFT='));
    expect(desk.screen).toContain("LEFT=['']");
    expect(desk.log().filter((entry) => entry.key)).toEqual([{ key: 'd' }]);
    expect(read('late', 'after')).toBe(read('late', 'before'));
  });

  it('B01: answers that come after process.exit land nowhere', async () => {
    const shell = `${ROUND}; IFS= read -rs -t 1 -n 100 left; printf 'LEFT=[%q]\\n' "$left"`;
    desk = new Desk('late-exit', ['--norc', '-c', shell], 150);
    await desk.until('the first paint', () => desk.screen.includes('READY 1') && desk.pid > 0);
    desk.pty.write('x');
    await desk.until('the shell', () => desk.screen.includes('LEFT='));
    expect(desk.screen).toContain("LEFT=['']");
  });

  it('C05: stopped and continued, it gives the terminal to the shell and takes it back', async () => {
    desk = new Desk('stop', ['--norc', '-i']);
    await desk.until('the prompt', () => desk.screen.includes('$ '));
    desk.pty.write('stty -a > "$OUT.before"; "$NODE" "$PROGRAM"\r');
    await desk.ready();
    process.kill(desk.pid, 'SIGTSTP');
    await desk.until(
      'the shell',
      () => desk.screen.includes('Stopped') && desk.term.buffer.active.type === 'normal',
    );
    desk.expectUntouched();
    // -echo and friends of readline are the shell's own: stty sees what a command sees.
    desk.pty.write('stty -a > "$OUT.after"; echo MID""DLE\r');
    await desk.until('the middle', () => desk.screen.includes('MIDDLE'));
    expect(read('stop', 'after')).toBe(read('stop', 'before'));
    desk.pty.write('fg\r');
    await desk.until('the repaint', () => desk.screen.includes('resumed 3'));
    expect(desk.term.buffer.active.type).toBe('alternate');
    expect(desk.term.modes.mouseTrackingMode).toBe('drag');
    expect(desk.log()).toContainEqual({ resumed: true });
    desk.pty.write('j');
    await desk.until('a key in raw mode', () => desk.log().some((entry) => entry.key === 'j'));
    desk.pty.write('d');
    await desk.until('the shell again', () => desk.term.buffer.active.type === 'normal');
    desk.pty.write('stty -a > "$OUT.end"; echo EN""DED\r');
    await desk.until('the end', () => desk.screen.includes('ENDED'));
    expect(read('stop', 'end')).toBe(read('stop', 'before'));
    desk.expectUntouched();
  });

  it('C05: stopped without a word (SIGSTOP), it sets raw mode and modes anew', async () => {
    desk = new Desk('hard', ['--norc', '-i']);
    await desk.until('the prompt', () => desk.screen.includes('$ '));
    desk.pty.write('"$NODE" "$PROGRAM"\r');
    await desk.ready();
    process.kill(desk.pid, 'SIGSTOP');
    await desk.until('the shell', () => desk.output.includes('Stopped'));
    desk.pty.write('stty sane\rfg\r');
    await desk.until('the repaint', () => desk.screen.includes('resumed 3'));
    desk.pty.write('j');
    await desk.until('a key in raw mode', () => desk.log().some((entry) => entry.key === 'j'));
    desk.pty.write('d');
    await desk.until('the shell again', () => desk.term.buffer.active.type === 'normal');
    desk.expectUntouched();
  });

  it('A32: a terminal that is gone ends the program', async () => {
    desk = new Desk('lost', ['--norc', '-c', 'trap "" HUP; exec "$NODE" "$PROGRAM"']);
    await desk.ready();
    const { pid } = desk;
    desk.closed = true;
    (desk.pty as any).destroy();
    await desk.until('its end', () => desk.log().some((entry) => entry.end));
    expect(['lost', 'signal']).toContain(desk.log().find((entry) => entry.end)!.end);
    await desk.until(
      'no process',
      () => !existsSync(`/proc/${pid}/stat`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')),
    );
  });

  it('learns what the host can do and decodes what it sends', async () => {
    desk = new Desk('caps', ['--norc', '-c', ROUND]);
    await desk.ready();
    const caps = desk.log().find((entry) => entry.caps)!.caps as Record<string, unknown>;
    expect(caps).toMatchObject({
      colors: '256',
      utf8: true,
      unicode: true,
      syncOutput: true,
      marginsLR: false,
      kittyKeyboard: true,
    });
    desk.pty.write('\x1b[<0;5;6M\x1b[200~pasted\x1b[201~\x1b[I');
    await desk.until('the events', () => desk.log().some((entry) => entry.type === 'focus'));
    desk.pty.write('\x1b');
    await desk.until('the escape', () => desk.log().some((entry) => entry.key === 'escape'));
    expect(
      desk
        .log()
        .filter((entry) => entry.type)
        .map((entry) => entry.type),
    ).toEqual(['mouse', 'paste', 'focus']);
    desk.pty.resize(70, 10);
    await desk.until('the new size', () => desk.output.includes('size 70x10'));
  });
});
