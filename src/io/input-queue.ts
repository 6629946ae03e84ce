// Bytes on their way into a child: whole and in order, however slowly it reads. Used by pty.ts and child.ts. A child
// that does not read costs a timer, never a spin.
import { Emitter, type Event } from '../base/emitter.js';
import type { Disposable } from '../base/disposable.js';

/** Bytes taken, or 'again' (full: try later), or 'gone' (nobody will ever read). */
export type WriteResult = number | 'again' | 'gone';

/** Above this a further write is refused whole: a child that reads nothing must not fill our memory. */
export const INPUT_CAP_BYTES = 64 * 1024 * 1024;
/** Input that waits longer than this without progress is told as blocked. */
const BLOCKED_AFTER_MS = 500;
/** A full descriptor is tried again after 1 ms, then after twice the time, up to 50 ms (20 tries a second cost nothing). */
const RETRY_FIRST_MS = 1;
const RETRY_LAST_MS = 50;
/** Written in one turn of the event loop before others have theirs. */
const TURN_BYTES = 64 * 1024;

export class InputQueue implements Disposable {
  #writeSome: (bytes: Uint8Array, done: (result: WriteResult) => void) => void;
  #chunks: Uint8Array[] = [];
  #queued = 0;
  #turnBytes = 0;
  #retryMs = RETRY_FIRST_MS;
  #busy = false;
  #gone = false;
  #blocked = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #blockedTimer: NodeJS.Timeout | undefined;
  #onEmpty: (() => void) | undefined;
  #blocks = new Emitter<number>();
  readonly onBlocked: Event<number> = this.#blocks.event;

  /** `writeSome` calls `done` exactly once, at once or later. */
  constructor(writeSome: (bytes: Uint8Array, done: (result: WriteResult) => void) => void) {
    this.#writeSome = writeSome;
  }

  get queuedBytes(): number {
    return this.#queued;
  }

  /** Copies the bytes. Dropped after the end, and whole when more than INPUT_CAP_BYTES would wait. */
  write(bytes: Uint8Array): void {
    if (this.#gone || bytes.length === 0) return;
    if (this.#queued + bytes.length > INPUT_CAP_BYTES) {
      this.#blocks.fire(this.#queued + bytes.length);
      return;
    }
    this.#chunks.push(Buffer.from(bytes));
    this.#queued += bytes.length;
    if (this.#blocked) this.#blocks.fire(this.#queued);
    this.#pump();
  }

  /** Runs once everything queued was taken; at once when nothing waits. Not after the end. */
  whenEmpty(callback: () => void): void {
    if (this.#gone) return;
    if (this.#queued === 0) callback();
    else this.#onEmpty = callback;
  }

  /** Nobody reads any more: drops everything. */
  dispose(): void {
    this.#gone = true;
    this.#chunks = [];
    this.#queued = 0;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#blockedTimer);
    if (this.#turn) clearImmediate(this.#turn);
    this.#blocks.dispose();
  }

  #pump(): void {
    const first = this.#chunks[0];
    if (!first || this.#busy || this.#gone || this.#retryTimer || this.#turn) return;
    this.#blockedTimer ??= setTimeout(() => this.#tellBlocked(), BLOCKED_AFTER_MS);
    this.#busy = true;
    this.#writeSome(first, (result) => {
      this.#busy = false;
      if (!this.#gone) this.#settle(result);
    });
  }

  #settle(result: WriteResult): void {
    if (result === 'gone') {
      this.dispose();
    } else if (result === 'again') {
      this.#retryTimer = setTimeout(() => {
        this.#retryTimer = undefined;
        this.#pump();
      }, this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LAST_MS);
    } else {
      this.#taken(result);
    }
  }

  #taken(bytes: number): void {
    this.#retryMs = RETRY_FIRST_MS;
    this.#queued -= bytes;
    const first = this.#chunks[0]!;
    if (bytes === first.length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(bytes);
    clearTimeout(this.#blockedTimer);
    this.#blockedTimer = undefined;
    if (this.#blocked) {
      this.#blocked = false;
      this.#blocks.fire(0);
    }
    if (this.#queued === 0) {
      this.#turnBytes = 0;
      const callback = this.#onEmpty;
      this.#onEmpty = undefined;
      callback?.();
      return;
    }
    this.#turnBytes += bytes;
    if (this.#turnBytes < TURN_BYTES) {
      this.#pump();
      return;
    }
    this.#turnBytes = 0;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#pump();
    });
  }

  #tellBlocked(): void {
    this.#blocked = true;
    this.#blocks.fire(this.#queued);
  }
}
