// Rows of words into the cells of a patch (src/model/patch.ts): blanks become zero, glyphs of several code points and
// extended attributes get an index, wide pairs are never split. Called by the emulator for every view. Pure.
import {
  BG_HAS_EXTENDED,
  COLOR_MODE_DEFAULT,
  COLOR_MODE_MASK,
  COLOR_MODE_RGB,
  CONTENT_CODEPOINT_MASK,
  CONTENT_COMBINED,
  CONTENT_WIDTH_SHIFT,
  FG_UNDERLINE,
  WORDS_PER_CELL,
  type CellExt,
  type UnderlineStyle,
} from '../model/patch.js';
import type { Recolor } from './colors.js';
import type { RowsSnapshot } from './contract.js';
import type { PackedExt, RowSource } from './line-codec.js';
import { isZeroWidth } from './width.js';

const CODE_MASK = CONTENT_CODEPOINT_MASK | CONTENT_COMBINED;
const SPACE = 0x20;
/** A blank that shows attributes (a background, an underline). */
const STYLED_BLANK = SPACE | (1 << CONTENT_WIDTH_SHIFT);
const COLOR_MASK = 0x3ffffff;
const PALETTE_MASK = 0xff;
const UNDERLINE_COLOR_MASK = COLOR_MASK;
const UNDERLINE_STYLE_SHIFT = 26;

/** Collects rows of one snapshot; indexes are local to it. */
export class RowsBuilder {
  readonly #cols: number;
  readonly #scratch: Uint32Array;
  readonly #strings = new Map<string, number>();
  readonly #exts = new Map<string, number>();
  readonly #recolor: Recolor | undefined;
  readonly snapshot: RowsSnapshot = { changed: [], strings: [], exts: [] };

  /** `recolor`: colours the child changed for its own pane. */
  constructor(cols: number, recolor?: Recolor) {
    this.#cols = cols;
    this.#recolor = recolor;
    this.#scratch = new Uint32Array(cols * WORDS_PER_CELL);
  }

  /** Adds the row at `y` of the view; undefined is a blank row. */
  add(y: number, row: RowSource | undefined): void {
    let used = row ? this.#fill(row) : 0;
    if (this.#recolor) used = this.#applyColors(this.#recolor, used);
    this.snapshot.changed.push({ y, cells: this.#scratch.slice(0, used * WORDS_PER_CELL) });
  }

  /** Fills the scratch row; returns how many cells are not trailing blanks. */
  #fill(row: RowSource): number {
    const { words } = row;
    const out = this.#scratch;
    const cells = Math.min(this.#cols, row.length);
    let used = 0;
    for (let cell = 0; cell < cells; cell++) {
      const fg = words[cell * 3 + 1]!;
      const bg = words[cell * 3 + 2]!;
      const content = this.#content(row, cell, cells);
      const at = cell * WORDS_PER_CELL;
      const ext = bg & BG_HAS_EXTENDED ? this.#ext(row.ext(cell), fg) : 0;
      const cleanBg = bg & BG_HAS_EXTENDED && ext === 0 ? (bg & ~BG_HAS_EXTENDED) >>> 0 : bg;
      const isPlainBlank = content === STYLED_BLANK && fg === 0 && cleanBg === 0;
      out[at] = isPlainBlank ? 0 : content;
      out[at + 1] = fg;
      out[at + 2] = cleanBg;
      out[at + 3] = ext;
      if (!isPlainBlank) used = cell + 1;
    }
    return used;
  }

  /** Default and palette colours the child changed become RGB, also behind the last cell in use. */
  #applyColors(recolor: Recolor, used: number): number {
    const out = this.#scratch;
    const cells = recolor.background ? this.#cols : used;
    out.fill(0, used * WORDS_PER_CELL, cells * WORDS_PER_CELL);
    for (let at = 0; at < cells * WORDS_PER_CELL; at += WORDS_PER_CELL) {
      const isRightHalf = at > 0 && out[at - WORDS_PER_CELL]! >>> CONTENT_WIDTH_SHIFT === 2;
      if (out[at] === 0 && !isRightHalf && recolor.background) out[at] = STYLED_BLANK;
      if (out[at] === 0 && !isRightHalf) continue;
      out[at + 1] = recolored(out[at + 1]!, recolor, recolor.foreground);
      out[at + 2] = recolored(out[at + 2]!, recolor, recolor.background);
    }
    return cells;
  }

  #content(row: RowSource, cell: number, cells: number): number {
    const content = row.words[cell * 3]!;
    const code = content & CODE_MASK;
    const width = content >>> CONTENT_WIDTH_SHIFT;
    if (width === 1 && code < 0x300) return code === 0 ? STYLED_BLANK : content;
    if (width === 0) return isRightHalf(row, cell) ? 0 : STYLED_BLANK;
    // Half of a wide glyph is no glyph: cut at the edge it becomes a blank.
    if (width === 2 && (cell + 1 >= cells || row.words[cell * 3 + 3]! >>> CONTENT_WIDTH_SHIFT !== 0)) {
      return STYLED_BLANK;
    }
    if (code & CONTENT_COMBINED) return this.#string(row.combined[cell] ?? ' ', width);
    // A mark with nothing to sit on would move onto the cell before it.
    if (isZeroWidth(code)) return this.#string(` ${String.fromCodePoint(code)}`, width);
    return content;
  }

  #string(text: string, width: number): number {
    let index = this.#strings.get(text);
    if (index === undefined) {
      index = this.snapshot.strings.push(text) - 1;
      this.#strings.set(text, index);
    }
    return CONTENT_COMBINED | index | (width << CONTENT_WIDTH_SHIFT);
  }

  #ext(packed: PackedExt | undefined, fg: number): number {
    if (!packed) return 0;
    const ext = unpackExt(packed, fg);
    if (!ext) return 0;
    const key = `${ext.underlineStyle}:${ext.underlineColor}:${ext.url ?? ''}`;
    let index = this.#exts.get(key);
    if (index === undefined) {
      index = this.snapshot.exts.push(ext) - 1;
      this.#exts.set(key, index);
    }
    return index + 1;
  }
}

function recolored(word: number, recolor: Recolor, byDefault: number): number {
  const mode = word & COLOR_MODE_MASK;
  if (mode === COLOR_MODE_RGB) return word;
  const color = mode === COLOR_MODE_DEFAULT ? byDefault : recolor.palette.get(word & PALETTE_MASK);
  return color ? ((word & ~COLOR_MASK) | color) >>> 0 : word;
}

function isRightHalf(row: RowSource, cell: number): boolean {
  return cell > 0 && row.words[cell * 3 - 3]! >>> CONTENT_WIDTH_SHIFT === 2;
}

/** What the packed attributes add to a plain underline; undefined when nothing. */
function unpackExt(packed: PackedExt, fg: number): CellExt | undefined {
  const underlined = (fg & FG_UNDERLINE) !== 0;
  const style = underlined ? (((packed.bits >>> UNDERLINE_STYLE_SHIFT) & 7) as UnderlineStyle) || 1 : 0;
  const raw = packed.bits & UNDERLINE_COLOR_MASK;
  // SGR 59 sets all bits.
  const color = underlined && raw !== UNDERLINE_COLOR_MASK ? raw : 0;
  if (packed.url === undefined && style <= 1 && color === 0) return undefined;
  return {
    underlineStyle: style,
    underlineColor: color,
    ...(packed.url === undefined ? {} : { url: packed.url }),
  };
}
