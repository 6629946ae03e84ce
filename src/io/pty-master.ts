// The reading end of a pseudo-terminal: bytes as they come, and a descriptor that stays open until we say so. Only pty.ts
// uses it.
import { readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { errnoOf } from '../base/errors.js';

/** What Linux gives of a terminal in one read. */
const READ_BYTES = 4096;
/** A child that closed its terminal but lives may open it again: then it is read this often. Few do, and it costs little. */
const POLL_MS = 20;

/**
 * Closing the master hangs the terminal up, which kills the session with SIGHUP. A program that closes its descriptors
 * just before it exits (wc does) must not be killed in that moment, so the stream's own wish to close, at the first
 * end it sees, is not granted: it closes in `release`.
 */
class MasterStream extends ReadStream {
  mayClose = false;
  onHangup: (() => void) | undefined;

  override destroy(error?: Error): this {
    if (this.mayClose) return super.destroy(error);
    this.onHangup?.();
    return this;
  }
}

export interface MasterListener {
  output(bytes: Uint8Array): void;
  /** The descriptor is closed. */
  closed(): void;
}

export class PtyMaster {
  #fd: number;
  #stream: MasterStream;
  #listener: MasterListener;
  #hungUp = false;
  #isPaused = false;
  #childEnded = false;
  #poll: NodeJS.Timeout | undefined;

  constructor(fd: number, listener: MasterListener) {
    this.#fd = fd;
    this.#listener = listener;
    // Half open: the end of reading must not begin a shutdown of a writing side that is not there.
    this.#stream = new MasterStream(fd, { allowHalfOpen: true });
    this.#stream.onHangup = () => this.#handleHangup();
    this.#stream.on('data', (bytes: Buffer) => listener.output(bytes));
    this.#stream.on('end', () => this.#handleHangup());
    this.#stream.on('error', () => {
      // EIO, the way Linux tells that nobody holds the terminal; onHangup or 'close' tell it, too.
    });
    this.#stream.on('close', () => listener.closed());
  }

  /** True until `release`: after that the number may be somebody else's. */
  get isOpen(): boolean {
    return !this.#stream.destroyed;
  }

  pause(): void {
    this.#isPaused = true;
    if (!this.#hungUp) this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#hungUp) this.#stream.resume();
  }

  /** The child was reaped: from now on the end of the output is the end. */
  childEnded(): void {
    this.#childEnded = true;
    this.#stream.mayClose = true;
    if (this.#hungUp) this.#finish();
  }

  /** Closes the descriptor, read to the end or not. */
  release(): void {
    clearInterval(this.#poll);
    this.#stream.mayClose = true;
    this.#stream.destroy();
  }

  #handleHangup(): void {
    if (this.#hungUp) return;
    this.#hungUp = true;
    if (this.#childEnded) {
      this.#finish();
      return;
    }
    this.#readRest();
    this.#poll = setInterval(() => {
      if (!this.#isPaused) this.#readRest();
    }, POLL_MS);
  }

  #finish(): void {
    this.#readRest();
    this.release();
  }

  /**
   * When the last holder of a terminal goes, libuv tells the end after one short read, and a terminal gives at most 4 KB
   * a read: what is left in the kernel (64 KB at most) is read here.
   */
  #readRest(): void {
    while (this.isOpen) {
      const bytes = Buffer.allocUnsafe(READ_BYTES);
      let count: number;
      try {
        count = readSync(this.#fd, bytes);
      } catch (error) {
        if (errnoOf(error) === 'EINTR') continue;
        // EIO: nobody holds it, that was all. EAGAIN: somebody opened it again and has said nothing yet.
        return;
      }
      if (count === 0) return;
      this.#listener.output(bytes.subarray(0, count));
      if (this.#isPaused && !this.#childEnded) return;
    }
  }
}
