// One complete control sequence `CSI … final` of the host: a key, a mouse report, a focus change or an answer.
// Pure; called by the decoder. Nothing is refused: what is not known becomes a raw reply and is eaten.
import type { HostReply, InputEvent, Key } from '../../model/key.js';
import {
  characterKey,
  KITTY_KEYPAD,
  KITTY_NAMES,
  KITTY_PRIVATE_FIRST,
  KITTY_PRIVATE_LAST,
  LETTER_KEYS,
  modifiersOf,
  PLAIN,
  TILDE_KEYS,
} from './key-tables.js';
import { mouseEvent } from './mouse.js';

/** A parsed sequence: `prefix` is one of `<=>?` or ''; `params` split at `;`, their sub-parameters at `:`. */
interface Csi {
  prefix: string;
  params: number[][];
  intermediates: string;
  final: string;
  raw: string;
}

/** `body` is what follows `ESC [`, final included; `expectCursor` says that a cursor report was asked for. */
export function csiEvent(body: string, raw: string, expectCursor: boolean): InputEvent {
  const match = /^([<=>?]?)([\d;:]*)([ -/]*)([@-~])$/.exec(body);
  if (!match) return reply({ kind: 'csi', raw });
  const params = match[2] === '' ? [] : match[2]!.split(';').map((part) => part.split(':').map(Number));
  const csi: Csi = { prefix: match[1]!, params, intermediates: match[3]!, final: match[4]!, raw };
  if (csi.prefix === '<') return sgrMouse(csi);
  return answer(csi, expectCursor) ?? plain(csi) ?? reply({ kind: 'csi', raw });
}

function reply(value: HostReply): InputEvent {
  return { type: 'reply', reply: value };
}

function param(csi: Csi, index: number, fallback: number): number {
  return csi.params[index]?.[0] || fallback;
}

function sgrMouse(csi: Csi): InputEvent {
  if (csi.params.length < 3 || (csi.final !== 'M' && csi.final !== 'm'))
    return reply({ kind: 'csi', raw: csi.raw });
  const code = csi.params[0]?.[0] ?? 0;
  return {
    type: 'mouse',
    mouse: mouseEvent(code, param(csi, 1, 1), param(csi, 2, 1), csi.final === 'm'),
  };
}

/** Answers to queries: all that cannot be a key. */
function answer(csi: Csi, expectCursor: boolean): InputEvent | undefined {
  const { prefix, final, intermediates } = csi;
  const flat = csi.params.map((part) => part[0] ?? 0);
  if (final === 'c' && prefix === '?') return reply({ kind: 'da1', params: flat });
  if (final === 'c' && prefix === '>') return reply({ kind: 'da2', params: flat });
  if (final === 'u' && prefix === '?') return reply({ kind: 'kitty', flags: flat[0] ?? 0 });
  if (final === 'n' && prefix === '' && flat.length === 1 && (flat[0] === 0 || flat[0] === 3))
    return reply({ kind: 'dsr' });
  if (final === 'y' && intermediates === '$')
    return reply({ kind: 'decrqm', mode: flat[0] ?? 0, value: flat[1] ?? 0, ansi: prefix === '' });
  if (final === 'R' && flat.length >= 2 && (prefix === '?' || expectCursor || flat[0] !== 1))
    return reply({ kind: 'cursor', row: flat[0]! - 1, col: flat[1]! - 1 });
  if (final === 't' && prefix === '' && flat.length >= 3) return sizeReply(flat, csi.raw);
  return undefined;
}

const SIZES: Readonly<Record<number, 'text-px' | 'cell-px' | 'chars'>> = {
  4: 'text-px',
  6: 'cell-px',
  8: 'chars',
};

function sizeReply(flat: number[], raw: string): InputEvent {
  const what = SIZES[flat[0] ?? 0];
  if (!what) return reply({ kind: 'csi', raw });
  return reply({ kind: 'size', what, height: flat[1] ?? 0, width: flat[2] ?? 0 });
}

