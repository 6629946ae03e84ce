// Text for the chrome: widths in cells, cutting and padding, control characters made harmless, SGR around words.
// Chrome rows are ready strings, one a row: Ink then only places them (facts: nested colour runs cost twice).
import { cellWidth, graphemes } from '../../screen/width.js';

/** Cells of a text without escape sequences; the emulators' and the compositor's own table. */
export const width = cellWidth;

/** Control characters (also C1, and bidi overrides that could hide text) as visible stand-ins. Tabs become a space. */
export function sanitize(text: string): string {
  return text
    .replace(/[\t\n\r]+/g, ' ')
    .replace(/[\x00-\x1f]/g, (char) => String.fromCodePoint(0x2400 + char.charCodeAt(0)))
    .replace(/[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');
}

/** The text in exactly `cells` cells: cut with an ellipsis, or padded. */
export function fit(text: string, cells: number, ellipsis = '…'): string {
  const cut = truncate(text, cells, ellipsis);
  return cut + ' '.repeat(Math.max(0, cells - width(cut)));
}

export function truncate(text: string, cells: number, ellipsis = '…'): string {
  if (cells <= 0) return '';
  if (width(text) <= cells) return text;
  const room = cells - width(ellipsis);
  let out = '';
  let used = 0;
  for (const glyph of graphemes(text)) {
    if (used + glyph.width > room) break;
    out += glyph.text;
    used += glyph.width;
  }
  return room < 0 ? ellipsis.slice(0, cells) : out + ellipsis;
}

/** Wraps at spaces to lines of at most `cells` cells; a longer word is cut. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    if (width(next) <= cells) {
      line = next;
      continue;
    }
    if (line !== '') lines.push(line);
    line = truncate(word, cells);
  }
  return [...lines, line];
}

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray';
const SGR_COLOUR: Record<Colour, number> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  gray: 90,
};

export interface Look {
  colour?: Colour | undefined;
  bold?: boolean;
  dim?: boolean;
  inverse?: boolean;
  underline?: boolean;
}

/** Wraps text in SGR. `colours` false (NO_COLOR, or a host without): weight and inverse stay, colour goes. */
export function styled(text: string, look: Look, colours: boolean): string {
  const codes = [
    ...(look.bold ? [1] : []),
    ...(look.dim ? [2] : []),
    ...(look.underline ? [4] : []),
    ...(look.inverse ? [7] : []),
    ...(look.colour && colours ? [SGR_COLOUR[look.colour]] : []),
  ];
  return codes.length === 0 || text === '' ? text : `\x1b[${codes.join(';')}m${text}\x1b[0m`;
}
