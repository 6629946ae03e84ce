// Types a prompt into a terminal program: the text as one paste, then Enter as a separate, later write, because a program
// that gets both at once takes Enter for a part of the paste and the prompt sits unsent (A24). Used by the terminal
// controller. It never claims that the prompt was understood: it was typed.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import type { Event } from '../base/emitter.js';

/** Enter comes no sooner after the text; programs detect pasted text by gaps of some ten milliseconds. */
const ENTER_DELAY_MS = 120;
/** The program drew something and was quiet for so long: it has taken the text. */
const SETTLE_MS = 40;
/** Enter comes now, whatever the program draws (a spinner never settles). */
const ENTER_LATEST_MS = 1500;

export interface TypingTarget {
  clock: Clock;
  /** Writes the text the way the program's modes ask for. */
  writeText(text: string): void;
  writeEnter(): void;
  /** Something was drawn. */
  onScreenChange: Event<void>;
  /** The program has ended. */
  onEnd: Event<unknown>;
}

/** Resolves true once Enter was written, false when the program ended before. */
export function typePrompt(target: TypingTarget, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { clock } = target;
    const scope = new DisposableStore();
    const begun = clock.now();
    let settle: Disposable | undefined;
    const finish = (write: boolean) => {
      if (scope.isDisposed) return;
      scope.dispose();
      settle?.dispose();
      if (write) target.writeEnter();
      resolve(write);
    };
    const planEnter = () => {
      settle?.dispose();
      const soonest = Math.max(SETTLE_MS, begun + ENTER_DELAY_MS - clock.now());
      settle = clock.after(soonest, () => finish(true));
    };
    scope.add(target.onEnd(() => finish(false)));
    scope.add(clock.after(ENTER_LATEST_MS, () => finish(true)));
    scope.add(target.onScreenChange(planEnter));
    target.writeText(text);
    planEnter();
  });
}
