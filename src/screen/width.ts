// The one width table (Unicode 16 graphemes): how many cells a text takes and which code points share a cell. The emulator
// reads it as its unicode provider; layout and compositor call `cellWidth` and `graphemes`, so that all agree.
import { WIDTH_CLASSES } from './width-table.js';

const PLAIN = 0;
const WIDE = 1;
const EXTEND = 2;
const ZWJ = 3;
const REGIONAL = 4;
const HANGUL_L = 5;
const HANGUL_V = 6;
const HANGUL_T = 7;
const HANGUL_LV = 8;
const HANGUL_LVT = 9;
const PICTOGRAPH_TEXT = 10;
const PICTOGRAPH_WIDE = 11;
const MODIFIER = 12;
const DIGIT = 13;
const PICTOGRAPH_PLAIN = 14;
const VARIATION_16 = 15;

/** Code points of planes 0 and 1; above them only CJK (wide) and tags (extend) matter. */
const TABLE_SIZE = 0x20000;
const table = buildTable();

function buildTable(): Uint8Array {
  const classes: [string, number][] = [
    [WIDTH_CLASSES.wide, WIDE],
    [WIDTH_CLASSES.extend, EXTEND],
    [WIDTH_CLASSES.zwj, ZWJ],
    [WIDTH_CLASSES.regional, REGIONAL],
    [WIDTH_CLASSES.hangulL, HANGUL_L],
    [WIDTH_CLASSES.hangulV, HANGUL_V],
    [WIDTH_CLASSES.hangulT, HANGUL_T],
    [WIDTH_CLASSES.pictographText, PICTOGRAPH_TEXT],
    [WIDTH_CLASSES.pictographWide, PICTOGRAPH_WIDE],
    [WIDTH_CLASSES.modifier, MODIFIER],
    [WIDTH_CLASSES.digit, DIGIT],
    [WIDTH_CLASSES.pictographPlain, PICTOGRAPH_PLAIN],
    [WIDTH_CLASSES.variation16, VARIATION_16],
  ];
  const result = new Uint8Array(TABLE_SIZE);
  for (const [runs, kind] of classes) {
    let end = 0;
    for (const run of runs.split(' ')) {
      const [gap, extra] = run.split('.');
      const start = end + parseInt(gap!, 36);
      end = start + (extra ? parseInt(extra, 36) : 0);
      if (start < TABLE_SIZE) result.fill(kind, start, Math.min(end + 1, TABLE_SIZE));
    }
  }
  for (let i = 0; i < 11172; i++) result[0xac00 + i] = i % 28 === 0 ? HANGUL_LV : HANGUL_LVT;
  return result;
}

function kindOf(codePoint: number): number {
  if (codePoint < TABLE_SIZE) return table[codePoint]!;
  if (codePoint < 0x40000) return WIDE;
  return codePoint >= 0xe0000 && codePoint < 0xe1000 ? EXTEND : PLAIN;
}

/** True for code points that have no cell of their own after a base (combining marks, joiners, format controls). */
export function isZeroWidth(codePoint: number): boolean {
  if (codePoint < 0x300) return false;
  const kind = kindOf(codePoint);
  return kind === EXTEND || kind === ZWJ || kind === VARIATION_16;
}

// What a cluster looks like so far; decides whether the next code point joins it.
const AFTER_OTHER = 0;
const AFTER_PICTOGRAPH = 1;
const AFTER_PICTOGRAPH_ZWJ = 2;
const AFTER_REGIONAL = 3;
const AFTER_L = 4;
const AFTER_V = 5;
const AFTER_T = 6;
/** A digit, # or *: variation selector 16 makes it wide. */
const AFTER_DIGIT = 7;
/** A pictograph that is narrow text by default: variation selector 16 makes it wide. */
const AFTER_PICTOGRAPH_TEXT = 8;

/** State of a cluster in xterm's encoding: bit 0 join, bits 1-2 width, from bit 3 the state. 0: nothing before. */
export type ClusterState = number;

function pack(state: number, width: number, join: boolean): ClusterState {
  return (state << 3) | (width << 1) | (join ? 1 : 0);
}

export function widthOf(state: ClusterState): number {
  return (state >> 1) & 3;
}

export function joins(state: ClusterState): boolean {
  return (state & 1) === 1;
}

const NARROW = pack(AFTER_OTHER, 1, false);
const NARROW_DIGIT = pack(AFTER_DIGIT, 1, false);
const asciiStates = new Uint8Array(128).map((_, code) => (table[code] === DIGIT ? NARROW_DIGIT : NARROW));

