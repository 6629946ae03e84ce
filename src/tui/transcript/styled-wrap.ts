// Words in several looks -> rows of text with SGR, wrapped at spaces to a width in cells. Also makes text of a model
// harmless: control characters become visible. Pure; used by everything that renders a transcript item.
import { cellWidth, graphemes } from '../../screen/width.js';
import { sanitize, type Look } from '../chrome/text.js';
import type { Theme } from '../chrome/theme.js';

export interface Span {
  text: string;
  look?: Look;
}

/** What stands before a row: already painted, with its width. */
export interface Prefix {
  text: string;
  cells: number;
}

export interface RenderContext {
  /** Cells of a row. */
  width: number;
  theme: Theme;
  /** Milliseconds since the epoch, for what is still running. */
  now: number;
  /** Long output is shown whole. */
  expanded: boolean;
}

export const NO_PREFIX: Prefix = { text: '', cells: 0 };

export function indent(cells: number): Prefix {
  return { text: ' '.repeat(cells), cells };
}

/** Text of a program as lines: colours dropped, of a line overwritten by carriage returns the last state, tabs as spaces. */
export function outputLines(text: string): string[] {
  const plain = text.replace(/\x1b\[[\d;:]*m/g, '').replace(/\r\n/g, '\n');
  const lines = plain.replace(/\n+$/, '').split('\n');
  return lines.map((line) => cleanLine(line.slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1)));
}

/** Text of a model or a person as lines, control characters visible. */
export function textLines(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => cleanLine(line));
}

/** One line without control characters; tabs become spaces. */
export function cleanLine(line: string): string {
  return sanitize(line.replace(/\t/g, '    '));
}

interface Piece {
  text: string;
  look: Look | undefined;
  cells: number;
}

/** Rows of at most `context.width` cells. A word longer than a row is cut between graphemes. */
export function wrapSpans(
  spans: readonly Span[],
  context: RenderContext,
  first: Prefix = NO_PREFIX,
  rest: Prefix = first,
): string[] {
  const builder = new RowBuilder(context, first, rest);
  for (const word of words(spans)) builder.add(word);
  return builder.done();
}

/** Lines cut at the width and never wrapped at words: code and output keep their columns. */
export function wrapHard(
  line: string,
  look: Look | undefined,
  context: RenderContext,
  prefix: Prefix,
): string[] {
  const room = Math.max(1, context.width - prefix.cells);
  const paint = (text: string) => prefix.text + (look ? context.theme.paint(text, look) : text);
  if (/^[\x20-\x7e]*$/.test(line)) {
    const rows = [];
    for (let at = 0; at === 0 || at < line.length; at += room) rows.push(paint(line.slice(at, at + room)));
    return rows;
  }
  if (cellWidth(line) <= room) return [paint(line)];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const glyph of graphemes(line)) {
    if (used + glyph.width > room) {
      rows.push(paint(row));
      row = '';
      used = 0;
    }
    row += glyph.text;
    used += glyph.width;
  }
  return [...rows, paint(row)];
}

/** Runs without spaces, and the spaces between them, each possibly of several looks. */
function* words(spans: readonly Span[]): Generator<{ pieces: Piece[]; cells: number; isSpace: boolean }> {
  let pieces: Piece[] = [];
  let cells = 0;
  for (const { text, look } of spans) {
    for (const part of text.match(/ +|[^ ]+/g) ?? []) {
      const piece = { text: part, look, cells: cellWidth(part) };
      if (part[0] === ' ') {
        if (pieces.length > 0) yield { pieces, cells, isSpace: false };
        pieces = [];
        cells = 0;
        yield { pieces: [piece], cells: piece.cells, isSpace: true };
      } else {
        pieces.push(piece);
        cells += piece.cells;
      }
    }
  }
  if (pieces.length > 0) yield { pieces, cells, isSpace: false };
}

class RowBuilder {
  readonly #context: RenderContext;
  readonly #rest: Prefix;
  #rows: string[] = [];
  #row: string;
  #used = 0;
  #room: number;
  #isFirst = true;
  /** Spaces that are written when a word comes behind them on the same row. */
  #gap: Piece | undefined;

  constructor(context: RenderContext, first: Prefix, rest: Prefix) {
    this.#context = context;
    this.#rest = rest;
    this.#row = first.text;
    this.#room = Math.max(1, context.width - first.cells);
  }

  add(word: { pieces: Piece[]; cells: number; isSpace: boolean }): void {
    if (word.isSpace) {
      if (this.#used > 0 || this.#isFirst) this.#gap = word.pieces[0];
      return;
    }
    const gap = this.#gap?.cells ?? 0;
    if (this.#used > 0 && this.#used + gap + word.cells > this.#room) this.#next();
    else if (this.#gap) this.#put(this.#gap);
    this.#gap = undefined;
    for (const piece of word.pieces) {
      if (this.#used + piece.cells <= this.#room) this.#put(piece);
      else this.#cut(piece);
    }
  }

  done(): string[] {
    return [...this.#rows, this.#row];
  }

  #put({ text, look, cells }: Piece): void {
    this.#row += look ? this.#context.theme.paint(text, look) : text;
    this.#used += cells;
  }

  #cut({ text, look }: Piece): void {
    let part = '';
    let cells = 0;
    for (const glyph of graphemes(text)) {
      if (this.#used + cells + glyph.width > this.#room) {
        this.#put({ text: part, look, cells });
        this.#next();
        part = '';
        cells = 0;
      }
      part += glyph.text;
      cells += glyph.width;
    }
    this.#put({ text: part, look, cells });
  }

  #next(): void {
    this.#rows.push(this.#row);
    this.#row = this.#rest.text;
    this.#room = Math.max(1, this.#context.width - this.#rest.cells);
    this.#used = 0;
    this.#isFirst = false;
  }
}
