// Mouse events of a pane as bytes for its child, by what it asked for (1000, 1002, 1003, X10) and how (SGR, pixels, the
// old bytes). Exported through encode-key.ts. Pure.
import type { MouseEvent } from '../model/key.js';
import type { PaneModes } from '../model/patch.js';

const BUTTONS: Readonly<Record<MouseEvent['button'], number>> = {
  left: 0,
  middle: 1,
  right: 2,
  none: 3,
  'wheel-up': 64,
  'wheel-down': 65,
  'wheel-left': 66,
  'wheel-right': 67,
  back: 128,
  forward: 129,
};
const MOTION = 32;
const RELEASE = 3;
/** The old form has one byte a coordinate, 33 for the first. */
const OLD_FORM_MAX = 255 - 33;
/** The middle of a cell of the size that XTWINOPS tells when no host told its own. */
const DEFAULT_CELL = { width: 10, height: 20 };
/** Lines a notch of the wheel moves a program that has no mouse, as in other terminals. */
const WHEEL_LINES = 3;

/**
 * Bytes for one event, with `x` and `y` in cells of the pane; empty when the child did not ask for it. A full-screen
 * program without a mouse gets arrow keys for the wheel.
 */
export function encodeMouse(
  event: MouseEvent,
  modes: PaneModes,
  cell: { width: number; height: number } = DEFAULT_CELL,
): string | Uint8Array {
  if (modes.mouse === 'none') return wheelAsArrows(event, modes);
  if (!isWanted(event, modes.mouse)) return '';
  const code = buttonCode(event, modes.mouse === 'x10');
  const isRelease = event.kind === 'release';
  if (modes.mouseEncoding === 'default')
    return oldForm(isRelease ? (code & ~RELEASE) | RELEASE : code, event);
  const isPixels = modes.mouseEncoding === 'sgr-pixels';
  const x = isPixels ? Math.floor((event.x + 0.5) * cell.width) : event.x + 1;
  const y = isPixels ? Math.floor((event.y + 0.5) * cell.height) : event.y + 1;
  return `\x1b[<${code};${x};${y}${isRelease ? 'm' : 'M'}`;
}

function isWanted(event: MouseEvent, mode: PaneModes['mouse']): boolean {
  if (mode === 'x10') return event.kind === 'press' && BUTTONS[event.button] < 3;
  if (event.kind !== 'move') return true;
  return mode === 'any' || (mode === 'drag' && event.button !== 'none');
}

function buttonCode(event: MouseEvent, isX10: boolean): number {
  const modifiers = isX10 ? 0 : (event.shift ? 4 : 0) + (event.alt ? 8 : 0) + (event.ctrl ? 16 : 0);
  return BUTTONS[event.button] + modifiers + (event.kind === 'move' ? MOTION : 0);
}

function oldForm(code: number, event: MouseEvent): string | Uint8Array {
  if (event.x > OLD_FORM_MAX || event.y > OLD_FORM_MAX || code > 255 - 32) return '';
  return Uint8Array.from([0x1b, 0x5b, 0x4d, 32 + code, 33 + event.x, 33 + event.y]);
}

function wheelAsArrows(event: MouseEvent, modes: PaneModes): string {
  if (!modes.altScreen || (event.button !== 'wheel-up' && event.button !== 'wheel-down')) return '';
  const letter = event.button === 'wheel-up' ? 'A' : 'B';
  return `\x1b${modes.applicationCursor ? 'O' : '['}${letter}`.repeat(WHEEL_LINES);
}
