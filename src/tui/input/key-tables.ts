// Which bytes mean which key: tables for the input decoder (CSI, SS3, kitty). Data only; src/tui/input reads them.
import type { Key } from '../../model/key.js';

/** Final letters of `CSI … letter` and, as far as they exist there, of `ESC O letter`. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Numbers of `CSI n ~`. */
export const TILDE_KEYS: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'menu',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
};

/** Letters after ESC O that only the keypad in application mode sends: the text they stand for. */
export const KEYPAD_TEXT: Readonly<Record<string, string>> = {
  j: '*',
  k: '+',
  l: ',',
  m: '-',
  n: '.',
  o: '/',
  p: '0',
  q: '1',
  r: '2',
  s: '3',
  t: '4',
  u: '5',
  v: '6',
  w: '7',
  x: '8',
  y: '9',
  X: '=',
};

/** Kitty's codes of keys that have a name. */
export const KITTY_NAMES: ReadonlyMap<number, string> = new Map([
  [9, 'tab'],
  [13, 'enter'],
  [27, 'escape'],
  [32, 'space'],
  [127, 'backspace'],
  [57358, 'capslock'],
  [57359, 'scrolllock'],
  [57360, 'numlock'],
  [57361, 'printscreen'],
  [57362, 'pause'],
  [57363, 'menu'],
  ...Array.from({ length: 8 }, (_, i): [number, string] => [57376 + i, `f${13 + i}`]),
  [57414, 'enter'],
  [57417, 'left'],
  [57418, 'right'],
  [57419, 'up'],
  [57420, 'down'],
  [57421, 'pageup'],
  [57422, 'pagedown'],
  [57423, 'home'],
  [57424, 'end'],
  [57425, 'insert'],
  [57426, 'delete'],
  [57427, 'begin'],
]);

/** Kitty's codes of keypad keys that type text. */
export const KITTY_KEYPAD: ReadonlyMap<number, string> = new Map(
  [...'0123456789./*-+']
    .map((char, i): [number, string] => [57399 + i, char])
    .concat([
      [57415, '='],
      [57416, ','],
    ]),
);

/** From here to U+F8FF kitty's codes are keys without a text (media keys, modifiers alone). */
export const KITTY_PRIVATE_FIRST = 57344;
export const KITTY_PRIVATE_LAST = 63743;

/** A key with nothing held, to spread over. */
export const PLAIN: Omit<Key, 'name' | 'raw'> = {
  text: '',
  ctrl: false,
  alt: false,
  shift: false,
  meta: false,
  action: 'press',
};

/** Modifiers from the parameter of xterm and kitty (1 + bits); caps and num lock are not modifiers of ours. */
export function modifiersOf(param: number): Pick<Key, 'ctrl' | 'alt' | 'shift' | 'meta'> {
  const bits = Math.max(0, param - 1);
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0 || (bits & 32) !== 0,
    ctrl: (bits & 4) !== 0,
    meta: (bits & 8) !== 0 || (bits & 16) !== 0,
  };
}

/** The key of one character as a legacy host sends it: controls, DEL, space, text. */
export function characterKey(char: string, raw: string): Key {
  const code = char.codePointAt(0) ?? 0;
  if (code === 0x0d) return { ...PLAIN, name: 'enter', raw };
  if (code === 0x09) return { ...PLAIN, name: 'tab', raw };
  if (code === 0x1b) return { ...PLAIN, name: 'escape', raw };
  if (code === 0x7f) return { ...PLAIN, name: 'backspace', raw };
  if (code === 0x20) return { ...PLAIN, name: 'space', text: ' ', raw };
  if (code === 0) return { ...PLAIN, name: 'space', ctrl: true, raw };
  if (code < 0x20) {
    const name = String.fromCharCode(code + 0x40).toLowerCase();
    return { ...PLAIN, name, ctrl: true, raw };
  }
  const name = char.toLowerCase();
  return { ...PLAIN, name, text: char, shift: name !== char, raw };
}
