// Rows of cells on the way from the daemon's emulator to the client's compositor.
//
// A cell is four 32-bit words: content, fg, bg, ext. The first three are @xterm/headless's own encoding, so that a row of
// a pane is a copy (facts: perf, "Reading 200x60"). Measured against the installed package; see src/screen/rows.ts.
//   content: bits 0-20 code point; bit 21 set: the cell is a combined glyph and bits 0-20 are an index into `strings`;
//            bits 22-23 width (0: right half of a wide glyph, 1, 2). All zero: a blank.
//   fg:      bits 0-23 colour (palette index in 0-7, or RGB), bits 24-25 mode (0 default, 1 16 colours, 2 256, 3 RGB),
//            bit 26 inverse, 27 bold, 28 underline, 29 blink, 30 invisible, 31 strikethrough.
//   bg:      bits 0-25 likewise, bit 26 italic, 27 dim, 28 has-extended, 29 protected, 30 overline.
//   ext:     0, or 1 + an index into `exts`.
import type { PaneId } from './ids.js';

export const WORDS_PER_CELL = 4;
export const CONTENT_CODEPOINT_MASK = 0x1fffff;
export const CONTENT_COMBINED = 0x200000;
export const CONTENT_WIDTH_SHIFT = 22;
export const COLOR_MODE_MASK = 0x3000000;
export const COLOR_MODE_DEFAULT = 0;
export const COLOR_MODE_16 = 0x1000000;
export const COLOR_MODE_256 = 0x2000000;
export const COLOR_MODE_RGB = 0x3000000;
export const FG_INVERSE = 0x4000000;
export const FG_BOLD = 0x8000000;
export const FG_UNDERLINE = 0x10000000;
export const FG_BLINK = 0x20000000;
export const FG_INVISIBLE = 0x40000000;
export const FG_STRIKETHROUGH = 0x80000000;
export const BG_ITALIC = 0x4000000;
export const BG_DIM = 0x8000000;
export const BG_HAS_EXTENDED = 0x10000000;
export const BG_OVERLINE = 0x40000000;

/** 1 single, 2 double, 3 curly, 4 dotted, 5 dashed. */
export type UnderlineStyle = 0 | 1 | 2 | 3 | 4 | 5;

export interface CellExt {
  underlineStyle: UnderlineStyle;
  /** A colour word as in fg (bits 0-25), or 0 for the text's own colour. */
  underlineColor: number;
  /** OSC 8 target. */
  url?: string;
}

/** What the host must know of a pane's emulator: which input it wants, how its cursor looks. */
export interface PaneModes {
  altScreen: boolean;
  cursorVisible: boolean;
  /** DECSCUSR: 0 default … 6. */
  cursorStyle: number;
  bracketedPaste: boolean;
  focusEvents: boolean;
  applicationCursor: boolean;
  applicationKeypad: boolean;
  /** What mouse reports the child asked for, and their encoding. */
  mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any';
  mouseEncoding: 'default' | 'sgr' | 'sgr-pixels';
  /** Flags of the kitty keyboard protocol in force; 0 none. */
  kittyFlags: number;
  /** modifyOtherKeys level the child set (XTMODKEYS); 0 none. */
  modifyOtherKeys: number;
}

export const DEFAULT_MODES: PaneModes = {
  altScreen: false,
  cursorVisible: true,
  cursorStyle: 0,
  bracketedPaste: false,
  focusEvents: false,
  applicationCursor: false,
  applicationKeypad: false,
  mouse: 'none',
  mouseEncoding: 'default',
  kittyFlags: 0,
  modifyOtherKeys: 0,
};

export interface PatchRow {
  /** Row of the pane's view, 0-based. */
  y: number;
  /** cols × 4 words; shorter when what follows is all blank (zero). */
  cells: Uint32Array;
}

export interface ScreenPatch {
  paneId: PaneId;
  /** Rises by one with each patch of this pane to this client. */
  seq: number;
  cols: number;
  rows: number;
  /** True: forget what you had of this pane (attach, resize, new process). */
  full: boolean;
  /** Lines the whole view moved up since the last patch, before `changed` is applied; a hint for hardware scrolling, 0 is always right. */
  scrolled: number;
  changed: PatchRow[];
  /** Glyphs of combined cells in `changed`, by local index. */
  strings: string[];
  exts: CellExt[];
  cursor: { x: number; y: number };
  modes: PaneModes;
  title: string;
  /** Lines of scrollback above the live screen, and how far this client's view is scrolled up (0: live). */
  historyLines: number;
  scrollOffset: number;
}
