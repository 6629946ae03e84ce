// Keys, mouse and pastes as bytes for a child by its modes (A27, A36, B11, B14).
import { describe, expect, it } from 'vitest';
import { KEY_NAMES, type Key, type MouseEvent } from '../../../src/model/key.js';
import { DEFAULT_MODES, type PaneModes } from '../../../src/model/patch.js';
import { encodeFocus, encodeKey, encodeMouse, encodePaste } from '../../../src/screen/encode-key.js';

function key(label: string, more: Partial<Key> = {}): Key {
  const parts = label.split('+');
  const name = parts.pop() || '+';
  const has = (modifier: string) => parts.includes(modifier);
  const [ctrl, alt, shift, meta] = [has('ctrl'), has('alt'), has('shift'), has('super')];
  const isNamed = (KEY_NAMES as readonly string[]).includes(name);
  const text = ctrl ? '' : name === 'space' ? ' ' : isNamed ? '' : shift ? name.toUpperCase() : name;
  return { name, text, ctrl, alt, shift, meta, action: 'press', raw: '', ...more };
}

function typed(label: string, modes: Partial<PaneModes> = {}, more: Partial<Key> = {}): string {
  return Buffer.from(encodeKey(key(label, more), { ...DEFAULT_MODES, ...modes })).toString('utf8');
}

describe('legacy keys', () => {
  it.each([
    ['a', 'a'],
    ['shift+a', 'A'],
    ['ä', 'ä'],
    ['ctrl+a', '\x01'],
    ['ctrl+z', '\x1a'],
    ['ctrl+space', '\0'],
    ['ctrl+[', '\x1b'],
    ['ctrl+]', '\x1d'],
    ['ctrl+/', '\x1f'],
    ['ctrl+3', '\x1b'],
    ['alt+x', '\x1bx'],
    ['ctrl+alt+x', '\x1b\x18'],
    ['enter', '\r'],
    ['shift+enter', '\x1b\r'],
    ['alt+enter', '\x1b\r'],
    ['ctrl+enter', '\r'],
    ['tab', '\t'],
    ['shift+tab', '\x1b[Z'],
    ['backspace', '\x7f'],
    ['ctrl+backspace', '\b'],
    ['alt+backspace', '\x1b\x7f'],
    ['escape', '\x1b'],
    ['up', '\x1b[A'],
    ['shift+up', '\x1b[1;2A'],
    ['ctrl+alt+left', '\x1b[1;7D'],
    ['home', '\x1b[H'],
    ['delete', '\x1b[3~'],
    ['ctrl+delete', '\x1b[3;5~'],
    ['pageup', '\x1b[5~'],
    ['f1', '\x1bOP'],
    ['shift+f1', '\x1b[1;2P'],
    ['f5', '\x1b[15~'],
    ['f12', '\x1b[24~'],
  ])('%s', (label, bytes) => expect(typed(label)).toBe(bytes));

  it('application cursor mode is the child’s, whatever the host sent', () => {
    expect(typed('up', { applicationCursor: true }, { raw: '\x1b[A' })).toBe('\x1bOA');
    expect(typed('up', {}, { raw: '\x1bOA' })).toBe('\x1b[A');
    expect(typed('ctrl+up', { applicationCursor: true })).toBe('\x1b[1;5A');
  });

  it('the host’s own legacy bytes pass as they are', () => {
    expect(encodeKey(key('é', { raw: '\xc3\xa9' }), DEFAULT_MODES)).toEqual(Buffer.from('é'));
    expect(typed('f3', {}, { raw: '\x1b[13~' })).toBe('\x1b[13~');
  });

  it('releases are not sent, repeats are', () => {
    expect(typed('a', {}, { action: 'release', text: '', raw: '\x1b[97;1:3u' })).toBe('');
    expect(typed('a', {}, { action: 'repeat', raw: '\x1b[97;1:2u' })).toBe('a');
  });

  it('A36: every Ctrl+letter reaches the child', () => {
    for (let code = 1; code <= 26; code++) {
      const letter = String.fromCharCode(96 + code);
      expect(typed(`ctrl+${letter}`)).toBe(String.fromCharCode(code));
      expect(typed(`ctrl+${letter}`, {}, { raw: String.fromCharCode(code) })).toBe(String.fromCharCode(code));
    }
  });
});

