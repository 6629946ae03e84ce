// What a person is writing to a structured session: several lines, a caret, history, pastes folded to one glyph. A value and
// pure functions over it; kept in the client's state by session. composer-view draws it, structured-keys feeds it.
import type { Key } from '../../model/key.js';
import type { PermissionId } from '../../model/ids.js';
import { graphemes } from '../text-field.js';

export interface Composer {
  /** A folded paste is one character of PASTE_BASE + its index. */
  text: string;
  /** Index in graphemes. */
  cursor: number;
  pastes: readonly string[];
  /** Prompts back from the newest; 0: the draft itself. */
  historyAt: number;
  draft: string;
  /** The card that has the keys; it loses them when another takes its place. */
  cardFocus: PermissionId | null;
  /** The text is words for this request: why not, or an answer of one's own. */
  wordsFor: PermissionId | null;
  /** Answers to the questions of a card so far, by question; numbers picked of the one that is asked. */
  answers: Readonly<Record<string, string>>;
  picked: readonly number[];
  /** Long output is shown whole. */
  expanded: boolean;
}

/** Private-use characters of the last plane: nobody types them, each is one grapheme. */
const PASTE_BASE = 0x10f000;
const PASTE_LAST = 0x10ffff;
/** A paste of more lines or characters is folded. */
const FOLD_LINES = 4;
const FOLD_CHARS = 400;

export const EMPTY_COMPOSER: Composer = {
  text: '',
  cursor: 0,
  pastes: [],
  historyAt: 0,
  draft: '',
  cardFocus: null,
  wordsFor: null,
  answers: {},
  picked: [],
  expanded: false,
};

/** The text as it is sent: pastes unfolded. */
export function composedText({ text, pastes }: Composer): string {
  return Array.from(text, (char) => pastes[char.codePointAt(0)! - PASTE_BASE] ?? char).join('');
}

/** What stands for a folded paste, or undefined for any other grapheme. */
export function pasteLabel(grapheme: string, pastes: readonly string[]): string | undefined {
  const paste = pastes[grapheme.codePointAt(0)! - PASTE_BASE];
  if (paste === undefined) return undefined;
  const lines = paste.split('\n').length;
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${paste.length} characters]`;
}

export function withText(composer: Composer, text: string): Composer {
  return { ...composer, text, cursor: graphemes(text).length };
}

export function clearText(composer: Composer): Composer {
  return { ...composer, text: '', cursor: 0, pastes: [], historyAt: 0, draft: '', wordsFor: null };
}

export function insert(composer: Composer, typed: string): Composer {
  const parts = graphemes(composer.text);
  const clean = harmless(typed);
  const before = parts.slice(0, composer.cursor).join('') + clean;
  const text = before + parts.slice(composer.cursor).join('');
  return { ...composer, text, cursor: graphemes(before).length };
}

/** A paste is one piece: a large one is shown as such, and sent whole. */
export function paste(composer: Composer, pasted: string): Composer {
  const text = harmless(pasted);
  const isLarge = text.length > FOLD_CHARS || text.split('\n').length > FOLD_LINES;
  if (!isLarge) return insert(composer, text);
  const mark = String.fromCodePoint(PASTE_BASE + composer.pastes.length);
  const parts = graphemes(composer.text);
  const joined = [...parts.slice(0, composer.cursor), mark, ...parts.slice(composer.cursor)].join('');
  return { ...composer, text: joined, cursor: composer.cursor + 1, pastes: [...composer.pastes, text] };
}

/** Line ends as \n; control characters but tabs go, and so does what could pass for a folded paste. */
function harmless(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
  return Array.from(lines)
    .filter((char) => char.codePointAt(0)! < PASTE_BASE || char.codePointAt(0)! > PASTE_LAST)
    .join('');
}

/** The composer after a key of an editor; undefined when the key is none. Enter and history are not of these. */
export function edit(composer: Composer, key: Key): Composer | undefined {
  const parts = graphemes(composer.text);
  const at = composer.cursor;
  const move = (cursor: number) => ({ ...composer, cursor: Math.max(0, Math.min(parts.length, cursor)) });
  const cut = (from: number, to: number): Composer => ({
    ...composer,
    text: [...parts.slice(0, from), ...parts.slice(to)].join(''),
    cursor: from,
  });
  const chord = `${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${key.name}`;
  switch (chord) {
    case 'left':
    case 'ctrl+b':
      return move(at - 1);
    case 'right':
    case 'ctrl+f':
      return move(at + 1);
    case 'ctrl+left':
    case 'alt+left':
    case 'alt+b':
      return move(wordStart(parts, at));
    case 'ctrl+right':
    case 'alt+right':
    case 'alt+f':
      return move(wordEnd(parts, at));
    case 'home':
    case 'ctrl+a':
      return move(lineStart(parts, at));
    case 'end':
    case 'ctrl+e':
      return move(lineEnd(parts, at));
    case 'backspace':
    case 'ctrl+h':
      return at > 0 ? cut(at - 1, at) : composer;
    case 'delete':
    case 'ctrl+d':
      return cut(at, at + 1);
    case 'ctrl+u':
      return cut(lineStart(parts, at), at);
    case 'ctrl+k':
      return cut(at, lineEnd(parts, at));
    case 'ctrl+w':
    case 'alt+backspace':
      return cut(wordStart(parts, at), at);
    default:
      return key.text && !key.ctrl && !key.alt && !key.meta ? insert(composer, key.text) : undefined;
  }
}

/** One line up or down; undefined at the first or last line, where history begins. */
export function moveLine(composer: Composer, step: -1 | 1): Composer | undefined {
  const parts = graphemes(composer.text);
  const start = lineStart(parts, composer.cursor);
  const column = composer.cursor - start;
  const other = step < 0 ? start - 1 : lineEnd(parts, composer.cursor) + 1;
  if (other < 0 || other > parts.length) return undefined;
  const from = step < 0 ? lineStart(parts, other) : other;
  return { ...composer, cursor: Math.min(from + column, lineEnd(parts, from)) };
}

/** An older (1) or newer (-1) prompt of `history`, oldest first; undefined when there is none. */
export function moveHistory(
  composer: Composer,
  step: -1 | 1,
  history: readonly string[],
): Composer | undefined {
  const at = composer.historyAt + step;
  if (at < 0 || at > history.length) return undefined;
  const draft = composer.historyAt === 0 ? composer.text : composer.draft;
  const text = at === 0 ? draft : history[history.length - at]!;
  return { ...withText(composer, text), historyAt: at, draft };
}

function lineStart(parts: readonly string[], at: number): number {
  let from = at;
  while (from > 0 && parts[from - 1] !== '\n') from--;
  return from;
}

function lineEnd(parts: readonly string[], at: number): number {
  let to = at;
  while (to < parts.length && parts[to] !== '\n') to++;
  return to;
}

function wordStart(parts: readonly string[], at: number): number {
  let from = at;
  while (from > 0 && /\s/.test(parts[from - 1]!)) from--;
  while (from > 0 && !/\s/.test(parts[from - 1]!)) from--;
  return from;
}

function wordEnd(parts: readonly string[], at: number): number {
  let to = at;
  while (to < parts.length && /\s/.test(parts[to]!)) to++;
  while (to < parts.length && !/\s/.test(parts[to]!)) to++;
  return to;
}
