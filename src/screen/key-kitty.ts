// Keys by the kitty keyboard protocol (flags 1 disambiguate, 2 event types, 4 alternate keys, 8 all keys as escapes,
// 16 text). Called by encode-key for children that pushed flags. Pure.
import type { Key } from '../model/key.js';
import { isTextKey, KITTY_CODES, LETTERS, modifierParam, NUMBERS } from './key-codes.js';

const DISAMBIGUATE = 1;
const EVENT_TYPES = 2;
const ALTERNATES = 4;
const ALL_KEYS = 8;
const TEXT = 16;

const ESC = '\x1b';
const EVENTS = { press: 1, repeat: 2, release: 3 } as const;

export function encodeKitty(key: Key, flags: number): string {
  if (key.action === 'release' && !(flags & EVENT_TYPES)) return '';
  const plain = plainForm(key, flags);
  if (plain !== undefined) return plain;
  const event = flags & EVENT_TYPES ? EVENTS[key.action] : EVENTS.press;
  const letter = key.name === 'f3' ? undefined : LETTERS[key.name];
  if (letter) return sequence(key, '1', event, letter);
  const number = key.name === 'f3' ? 13 : KITTY_CODES[key.name] ? undefined : NUMBERS[key.name];
  if (number) return sequence(key, String(number), event, '~');
  return codeForm(key, flags, event);
}

/** What stays as it always was: text without Ctrl and Alt, and Enter, Tab and Backspace without modifiers. */
function plainForm(key: Key, flags: number): string | undefined {
  if (flags & ALL_KEYS) return undefined;
  const isText = isTextKey(key) || key.name === 'space';
  if (isText && !key.ctrl && !key.alt && !key.meta) {
    if (key.action === 'release') return undefined;
    return key.text || (key.name === 'space' ? ' ' : key.shift ? key.name.toUpperCase() : key.name);
  }
  if (modifierParam(key) > 1) return undefined;
  // Without flag 8 these three have no release events, so that a crashed program leaves a usable shell.
  const control =
    key.name === 'enter' ? '\r' : key.name === 'tab' ? '\t' : key.name === 'backspace' ? '\x7f' : '';
  if (control) return key.action === 'release' ? '' : control;
  if (key.name === 'escape' && !(flags & DISAMBIGUATE) && key.action !== 'release') return ESC;
  return undefined;
}

/** `CSI number ; modifiers:event final`, with what is default left out. */
function sequence(key: Key, number: string, event: number, final: string): string {
  const param = modifierParam(key);
  const modifiers = event > 1 ? `${param}:${event}` : param > 1 ? String(param) : '';
  if (modifiers) return `${ESC}[${number};${modifiers}${final}`;
  return `${ESC}[${number === '1' ? '' : number}${final}`;
}

/** `CSI code:shifted ; modifiers:event ; text u`. */
function codeForm(key: Key, flags: number, event: number): string {
  const code = KITTY_CODES[key.name] ?? (isTextKey(key) ? key.name.codePointAt(0)! : 0);
  if (code === 0) return '';
  const shifted = flags & ALTERNATES && key.shift && isTextKey(key) ? shiftedCode(key) : undefined;
  const first = shifted !== undefined && shifted !== code ? `${code}:${shifted}` : String(code);
  const param = modifierParam(key);
  const modifiers = event > 1 ? `${param}:${event}` : param > 1 ? String(param) : '';
  const text = flags & TEXT && flags & ALL_KEYS && event < 3 ? textCodes(key) : '';
  if (text) return `${ESC}[${first};${modifiers};${text}u`;
  return modifiers ? `${ESC}[${first};${modifiers}u` : `${ESC}[${first}u`;
}

function shiftedCode(key: Key): number | undefined {
  return (key.text || key.name.toUpperCase()).codePointAt(0);
}

function textCodes(key: Key): string {
  if (key.ctrl || key.alt || key.meta) return '';
  const text = key.text || (key.name === 'space' ? ' ' : '');
  return [...text].map((char) => char.codePointAt(0)).join(':');
}
