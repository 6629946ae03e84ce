// What a cell's 32-bit words cannot hold: glyphs of several code points, and extended attributes. Interned once per
// compositor, so that equal cells have equal words. Owned by the compositor; every part of it reads it.
import {
  BG_OVERLINE,
  COLOR_MODE_DEFAULT,
  COLOR_MODE_MASK,
  COLOR_MODE_RGB,
  CONTENT_CODEPOINT_MASK,
  CONTENT_COMBINED,
  FG_INVERSE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  WORDS_PER_CELL,
  type CellExt,
} from '../../model/patch.js';
import { graphemes } from '../../screen/width.js';

/** Content of the right half of a wide glyph in the compositor's own buffers (the wire has 0 there, as blanks have). */
export const RIGHT_HALF = 0xc00000;
export const WIDTH_MASK = 0xc00000;
export const WIDTH_TWO = 0x800000;
/** Past so many entries the tables are rebuilt from the cells that are alive. */
const COMPACT_AT = 32_768;
/** A link longer than this is not passed on; terminals cap them near it. */
const URL_CAP_CHARS = 2048;

export class CellTables {
  #glyphs: string[] = [];
  #glyphIndex = new Map<string, number>();
  readonly #clean = new Map<string, string>();
  #exts: CellExt[] = [];
  #extIndex = new Map<string, number>();

  get isLarge(): boolean {
    return this.#glyphs.length > COMPACT_AT || this.#exts.length > COMPACT_AT;
  }

  /** Index of a glyph of several code points, for the content word. */
  glyph(text: string): number {
    let index = this.#glyphIndex.get(text);
    if (index === undefined) {
      index = this.#glyphs.push(text) - 1;
      this.#glyphIndex.set(text, index);
    }
    return index;
  }

  /**
   * A glyph from a child, made safe: no controls, and one cluster only, since a host would give a second one cells of its
   * own and push the row out of place.
   */
  oneGlyph(text: string): string {
    let clean = this.#clean.get(text);
    if (clean === undefined) {
      clean = graphemes(text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ''))[0]?.text ?? '';
      if (this.#clean.size >= COMPACT_AT) this.#clean.clear();
      this.#clean.set(text, clean);
    }
    return clean;
  }

  /** The text of a content word; '' for blanks and right halves. */
  textOf(content: number): string {
    if ((content & CONTENT_COMBINED) !== 0) return this.#glyphs[content & CONTENT_CODEPOINT_MASK] ?? '';
    const code = content & CONTENT_CODEPOINT_MASK;
    return code === 0 ? '' : String.fromCodePoint(code);
  }

  /** The ext word of these attributes; 0 when a plain underline flag says it all. */
  ext(underlineStyle: number, underlineColor: number, url: string | undefined): number {
    const link = url === undefined ? undefined : cleanUrl(url);
    if (underlineStyle <= 1 && underlineColor === 0 && link === undefined) return 0;
    const key = `${underlineStyle} ${underlineColor} ${link ?? ''}`;
    let index = this.#extIndex.get(key);
    if (index === undefined) {
      const ext: CellExt = { underlineStyle: underlineStyle as CellExt['underlineStyle'], underlineColor };
      if (link !== undefined) ext.url = link;
      index = this.#exts.push(ext) - 1;
      this.#extIndex.set(key, index);
    }
    return index + 1;
  }

  extOf(word: number): CellExt | undefined {
    return word === 0 ? undefined : this.#exts[word - 1];
  }

  /** Rebuilds the tables from the given buffers and rewrites the words in them. Each buffer once. */
  compact(buffers: Iterable<Uint32Array>): void {
    const old = new CellTables();
    old.#glyphs = this.#glyphs;
    old.#exts = this.#exts;
    this.#glyphs = [];
    this.#exts = [];
    this.#glyphIndex.clear();
    this.#extIndex.clear();
    for (const words of buffers) {
      for (let at = 0; at < words.length; at += WORDS_PER_CELL) {
        const content = words[at]!;
        if ((content & CONTENT_COMBINED) !== 0) {
          const index = this.glyph(old.textOf(content));
          words[at] = ((content & ~CONTENT_CODEPOINT_MASK) | index) >>> 0;
        }
        const ext = old.extOf(words[at + 3]!);
        if (ext) words[at + 3] = this.ext(ext.underlineStyle, ext.underlineColor, ext.url);
      }
    }
  }
}

/** A link may not hold controls: they would end the sequence it is sent in. */
function cleanUrl(url: string): string | undefined {
  if (url === '' || url.length > URL_CAP_CHARS || /[\u0000-\u0020\u007f-\u009f]/.test(url)) return undefined;
  return url;
}

/** A colour word (bits 0-25 of fg or bg) without the bits that its mode does not use. */
export function cleanColor(word: number): number {
  const mode = word & COLOR_MODE_MASK;
  if (mode === COLOR_MODE_DEFAULT) return 0;
  return mode === COLOR_MODE_RGB ? word & 0x3ffffff : mode | (word & 0xff);
}

const FLAGS_MASK = 0xfc000000;
const COLOR_MASK = 0x3ffffff;
const BG_FLAGS_MASK = 0x4c000000;
const SEEN_ON_BLANKS_FG = FG_INVERSE | FG_UNDERLINE | FG_STRIKETHROUGH;

/**
 * Writes one cell in the one form that all equal-looking cells share: unused colour bits are zero, blanks carry only what
 * is seen on a blank, the emulator's bookkeeping bits are gone.
 */
export function putCell(
  words: Uint32Array,
  at: number,
  content: number,
  fg: number,
  bg: number,
  ext: number,
): void {
  let cleanFg = ((fg & FLAGS_MASK) | cleanColor(fg & COLOR_MASK)) >>> 0;
  let cleanBg = ((bg & BG_FLAGS_MASK) | cleanColor(bg & COLOR_MASK)) >>> 0;
  if (content === 0 && (cleanFg & SEEN_ON_BLANKS_FG) === 0 && (cleanBg & BG_OVERLINE) === 0 && ext === 0) {
    cleanFg = 0;
    cleanBg &= COLOR_MASK;
  }
  words[at] = content;
  words[at + 1] = cleanFg;
  words[at + 2] = cleanBg;
  words[at + 3] = ext;
}
