// Mouse reports of the host (SGR 1006, urxvt 1015, X10) as MouseEvents. Called by the CSI decoder only.
import type { MouseEvent } from '../../model/key.js';

const PLAIN_BUTTONS = ['left', 'middle', 'right', 'none'] as const;
const WHEEL_BUTTONS = ['wheel-up', 'wheel-down', 'wheel-left', 'wheel-right'] as const;

/**
 * `code` is the button parameter with its modifier bits; column and row are 1-based as on the wire. `released` is what
 * the SGR form says with its final letter; the older forms say it with button 3.
 */
export function mouseEvent(code: number, column: number, row: number, released: boolean): MouseEvent {
  const low = code & 3;
  const base = {
    x: Math.max(0, column - 1),
    y: Math.max(0, row - 1),
    shift: (code & 4) !== 0,
    alt: (code & 8) !== 0,
    ctrl: (code & 16) !== 0,
  };
  if ((code & 64) !== 0) return { kind: 'wheel', button: WHEEL_BUTTONS[low]!, ...base };
  const button =
    (code & 128) !== 0
      ? low === 0
        ? 'back'
        : low === 1
          ? 'forward'
          : 'none'
      : (PLAIN_BUTTONS[low] ?? 'none');
  if ((code & 32) !== 0) return { kind: 'move', button, ...base };
  return { kind: released || button === 'none' ? 'release' : 'press', button, ...base };
}
