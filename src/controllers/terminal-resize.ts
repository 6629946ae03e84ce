// Sizes on their way to one terminal pane: the first of a burst at once, then the newest at most every 30 ms, so that a
// dragged border does not make the program redraw a hundred times. Used by the terminal controller.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

const PERIOD_MS = 30;
/** Long enough that a program reads the smaller size before the right one comes. */
const JIGGLE_MS = 60;

interface Sized {
  readonly cols: number;
  readonly rows: number;
  resize(cols: number, rows: number): void;
}

export class ResizeGate implements Disposable {
  #clock: Clock;
  #apply: (cols: number, rows: number) => void;
  #last: string | undefined;
  #wanted: [cols: number, rows: number] | undefined;
  #timer: Disposable | undefined;
  #jiggleTimer: Disposable | undefined;

  constructor(clock: Clock, apply: (cols: number, rows: number) => void) {
    this.#clock = clock;
    this.#apply = apply;
  }

  /** Cells. Nonsense (below 1) becomes 1. */
  request(cols: number, rows: number): void {
    this.#wanted = [Math.max(1, Math.floor(cols)), Math.max(1, Math.floor(rows))];
    if (!this.#timer) this.#flush();
  }

  /**
   * Makes a full-screen program draw itself anew after output was lost: it is told another height, then the right one.
   * A shell would only repeat its prompt, so this is for the alternate screen.
   */
  jiggle(
    screen: Sized & { readonly modes: { readonly altScreen: boolean } },
    child: { resize(cols: number, rows: number): void },
  ): void {
    this.#jiggleTimer?.dispose();
    this.#jiggleTimer = this.#clock.after(JIGGLE_MS, () => {
      if (!screen.modes.altScreen) return;
      child.resize(screen.cols, Math.max(1, screen.rows - 1));
      this.#jiggleTimer = this.#clock.after(JIGGLE_MS, () => child.resize(screen.cols, screen.rows));
    });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#jiggleTimer?.dispose();
  }

  #flush(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    this.#timer = undefined;
    if (!wanted || this.#last === wanted.join()) return;
    this.#last = wanted.join();
    this.#timer = this.#clock.after(PERIOD_MS, () => this.#flush());
    this.#apply(wanted[0], wanted[1]);
  }
}
