// A child on a pseudo-terminal. Made by the keeper. Output is bytes; input is written whole and in order without a spin
// when the child does not read; the exit is told after the last output. Parses nothing.
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Emitter } from '../base/emitter.js';
import { errnoOf, messageOf } from '../base/errors.js';
import { Drain } from './drain.js';
import { InputQueue, type WriteResult } from './input-queue.js';
import { loadNativePty, type NativePty } from './native-pty.js';
import { signalGroup, signalName, statOf } from './process-group.js';
import { PtyMaster } from './pty-master.js';
import { resolveProgram, spawnFailed } from './resolve-program.js';
import type { OutputStream, ProcessExit, ProcessSpec, RunningProcess } from './running-process.js';

export interface PtySpec extends ProcessSpec {
  /** Cells. */
  cols: number;
  rows: number;
  /** The terminal is raw and does not echo from the start: for line protocols on a PTY. */
  rawMode?: boolean;
}

const CTRL_C = Uint8Array.of(3);
const CTRL_D = Uint8Array.of(4);
/** The kernel's window size is 16 bits a side. */
const MAX_CELLS = 65_535;
/** Long enough for a loaded machine; a stty that hangs must not hold the keeper. */
const STTY_TIMEOUT_MS = 2000;

const clampCells = (cells: number) => Math.max(1, Math.min(MAX_CELLS, Math.floor(cells) || 1));

/** Starts a program on a new PTY. Throws SPAWN_FAILED (cause.code is the errno) or NATIVE_MISSING. */
export function spawnPty(spec: PtySpec): RunningProcess {
  const { native, helperPath } = loadNativePty();
  const file = resolveProgram(spec);
  const env = Object.entries(spec.env).map(([name, value]) => `${name}=${value}`);
  const made: { pty?: Pty; early?: [number, number] } = {};
  const onExit = (exitCode: number, signal: number) => {
    if (made.pty) made.pty.handleEnd(exitCode, signal);
    else made.early = [exitCode, signal];
  };
  let forked: { fd: number; pid: number; pty: string };
  try {
    // prettier-ignore
    forked = native.fork(file, [...spec.args], env, spec.cwd, clampCells(spec.cols), clampCells(spec.rows),
      -1, -1, true, helperPath, onExit);
  } catch (error) {
    throw spawnFailed(`${file} could not be started: ${messageOf(error)}`, 'EAGAIN');
  }
  const rawFailure = spec.rawMode ? makeRaw(forked.pty) : undefined;
  const pty = new Pty(native, forked);
  made.pty = pty;
  if (made.early) pty.handleEnd(...made.early);
  // A child that is over already has closed its terminal: stty could not open it, and nobody needs it raw.
  if (rawFailure && pty.running && statOf(pty.pid)?.state !== 'Z') {
    pty.signal('SIGKILL');
    pty.abandon();
    throw spawnFailed(`The terminal of ${file} could not be made raw: ${rawFailure}`, 'EIO');
  }
  return pty;
}

/** Undefined when it worked, else why not. */
function makeRaw(device: string): string | undefined {
  const flag = process.platform === 'linux' ? '-F' : '-f';
  const run = spawnSync('stty', [flag, device, 'raw', '-echo'], {
    encoding: 'utf8',
    timeout: STTY_TIMEOUT_MS,
  });
  if (run.status === 0) return undefined;
  return run.error ? messageOf(run.error) : run.stderr.trim() || `stty ended with ${run.status}`;
}

class Pty implements RunningProcess {
  readonly pid: number;
  readonly streams: readonly OutputStream[] = ['stdout'];
  #native: NativePty;
  #fd: number;
  #master: PtyMaster;
  #input: InputQueue;
  #drain: Drain;
  #output = new Emitter<{ stream: OutputStream; bytes: Uint8Array }>();
  #streamClosed = new Emitter<OutputStream>();
  #ended = new Emitter<ProcessExit>();
  #exit = new Emitter<ProcessExit>();
  readonly onOutput = this.#output.event;
  readonly onStreamClosed = this.#streamClosed.event;
  readonly onEnded = this.#ended.event;
  readonly onExit = this.#exit.event;
  readonly onInputBlocked;

  constructor(native: NativePty, forked: { fd: number; pid: number }) {
    this.#native = native;
    this.pid = forked.pid;
    this.#fd = forked.fd;
    this.#drain = new Drain(
      this.streams,
      () => this.#master.release(),
      (exit) => this.#exit.fire(exit),
    );
    this.#input = new InputQueue((bytes, done) => done(this.#writeSome(bytes)));
    this.onInputBlocked = this.#input.onBlocked;
    this.#master = new PtyMaster(forked.fd, {
      output: (bytes) => this.#output.fire({ stream: 'stdout', bytes }),
      closed: () => this.#handleClose(),
    });
  }

  get running(): boolean {
    return this.#drain.exit === undefined;
  }

  get inputQueued(): number {
    return this.#input.queuedBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.running) this.#input.write(bytes);
  }

  eof(): void {
    this.write(CTRL_D);
  }

  interrupt(): void {
    this.write(CTRL_C);
  }

  signal(name: string): void {
    const stat = statOf(this.pid);
    signalGroup(this.pid, name);
    // A shell puts what it runs in a group of its own.
    if (stat && stat.foreground > 1 && stat.foreground !== this.pid) signalGroup(stat.foreground, name);
  }

  resize(cols: number, rows: number): void {
    if (!this.#master.isOpen) return;
    try {
      this.#native.resize(this.#fd, clampCells(cols), clampCells(rows));
    } catch {
      // The terminal is closing under us; its end is told in its own way.
    }
  }

  pause(): void {
    this.#drain.setPaused('stdout', true);
    this.#master.pause();
  }

  resume(): void {
    this.#drain.setPaused('stdout', false);
    this.#master.resume();
  }

  abandon(): void {
    this.#input.dispose();
    this.#master.release();
  }

  /** Called by the native part once the process was reaped. */
  handleEnd(exitCode: number, signal: number): void {
    const name = signal ? signalName(signal) : undefined;
    const exit: ProcessExit = name ? { signal: name } : { exitCode };
    this.#input.dispose();
    this.#drain.processEnded(exit);
    this.#ended.fire(exit);
    this.#master.childEnded();
  }

  #writeSome(bytes: Uint8Array): WriteResult {
    if (!this.#master.isOpen) return 'gone';
    try {
      return writeSync(this.#fd, bytes) || 'again';
    } catch (error) {
      const errno = errnoOf(error);
      return errno === 'EAGAIN' || errno === 'EINTR' ? 'again' : 'gone';
    }
  }

  #handleClose(): void {
    this.#input.dispose();
    if (this.#drain.isOpen('stdout')) this.#streamClosed.fire('stdout');
    this.#drain.streamClosed('stdout');
  }
}
