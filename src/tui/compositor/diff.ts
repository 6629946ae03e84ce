// Front row against back row -> the fewest bytes that make the host's row equal, then front := back. Wide pairs are
// always written whole. Called by the compositor for dirty rows only; writes through the PenWriter.
import {
  CONTENT_CODEPOINT_MASK,
  CONTENT_COMBINED,
  CONTENT_WIDTH_SHIFT,
  WORDS_PER_CELL,
} from '../../model/patch.js';
import { asciiOf } from './ascii.js';
import type { CellGrid } from './cell-grid.js';
import { RIGHT_HALF, WIDTH_MASK, WIDTH_TWO, type CellTables } from './cell-tables.js';
import { isDefaultColor, type PenWriter } from './pen-writer.js';

/** Content of a front cell of which the host may show anything; equal to no back cell. */
export const UNKNOWN_CELL = 0xffffffff;
/** Equal cells that are cheaper written again than jumped over. */
const GAP_CELLS = 4;
/** ECH with the move behind it costs about nine bytes, four when nothing follows. */
const ERASE_INSIDE_CELLS = 9;
const ERASE_LAST_CELLS = 4;
/** EL costs three bytes. */
const ERASE_LINE_CELLS = 3;

export interface DiffOptions {
  /** The host erases with the pen's background (BCE). */
  backColorErase: boolean;
  /** False: the host takes no UTF-8; what is not ASCII gets a stand-in. */
  utf8: boolean;
}

export class RowDiffer {
  readonly #tables: CellTables;
  readonly #writer: PenWriter;
  readonly #options: DiffOptions;
  #flags = new Uint8Array(0);

  constructor(tables: CellTables, writer: PenWriter, options: DiffOptions) {
    this.#tables = tables;
    this.#writer = writer;
    this.#options = options;
  }

  /** Repairs columns x0 to x1 (exclusive) of row y; a pair of the back that an edge cuts is left for the whole row. */
  diff(front: CellGrid, back: CellGrid, y: number, left = 0, right = back.cols): void {
    const x0 = isRightHalf(back, y, left) ? left + 1 : left;
    const x1 = right < back.cols && isRightHalf(back, y, right) ? right - 1 : right;
    const range = this.#mark(front, back, y, x0, x1);
    if (!range) return;
    this.#write(back, y, range.first, range.last, x1);
    const from = back.base(y) + x0 * WORDS_PER_CELL;
    front.words.set(back.words.subarray(from, back.base(y) + x1 * WORDS_PER_CELL), from);
  }

  /** Flags differing cells; a pair in either buffer differs as a whole. Undefined when the rows are equal. */
  #mark(front: CellGrid, back: CellGrid, y: number, x0: number, x1: number) {
    const base = back.base(y);
    const f = front.words;
    const b = back.words;
    let first = x0;
    while (first < x1 && sameCell(f, b, base + first * WORDS_PER_CELL)) first++;
    if (first >= x1) return undefined;
    if (this.#flags.length < back.cols) this.#flags = new Uint8Array(back.cols);
    const flags = this.#flags;
    let last = first;
    let pairs = false;
    for (let x = x0; x < x1; x++) {
      const at = base + x * WORDS_PER_CELL;
      const differs = x >= first && !sameCell(f, b, at);
      flags[x] = differs ? 1 : 0;
      if (differs) last = x;
      pairs ||= f[at] === RIGHT_HALF || b[at] === RIGHT_HALF;
    }
    if (!pairs && x0 === 0 && x1 === back.cols) return { first, last };
    this.#forgetOutside(f, base, x0, x1, back.cols);
    return pairs ? this.#markPairs(f, b, base, x0, x1) : { first, last };
  }

