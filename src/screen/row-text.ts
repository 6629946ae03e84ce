// The text of a row, for `read`, search and copy. Pure.
import type { RowSource } from './line-codec.js';

const COMBINED = 0x200000;
const CODE_MASK = 0x3fffff;
const WIDTH_SHIFT = 22;

/** The characters of a row; trailing blanks trimmed. */
export function rowText(row: RowSource | undefined): string {
  if (!row) return '';
  let text = '';
  for (let cell = 0; cell < row.length; cell++) {
    const content = row.words[cell * 3]!;
    const code = content & CODE_MASK;
    const width = content >>> WIDTH_SHIFT;
    if (width === 0 && code === 0 && cell > 0) continue;
    if (code & COMBINED) text += row.combined[cell] ?? ' ';
    else text += code === 0 ? ' ' : String.fromCodePoint(code);
  }
  return text.replace(/ +$/, '');
}