describe('A27: Shift+Enter and Shift+letter', () => {
  const hosts = [
    ['kitty', '\x1b[13;2u'],
    ['modifyOtherKeys', '\x1b[27;2;13~'],
  ] as const;
  it.each(hosts)('from a host with %s', (_name, raw) => {
    expect(typed('shift+enter', { kittyFlags: 1 }, { raw })).toBe('\x1b[13;2u');
    expect(typed('shift+enter', { modifyOtherKeys: 2 }, { raw })).toBe('\x1b[27;2;13~');
    expect(typed('shift+enter', {}, { raw })).toBe('\x1b\r');
  });

  it('a shifted letter stays upper case', () => {
    const raw = '\x1b[97;2u';
    expect(typed('shift+a', {}, { raw })).toBe('A');
    expect(typed('shift+a', { kittyFlags: 1 }, { raw })).toBe('A');
    expect(typed('shift+a', { modifyOtherKeys: 2 }, { raw })).toBe('A');
    expect(typed('shift+a', { kittyFlags: 9 }, { raw })).toBe('\x1b[97;2u');
  });
});

describe('modifyOtherKeys', () => {
  it.each([
    [1, 'ctrl+a', '\x01'],
    [1, 'alt+a', '\x1ba'],
    [1, 'ctrl+1', '\x1b[27;5;49~'],
    [1, 'ctrl+enter', '\x1b[27;5;13~'],
    [1, 'ctrl+tab', '\x1b[27;5;9~'],
    [1, 'enter', '\r'],
    [2, 'ctrl+a', '\x1b[27;5;97~'],
    [2, 'ctrl+shift+a', '\x1b[27;6;65~'],
    [2, 'alt+a', '\x1b[27;3;97~'],
    [2, 'a', 'a'],
    [2, 'shift+tab', '\x1b[Z'],
    [2, 'up', '\x1b[A'],
  ] as const)('level %i: %s', (level, label, bytes) =>
    expect(typed(label, { modifyOtherKeys: level })).toBe(bytes),
  );
});

describe('kitty keyboard protocol', () => {
  it.each<[flags: number, label: string, bytes: string, more?: Partial<Key>]>([
    [1, 'a', 'a'],
    [1, 'ctrl+a', '\x1b[97;5u'],
    [1, 'ctrl+shift+a', '\x1b[97;6u'],
    [1, 'alt+a', '\x1b[97;3u'],
    [1, 'escape', '\x1b[27u'],
    [1, 'enter', '\r'],
    [1, 'ctrl+enter', '\x1b[13;5u'],
    [1, 'shift+tab', '\x1b[9;2u'],
    [1, 'ctrl+space', '\x1b[32;5u'],
    [1, 'up', '\x1b[A'],
    [1, 'ctrl+up', '\x1b[1;5A'],
    [1, 'f1', '\x1b[P'],
    [1, 'f3', '\x1b[13~'],
    [1, 'f5', '\x1b[15~'],
    [1, 'f13', '\x1b[57376u'],
    [1, 'super+k', '\x1b[107;9u'],
    [3, 'a', '\x1b[97;1:3u', { action: 'release' }],
    [3, 'up', '\x1b[1;1:3A', { action: 'release' }],
    [3, 'ctrl+c', '\x1b[99;5:2u', { action: 'repeat' }],
    [3, 'enter', '', { action: 'release' }],
    [1, 'a', '', { action: 'release' }],
    [11, 'enter', '\x1b[13;1:3u', { action: 'release' }],
    [8, 'a', '\x1b[97u'],
    [8, 'enter', '\x1b[13u'],
    [13, 'shift+a', '\x1b[97:65;2u'],
    [25, 'a', '\x1b[97;;97u'],
    [25, 'shift+a', '\x1b[97;2;65u'],
    [25, 'ctrl+a', '\x1b[97;5u'],
    [25, 'space', '\x1b[32;;32u'],
    [31, 'ä', '\x1b[228;;228u'],
  ])('flags %i: %s', (flags, label, bytes, more) =>
    expect(typed(label, { kittyFlags: flags }, more)).toBe(bytes),
  );
});

