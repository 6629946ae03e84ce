// Where the tiles of a tab are: rectangles, separators between them, neighbours. Pure geometry over the split tree.
// Called through layout-ops by the daemon (sizes of children) and the client (painting, mouse). It never changes a tree.
import type { PaneId } from './ids.js';
import type { FocusDirection, Layout, Rect, SplitDirection, Tab } from './layout.js';

export interface Area {
  cols: number;
  rows: number;
}

/** A tile keeps this much while the area has room for it: a readable title, and one row of body below it. */
export const MIN_TILE: Area = { cols: 8, rows: 2 };

type Split = Extract<Layout, { type: 'split' }>;

/** Pane ids in reading order. */
export function paneIds(tab: Pick<Tab, 'layout'>): PaneId[] {
  return tab.layout ? leavesOf(tab.layout) : [];
}

export function leavesOf(layout: Layout): PaneId[] {
  if (layout.type === 'leaf') return [layout.paneId];
  return [...leavesOf(layout.first), ...leavesOf(layout.second)];
}

/**
 * The rectangle of every visible tile within an area at 0,0; a tile's first row is its title row. Tiles and separators
 * together cover the area and never overlap. Where the area is too small for all, late tiles have width or height 0.
 * A zoomed pane is alone and takes all.
 */
export function tileRects(tab: Tab, area: Area): Map<PaneId, Rect> {
  const rects = new Map<PaneId, Rect>();
  if (!tab.layout) return rects;
  if (isZoomed(tab)) return rects.set(tab.zoomed!, areaRect(area));
  visit(tab.layout, areaRect(area), [], (node, rect) => {
    if (node.type === 'leaf') rects.set(node.paneId, rect);
  });
  return rects;
}

/** The part of a tile below its title row: the size a child is given. May be empty (height 0). */
export function bodyRect(rect: Rect): Rect {
  const title = Math.min(1, rect.height);
  return { x: rect.x, y: rect.y + title, width: rect.width, height: rect.height - title };
}

/** True when the zoom of the tab points at a pane that is still in it. */
export function isZoomed(tab: Tab): boolean {
  return tab.zoomed !== undefined && paneIds(tab).includes(tab.zoomed);
}

/** Cells an area must have for every tile to keep MIN_TILE. */
export function minArea(layout: Layout | null): Area {
  if (!layout) return { cols: 0, rows: 0 };
  if (layout.type === 'leaf') return MIN_TILE;
  const a = minArea(layout.first);
  const b = minArea(layout.second);
  return layout.direction === 'right'
    ? { cols: a.cols + 1 + b.cols, rows: Math.max(a.rows, b.rows) }
    : { cols: Math.max(a.cols, b.cols), rows: a.rows + 1 + b.rows };
}

const UP = 1;
const RIGHT = 2;
const DOWN = 4;
const LEFT = 8;
const GLYPHS: Record<number, string> = {
  [UP | DOWN]: '│',
  [LEFT | RIGHT]: '─',
  [UP | DOWN | RIGHT]: '├',
  [UP | DOWN | LEFT]: '┤',
  [LEFT | RIGHT | DOWN]: '┬',
  [LEFT | RIGHT | UP]: '┴',
  [UP | DOWN | LEFT | RIGHT]: '┼',
};

export interface SeparatorCell {
  x: number;
  y: number;
  /** Box-drawing glyph; `ascii` is its stand-in (| - +). */
  glyph: string;
  ascii: string;
}

/** Every cell of the lines between tiles, junctions joined. None when zoomed. */
export function separators(tab: Tab, area: Area): SeparatorCell[] {
  if (!tab.layout || isZoomed(tab)) return [];
  const bits = separatorBits(tab.layout, area);
  return [...bits].map(([key, value]) => {
    const glyph = GLYPHS[value] ?? '┼';
    const ascii = glyph === '│' ? '|' : glyph === '─' ? '-' : '+';
    return { x: key % area.cols, y: Math.floor(key / area.cols), glyph, ascii };
  });
}

function separatorBits(layout: Layout, area: Area): Map<number, number> {
  const bits = new Map<number, number>();
  visit(layout, areaRect(area), [], (node, rect) => {
    if (node.type !== 'split') return;
    const line = splitRect(node, rect).separator;
    const own = node.direction === 'right' ? UP | DOWN : LEFT | RIGHT;
    for (let y = line.y; y < line.y + line.height; y++)
      for (let x = line.x; x < line.x + line.width; x++) bits.set(y * area.cols + x, own);
  });
  for (const [key, value] of [...bits]) joinNeighbours(bits, key, value, area.cols);
  return bits;
}

/** A line that ends at a crossing line grows an arm in it. */
function joinNeighbours(bits: Map<number, number>, key: number, value: number, cols: number): void {
  const grow = (at: number, arm: number) => {
    const there = bits.get(at);
    if (there !== undefined) bits.set(at, there | arm);
  };
  if (value & UP && value & DOWN) {
    grow(key - cols, DOWN);
    grow(key + cols, UP);
  }
  if (value & LEFT && value & RIGHT) {
    if (key % cols > 0) grow(key - 1, RIGHT);
    if (key % cols < cols - 1) grow(key + 1, LEFT);
  }
}

export interface SeparatorHit {
  /** Path of 0 (first) and 1 (second) from the root to the split whose line this is. */
  path: number[];
  direction: SplitDirection;
}

