// A child on three pipes. Made by the keeper. Each stream is its own; the exit is told after the last output of both.
// Parses nothing.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Emitter } from '../base/emitter.js';
import { errnoOf, messageOf } from '../base/errors.js';
import { Drain } from './drain.js';
import { InputQueue, type WriteResult } from './input-queue.js';
import { signalGroup } from './process-group.js';
import { resolveProgram, spawnFailed } from './resolve-program.js';
import type { OutputStream, ProcessExit, ProcessSpec, RunningProcess } from './running-process.js';

type PipedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Handed to the stream at once; the progress of a larger write could not be seen. */
const WRITE_BYTES = 64 * 1024;

/** Starts a program on pipes. Rejects with SPAWN_FAILED (cause.code is the errno). */
export async function spawnChild(spec: ProcessSpec): Promise<RunningProcess> {
  const file = resolveProgram(spec);
  let child: PipedProcess;
  try {
    child = spawn(file, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env },
      // Its own session and group, so that a signal reaches what it starts.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw startFailure(file, error);
  }
  if (child.pid !== undefined) return new Child(child, child.pid);
  const error = await new Promise<Error>((resolve) => child.once('error', resolve));
  throw startFailure(file, error);
}

function startFailure(file: string, error: unknown) {
  return spawnFailed(`${file} could not be started: ${messageOf(error)}`, errnoOf(error) ?? 'EIO');
}

class Child implements RunningProcess {
  readonly pid: number;
  readonly streams: readonly OutputStream[] = ['stdout', 'stderr'];
  #child: PipedProcess;
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

  constructor(child: PipedProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#drain = new Drain(
      this.streams,
      (stream) => this.#child[stream].destroy(),
      (exit) => this.#exit.fire(exit),
    );
    this.#input = new InputQueue((bytes, done) => this.#writeSome(bytes, done));
    this.onInputBlocked = this.#input.onBlocked;
    for (const stream of this.streams) this.#read(stream);
    // EPIPE: the child closed its stdin or is gone. What it was not given is lost with it.
    child.stdin.on('error', () => this.#input.dispose());
    child.on('error', () => {
      // A kill that failed; the start was checked in spawnChild.
    });
    child.on('exit', (exitCode, signal) => this.#handleEnd(exitCode, signal));
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
    this.#input.whenEmpty(() => this.#child.stdin.end());
  }

  interrupt(): void {
    this.signal('SIGINT');
  }

  signal(name: string): void {
    signalGroup(this.pid, name);
  }

  resize(): void {
    // Pipes have no size.
  }

  pause(stream: OutputStream): void {
    this.#drain.setPaused(stream, true);
    this.#child[stream].pause();
  }

  resume(stream: OutputStream): void {
    this.#drain.setPaused(stream, false);
    this.#child[stream].resume();
  }

  abandon(): void {
    this.#input.dispose();
    for (const stream of this.streams) this.#child[stream].destroy();
    this.#child.stdin.destroy();
  }

  #read(stream: OutputStream): void {
    const readable = this.#child[stream];
    readable.on('data', (bytes: Buffer) => this.#output.fire({ stream, bytes }));
    readable.on('error', () => readable.destroy());
    // 'end' and 'close' both: 'end' comes a turn earlier, 'close' also when the stream was given up.
    readable.on('end', () => this.#handleClose(stream));
    readable.on('close', () => this.#handleClose(stream));
  }

  #handleClose(stream: OutputStream): void {
    if (this.#drain.isOpen(stream)) this.#streamClosed.fire(stream);
    this.#drain.streamClosed(stream);
  }

  #handleEnd(exitCode: number | null, signal: NodeJS.Signals | null): void {
    const exit: ProcessExit = signal ? { signal } : { exitCode: exitCode ?? 0 };
    this.#input.dispose();
    this.#drain.processEnded(exit);
    this.#ended.fire(exit);
  }

  #writeSome(bytes: Uint8Array, done: (result: WriteResult) => void): void {
    const { stdin } = this.#child;
    if (!stdin.writable) {
      done('gone');
      return;
    }
    const chunk = bytes.subarray(0, WRITE_BYTES);
    stdin.write(chunk, (error) => done(error ? 'gone' : chunk.length));
  }
}
