// Time and timers behind one interface, so that tests can drive them by hand.
import { toDisposable, type Disposable } from './disposable.js';

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs`; disposing cancels it. */
  after(delayMs: number, callback: () => void): Disposable;
  /** Runs `callback` every `periodMs` until disposed. */
  every(periodMs: number, callback: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  every(periodMs, callback) {
    const timer = setInterval(callback, periodMs);
    return toDisposable(() => clearInterval(timer));
  },
};

/** A clock that stands still until `advance` is called. For tests. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { due: number; period?: number; callback: () => void; live: boolean }[] = [];

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): Disposable {
    return this.#add({ due: this.#now + delayMs, callback, live: true });
  }

  every(periodMs: number, callback: () => void): Disposable {
    return this.#add({ due: this.#now + periodMs, period: periodMs, callback, live: true });
  }

  /** Moves time on by `ms`, running what falls due in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter((t) => t.live && t.due <= end).sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.#now = next.due;
      if (next.period === undefined) next.live = false;
      else next.due += next.period;
      next.callback();
    }
    this.#timers = this.#timers.filter((t) => t.live);
    this.#now = end;
  }

  #add(timer: { due: number; period?: number; callback: () => void; live: boolean }): Disposable {
    this.#timers.push(timer);
    return toDisposable(() => {
      timer.live = false;
    });
  }
}
