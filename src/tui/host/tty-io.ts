// Synchronous reads and writes of a terminal's descriptor, for the moments when the event loop is over (exit handlers) or
// may not be waited for. Bounded in time; a terminal that is gone is not an error. Used by HostTerminal only.
import { readSync, writeSync } from 'node:fs';
import { errnoOf } from '../../base/errors.js';

/** A terminal that takes nothing for so long is stopped or gone; the process must still be able to end. */
const WRITE_LIMIT_MS = 500;
const NAP_MS = 5;

const napCell = new Int32Array(new SharedArrayBuffer(4));

function nap(): void {
  Atomics.wait(napCell, 0, 0, NAP_MS);
}

/** Writes all of `text`, waiting while the descriptor is full. False when the terminal is gone or takes nothing. */
export function writeAllSync(fd: number, text: string, limitMs = WRITE_LIMIT_MS): boolean {
  const bytes = Buffer.from(text, 'utf8');
  const until = Date.now() + limitMs;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN' || Date.now() > until) return false;
      nap();
    }
  }
  return true;
}

/** Hands what comes in to `take` until it answers true or the time is over. The descriptor must be non-blocking. */
export function readUntilSync(fd: number, limitMs: number, take: (bytes: Uint8Array) => boolean): void {
  const chunk = Buffer.alloc(4096);
  const until = Date.now() + limitMs;
  while (Date.now() < until) {
    try {
      const count = readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) return;
      if (take(chunk.subarray(0, count))) return;
    } catch (error) {
      // EAGAIN: nothing yet. Anything else: the terminal is gone, nothing will come.
      if (errnoOf(error) !== 'EAGAIN') return;
      nap();
    }
  }
}