  /** A pair of the front that the range cuts loses its outer half when the inner one is written. */
  #forgetOutside(f: Uint32Array, base: number, x0: number, x1: number, cols: number): void {
    if (x0 > 0 && f[base + x0 * WORDS_PER_CELL] === RIGHT_HALF)
      f[base + (x0 - 1) * WORDS_PER_CELL] = UNKNOWN_CELL;
    if (x1 < cols && f[base + x1 * WORDS_PER_CELL] === RIGHT_HALF)
      f[base + x1 * WORDS_PER_CELL] = UNKNOWN_CELL;
  }

  #markPairs(f: Uint32Array, b: Uint32Array, base: number, x0: number, x1: number) {
    const flags = this.#flags;
    const joined = (x: number) => {
      const at = base + x * WORDS_PER_CELL;
      return f[at] === RIGHT_HALF || b[at] === RIGHT_HALF;
    };
    for (let x = x0 + 1; x < x1; x++) if (flags[x - 1] && joined(x)) flags[x] = 1;
    for (let x = x1 - 1; x > x0; x--) if (flags[x] && joined(x)) flags[x - 1] = 1;
    let first = x0;
    while (!flags[first]) first++;
    let last = x1 - 1;
    while (!flags[last]) last--;
    return { first, last };
  }

  #write(back: CellGrid, y: number, first: number, last: number, x1: number): void {
    const { words, cols } = back;
    const flags = this.#flags;
    const writer = this.#writer;
    let x = first;
    while (x <= last) {
      if (!flags[x] && !this.#bridges(back, y, x, last)) {
        x++;
        continue;
      }
      const at = back.base(y) + x * WORDS_PER_CELL;
      const content = words[at]!;
      if (content === 0) {
        const erased = this.#erase(back, y, x, last, x1);
        if (erased > 0) {
          x += erased;
          continue;
        }
      }
      writer.moveTo(x, y);
      writer.setPen(words[at + 1]!, words[at + 2]!, words[at + 3]!);
      writer.out += this.#text(content);
      const width = (content & WIDTH_MASK) === WIDTH_TWO ? 2 : 1;
      x += width;
      writer.x = isDoubtful(content) ? -1 : x;
      if (x >= cols) writer.forgetCursor();
    }
  }

  /** True when the equal cells from x on are few, need no other pen, and end at a differing one. */
  #bridges(back: CellGrid, y: number, x: number, last: number): boolean {
    const { words } = back;
    const writer = this.#writer;
    if (writer.y !== y || writer.x !== x) return false;
    for (let next = x; next <= Math.min(last, x + GAP_CELLS); next++) {
      if (this.#flags[next]) return true;
      const at = back.base(y) + next * WORDS_PER_CELL;
      if (words[at + 1] !== writer.fg || words[at + 2] !== writer.bg || words[at + 3] !== writer.ext)
        return false;
      if (isDoubtful(words[at]!) || (words[at]! & WIDTH_MASK) >= WIDTH_TWO) return false;
    }
    return false;
  }

  /** Erases the blanks from x on when that is cheaper than writing them; answers how many cells are done with. */
  #erase(back: CellGrid, y: number, x: number, last: number, x1: number): number {
    const { words, cols } = back;
    const start = back.base(y) + x * WORDS_PER_CELL;
    const fg = words[start + 1]!;
    const bg = words[start + 2]!;
    // An erased cell has a background and nothing else.
    if (fg !== 0 || words[start + 3] !== 0 || bg >>> 26 !== 0) return 0;
    if (!(this.#options.backColorErase || isDefaultColor(bg))) return 0;
    let end = x;
    while (end < x1 && isSameBlank(words, back.base(y) + end * WORDS_PER_CELL, bg)) end++;
    const toLine = end === cols && last - x + 1 > ERASE_LINE_CELLS;
    let count = Math.min(end, last + 1) - x;
    // Trailing equal blanks of the streak need not be erased again.
    while (count > 0 && !this.#flags[x + count - 1]) count--;
    const enough = x + count > last ? ERASE_LAST_CELLS : ERASE_INSIDE_CELLS;
    if (!toLine && count <= enough) return 0;
    const writer = this.#writer;
    writer.moveTo(x, y);
    writer.setPen(0, bg, 0);
    writer.out += toLine ? '\x1b[K' : `\x1b[${count}X`;
    return toLine ? last - x + 1 : count;
  }

  #text(content: number): string {
    if (content === 0 || content === RIGHT_HALF) return ' ';
    if (!this.#options.utf8)
      return asciiOf(this.#tables.textOf(content), (content & WIDTH_MASK) === WIDTH_TWO);
    if ((content & CONTENT_COMBINED) === 0) return String.fromCodePoint(content & CONTENT_CODEPOINT_MASK);
    return this.#tables.textOf(content);
  }
}

function isRightHalf(grid: CellGrid, y: number, x: number): boolean {
  return grid.words[grid.base(y) + x * WORDS_PER_CELL] === RIGHT_HALF;
}

function sameCell(f: Uint32Array, b: Uint32Array, at: number): boolean {
  return f[at] === b[at] && f[at + 1] === b[at + 1] && f[at + 2] === b[at + 2] && f[at + 3] === b[at + 3];
}

function isSameBlank(words: Uint32Array, at: number, bg: number): boolean {
  return words[at] === 0 && words[at + 1] === 0 && words[at + 2] === bg && words[at + 3] === 0;
}

/**
 * Glyphs on whose width hosts disagree: sequences of several code points, emoji, pictographs. Behind one of them the
 * cursor's column is not known, so that a drift cannot cross a pane's edge (C14). CJK and plain text are agreed upon.
 */
function isDoubtful(content: number): boolean {
  if ((content & CONTENT_COMBINED) !== 0) return true;
  const code = content & CONTENT_CODEPOINT_MASK;
  if (code >= 0x1f000) return code < 0x20000 || code >= 0x40000;
  // Jamo written one behind the other would join to a syllable.
  if (
    (code >= 0x1100 && code < 0x1200) ||
    (code >= 0xa960 && code < 0xa980) ||
    (code >= 0xd7b0 && code < 0xd800)
  )
    return true;
  return (code >= 0x2300 && code < 0x2e80 && content >>> CONTENT_WIDTH_SHIFT === 2) || code >= 0xe0000;
}