/** The state of a code point that begins a cluster, by its kind. */
const startStates = [
  pack(AFTER_OTHER, 1, false),
  pack(AFTER_OTHER, 2, false),
  // A mark with nothing to sit on gets a cell of its own, so that no cell is ever 0 wide.
  pack(AFTER_OTHER, 1, false),
  pack(AFTER_OTHER, 1, false),
  pack(AFTER_REGIONAL, 1, false),
  pack(AFTER_L, 2, false),
  pack(AFTER_V, 1, false),
  pack(AFTER_T, 1, false),
  pack(AFTER_V, 2, false),
  pack(AFTER_T, 2, false),
  pack(AFTER_PICTOGRAPH_TEXT, 1, false),
  pack(AFTER_PICTOGRAPH, 2, false),
  pack(AFTER_PICTOGRAPH, 2, false),
  pack(AFTER_DIGIT, 1, false),
  pack(AFTER_PICTOGRAPH, 1, false),
  pack(AFTER_OTHER, 1, false),
];

/** The state after `codePoint` when the cluster before it was in state `before` (0: none). */
export function advance(codePoint: number, before: ClusterState): ClusterState {
  if (codePoint < 128) return asciiStates[codePoint]!;
  const kind = kindOf(codePoint);
  if (kind === PLAIN || before === 0) return startStates[kind]!;
  return joined(kind, before >> 3, (before >> 1) & 3) ?? startStates[kind]!;
}

function joined(kind: number, state: number, width: number): ClusterState | undefined {
  switch (kind) {
    case EXTEND:
      return pack(afterExtend(state), width, true);
    case ZWJ:
      return pack(isPictograph(state) ? AFTER_PICTOGRAPH_ZWJ : AFTER_OTHER, width, true);
    case VARIATION_16:
      if (state === AFTER_PICTOGRAPH_TEXT) return pack(AFTER_PICTOGRAPH, 2, true);
      return pack(afterExtend(state), state === AFTER_DIGIT ? 2 : width, true);
    case MODIFIER:
      return isPictograph(state) ? pack(AFTER_PICTOGRAPH, 2, true) : undefined;
    case REGIONAL:
      return state === AFTER_REGIONAL ? pack(AFTER_OTHER, 2, true) : undefined;
    case PICTOGRAPH_TEXT:
    case PICTOGRAPH_WIDE:
    case PICTOGRAPH_PLAIN:
      if (state !== AFTER_PICTOGRAPH_ZWJ) return undefined;
      return pack(AFTER_PICTOGRAPH, Math.max(width, widthOf(startStates[kind]!)), true);
    default:
      return joinedHangul(kind, state, width);
  }
}

function joinedHangul(kind: number, state: number, width: number): ClusterState | undefined {
  const next = widthOf(startStates[kind]!);
  if (kind === HANGUL_L && state === AFTER_L) return pack(AFTER_L, Math.max(width, next), true);
  if (kind === HANGUL_LV && state === AFTER_L) return pack(AFTER_V, Math.max(width, next), true);
  if (kind === HANGUL_LVT && state === AFTER_L) return pack(AFTER_T, Math.max(width, next), true);
  if (kind === HANGUL_V && (state === AFTER_L || state === AFTER_V)) return pack(AFTER_V, width, true);
  if (kind === HANGUL_T && (state === AFTER_V || state === AFTER_T)) return pack(AFTER_T, width, true);
  return undefined;
}

function isPictograph(state: number): boolean {
  return state === AFTER_PICTOGRAPH || state === AFTER_PICTOGRAPH_TEXT;
}

function afterExtend(state: number): number {
  if (state === AFTER_PICTOGRAPH_ZWJ) return AFTER_PICTOGRAPH;
  return isPictograph(state) ? state : AFTER_OTHER;
}

function isControl(codePoint: number): boolean {
  return codePoint < 32 || (codePoint >= 127 && codePoint < 160);
}

/** Cells that `text` takes in one line. Control characters take none: make them visible or remove them before. */
export function cellWidth(text: string): number {
  let total = 0;
  let state: ClusterState = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    if (isControl(code)) {
      state = 0;
      continue;
    }
    const next = advance(code, state);
    total += joins(next) ? widthOf(next) - widthOf(state) : widthOf(next);
    state = next;
  }
  return total;
}

/** A piece of text that stays in one cell (or one wide pair). */
export interface Grapheme {
  text: string;
  /** Cells: 1 or 2; 0 for a control character. */
  width: number;
}

/** The clusters of `text`, in order. */
export function graphemes(text: string): Grapheme[] {
  const result: Grapheme[] = [];
  let state: ClusterState = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    const piece = code > 0xffff ? text.slice(i, i++ + 2) : text[i]!;
    const next = isControl(code) ? 0 : advance(code, state);
    const last = result[result.length - 1];
    if (last && joins(next)) {
      last.text += piece;
      last.width = widthOf(next);
    } else {
      result.push({ text: piece, width: widthOf(next) });
    }
    state = next;
  }
  return result;
}

/** The table as a provider for @xterm/headless (`terminal.unicode.register`). */
export const unicodeProvider = {
  version: 'agentile-16',
  wcwidth(codePoint: number): 0 | 1 | 2 {
    if (isControl(codePoint) || isZeroWidth(codePoint)) return 0;
    return widthOf(startStates[kindOf(codePoint)]!) as 1 | 2;
  },
  charProperties: advance,
};
