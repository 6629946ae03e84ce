// When to paint: at once for a key, else at most once a period, one paint in flight, the newest state wins. After a bulk
// paint a DSR is sent and bulk paints wait for its answer, keys do not: at most one of them sits in a link's buffers.
// It knows neither the compositor nor the terminal: both are callbacks.
import type { Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';

/** key: the answer to a key, at once. soon: what the person looks at. slow: floods elsewhere; halves the wire. */
export type PaintUrgency = 'key' | 'soon' | 'slow';

const PERIOD_MS: Readonly<Record<PaintUrgency, number>> = { key: 0, soon: 16, slow: 33 };
/** Smaller paints are not worth a round trip. */
const BULK_BYTES = 600;
const DSR = '\x1b[5n';
/** A host that does not answer in time is painted on; after two such times it is not asked again. */
const PACE_LIMIT_MS = 2000;
const PACE_GIVE_UP = 2;

export interface PaintSchedulerOptions {
  clock: Clock;
  /** Hands bytes to the host; `done` when it took them. */
  write(text: string, done: () => void): void;
  /**
   * Makes the bytes of the newest state, or null. 'key': bulk paints are held back now, so only what answers the key (the
   * focused pane) should be painted; the rest stays due.
   */
  paint(scope: 'all' | 'key'): string | null;
  /** The host answers DSR: pace bulk paints. */
  pace: boolean;
  /** A DSR goes out with the next bytes (its answer is due). */
  onAsk?(): void;
  /** The host has taken a paint: what was painted may be acknowledged. */
  onPainted?(): void;
}

export class PaintScheduler implements Disposable {
  readonly #options: PaintSchedulerOptions;
  #wanted: PaintUrgency | undefined;
  #inFlight = false;
  #queued = false;
  #lastBulkAt = Number.NEGATIVE_INFINITY;
  #timer: Disposable | undefined;
  #pace: Disposable | undefined;
  #unanswered = 0;
  #paused = false;
  #disposed = false;

  constructor(options: PaintSchedulerOptions) {
    this.#options = options;
  }

  /** True while bulk paints wait for the host's answer. */
  get isHeld(): boolean {
    return this.#pace !== undefined;
  }

  /** Something is due. The most urgent request since the last paint counts. */
  request(urgency: PaintUrgency): void {
    if (!this.#wanted || PERIOD_MS[urgency] < PERIOD_MS[this.#wanted]) this.#wanted = urgency;
    if (this.#queued) return;
    this.#queued = true;
    // One paint for all that a burst of messages changed.
    queueMicrotask(() => {
      this.#queued = false;
      this.#next();
    });
  }

  /** `CSI 0 n` came. */
  handleDsr(): void {
    if (!this.#pace) return;
    this.#unanswered = 0;
    this.#release();
  }

  /** While the host is not ours (suspended). `resume` does not paint by itself. */
  pause(): void {
    this.#paused = true;
    this.#pace?.dispose();
    this.#pace = undefined;
  }

  resume(): void {
    this.#paused = false;
    this.#next();
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#pace?.dispose();
  }

  #next(): void {
    if (this.#disposed || this.#paused || this.#inFlight || !this.#wanted) return;
    const urgency = this.#wanted;
    if (urgency !== 'key') {
      if (this.#pace) return;
      const wait = this.#lastBulkAt + PERIOD_MS[urgency] - this.#options.clock.now();
      if (wait > 0) return this.#later(wait);
    }
    this.#paint(urgency);
  }

  #later(waitMs: number): void {
    this.#timer?.dispose();
    this.#timer = this.#options.clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#next();
    });
  }

  #paint(urgency: PaintUrgency): void {
    const { clock, paint, write, onPainted, onAsk } = this.#options;
    const held = this.#pace !== undefined;
    // What a key's paint leaves out is due as soon as bulk paints may go on.
    this.#wanted = held && urgency === 'key' ? 'soon' : undefined;
    const text = paint(held ? 'key' : 'all');
    if (!held) this.#lastBulkAt = clock.now();
    if (text === null) {
      onPainted?.();
      return;
    }
    const asks = this.#options.pace && !held && this.#unanswered < PACE_GIVE_UP && text.length > BULK_BYTES;
    if (asks) {
      onAsk?.();
      this.#pace = clock.after(PACE_LIMIT_MS, () => {
        this.#unanswered++;
        this.#release();
      });
    }
    this.#inFlight = true;
    write(asks ? text + DSR : text, () => {
      this.#inFlight = false;
      if (this.#disposed) return;
      onPainted?.();
      this.#next();
    });
  }

  #release(): void {
    this.#pace?.dispose();
    this.#pace = undefined;
    this.#next();
  }
}
