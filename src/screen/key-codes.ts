// How the keys without text are written: letters and numbers of CSI and SS3, codes of the kitty protocol. Data for the
// key encoders, nothing else.
import type { Key } from '../model/key.js';

/** `CSI 1 ; modifiers letter`; in legacy mode SS3 for those of `APPLICATION_CURSOR` and F1-F4. */
export const LETTERS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  begin: 'E',
  end: 'F',
  home: 'H',
  f1: 'P',
  f2: 'Q',
  f3: 'R',
  f4: 'S',
};

/** Keys that the child's application cursor mode (DECCKM) turns into SS3. */
export const CURSOR_KEYS: ReadonlySet<string> = new Set([
  'up',
  'down',
  'right',
  'left',
  'begin',
  'end',
  'home',
]);

/** `CSI number ; modifiers ~`. */
export const NUMBERS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
  f13: 25,
  f14: 26,
  f15: 28,
  menu: 29,
  f16: 29,
  f17: 31,
  f18: 32,
  f19: 33,
  f20: 34,
};

/** Code points of the kitty protocol for keys that have a name. */
export const KITTY_CODES: Readonly<Record<string, number>> = {
  enter: 13,
  escape: 27,
  tab: 9,
  backspace: 127,
  space: 32,
  capslock: 57358,
  scrolllock: 57359,
  numlock: 57360,
  printscreen: 57361,
  pause: 57362,
  menu: 57363,
  f13: 57376,
  f14: 57377,
  f15: 57378,
  f16: 57379,
  f17: 57380,
  f18: 57381,
  f19: 57382,
  f20: 57383,
};

/** The modifier parameter of xterm and kitty: 1 plus a bit for each. */
export function modifierParam(key: Key): number {
  return 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0) + (key.meta ? 8 : 0);
}

const NAMED = new Set([...Object.keys(LETTERS), ...Object.keys(NUMBERS), ...Object.keys(KITTY_CODES)]);

/** True for a key that is named by the character it types. */
export function isTextKey(key: Key): boolean {
  return !NAMED.has(key.name) && [...key.name].length === 1;
}
