// A rectangle of cells and the one way to copy cells into it: a wide glyph that an edge cuts becomes blanks (B03), so a
// pair is never split. Used for the front and back buffers.
import { WORDS_PER_CELL } from '../../model/patch.js';
import { RIGHT_HALF, WIDTH_MASK, WIDTH_TWO } from './cell-tables.js';

export class CellGrid {
  readonly cols: number;
  readonly rows: number;
  readonly words: Uint32Array;

  constructor(cols: number, rows: number) {
    this.cols = cols;
    this.rows = rows;
    this.words = new Uint32Array(cols * rows * WORDS_PER_CELL);
  }

  /** Index of the first word of a row. */
  base(y: number): number {
    return y * this.cols * WORDS_PER_CELL;
  }

  clear(): void {
    this.words.fill(0);
  }

  blank(y: number, x0: number, x1: number): void {
    this.copy(y, x0, EMPTY, 0, x1 - x0);
  }

  /**
   * Copies `count` cells that begin at cell `from` of `source` to (x, y). Cells that `source` lacks are blanks. The
   * caller has clipped x and count to the grid.
   */
  copy(y: number, x: number, source: Uint32Array, from: number, count: number): void {
    if (count <= 0) return;
    const { words, cols } = this;
    const start = this.base(y) + x * WORDS_PER_CELL;
    const end = start + count * WORDS_PER_CELL;
    // The other halves of pairs that this copy cuts in what was here.
    if (x > 0 && (words[start - WORDS_PER_CELL]! & WIDTH_MASK) === WIDTH_TWO)
      blankCell(words, start - WORDS_PER_CELL);
    if (x + count < cols && words[end] === RIGHT_HALF) blankCell(words, end);
    const first = from * WORDS_PER_CELL;
    const have = Math.max(0, Math.min(source.length - first, count * WORDS_PER_CELL));
    if (have > 0) words.set(source.subarray(first, first + have), start);
    if (start + have < end) words.fill(0, start + have, end);
    if (words[start] === RIGHT_HALF) blankCell(words, start);
    if ((words[end - WORDS_PER_CELL]! & WIDTH_MASK) === WIDTH_TWO) blankCell(words, end - WORDS_PER_CELL);
  }
}

const EMPTY = new Uint32Array(0);

/** Half a wide glyph becomes a blank of the same background. */
function blankCell(words: Uint32Array, at: number): void {
  words[at] = 0;
  words[at + 1] = 0;
  words[at + 2] = words[at + 2]! & 0x3ffffff;
  words[at + 3] = 0;
}
