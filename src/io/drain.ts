// Decides when a child is over: the process was reaped and every stream was read to its end, or DRAIN_GRACE_MS of
// reading passed for a stream that a grandchild holds open. Used by pty.ts and child.ts.
import type { OutputStream, ProcessExit } from './running-process.js';
import { DRAIN_GRACE_MS } from './running-process.js';

/** The grace is counted in steps, and a step during which the stream was paused does not count. */
const STEP_MS = 100;

export class Drain {
  #open: Set<OutputStream>;
  #paused = new Set<OutputStream>();
  #exit: ProcessExit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  #forceClose: (stream: OutputStream) => void;
  #finish: (exit: ProcessExit) => void;

  /** `forceClose` gives up a stream that is still open; `finish` is called once, last. */
  constructor(
    streams: readonly OutputStream[],
    forceClose: (stream: OutputStream) => void,
    finish: (exit: ProcessExit) => void,
  ) {
    this.#open = new Set(streams);
    this.#forceClose = forceClose;
    this.#finish = finish;
  }

  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  isOpen(stream: OutputStream): boolean {
    return this.#open.has(stream);
  }

  setPaused(stream: OutputStream, paused: boolean): void {
    if (paused) this.#paused.add(stream);
    else this.#paused.delete(stream);
  }

  /** True when the stream was open until now. */
  streamClosed(stream: OutputStream): boolean {
    const was = this.#open.delete(stream);
    this.#check();
    return was;
  }

  processEnded(exit: ProcessExit): void {
    if (this.#exit) return;
    this.#exit = exit;
    let stepsLeft = DRAIN_GRACE_MS / STEP_MS;
    this.#timer = setInterval(() => {
      if ([...this.#open].some((stream) => this.#paused.has(stream))) return;
      stepsLeft -= 1;
      if (stepsLeft > 0) return;
      for (const stream of [...this.#open]) this.#forceClose(stream);
    }, STEP_MS);
    this.#check();
  }

  #check(): void {
    if (this.#over || !this.#exit || this.#open.size > 0) return;
    this.#over = true;
    clearInterval(this.#timer);
    this.#finish(this.#exit);
  }
}
