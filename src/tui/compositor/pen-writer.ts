// What the host's terminal has now (cursor, SGR, link) and the cheapest bytes to where the next cell needs it. Used by the
// diff and the scroller; it knows nothing of buffers.
import {
  BG_DIM,
  BG_ITALIC,
  BG_OVERLINE,
  COLOR_MODE_DEFAULT,
  COLOR_MODE_MASK,
  FG_BLINK,
  FG_BOLD,
  FG_INVERSE,
  FG_INVISIBLE,
  FG_STRIKETHROUGH,
  FG_UNDERLINE,
  type CellExt,
} from '../../model/patch.js';
import type { CellTables } from './cell-tables.js';
import { ColorCodes, type ColorDepth } from './colors.js';

const COLOR_BITS = 0x3ffffff;

export interface PenOptions {
  colors: ColorDepth;
  /** The host draws underline styles and colours (SGR 4:3, 58). */
  underlineStyles: boolean;
  hyperlinks: boolean;
}

/** Pens that get a number, and transitions between them that are kept. */
const PEN_CAP = 2048;
const TRANSITION_CAP = 16_384;
const PLAIN_EXT: CellExt = { underlineStyle: 0, underlineColor: 0 };

/** Flags with codes of their own; bold, dim and underline share theirs and are handled apart. */
const FG_FLAGS: readonly (readonly [bit: number, on: string, off: string])[] = [
  [FG_BLINK, '5', '25'],
  [FG_INVERSE, '7', '27'],
  [FG_INVISIBLE, '8', '28'],
  [FG_STRIKETHROUGH, '9', '29'],
];
const BG_FLAGS: readonly (readonly [bit: number, on: string, off: string])[] = [
  [BG_ITALIC, '3', '23'],
  [BG_OVERLINE, '53', '55'],
];

export class PenWriter {
  /** What was written since `take`. */
  out = '';
  /** Where the cursor is; x is -1 when it is not known (after the last column, after a glyph of doubtful width). */
  x = -1;
  y = -1;
  fg = 0;
  bg = 0;
  ext = 0;
  readonly #codes: ColorCodes;
  readonly #options: PenOptions;
  readonly #tables: CellTables;
  #penKnown = false;
  readonly #penIds = new Map<number, Map<number, number>>();
  #penCount = 0;
  readonly #transitions = new Map<number, string>();

  constructor(options: PenOptions, tables: CellTables) {
    this.#options = options;
    this.#codes = new ColorCodes(options.colors);
    this.#tables = tables;
  }

  take(): string {
    const out = this.out;
    this.out = '';
    return out;
  }

  /** Nothing is known of the host's cursor and pen. */
  forget(): void {
    this.x = -1;
    this.y = -1;
    this.#penKnown = false;
  }

  forgetCursor(): void {
    this.x = -1;
    this.y = -1;
  }

  moveTo(x: number, y: number): void {
    if (this.x === x && this.y === y) return;
    this.out += this.#move(x, y);
    this.x = x;
    this.y = y;
  }

