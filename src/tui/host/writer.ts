// The one way to the host's stdout while the event loop runs: non-blocking, complete, in order. A slow link fills libuv's
// queue and delays the callback; it never stops the loop. Used by HostTerminal and, through it, the paint scheduler.
import type { WriteStream } from 'node:tty';

/** The part of a libuv handle that node does not document: tty writes block unless told otherwise (facts: perf §6). */
interface BlockingHandle {
  setBlocking?: (blocking: boolean) => number;
}

export class HostWriter {
  readonly #stream: WriteStream;
  #open = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  constructor(stream: WriteStream) {
    this.#stream = stream;
    (stream as unknown as { _handle?: BlockingHandle })._handle?.setBlocking?.(false);
  }

  /** Writes that the host has not taken yet. */
  get inFlight(): number {
    return this.#open;
  }

  /** `done` is called when the host took all of it, or when it never will (closed). */
  write(text: string, done?: () => void): void {
    if (this.#closed || text === '') {
      if (done) queueMicrotask(done);
      return;
    }
    this.#open++;
    this.#stream.write(text, () => {
      // An error is told by the stream's own event; here it only means that the write is over.
      this.#open--;
      done?.();
      if (this.#open === 0) for (const waiter of this.#waiters.splice(0)) waiter();
    });
  }

  /** Nothing is written any more; what is in the queue may still go out. */
  close(): void {
    this.#closed = true;
  }

  reopen(): void {
    this.#closed = false;
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}
