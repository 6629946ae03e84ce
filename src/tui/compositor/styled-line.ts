// A line of text with SGR and OSC 8 (an Ink frame's line, a cached transcript row) -> cells. Pure but for the tables it
// interns into. Other control characters are dropped: text of a model never reaches the host as a sequence.
import { CONTENT_COMBINED, CONTENT_WIDTH_SHIFT, WORDS_PER_CELL } from '../../model/patch.js';
import { graphemes, isZeroWidth, type Grapheme } from '../../screen/width.js';
import { putCell, RIGHT_HALF, type CellTables } from './cell-tables.js';
import { applySgr, newPen, type CellStyle } from './style.js';

/** From here on a character may join with the one before it, so plain ASCII is only plain when none of these follows. */
const FIRST_JOINING = 0x300;
const WIDTH_ONE = 1 << CONTENT_WIDTH_SHIFT;

/** The cells of `text`, as many as it is wide. `style` is what the text starts with. */
export function parseStyledLine(text: string, tables: CellTables, style?: CellStyle): Uint32Array {
  const pen = newPen(style);
  const row = new RowBuilder(text.length);
  let ext = tables.ext(pen.underlineStyle, pen.underlineColor, pen.url);
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === 0x1b) {
      const end = escapeEnd(text, i);
      applyEscape(text.slice(i, end), pen);
      ext = tables.ext(pen.underlineStyle, pen.underlineColor, pen.url);
      i = end;
    } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
      i++;
    } else if (code < 0x7f && !(text.charCodeAt(i + 1) >= FIRST_JOINING)) {
      row.put(code === 0x20 ? 0 : code | WIDTH_ONE, pen.fg, pen.bg, ext);
      i++;
    } else {
      let end = i + 1;
      while (end < text.length && !isControl(text.charCodeAt(end))) end++;
      for (const glyph of graphemes(text.slice(i, end))) putGlyph(row, glyph, tables, pen.fg, pen.bg, ext);
      i = end;
    }
  }
  return row.done();
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

function putGlyph(
  row: RowBuilder,
  glyph: Grapheme,
  tables: CellTables,
  fg: number,
  bg: number,
  ext: number,
): void {
  if (glyph.width === 0) return;
  row.put(glyphContent(glyph.text, glyph.width, tables), fg, bg, ext);
  if (glyph.width === 2) row.put(RIGHT_HALF, fg, bg, ext);
}

/** The content word of a printable glyph. */
export function glyphContent(glyph: string, width: number, tables: CellTables): number {
  const code = glyph.codePointAt(0)!;
  if (glyph === ' ') return 0;
  // A mark with nothing to sit on would join the cell before it on the host.
  if (isZeroWidth(code)) return CONTENT_COMBINED | tables.glyph(` ${glyph}`) | (width << CONTENT_WIDTH_SHIFT);
  const single = glyph.length === (code > 0xffff ? 2 : 1);
  return (single ? code : CONTENT_COMBINED | tables.glyph(glyph)) | (width << CONTENT_WIDTH_SHIFT);
}

/** Index behind the escape sequence at `at`; an unfinished one takes the rest. */
function escapeEnd(text: string, at: number): number {
  const second = text[at + 1];
  if (second === '[') {
    for (let i = at + 2; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x40 && code <= 0x7e) return i + 1;
    }
    return text.length;
  }
  if (second !== undefined && ']P_^X'.includes(second)) {
    for (let i = at + 2; i < text.length; i++) {
      if (text[i] === '\x07') return i + 1;
      if (text[i] === '\x1b') return text[i + 1] === '\\' ? i + 2 : i;
    }
    return text.length;
  }
  return Math.min(text.length, at + 2);
}

function applyEscape(sequence: string, pen: ReturnType<typeof newPen>): void {
  const sgr = /^\x1b\[([\d;:]*)m$/.exec(sequence);
  if (sgr) return applySgr(pen, sgr[1]!);
  const link = /^\x1b\]8;[^;]*;([^\x07\x1b]*)/.exec(sequence);
  if (link) pen.url = link[1] === '' ? undefined : link[1];
}

/** Collects cells of a row whose width is not known before. */
class RowBuilder {
  #words: Uint32Array;
  #at = 0;

  constructor(cells: number) {
    this.#words = new Uint32Array(Math.max(4, cells) * WORDS_PER_CELL);
  }

  put(content: number, fg: number, bg: number, ext: number): void {
    if (this.#at >= this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    putCell(this.#words, this.#at, content, fg, bg, ext);
    this.#at += WORDS_PER_CELL;
  }

  done(): Uint32Array {
    return this.#words.slice(0, this.#at);
  }
}

/** Parsed lines by their text, the least recently used forgotten. */
export class LineCache {
  readonly #tables: CellTables;
  readonly #lines = new Map<string, Uint32Array>();
  readonly #capLines: number;

  constructor(tables: CellTables, capLines = 2000) {
    this.#tables = tables;
    this.#capLines = capLines;
  }

  /** The cells are shared: never write to them. */
  parse(text: string): Uint32Array {
    const found = this.#lines.get(text);
    if (found) {
      this.#lines.delete(text);
      this.#lines.set(text, found);
      return found;
    }
    const cells = parseStyledLine(text, this.#tables);
    this.#lines.set(text, cells);
    if (this.#lines.size > this.#capLines) this.#lines.delete(this.#lines.keys().next().value!);
    return cells;
  }

  clear(): void {
    this.#lines.clear();
  }
}
