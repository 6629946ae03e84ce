// A one-line text field as a value: keys in, a new field out. Used by every dialog that takes text.
import type { Key } from '../model/key.js';
import { graphemes as clusters } from '../screen/width.js';

export interface TextField {
  text: string;
  /** Index in graphemes. */
  cursor: number;
}

/** What a cursor steps over at once. */
export function graphemes(text: string): string[] {
  return clusters(text).map((cluster) => cluster.text);
}

export function textField(text = ''): TextField {
  return { text, cursor: graphemes(text).length };
}

/** Types text at the cursor; line breaks and control characters become spaces. */
export function insertText(field: TextField, typed: string): TextField {
  const parts = graphemes(field.text);
  const clean = typed.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ');
  const text = [...parts.slice(0, field.cursor), clean, ...parts.slice(field.cursor)].join('');
  return { text, cursor: field.cursor + graphemes(clean).length };
}

/** The field after a key, or undefined when the key is none of an editor's. */
export function editField(field: TextField, key: Key): TextField | undefined {
  const parts = graphemes(field.text);
  const at = field.cursor;
  const cut = (from: number, to: number): TextField => ({
    text: [...parts.slice(0, from), ...parts.slice(to)].join(''),
    cursor: from,
  });
  const chord = `${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${key.name}`;
  switch (chord) {
    case 'left':
    case 'ctrl+b':
      return { ...field, cursor: Math.max(0, at - 1) };
    case 'right':
    case 'ctrl+f':
      return { ...field, cursor: Math.min(parts.length, at + 1) };
    case 'home':
    case 'ctrl+a':
      return { ...field, cursor: 0 };
    case 'end':
    case 'ctrl+e':
      return { ...field, cursor: parts.length };
    case 'backspace':
    case 'ctrl+h':
      return at > 0 ? cut(at - 1, at) : field;
    case 'delete':
    case 'ctrl+d':
      return cut(at, at + 1);
    case 'ctrl+u':
      return cut(0, at);
    case 'ctrl+k':
      return cut(at, parts.length);
    case 'ctrl+w':
    case 'alt+backspace':
      return cut(wordStart(parts, at), at);
    default:
      return key.text && !key.ctrl && !key.alt && !key.meta ? insertText(field, key.text) : undefined;
  }
}

function wordStart(parts: readonly string[], at: number): number {
  let from = at;
  while (from > 0 && /\s/.test(parts[from - 1]!)) from--;
  while (from > 0 && !/\s/.test(parts[from - 1]!)) from--;
  return from;
}