  #move(x: number, y: number): string {
    if (this.y === y) {
      if (x === 0) return '\r';
      if (this.x >= 0) {
        const right = x - this.x;
        if (right === 1) return '\x1b[C';
        if (right > 0) return `\x1b[${right}C`;
        if (right >= -4) return '\b'.repeat(-right);
      }
      return `\x1b[${x + 1}G`;
    }
    if (this.y >= 0 && y === this.y + 1) {
      if (x === 0) return '\r\n';
      if (x === this.x) return '\x1b[B';
    }
    if (x === 0) return y === 0 ? '\x1b[H' : `\x1b[${y + 1}H`;
    return `\x1b[${y + 1};${x + 1}H`;
  }

  /** Puts the pen into a state with the default background, as erasing and scrolling need it. */
  plainBackground(): void {
    if (!this.#penKnown || (this.bg & COLOR_BITS) !== 0) this.setPen(0, 0, 0);
  }

  setPen(fg: number, bg: number, ext: number): void {
    if (!this.#penKnown) {
      this.out += this.#options.hyperlinks ? '\x1b]8;;\x1b\\\x1b[m' : '\x1b[m';
      this.#penKnown = true;
      this.fg = 0;
      this.bg = 0;
      this.ext = 0;
    }
    if (this.fg === fg && this.bg === bg && this.ext === ext) return;
    this.out += this.#transition(fg, bg, ext);
    this.fg = fg;
    this.bg = bg;
    this.ext = ext;
  }

  /** Pens come back again and again: what leads from one to another is kept. */
  #transition(fg: number, bg: number, ext: number): string {
    if (ext !== 0 || this.ext !== 0) return this.#sgr(fg, bg, ext) + this.#link(ext);
    // Too many pens (gradients): begin anew, before either of the two gets its number.
    if (this.#penCount > PEN_CAP - 2 || this.#transitions.size > TRANSITION_CAP) this.#forgetPens();
    const key = this.#penId(this.fg, this.bg) * PEN_CAP + this.#penId(fg, bg);
    let found = this.#transitions.get(key);
    if (found === undefined) {
      found = this.#sgr(fg, bg, ext);
      this.#transitions.set(key, found);
    }
    return found;
  }

  #penId(fg: number, bg: number): number {
    let byBg = this.#penIds.get(fg);
    if (!byBg) {
      byBg = new Map<number, number>();
      this.#penIds.set(fg, byBg);
    }
    let id = byBg.get(bg);
    if (id === undefined) {
      id = this.#penCount++;
      byBg.set(bg, id);
    }
    return id;
  }

  #forgetPens(): void {
    this.#penIds.clear();
    this.#transitions.clear();
    this.#penCount = 0;
  }

  #link(ext: number): string {
    if (!this.#options.hyperlinks) return '';
    const before = this.#tables.extOf(this.ext)?.url;
    const after = this.#tables.extOf(ext)?.url;
    if (before === after) return '';
    return after === undefined ? '\x1b]8;;\x1b\\' : `\x1b]8;id=a${linkId(after)};${after}\x1b\\`;
  }

  #sgr(fg: number, bg: number, ext: number): string {
    const style = this.#extOf(ext);
    const reset = ['0'];
    this.#additions(reset, 0, 0, PLAIN_EXT, fg, bg, style);
    const fresh = reset.length === 1 ? '' : reset.join(';');
    const change: string[] = [];
    this.#removals(change, fg, bg, style);
    this.#additions(change, this.fg, this.bg, this.#extOf(this.ext), fg, bg, style);
    if (change.length === 0) return '';
    const delta = change.join(';');
    return `\x1b[${delta.length <= fresh.length ? delta : fresh}m`;
  }

  #extOf(ext: number): CellExt {
    return (this.#options.underlineStyles ? this.#tables.extOf(ext) : undefined) ?? PLAIN_EXT;
  }

  /** Codes that switch off what the pen has and the cell does not. */
  #removals(codes: string[], fg: number, bg: number, ext: CellExt): void {
    if ((this.fg & ~fg & FG_BOLD) !== 0 || (this.bg & ~bg & BG_DIM) !== 0) codes.push('22');
    if ((this.fg & ~fg & FG_UNDERLINE) !== 0) codes.push('24');
    for (const [bit, , off] of FG_FLAGS) if ((this.fg & ~fg & bit) !== 0) codes.push(off);
    for (const [bit, , off] of BG_FLAGS) if ((this.bg & ~bg & bit) !== 0) codes.push(off);
    if (ext.underlineColor === 0 && this.#extOf(this.ext).underlineColor !== 0) this.#push(codes, '59');
  }

  /** Codes that switch on what the cell has and `from…` does not. */
  #additions(
    codes: string[],
    fromFg: number,
    fromBg: number,
    fromExt: CellExt,
    fg: number,
    bg: number,
    ext: CellExt,
  ): void {
    // 22 switches off both bold and dim: the one that stays is switched on again.
    const lost = (fromFg & ~fg & FG_BOLD) !== 0 || (fromBg & ~bg & BG_DIM) !== 0;
    if ((fg & FG_BOLD) !== 0 && (lost || (fromFg & FG_BOLD) === 0)) codes.push('1');
    if ((bg & BG_DIM) !== 0 && (lost || (fromBg & BG_DIM) === 0)) codes.push('2');
    if ((fg & FG_UNDERLINE) !== 0) {
      const style = ext.underlineStyle || 1;
      const before = (fromFg & FG_UNDERLINE) === 0 ? 0 : fromExt.underlineStyle || 1;
      if (style !== before) codes.push(style === 1 ? '4' : `4:${style}`);
    }
    for (const [bit, on] of FG_FLAGS) if ((fg & ~fromFg & bit) !== 0) codes.push(on);
    for (const [bit, on] of BG_FLAGS) if ((bg & ~fromBg & bit) !== 0) codes.push(on);
    if (((fg ^ fromFg) & COLOR_BITS) !== 0) this.#push(codes, this.#codes.code(fg & COLOR_BITS, false));
    if (((bg ^ fromBg) & COLOR_BITS) !== 0) this.#push(codes, this.#codes.code(bg & COLOR_BITS, true));
    if (ext.underlineColor !== 0 && ext.underlineColor !== fromExt.underlineColor)
      this.#push(codes, this.#codes.underline(ext.underlineColor));
  }

  #push(codes: string[], code: string): void {
    if (code !== '') codes.push(code);
  }
}

/** True when the word has no colour of its own: erasing then needs no host that fills with the pen's background. */
export function isDefaultColor(word: number): boolean {
  return (word & COLOR_MODE_MASK) === COLOR_MODE_DEFAULT;
}

/** A link that is cut over rows keeps one id, so that the host marks it as a whole (FNV-1a of its address). */
function linkId(url: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < url.length; i++) hash = Math.imul(hash ^ url.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