describe('mouse', () => {
  const event = (
    kind: MouseEvent['kind'],
    button: MouseEvent['button'],
    more: Partial<MouseEvent> = {},
  ): MouseEvent => ({ kind, button, x: 4, y: 2, shift: false, alt: false, ctrl: false, ...more });
  const sent = (
    mouse: PaneModes['mouse'],
    mouseEncoding: PaneModes['mouseEncoding'],
    e: MouseEvent,
    more: Partial<PaneModes> = {},
  ) => Buffer.from(encodeMouse(e, { ...DEFAULT_MODES, mouse, mouseEncoding, ...more })).toString('latin1');

  it('reports what was asked for, and no more', () => {
    expect(sent('vt200', 'sgr', event('press', 'left'))).toBe('\x1b[<0;5;3M');
    expect(sent('vt200', 'sgr', event('release', 'left'))).toBe('\x1b[<0;5;3m');
    expect(sent('vt200', 'sgr', event('move', 'left'))).toBe('');
    expect(sent('drag', 'sgr', event('move', 'left'))).toBe('\x1b[<32;5;3M');
    expect(sent('drag', 'sgr', event('move', 'none'))).toBe('');
    expect(sent('any', 'sgr', event('move', 'none'))).toBe('\x1b[<35;5;3M');
    expect(sent('any', 'sgr', event('wheel', 'wheel-down', { ctrl: true }))).toBe('\x1b[<81;5;3M');
    expect(sent('x10', 'default', event('press', 'right', { shift: true }))).toBe('\x1b[M"%#');
    expect(sent('x10', 'default', event('release', 'right'))).toBe('');
    expect(sent('vt200', 'default', event('release', 'left'))).toBe('\x1b[M#%#');
    expect(sent('vt200', 'default', event('press', 'left', { x: 222 }))).toBe('\x1b[M \xff#');
    expect(sent('vt200', 'default', event('press', 'left', { x: 223 }))).toBe('');
    expect(sent('vt200', 'sgr-pixels', event('press', 'left'))).toBe('\x1b[<0;45;50M');
    expect(sent('none', 'sgr', event('press', 'left'))).toBe('');
  });

  it('turns the wheel into arrows on an alternate screen without a mouse', () => {
    const wheel = event('wheel', 'wheel-up');
    expect(sent('none', 'default', wheel, { altScreen: true })).toBe('\x1b[A\x1b[A\x1b[A');
    expect(sent('none', 'default', wheel, { altScreen: true, applicationCursor: true })).toBe(
      '\x1bOA\x1bOA\x1bOA',
    );
    expect(sent('none', 'default', wheel)).toBe('');
  });

  it('focus', () => {
    expect(encodeFocus(true, DEFAULT_MODES)).toBe('');
    expect(encodeFocus(true, { ...DEFAULT_MODES, focusEvents: true })).toBe('\x1b[I');
    expect(encodeFocus(false, { ...DEFAULT_MODES, focusEvents: true })).toBe('\x1b[O');
  });
});

describe('paste', () => {
  const bracketed = { ...DEFAULT_MODES, bracketedPaste: true };

  it('B11: is whole, whatever its size', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i} ä漢👍🏽`).join('\r');
    expect(encodePaste(text, DEFAULT_MODES)).toBe(text);
    expect(encodePaste(text, bracketed)).toBe(`\x1b[200~${text}\x1b[201~`);
  });

  it('line ends are carriage returns, tabs stay', () => {
    expect(encodePaste('a\nb\r\nc\td\r', DEFAULT_MODES)).toBe('a\rb\rc\td\r');
  });

  it.each([
    '\x1b[201~',
    '\x1b\x1b[201~[201~',
    '\x1b[20\x1b[201~1~',
    '\x1b[2\x1b[200~01~',
    '\u009b201~',
    '\x1b[2\x0001~',
  ])('B14: %j cannot end the bracket', (attack) => {
    for (const modes of [DEFAULT_MODES, bracketed]) {
      const sent = encodePaste(`x${attack} echo pwned\r`, modes);
      const inside = modes.bracketedPaste ? sent.slice(6, -6) : sent;
      expect(inside).not.toMatch(/[\u0000-\u0008\u000a-\u000c\u000e-\u001f\u007f-\u009f]/);
      expect(inside).toContain(' echo pwned');
    }
  });

  it('B14: a paste made of nested terminators costs no more than its length', () => {
    const nested = '\x1b[20'.repeat(50_000) + '1~'.repeat(50_000);
    const started = performance.now();
    expect(encodePaste(nested, bracketed)).not.toMatch(/^.{6}[^]*\x1b\[201~[^]+$/);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