/** The separator under a cell, for dragging it. */
export function separatorAt(tab: Tab, area: Area, x: number, y: number): SeparatorHit | null {
  if (!tab.layout || isZoomed(tab)) return null;
  let hit: SeparatorHit | null = null;
  visit(tab.layout, areaRect(area), [], (node, rect, path) => {
    if (node.type === 'split' && contains(splitRect(node, rect).separator, x, y))
      hit = { path, direction: node.direction };
  });
  return hit;
}

/** The ratio that puts the separator of the split at `path` under the cell; null when there is no such split. */
export function ratioForCell(
  tab: Tab,
  area: Area,
  path: readonly number[],
  x: number,
  y: number,
): number | null {
  const found = splitAt(tab.layout, areaRect(area), path);
  if (!found) return null;
  const { node, rect } = found;
  const [at, size] = node.direction === 'right' ? [x - rect.x, rect.width] : [y - rect.y, rect.height];
  return ratioForFirst(node, rect, Math.max(0, Math.min(at, size - 1)));
}

/** The tile beside a pane, the one that shares most of that edge; null at the edge of the area. */
export function neighbour(tab: Tab, area: Area, paneId: PaneId, direction: FocusDirection): PaneId | null {
  const min = minArea(tab.layout);
  // Focus moves through the tree as it would be with room, also when the screen is tiny or one pane is zoomed.
  const roomy = { cols: Math.max(area.cols, min.cols), rows: Math.max(area.rows, min.rows) };
  const rects = tileRects({ ...tab, zoomed: undefined }, roomy);
  const from = rects.get(paneId);
  if (!from) return null;
  let best: PaneId | null = null;
  let bestOverlap = 0;
  for (const [id, rect] of rects) {
    const overlap = id === paneId ? 0 : sharedEdge(from, rect, direction);
    if (overlap > bestOverlap) [best, bestOverlap] = [id, overlap];
  }
  return best;
}

function sharedEdge(from: Rect, to: Rect, direction: FocusDirection): number {
  const touches = {
    left: to.x + to.width + 1 === from.x,
    right: from.x + from.width + 1 === to.x,
    up: to.y + to.height + 1 === from.y,
    down: from.y + from.height + 1 === to.y,
  }[direction];
  if (!touches) return 0;
  return direction === 'left' || direction === 'right'
    ? Math.min(from.y + from.height, to.y + to.height) - Math.max(from.y, to.y)
    : Math.min(from.x + from.width, to.x + to.width) - Math.max(from.x, to.x);
}

/** The split at a path, with its rectangle. */
export function splitAt(
  layout: Layout | null,
  rect: Rect,
  path: readonly number[],
): { node: Split; rect: Rect } | null {
  if (!layout || layout.type === 'leaf') return null;
  const [step, ...rest] = path;
  if (step === undefined) return { node: layout, rect };
  const parts = splitRect(layout, rect);
  return step === 0 ? splitAt(layout.first, parts.first, rest) : splitAt(layout.second, parts.second, rest);
}

/** The ratio at which `first` has `cells` cells along the split, kept within what both sides need. */
export function ratioForFirst(node: Split, rect: Rect, cells: number): number {
  const size = node.direction === 'right' ? rect.width : rect.height;
  const [minFirst, minSecond] = minAlong(node);
  const first = size >= minFirst + 1 + minSecond ? clamp(cells, minFirst, size - 1 - minSecond) : cells;
  return clamp((first + 1) / (size + 1), 0.02, 0.98);
}

/** A split's rectangle cut in three: first, the separator line (may be empty), second. */
export function splitRect(node: Split, rect: Rect): { first: Rect; separator: Rect; second: Rect } {
  const [minFirst, minSecond] = minAlong(node);
  const size = node.direction === 'right' ? rect.width : rect.height;
  const { first, line } = shareOut(size, node.ratio, minFirst, minSecond);
  const cut = (from: number, length: number): Rect =>
    node.direction === 'right'
      ? { x: rect.x + from, y: rect.y, width: length, height: rect.height }
      : { x: rect.x, y: rect.y + from, width: rect.width, height: length };
  return {
    first: cut(0, first),
    separator: cut(first, line),
    second: cut(first + line, size - first - line),
  };
}

/** `ratio` counts each tile with one separator, so that equal shares are equal whatever their number. */
function shareOut(size: number, ratio: number, minFirst: number, minSecond: number) {
  if (size < 3) return { first: Math.max(0, size), line: 0 };
  const wanted = Math.round(ratio * (size + 1)) - 1;
  if (size >= minFirst + 1 + minSecond)
    return { first: clamp(wanted, minFirst, size - 1 - minSecond), line: 1 };
  const fair = Math.round(((size - 1) * minFirst) / (minFirst + minSecond));
  return { first: clamp(fair, 1, size - 2), line: 1 };
}

function minAlong(node: Split): [number, number] {
  const a = minArea(node.first);
  const b = minArea(node.second);
  return node.direction === 'right' ? [a.cols, b.cols] : [a.rows, b.rows];
}

function visit(
  layout: Layout,
  rect: Rect,
  path: number[],
  see: (node: Layout, rect: Rect, path: number[]) => void,
): void {
  see(layout, rect, path);
  if (layout.type === 'leaf') return;
  const { first, second } = splitRect(layout, rect);
  visit(layout.first, first, [...path, 0], see);
  visit(layout.second, second, [...path, 1], see);
}

export function areaRect(area: Area): Rect {
  return { x: 0, y: 0, width: Math.max(0, area.cols), height: Math.max(0, area.rows) };
}

export function contains(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
