// Hardware scrolling: when moving a region of the host's screen saves more than it costs, the region is moved and the front
// buffer alike; the diff then repairs whatever differs, so a wrong hint costs bytes but never a wrong cell.
import { WORDS_PER_CELL } from '../../model/patch.js';
import type { Rect } from '../../model/layout.js';
import type { CellGrid } from './cell-grid.js';
import { RIGHT_HALF } from './cell-tables.js';
import type { PenWriter } from './pen-writer.js';

export interface ScrollOptions {
  /** The host has DECSTBM and SU. */
  regions: boolean;
  /** The host has left and right margins (DECSLRM). */
  marginsLR: boolean;
}

/** About what the sequences and the cursor move behind them cost, in bytes; a differing cell is counted as one. */
const REGION_COST = 22;
const MARGINS_COST = 44;

/** Moves `rect` of the front (and of the host) up by `lines` if that is the cheapest way to the back; true when it did. */
export function scrollRegion(
  front: CellGrid,
  back: CellGrid,
  rect: Rect,
  lines: number,
  writer: PenWriter,
  options: ScrollOptions,
): boolean {
  const inside = clip(rect, back);
  if (!options.regions || lines <= 0 || lines >= inside.height || inside.width <= 0) return false;
  const whole = { x: 0, y: inside.y, width: back.cols, height: inside.height };
  const still = difference(front, back, whole, 0, Infinity);
  if (still <= REGION_COST) return false;
  const moved = difference(front, back, whole, lines, still - REGION_COST) + REGION_COST;
  let movedInside = Infinity;
  if (options.marginsLR) {
    const outside = still - difference(front, back, inside, 0, Infinity);
    const most = Math.min(still, moved) - outside - MARGINS_COST;
    movedInside = outside + difference(front, back, inside, lines, most) + MARGINS_COST;
  }
  const margins = movedInside < moved && !cutsPair(front, inside);
  if ((margins ? movedInside : moved) >= still) return false;
  writer.plainBackground();
  const region = `\x1b[${inside.y + 1};${inside.y + inside.height}r`;
  const up = lines === 1 ? '\x1b[S' : `\x1b[${lines}S`;
  if (margins) {
    writer.out += `\x1b[?69h${region}\x1b[${inside.x + 1};${inside.x + inside.width}s${up}\x1b[r\x1b[?69l`;
    shift(front, inside, lines);
  } else {
    writer.out += `${region}${up}\x1b[r`;
    shift(front, whole, lines);
  }
  writer.forgetCursor();
  return true;
}

function clip(rect: Rect, grid: CellGrid): Rect {
  const x = Math.max(0, rect.x);
  const y = Math.max(0, rect.y);
  return {
    x,
    y,
    width: Math.min(grid.cols, rect.x + rect.width) - x,
    height: Math.min(grid.rows, rect.y + rect.height) - y,
  };
}

/**
 * Cells of `rect` that would differ if the front were moved up by `lines`; rows that come in are blank. Stops counting
 * near `limit`: from there on the answer makes no difference.
 */
function difference(front: CellGrid, back: CellGrid, rect: Rect, lines: number, limit: number): number {
  const f = front.words;
  const b = back.words;
  const stride = front.cols * WORDS_PER_CELL;
  let count = 0;
  for (let y = rect.y; y < rect.y + rect.height && count < limit; y++) {
    const shifted = y + lines < rect.y + rect.height;
    const from = back.base(y) + rect.x * WORDS_PER_CELL;
    const to = from + rect.width * WORDS_PER_CELL;
    for (let at = from; at < to; at += WORDS_PER_CELL) {
      const other = at + lines * stride;
      const same = shifted
        ? f[other] === b[at] &&
          f[other + 1] === b[at + 1] &&
          f[other + 2] === b[at + 2] &&
          f[other + 3] === b[at + 3]
        : b[at] === 0 && b[at + 2] === 0;
      if (!same) count++;
    }
  }
  return count;
}

/** True when a wide pair of the front lies over the region's left or right edge. */
function cutsPair(front: CellGrid, rect: Rect): boolean {
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    const row = front.base(y);
    const right = rect.x + rect.width;
    if (front.words[row + rect.x * WORDS_PER_CELL] === RIGHT_HALF) return true;
    if (right < front.cols && front.words[row + right * WORDS_PER_CELL] === RIGHT_HALF) return true;
  }
  return false;
}

function shift(front: CellGrid, rect: Rect, lines: number): void {
  const bottom = rect.y + rect.height;
  for (let y = rect.y; y < bottom; y++) {
    const start = front.base(y) + rect.x * WORDS_PER_CELL;
    const end = start + rect.width * WORDS_PER_CELL;
    const source = y + lines;
    if (source < bottom) {
      const from = front.base(source) + rect.x * WORDS_PER_CELL;
      front.words.copyWithin(start, from, from + rect.width * WORDS_PER_CELL);
    } else front.words.fill(0, start, end);
  }
}
