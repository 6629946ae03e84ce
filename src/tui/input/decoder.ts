// Bytes of the host's stdin -> InputEvents, whatever the split. Called by the host terminal's reader; owns no timer: the
// caller calls `flush` when nothing came for `flushDelayMs`. Never throws; bytes it does not know become replies (eaten)
// or text, never an error. Raw bytes of a key are kept in the key.
import type { InputEvent, Key } from '../../model/key.js';
import { csiEvent } from './csi.js';
import { characterKey, KEYPAD_TEXT, LETTER_KEYS, modifiersOf, PLAIN } from './key-tables.js';
import { mouseEvent } from './mouse.js';
import { stringReply, type StringKind } from './replies.js';

const ESC = '\x1b';
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** A lone Escape is told from a sequence by silence; hosts send a sequence in one write. */
const ESCAPE_DELAY_MS = 25;
/** While answers of the host are due, a split after ESC is likelier than a quick Escape key. */
const ESCAPE_DELAY_EXPECTING_MS = 150;
/** A sequence that has begun and never ends is given up after this. */
const PARTIAL_DELAY_MS = 1000;
/** Answers longer than this are not ours; the rest up to the terminator is eaten unread. */
const STRING_CAP_BYTES = 1024 * 1024;
const STRING_KINDS: Readonly<Record<string, StringKind>> = {
  ']': 'osc',
  P: 'dcs',
  _: 'apc',
  '^': 'apc',
  X: 'apc',
};
/** What follows an introducer that was flushed as a key by mistake (a reply cut right after it): eaten, not typed. */
const LATE_REPLY: Readonly<Record<string, RegExp>> = {
  '[': /^(?:[?>=][\d;:]*\$?[cuynt]|<\d+;\d+;\d+[Mm]|\d+;\d+R|0n)/,
  ']': /^\d{1,3};[^\x07\x1b]*(?:\x07|\x1b\\)/,
  P: /^(?:>\||[01]\$|[01]\+)[^\x1b]*\x1b\\/,
  _: /^G[^\x1b]*\x1b\\/,
};

interface Step {
  event: InputEvent;
  /** Index behind what was taken. */
  next: number;
}

export class InputDecoder {
  /** True while answers to queries are due: a lone ESC is then waited for longer. Set by the host terminal. */
  expectingReplies = false;
  /** Cursor reports (CPR) that are due; without one `CSI 1;2R` is Shift+F3. Counted down here. */
  cursorReportsExpected = 0;
  #pending = '';
  #paste: string[] | undefined;
  #late: { introducer: string; lead: string } | undefined;

  /** True while something waits for more bytes or for `flush`. A paste waits for its end only. */
  get pendingEscape(): boolean {
    return this.#paste === undefined && this.#pending !== '';
  }

