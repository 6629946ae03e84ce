// The rows of one pane as the compositor last got them: patched rows of a terminal pane, or styled rows of a transcript.
// Keeps what changed and how far it scrolled since the last paint. Used by the compositor only.
import {
  CONTENT_CODEPOINT_MASK,
  CONTENT_COMBINED,
  CONTENT_WIDTH_SHIFT,
  FG_UNDERLINE,
  WORDS_PER_CELL,
  type PaneModes,
  type ScreenPatch,
} from '../../model/patch.js';
import { isZeroWidth } from '../../screen/width.js';
import { putCell, RIGHT_HALF, type CellTables } from './cell-tables.js';
import { glyphContent, type LineCache } from './styled-line.js';

const SPACE = 0x20;
const EMPTY = new Uint32Array(0);

export class PaneRows {
  /** Cells of each row, possibly shorter than the pane (the rest is blank). */
  rows: Uint32Array[] = [];
  /** True: the rows belong to the line cache and may not be written to. */
  shared = false;
  /** Lines the rows moved up since the last paint; 0 after anything that is not a scroll. */
  scrolled = 0;
  cursor: { x: number; y: number } = { x: 0, y: 0 };
  modes: PaneModes | undefined;
  /** The view is scrolled up: the cursor is not in it. */
  scrollOffset = 0;

  /** Takes a patch; answers which rows changed. */
  applyPatch(patch: ScreenPatch, tables: CellTables): Iterable<number> {
    const fresh = patch.full || this.shared || this.rows.length !== patch.rows;
    if (fresh) {
      this.rows = Array.from({ length: patch.rows }, () => EMPTY);
      this.shared = false;
      this.scrolled = 0;
    } else if (patch.scrolled > 0) this.#scroll(Math.min(patch.scrolled, patch.rows));
    this.cursor = patch.cursor;
    this.modes = patch.modes;
    this.scrollOffset = patch.scrollOffset;
    const localExts = patch.exts.map((ext) => ext);
    const lookup: Lookup = { tables, strings: patch.strings, exts: localExts };
    for (const row of patch.changed) {
      if (row.y < 0 || row.y >= patch.rows) continue;
      this.rows[row.y] = importRow(row.cells, patch.cols, this.rows[row.y]!, lookup);
    }
    if (fresh || patch.scrolled > 0) return this.rows.keys();
    return patch.changed.map((row) => row.y);
  }

  /** Takes the rows of a transcript as text; answers which rows changed. */
  setLines(lines: readonly string[], cache: LineCache): Iterable<number> {
    const next = lines.map((line) => cache.parse(line));
    const last = this.rows;
    const wasShared = this.shared;
    this.rows = next;
    this.shared = true;
    this.modes = undefined;
    this.scrollOffset = 0;
    const changed: number[] = [];
    for (let y = 0; y < Math.max(last.length, next.length); y++) if (last[y] !== next[y]) changed.push(y);
    const moved = wasShared && changed.length > 2 ? shiftOf(last, next) : 0;
    this.scrolled = moved > 0 ? this.scrolled + moved : 0;
    return changed;
  }

  #scroll(lines: number): void {
    // The row arrays go round: the ones that left at the top are emptied and used again at the bottom.
    const gone = this.rows.splice(0, lines);
    for (const words of gone) words.fill(0);
    this.rows.push(...gone);
    this.scrolled += lines;
  }
}

/** How many lines up `last` moved to look like `next`, when most rows say so; 0 when it did not. */
function shiftOf(last: readonly Uint32Array[], next: readonly Uint32Array[]): number {
  const height = Math.min(last.length, next.length);
  for (let shift = 1; shift < height; shift++) {
    let same = 0;
    let filled = 0;
    for (let y = 0; y + shift < height; y++) {
      if (last[y + shift] !== next[y]) continue;
      same++;
      if (next[y]!.length > 0) filled++;
    }
    if (same > (height - shift) / 2 && filled > 1) return shift;
  }
  return 0;
}

interface Lookup {
  tables: CellTables;
  strings: readonly string[];
  exts: ScreenPatch['exts'];
}

/** Cells from the wire in the compositor's own form: glyphs and exts interned, right halves marked, blanks zero. */
function importRow(cells: Uint32Array, cols: number, reuse: Uint32Array, lookup: Lookup): Uint32Array {
  const length = Math.min(cells.length, cols * WORDS_PER_CELL);
  const target = reuse.length === cols * WORDS_PER_CELL ? reuse : new Uint32Array(cols * WORDS_PER_CELL);
  let lead = -1;
  for (let at = 0; at < length; at += WORDS_PER_CELL) {
    const content = cells[at]!;
    let fg = cells[at + 1]!;
    const ext = importExt(cells[at + 3]!, fg, lookup);
    if (ext.underlined) fg |= FG_UNDERLINE;
    if (lead >= 0) {
      putCell(target, at, RIGHT_HALF, cells[lead + 1]!, cells[lead + 2]!, 0);
      target.copyWithin(at + 1, lead + 1, lead + WORDS_PER_CELL);
      lead = -1;
      continue;
    }
    putCell(target, at, importContent(content, lookup), fg, cells[at + 2]!, ext.word);
    if (content >>> CONTENT_WIDTH_SHIFT === 2 && target[at] !== 0) {
      // Half a wide glyph is no glyph.
      if (at + WORDS_PER_CELL < length && cells[at + WORDS_PER_CELL]! >>> CONTENT_WIDTH_SHIFT === 0)
        lead = at;
      else putCell(target, at, 0, fg, cells[at + 2]!, ext.word);
    }
  }
  target.fill(0, length);
  return target;
}

function importContent(content: number, lookup: Lookup): number {
  const code = content & CONTENT_CODEPOINT_MASK;
  const width = content >>> CONTENT_WIDTH_SHIFT;
  if (width === 0 || width > 2) return 0;
  if ((content & CONTENT_COMBINED) === 0) {
    if (code <= SPACE || (code >= 0x7f && code < 0xa0) || code > 0x10ffff) return 0;
    return isZeroWidth(code) ? glyphContent(String.fromCodePoint(code), width, lookup.tables) : content;
  }
  const text = lookup.tables.oneGlyph(lookup.strings[code] ?? '');
  return text === '' ? 0 : glyphContent(text, width, lookup.tables);
}

const NO_EXT = { word: 0, underlined: false };

function importExt(word: number, fg: number, lookup: Lookup): { word: number; underlined: boolean } {
  const ext = word === 0 ? undefined : lookup.exts[word - 1];
  if (!ext) return NO_EXT;
  const underlined = ext.underlineStyle > 0 || (fg & FG_UNDERLINE) !== 0;
  const style = underlined ? ext.underlineStyle || 1 : 0;
  return { word: lookup.tables.ext(style, underlined ? ext.underlineColor : 0, ext.url), underlined };
}
