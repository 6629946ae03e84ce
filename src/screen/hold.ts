// Synchronized output (mode 2026): while a child holds its frame, nothing is announced, but never for longer than 150 ms.
// The emulator only knows the flag; this keeps the time. Used by emulator.ts.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/** A child that forgets to end its frame must not freeze its pane. Terminals allow 100 to 200 ms. */
export const HOLD_MAX_MS = 150;

export class FrameHold implements Disposable {
  readonly #clock: Clock;
  readonly #onExpired: () => void;
  #timer: Disposable | undefined;
  #expired = false;
  #flag = false;

  constructor(clock: Clock, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  get holding(): boolean {
    return this.#flag && !this.#expired;
  }

  /**
   * Tells the flag after a write. A frame that ends and another that begins in one write count as one hold, so that a
   * child whose writes all end inside a frame is shown every 150 ms at least.
   */
  update(flag: boolean): void {
    this.#flag = flag;
    if (!flag) {
      this.#timer?.dispose();
      this.#timer = undefined;
      this.#expired = false;
    } else if (!this.#timer && !this.#expired) {
      this.#timer = this.#clock.after(HOLD_MAX_MS, () => {
        this.#timer = undefined;
        this.#expired = true;
        this.#onExpired();
      });
    }
  }

  dispose(): void {
    this.#timer?.dispose();
  }
}