  /** How long the caller waits in silence before it calls `flush`. */
  get flushDelayMs(): number {
    if (this.#pending.length > 2) return PARTIAL_DELAY_MS;
    return this.expectingReplies ? ESCAPE_DELAY_EXPECTING_MS : ESCAPE_DELAY_MS;
  }

  push(bytes: Uint8Array): InputEvent[] {
    const events: InputEvent[] = [];
    const fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    this.#pending = this.#pending === '' ? fresh : this.#pending + fresh;
    this.#run(events);
    return events;
  }

  /** Silence: what waits is taken for what it looks like now. A half reply stays eaten. */
  flush(): InputEvent[] {
    if (this.#paste !== undefined || this.#pending === '') return [];
    const raw = this.#pending;
    this.#pending = '';
    if (raw === ESC) {
      this.#late = { introducer: '', lead: '' };
      return [{ type: 'key', key: characterKey(ESC, raw) }];
    }
    if (raw.startsWith(ESC) && raw.length === 2) {
      this.#late = { introducer: raw[1]!, lead: raw };
      return [{ type: 'key', key: altKey(raw[1]!, raw) }];
    }
    if (raw.startsWith(ESC)) return [{ type: 'reply', reply: { kind: 'csi', raw } }];
    return [...raw].map((char) => ({ type: 'key', key: characterKey('\ufffd', char) }));
  }

  #run(events: InputEvent[]): void {
    for (;;) {
      if (this.#paste !== undefined && !this.#takePaste(events)) return;
      if (this.#late && !this.#takeLate()) return;
      const pending = this.#pending;
      let at = 0;
      while (at < pending.length) {
        if (pending.startsWith(PASTE_START, at)) {
          this.#paste = [];
          at += PASTE_START.length;
          break;
        }
        const step = this.#step(pending, at);
        if (!step) break;
        events.push(this.#counted(step.event));
        at = step.next;
      }
      this.#pending = trimString(pending.slice(at));
      if (this.#paste === undefined) return;
    }
  }

  #counted(event: InputEvent): InputEvent {
    if (event.type === 'reply' && event.reply.kind === 'cursor' && this.cursorReportsExpected > 0)
      this.cursorReportsExpected--;
    return event;
  }

  /** Moves pending bytes into the paste; true when its end was found. */
  #takePaste(events: InputEvent[]): boolean {
    const parts = this.#paste!;
    const end = this.#pending.indexOf(PASTE_END);
    if (end < 0) {
      // The end may be split: its possible beginning stays pending.
      const keep = Math.min(this.#pending.length, PASTE_END.length - 1);
      const cut = this.#pending.length - keep;
      if (cut > 0) parts.push(this.#pending.slice(0, cut));
      this.#pending = this.#pending.slice(cut);
      return false;
    }
    parts.push(this.#pending.slice(0, end));
    this.#pending = this.#pending.slice(end + PASTE_END.length);
    this.#paste = undefined;
    events.push({ type: 'paste', text: Buffer.from(parts.join(''), 'latin1').toString('utf8') });
    return true;
  }

  /** Eats the rest of a reply whose beginning was flushed as a key; false when nothing is left to look at. */
  #takeLate(): boolean {
    if (this.#pending === '') return false;
    const late = this.#late!;
    this.#late = undefined;
    const introducer = late.introducer || this.#pending[0]!;
    const body = late.introducer ? this.#pending : this.#pending.slice(1);
    const match = LATE_REPLY[introducer]?.exec(body);
    if (match) this.#pending = body.slice(match[0].length);
    return true;
  }

  /** One event at `at`, or undefined when more bytes are needed. */
  #step(text: string, at: number): Step | undefined {
    const char = text[at]!;
    if (char !== ESC) return char < '\x80' ? plainStep(text, at) : utf8Step(text, at, at);
    const second = text[at + 1];
    if (second === undefined) return undefined;
    if (second === '[') return this.#csiStep(text, at);
    if (second === 'O') return ss3Step(text, at);
    const kind = STRING_KINDS[second];
    if (kind) return this.#stringStep(text, at, kind);
    // Escape, then another sequence: a double Escape stays two keys, an answer behind it is still found.
    if (second === ESC) return { event: { type: 'key', key: characterKey(ESC, ESC) }, next: at + 1 };
    if (second >= '\x80') return utf8Step(text, at + 1, at);
    return { event: { type: 'key', key: altKey(second, text.slice(at, at + 2)) }, next: at + 2 };
  }

  #csiStep(text: string, at: number): Step | undefined {
    // The Linux console: ESC [ [ A.
    if (text[at + 2] === '[') return consoleStep(text, at);
    let end = at + 2;
    while (end < text.length && isCsiBody(text.charCodeAt(end))) end++;
    const final = text.charCodeAt(end);
    if (Number.isNaN(final)) return undefined;
    if (final < 0x40 || final > 0x7e) {
      // A control or another ESC inside: what came so far is no sequence of anybody's.
      if (end === at + 2) return { event: { type: 'key', key: altKey('[', text.slice(at, end)) }, next: end };
      return { event: { type: 'reply', reply: { kind: 'csi', raw: text.slice(at, end) } }, next: end };
    }
    if (text[end] === 'M' && end === at + 2) return x10Step(text, at);
    const raw = text.slice(at, end + 1);
    return { event: csiEvent(raw.slice(2), raw, this.cursorReportsExpected > 0), next: end + 1 };
  }

  #stringStep(text: string, at: number, kind: StringKind): Step | undefined {
    for (let end = at + 2; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === 0x07 && kind === 'osc') return stringDone(text, at, end, end + 1, kind);
      if (code === 0x18 || code === 0x1a) return stringDone(text, at, end, end + 1, kind);
      if (code !== 0x1b) continue;
      if (end + 1 >= text.length) return undefined;
      if (text[end + 1] === '\\') return stringDone(text, at, end, end + 2, kind);
      return stringDone(text, at, end, end, kind);
    }
    return undefined;
  }
}

/** Forgets the inside of a string that is longer than any answer of ours; its end is still waited for. */
function trimString(pending: string): string {
  if (pending.length < STRING_CAP_BYTES || !STRING_KINDS[pending[1] ?? '']) return pending;
  return pending.slice(0, 2) + (pending.endsWith(ESC) ? ESC : '');
}

function stringDone(text: string, at: number, end: number, next: number, kind: StringKind): Step {
  const reply = stringReply(kind, text.slice(at + 2, end), text.slice(at, next));
  return { event: { type: 'reply', reply }, next };
}

function isCsiBody(code: number): boolean {
  return code >= 0x20 && code <= 0x3f;
}

function plainStep(text: string, at: number): Step {
  return { event: { type: 'key', key: characterKey(text[at]!, text[at]!) }, next: at + 1 };
}

function altKey(char: string, raw: string): Key {
  return { ...characterKey(char, raw), alt: true };
}

/** A UTF-8 character whose lead byte is at `lead`; `at` is before it when an ESC makes it an Alt chord. */
function utf8Step(text: string, lead: number, at: number): Step | undefined {
  const first = text.charCodeAt(lead);
  const length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  let end = lead + 1;
  while (end < lead + length && end < text.length && (text.charCodeAt(end) & 0xc0) === 0x80) end++;
  if (end < lead + length && end === text.length) return undefined;
  const raw = text.slice(at, end);
  const char = Buffer.from(text.slice(lead, end), 'latin1').toString('utf8');
  const whole = end === lead + length && [...char].length === 1 ? char : '\ufffd';
  const key = characterKey(whole, raw);
  return { event: { type: 'key', key: at < lead ? { ...key, alt: true } : key }, next: end };
}

function consoleStep(text: string, at: number): Step | undefined {
  const letter = text[at + 3];
  if (letter === undefined) return undefined;
  const raw = text.slice(at, at + 4);
  const number = 'ABCDE'.indexOf(letter);
  if (number < 0) return { event: { type: 'reply', reply: { kind: 'csi', raw } }, next: at + 4 };
  return { event: { type: 'key', key: { ...PLAIN, name: `f${number + 1}`, raw } }, next: at + 4 };
}

function x10Step(text: string, at: number): Step | undefined {
  if (text.length < at + 6) return undefined;
  const byte = (index: number) => text.charCodeAt(at + 3 + index) - 32;
  return { event: { type: 'mouse', mouse: mouseEvent(byte(0), byte(1), byte(2), false) }, next: at + 6 };
}

/** ESC O letter, also with a modifier digit in between (old xterm) and rxvt's lower-case Ctrl arrows. */
function ss3Step(text: string, at: number): Step | undefined {
  const digit = /[2-9]/.test(text[at + 2] ?? '') ? Number(text[at + 2]) : 0;
  const index = at + (digit ? 3 : 2);
  const letter = text[index];
  if (letter === undefined) return undefined;
  const raw = text.slice(at, index + 1);
  const key = ss3Key(letter, digit, raw);
  if (key) return { event: { type: 'key', key }, next: index + 1 };
  return { event: { type: 'key', key: altKey('O', `${ESC}O`) }, next: at + 2 };
}

function ss3Key(letter: string, digit: number, raw: string): Key | undefined {
  const mods = digit ? modifiersOf(digit) : {};
  const name = LETTER_KEYS[letter];
  if (name) return { ...PLAIN, ...mods, name, raw };
  const named = { M: 'enter', I: 'tab', ' ': 'space' }[letter];
  if (named) return { ...PLAIN, ...mods, name: named, text: named === 'space' ? ' ' : '', raw };
  const typed = KEYPAD_TEXT[letter];
  if (typed) return { ...PLAIN, ...mods, name: typed, text: typed, raw };
  const rxvt = /^[a-d]$/.test(letter) ? LETTER_KEYS[letter.toUpperCase()] : undefined;
  return rxvt ? { ...PLAIN, name: rxvt, ctrl: true, raw } : undefined;
}
