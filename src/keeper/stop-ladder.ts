// Climbs from a polite request to SIGKILL, one rung at a time, until nobody is left. Used by held-child.ts; runs in the
// keeper, so it ends also when the daemon dies. Does the waiting only; what a rung does is the child's.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { StopRung } from './protocol.js';

/** How often a group is looked at while a rung waits. */
const LOOK_MS = 50;
const KILL: StopRung = { step: 'sigkill', graceMs: 2000 };

export interface LadderTarget {
  climb(rung: StopRung): void;
  /** Nobody of the group lives. */
  isGone(): boolean;
  /** Once: the group is gone, or the last rung did not help. */
  finished(): void;
}

export class StopLadder {
  #target: LadderTarget;
  #clock: Clock;
  #rungs: StopRung[];
  #looks: Disposable | undefined;
  #deadline = 0;
  #over = false;

  constructor(target: LadderTarget, rungs: readonly StopRung[], clock: Clock) {
    this.#target = target;
    this.#rungs = [...rungs];
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#over;
  }

  start(): void {
    this.#looks = this.#clock.every(LOOK_MS, () => this.look());
    this.#next();
  }

  /** The second stop: no more patience. */
  kill(): void {
    if (this.#over) return;
    this.#rungs = [KILL];
    this.#next();
  }

  /** Looks now; also called when the process has ended. */
  look(): void {
    if (this.#over) return;
    if (this.#target.isGone()) this.#finish();
    else if (this.#clock.now() >= this.#deadline) this.#next();
  }

  #next(): void {
    const rung = this.#rungs.shift();
    if (!rung) {
      this.#finish();
      return;
    }
    this.#deadline = this.#clock.now() + rung.graceMs;
    this.#target.climb(rung);
  }

  #finish(): void {
    this.#over = true;
    this.#looks?.dispose();
    this.#target.finished();
  }
}
