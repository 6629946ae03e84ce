// The fair pump: one for all terminal panes of the daemon. A small chunk is parsed at once, in the read callback; what
// exceeds the budget of this turn of the event loop waits in its lane, and the lanes take turns. So a flood in one pane
// never delays another. It knows nothing of screens: a lane is given bytes and hands them on in slices.
import type { Disposable } from '../base/disposable.js';

/** Parsing 8 KiB takes about 0.1 ms: short enough that a key of another pane never waits for it. */
export const SLICE_BYTES = 8 * 1024;
/** Time spent parsing in one turn of the event loop; measured: the p99 of a key echo under a flood is 1.9 ms with it. */
const BUDGET_MS = 0.5;
/** After a key the pane's own output is parsed in the read callback for so long: it is the echo somebody waits for. */
const BOOST_MS = 100;

export interface PumpTimes {
  /** Milliseconds from any origin. */
  now(): number;
  /** Runs `callback` in a later turn of the event loop, after pending input and output. */
  later(callback: () => void): void;
}

const systemTimes: PumpTimes = {
  now: () => performance.now(),
  later: (callback) => void setImmediate(callback),
};

/** Takes one slice, synchronously; must not throw and must not push into its own lane. */
export type TakeSlice = (slice: Uint8Array) => void;

export class Pump {
  #times: PumpTimes;
  #waiting: PumpLane[] = [];
  #scheduled = false;
  #spentMs = 0;

  constructor(times: PumpTimes = systemTimes) {
    this.#times = times;
  }

  /** A lane of its own for one pane. */
  add(take: TakeSlice): PumpLane {
    return new PumpLane(this, take);
  }

  /** @internal Called by lanes. */
  offer(lane: PumpLane, bytes: Uint8Array): void {
    const mayRun = this.#spentMs < BUDGET_MS || lane.boostedUntil > this.#times.now();
    if (lane.queuedBytes === 0 && bytes.length <= SLICE_BYTES && mayRun) {
      this.#measured(() => lane.take(bytes));
      this.#schedule();
      return;
    }
    if (lane.queuedBytes === 0) this.#waiting.push(lane);
    lane.enqueue(bytes);
    this.#schedule();
  }

  /** @internal Parses all that waits in one lane now. */
  flush(lane: PumpLane): void {
    this.#waiting = this.#waiting.filter((other) => other !== lane);
    while (lane.queuedBytes > 0) lane.takeNext();
  }

  /** @internal */
  boostEnd(): number {
    return this.#times.now() + BOOST_MS;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#times.later(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    this.#spentMs = 0;
    while (this.#waiting.length > 0 && this.#spentMs < BUDGET_MS) {
      const lane = this.#waiting.shift()!;
      this.#measured(() => lane.takeNext());
      if (lane.queuedBytes > 0) this.#waiting.push(lane);
    }
    if (this.#waiting.length > 0) this.#schedule();
    else this.#spentMs = 0;
  }

  #measured(work: () => void): void {
    const begin = this.#times.now();
    work();
    this.#spentMs += this.#times.now() - begin;
  }
}

/** The bytes of one pane on their way to its screen, in order. */
export class PumpLane implements Disposable {
  #pump: Pump;
  #take: TakeSlice;
  #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #disposed = false;
  boostedUntil = 0;

  constructor(pump: Pump, take: TakeSlice) {
    this.#pump = pump;
    this.#take = take;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Gives bytes to the lane; they are taken now or in a later turn. The bytes must not change afterwards. */
  push(bytes: Uint8Array): void {
    if (!this.#disposed && bytes.length > 0) this.#pump.offer(this, bytes);
  }

  /** Somebody typed here: the answer goes first. */
  boost(): void {
    this.boostedUntil = this.#pump.boostEnd();
  }

  /** Takes everything that waits now (the child has ended, or its state is needed). */
  flush(): void {
    if (!this.#disposed) this.#pump.flush(this);
  }

  /** Forgets what waits. */
  dispose(): void {
    this.#disposed = true;
    this.#chunks = [];
    this.#queuedBytes = 0;
  }

  /** @internal */
  enqueue(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#queuedBytes += bytes.length;
  }

  /** @internal */
  take(bytes: Uint8Array): void {
    if (!this.#disposed) this.#take(bytes);
  }

  /** @internal One slice from the head of the queue; does nothing when it is empty. */
  takeNext(): void {
    const head = this.#chunks[0];
    if (!head) return;
    const slice = head.length > SLICE_BYTES ? head.subarray(0, SLICE_BYTES) : head;
    if (slice.length === head.length) this.#chunks.shift();
    else this.#chunks[0] = head.subarray(SLICE_BYTES);
    this.#queuedBytes -= slice.length;
    this.take(slice);
  }
}
