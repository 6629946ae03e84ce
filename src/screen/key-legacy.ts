// Keys as xterm sent them before anybody asked for more, and xterm's own extension modifyOtherKeys. Called by encode-key.
// Pure.
import type { Key } from '../model/key.js';
import type { PaneModes } from '../model/patch.js';
import { CURSOR_KEYS, isTextKey, KITTY_CODES, LETTERS, modifierParam, NUMBERS } from './key-codes.js';

const ESC = '\x1b';

/** Keys that are one control character. */
const CONTROL_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  backspace: '\x7f',
  escape: ESC,
  space: ' ',
};

/** Ctrl with what is no letter, as every terminal does it: 3 is Escape, / is Unit Separator. */
const CTRL_CODES: Readonly<Record<string, number>> = {
  space: 0,
  '@': 0,
  '2': 0,
  '[': 27,
  '3': 27,
  '\\': 28,
  '4': 28,
  ']': 29,
  '5': 29,
  '^': 30,
  '6': 30,
  '~': 30,
  '`': 0,
  _: 31,
  '7': 31,
  '/': 31,
  '8': 127,
  '?': 127,
};

export function encodeLegacy(key: Key, modes: PaneModes): string {
  const letter = LETTERS[key.name];
  if (letter) return cursorForm(key, letter, modes);
  const number = NUMBERS[key.name];
  const param = modifierParam(key);
  if (number) return param > 1 ? `${ESC}[${number};${param}~` : `${ESC}[${number}~`;
  if (key.name in CONTROL_KEYS) return controlForm(key);
  if (!isTextKey(key)) return '';
  return (key.alt ? ESC : '') + typed(key);
}

function cursorForm(key: Key, letter: string, modes: PaneModes): string {
  const param = modifierParam(key);
  if (param > 1) return `${ESC}[1;${param}${letter}`;
  const isApplication = CURSOR_KEYS.has(key.name) ? modes.applicationCursor : true;
  return isApplication ? `${ESC}O${letter}` : `${ESC}[${letter}`;
}

function controlForm(key: Key): string {
  // Programs without a newer protocol read ESC CR as "new line, do not send"; a plain CR would send the prompt.
  if (key.name === 'enter' && key.shift) return `${ESC}\r`;
  if (key.name === 'tab' && key.shift) return `${key.alt ? ESC : ''}${ESC}[Z`;
  const prefix = key.alt ? ESC : '';
  if (key.name === 'backspace' && key.ctrl) return `${prefix}\b`;
  if (key.name === 'space' && key.ctrl) return `${prefix}\0`;
  return prefix + CONTROL_KEYS[key.name]!;
}

function typed(key: Key): string {
  const char = key.text || (key.shift ? key.name.toUpperCase() : key.name);
  return key.ctrl ? controlCharacter(key.name) : char;
}

function controlCharacter(name: string): string {
  if (/^[a-z]$/.test(name)) return String.fromCharCode(name.charCodeAt(0) & 31);
  const code = CTRL_CODES[name];
  return code === undefined ? name : String.fromCharCode(code);
}

/**
 * `CSI 27 ; modifiers ; code ~` where the level asks for it; undefined: as without. Level 1 leaves chords alone that
 * have a legacy form (Ctrl+letter, Alt), level 2 does not.
 */
export function encodeModifyOther(key: Key, level: number): string | undefined {
  const code = otherCode(key);
  if (code === undefined || !isReported(key, level)) return undefined;
  return `${ESC}[27;${modifierParam(key)};${code}~`;
}

/** The character the key stands for, shifted as it is. */
function otherCode(key: Key): number | undefined {
  if (isTextKey(key)) {
    const char = key.text || (key.shift ? key.name.toUpperCase() : key.name);
    return char.codePointAt(0);
  }
  return key.name in CONTROL_KEYS ? KITTY_CODES[key.name] : undefined;
}

function isReported(key: Key, level: number): boolean {
  if (!key.ctrl && !key.alt && !key.meta)
    return key.shift && !isTextKey(key) && key.name !== 'tab' && key.name !== 'space';
  if (level >= 2) return true;
  if (isTextKey(key)) return key.ctrl && !/^[a-z]$/.test(key.name) && !(key.name in CTRL_CODES);
  return key.ctrl && key.name !== 'space' && key.name !== 'backspace';
}