/** Keys, focus and old mouse forms: sequences without a prefix and without intermediates. */
function plain(csi: Csi): InputEvent | undefined {
  if (csi.prefix !== '' || csi.intermediates !== '') return undefined;
  const { final, params, raw } = csi;
  if (params.length === 0 && final === 'I') return { type: 'focus', focused: true };
  if (params.length === 0 && final === 'O') return { type: 'focus', focused: false };
  if (final === 'M' && params.length === 3)
    return {
      type: 'mouse',
      mouse: mouseEvent((params[0]?.[0] ?? 32) - 32, param(csi, 1, 1), param(csi, 2, 1), false),
    };
  const found =
    final === '~'
      ? tildeKey(csi)
      : final === 'u'
        ? kittyKey(csi)
        : final === 'Z'
          ? backtab(csi)
          : letterKey(csi);
  return found && { type: 'key', key: { ...found, raw } };
}

function held(csi: Csi): Omit<Key, 'name' | 'text' | 'raw'> {
  const event = csi.params[1]?.[1] ?? 1;
  const action = event === 3 ? 'release' : event === 2 ? 'repeat' : 'press';
  return { ...modifiersOf(param(csi, 1, 1)), action };
}

function backtab(csi: Csi): Key {
  return { ...PLAIN, ...held(csi), name: 'tab', shift: true, raw: csi.raw };
}

function letterKey(csi: Csi): Key | undefined {
  const upper = LETTER_KEYS[csi.final];
  if (upper) return { ...PLAIN, ...held(csi), name: upper, raw: csi.raw };
  // rxvt: a lower case letter is the shifted arrow.
  const rxvt = /^[a-d]$/.test(csi.final) ? LETTER_KEYS[csi.final.toUpperCase()] : undefined;
  if (rxvt && csi.params.length === 0) return { ...PLAIN, name: rxvt, shift: true, raw: csi.raw };
  const tilde = TILDE_KEYS[param(csi, 0, 0)];
  if (!tilde || csi.params.length !== 1 || !'^@'.includes(csi.final)) return undefined;
  // rxvt: ^ in place of ~ is Ctrl, @ is Ctrl+Shift.
  return { ...PLAIN, name: tilde, ctrl: true, shift: csi.final === '@', raw: csi.raw };
}

function tildeKey(csi: Csi): Key | undefined {
  if (param(csi, 0, 0) === 27 && csi.params.length >= 3) return otherKey(csi);
  const name = TILDE_KEYS[param(csi, 0, 0)];
  return name ? { ...PLAIN, ...held(csi), name, raw: csi.raw } : undefined;
}

/** xterm's modifyOtherKeys: `CSI 27 ; modifiers ; code ~`. */
function otherKey(csi: Csi): Key | undefined {
  return codeKey(csi.params[2]?.[0] ?? 0, undefined, undefined, held(csi), csi.raw);
}

/** Kitty: `CSI code:shifted:base ; modifiers:event ; text u`. */
function kittyKey(csi: Csi): Key | undefined {
  const codes = csi.params[0] ?? [];
  const typed = (csi.params[2] ?? []).filter((code) => code >= 32 && code !== 127 && code <= 0x10ffff);
  const text = typed.length > 0 ? String.fromCodePoint(...typed) : undefined;
  return codeKey(codes[0] ?? 0, codes[1] || undefined, text, held(csi), csi.raw);
}

function codeKey(
  code: number,
  shifted: number | undefined,
  text: string | undefined,
  mods: Omit<Key, 'name' | 'text' | 'raw'>,
  raw: string,
): Key | undefined {
  const named = KITTY_NAMES.get(code);
  if (named) {
    const typed = named === 'space' && !mods.ctrl ? ' ' : '';
    return { ...mods, name: named, text: named === 'space' ? typed : '', raw };
  }
  const keypad = KITTY_KEYPAD.get(code);
  if (!keypad && code >= KITTY_PRIVATE_FIRST && code <= KITTY_PRIVATE_LAST) return undefined;
  if (code > 0x10ffff) return undefined;
  if (code < 32)
    return { ...mods, name: characterKey(String.fromCharCode(code), raw).name, text: '', ctrl: true, raw };
  const char = keypad ?? String.fromCodePoint(code);
  const upper = shifted ? String.fromCodePoint(shifted) : char.toUpperCase();
  const lower = char.toLowerCase();
  // modifyOtherKeys sends the shifted character itself ("A" with Shift); kitty the unshifted one.
  const shift = mods.shift || lower !== char;
  const typed = mods.ctrl || mods.meta ? '' : (text ?? (mods.shift && upper.length <= 2 ? upper : char));
  return { ...mods, shift, name: lower, text: mods.action === 'release' ? '' : typed, raw };
}
