// Looks of text that the client draws itself, and SGR parameters read into them. Used by the styled-line parser and for
// spots; knows nothing of the host's abilities.
import {
  BG_DIM,
  BG_ITALIC,
  BG_OVERLINE,
  COLOR_MODE_16,
  COLOR_MODE_256,
  COLOR_MODE_RGB,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
} from '../../model/patch.js';

/** A colour of the client's own text: 0-15 one of the host's palette, a 256-colour index, or RGB. */
export type CellColor = { ansi: number } | { index: number } | { rgb: readonly [number, number, number] };

export interface CellStyle {
  fg?: CellColor;
  bg?: CellColor;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

/** The pen while a line is parsed: words as in model/patch.ts. */
export interface Pen {
  fg: number;
  bg: number;
  underlineStyle: number;
  underlineColor: number;
  url: string | undefined;
}

const COLOR_BITS = 0x3ffffff;

export function newPen(style: CellStyle = {}): Pen {
  let fg = style.fg ? colorWord(style.fg) : 0;
  let bg = style.bg ? colorWord(style.bg) : 0;
  if (style.bold) fg |= FG_BOLD;
  if (style.underline) fg |= FG_UNDERLINE;
  if (style.inverse) fg |= FG_INVERSE;
  if (style.dim) bg |= BG_DIM;
  if (style.italic) bg |= BG_ITALIC;
  return { fg, bg, underlineStyle: style.underline ? 1 : 0, underlineColor: 0, url: undefined };
}

export function colorWord(color: CellColor): number {
  if ('ansi' in color) return COLOR_MODE_16 | (color.ansi & 15);
  if ('index' in color) return COLOR_MODE_256 | (color.index & 255);
  const [r, g, b] = color.rgb;
  return COLOR_MODE_RGB | ((r & 255) << 16) | ((g & 255) << 8) | (b & 255);
}

const ON_FG: Readonly<Record<number, number>> = {
  1: FG_BOLD,
  5: FG_BLINK,
  6: FG_BLINK,
  7: FG_INVERSE,
  8: FG_INVISIBLE,
  9: FG_STRIKETHROUGH,
};
const OFF_FG: Readonly<Record<number, number>> = {
  22: FG_BOLD,
  25: FG_BLINK,
  27: FG_INVERSE,
  28: FG_INVISIBLE,
  29: FG_STRIKETHROUGH,
};
const ON_BG: Readonly<Record<number, number>> = { 2: BG_DIM, 3: BG_ITALIC, 53: BG_OVERLINE };
const OFF_BG: Readonly<Record<number, number>> = { 22: BG_DIM, 23: BG_ITALIC, 55: BG_OVERLINE };

/** Applies the parameters of one `CSI … m` to the pen. Unknown ones are passed over. */
export function applySgr(pen: Pen, params: string): void {
  const parts = params === '' ? ['0'] : params.split(';');
  for (let i = 0; i < parts.length; i++) {
    const sub = parts[i]!.split(':').map(Number);
    const code = sub[0] ?? 0;
    if (code === 38 || code === 48 || code === 58) {
      if (sub.length > 1) setColor(pen, code, colonColor(sub));
      else i += legacyColor(pen, code, parts, i);
    } else applyCode(pen, code, sub[1]);
  }
}

function applyCode(pen: Pen, code: number, sub: number | undefined): void {
  if (code === 0) Object.assign(pen, { ...newPen(), url: pen.url });
  else if (code === 4 || code === 21 || code === 24)
    setUnderline(pen, code === 4 ? (sub ?? 1) : code === 21 ? 2 : 0);
  else if (code >= 30 && code <= 37) setColor(pen, 38, COLOR_MODE_16 | (code - 30));
  else if (code >= 40 && code <= 47) setColor(pen, 48, COLOR_MODE_16 | (code - 40));
  else if (code >= 90 && code <= 97) setColor(pen, 38, COLOR_MODE_16 | (code - 82));
  else if (code >= 100 && code <= 107) setColor(pen, 48, COLOR_MODE_16 | (code - 92));
  else if (code === 39 || code === 49 || code === 59) setColor(pen, code - 1, 0);
  else {
    pen.fg = (pen.fg | (ON_FG[code] ?? 0)) & ~(OFF_FG[code] ?? 0);
    pen.bg = (pen.bg | (ON_BG[code] ?? 0)) & ~(OFF_BG[code] ?? 0);
  }
}

function setUnderline(pen: Pen, style: number): void {
  pen.underlineStyle = Math.min(style, 5);
  pen.fg = style > 0 ? pen.fg | FG_UNDERLINE : pen.fg & ~FG_UNDERLINE;
}

function setColor(pen: Pen, target: number, word: number): void {
  if (target === 38) pen.fg = (pen.fg & ~COLOR_BITS) | word;
  else if (target === 48) pen.bg = (pen.bg & ~COLOR_BITS) | word;
  else pen.underlineColor = word;
}

/** 38:5:n, 38:2:r:g:b and 38:2::r:g:b. */
function colonColor(sub: number[]): number {
  if (sub[1] === 5) return COLOR_MODE_256 | ((sub[2] ?? 0) & 255);
  const rgb = sub.slice(-3);
  return sub[1] === 2 && sub.length >= 5 ? colorWord({ rgb: [rgb[0]! || 0, rgb[1]! || 0, rgb[2]! || 0] }) : 0;
}

/** 38;5;n and 38;2;r;g;b; answers how many further parameters were taken. */
function legacyColor(pen: Pen, code: number, parts: string[], at: number): number {
  const number = (offset: number) => Number(parts[at + offset] ?? 0) || 0;
  if (parts[at + 1] === '5') {
    setColor(pen, code, COLOR_MODE_256 | (number(2) & 255));
    return 2;
  }
  if (parts[at + 1] !== '2') return 0;
  setColor(pen, code, colorWord({ rgb: [number(2), number(3), number(4)] }));
  return 4;
}
