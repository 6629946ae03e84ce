// Operations on the tiles of a tab: pure, a tab in, a tab out. The daemon applies them (LayoutOp), the client asks
// where things are. Every function returns the same tab object when nothing changes.
import type { PaneId } from './ids.js';
import type { FocusDirection, Layout, LayoutMode, SplitDirection, Tab } from './layout.js';
import {
  areaRect,
  leavesOf,
  paneIds,
  ratioForFirst,
  splitAt,
  splitRect,
  tileRects,
  type Area,
} from './layout-tiles.js';

export * from './layout-tiles.js';

/** The area assumed where the caller knows none: a common terminal, halfway between 80x24 and 200x50. */
const USUAL_AREA: Area = { cols: 120, rows: 40 };
/** Share of the main pane: enough for 48 of 80 columns. */
const MAIN_RATIO = 0.6;
/** Cells are about twice as tall as wide; a tile of 3:1 cells reads well. */
const GOOD_ASPECT = 3;
/** What a missing tile in the last row costs, beside the measures above. */
const EMPTY_SLOT_COST = 0.15;
/** Narrower tiles wrap most prose and code. */
const GOOD_COLS = 36;

/**
 * Adds a pane. With `direction`: splits `near` (or the last pane) there, and the tab becomes manual. Without: the mode
 * finds the place (a manual tab splits `near` along its longer side).
 */
export function insertPane(
  tab: Tab,
  paneId: PaneId,
  near?: PaneId,
  direction?: SplitDirection,
  area: Area = USUAL_AREA,
): Tab {
  const ids = paneIds(tab);
  if (ids.includes(paneId)) return tab;
  const base = withoutZoom(tab);
  if (!base.layout) return { ...base, layout: leaf(paneId) };
  if (direction === undefined && base.mode !== 'manual')
    return { ...base, layout: arrange([...ids, paneId], base.mode, area) };
  const target = near !== undefined && ids.includes(near) ? near : ids[ids.length - 1]!;
  const along = direction ?? longerSide(base, area, target);
  const layout = replaceLeaf(base.layout, target, (old) => split(along, 0.5, old, leaf(paneId)));
  return { ...base, mode: direction === undefined ? base.mode : 'manual', layout };
}

/** Takes a pane out; its neighbour takes the room (manual) or the mode arranges the rest anew. */
export function removePane(tab: Tab, paneId: PaneId, area: Area = USUAL_AREA): Tab {
  if (!tab.layout || !paneIds(tab).includes(paneId)) return tab;
  const base = tab.zoomed === paneId ? withoutZoom(tab) : tab;
  if (base.mode === 'manual') return { ...base, layout: withoutLeaf(tab.layout, paneId) };
  const rest = paneIds(tab).filter((id) => id !== paneId);
  return { ...base, layout: arrange(rest, base.mode, area) };
}

/** Exchanges two panes; the tree and its sizes stay. */
export function swapPanes(tab: Tab, a: PaneId, b: PaneId): Tab {
  const ids = paneIds(tab);
  if (!tab.layout || a === b || !ids.includes(a) || !ids.includes(b)) return tab;
  const exchange = (node: Layout): Layout => {
    if (node.type === 'leaf') return node.paneId === a ? leaf(b) : node.paneId === b ? leaf(a) : node;
    return { ...node, first: exchange(node.first), second: exchange(node.second) };
  };
  return { ...tab, layout: exchange(tab.layout) };
}

/** Sets the share of the first side of the split at `path` (0 first, 1 second, from the root); kept in 0.02..0.98. */
export function setRatio(tab: Tab, path: readonly number[], ratio: number): Tab {
  if (!tab.layout || !Number.isFinite(ratio) || !splitAt(tab.layout, areaRect(USUAL_AREA), path)) return tab;
  return { ...tab, layout: withRatio(tab.layout, path, Math.max(0.02, Math.min(0.98, ratio))) };
}

export interface RatioChange {
  path: number[];
  ratio: number;
}

/**
 * What `resizePane` would set: moves the pane's border on that side by `cells`; a pane at that edge of the area moves
 * its opposite border instead. Null when there is no border to move.
 */
export function resizeChange(
  tab: Tab,
  area: Area,
  paneId: PaneId,
  direction: FocusDirection,
  cells: number,
): RatioChange | null {
  const path = tab.layout ? pathTo(tab.layout, paneId) : null;
  if (!path) return null;
  const axis: SplitDirection = direction === 'left' || direction === 'right' ? 'right' : 'down';
  const grows = direction === 'right' || direction === 'down';
  const at =
    borderPath(tab.layout!, path, axis, grows ? 0 : 1) ?? borderPath(tab.layout!, path, axis, grows ? 1 : 0);
  const found = at && splitAt(tab.layout, areaRect(area), at);
  if (!found) return null;
  const now = splitRect(found.node, found.rect).first;
  const size = axis === 'right' ? now.width : now.height;
  return { path: at, ratio: ratioForFirst(found.node, found.rect, size + (grows ? cells : -cells)) };
}

/** Moves a border of the pane by `cells` cells; see resizeChange. */
export function resizePane(
  tab: Tab,
  area: Area,
  paneId: PaneId,
  direction: FocusDirection,
  cells: number,
): Tab {
  const change = resizeChange(tab, area, paneId, direction, cells);
  return change ? setRatio(tab, change.path, change.ratio) : tab;
}

/** Arranges the panes by a mode, in their order; `manual` leaves the tree as it is. */
export function setMode(tab: Tab, mode: LayoutMode, area: Area = USUAL_AREA): Tab {
  const base = withoutZoom(tab);
  if (mode === 'manual' || !tab.layout) return { ...base, mode };
  return { ...base, mode, layout: arrange(paneIds(tab), mode, area) };
}

/** What `next layout` goes to; manual is reached by splitting, not by cycling. */
export function nextMode(mode: LayoutMode): LayoutMode {
  const cycle: LayoutMode[] = ['auto', 'columns', 'rows', 'main'];
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length]!;
}

function arrange(ids: readonly PaneId[], mode: LayoutMode, area: Area): Layout | null {
  if (ids.length === 0) return null;
  if (mode === 'columns') return chain('right', ids.map(leaf));
  if (mode === 'rows') return chain('down', ids.map(leaf));
  if (mode === 'main' && ids.length > 1)
    return split('right', MAIN_RATIO, leaf(ids[0]!), chain('down', ids.slice(1).map(leaf)));
  return chain(
    'down',
    gridRows(ids, area).map((row) => chain('right', row.map(leaf))),
  );
}

/** Rows of a grid in reading order; the last row may have fewer, wider tiles. */
function gridRows(ids: readonly PaneId[], area: Area): PaneId[][] {
  const columns = gridColumns(ids.length, area);
  const rows: PaneId[][] = [];
  for (let i = 0; i < ids.length; i += columns) rows.push(ids.slice(i, i + columns));
  return rows;
}

function gridColumns(count: number, area: Area): number {
  let best = 1;
  let bestCost = Infinity;
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const width = Math.max(1, (area.cols - columns + 1) / columns);
    const height = Math.max(1, (area.rows - rows + 1) / rows);
    const shape = Math.abs(Math.log(width / height / GOOD_ASPECT));
    const narrow = Math.max(0, GOOD_COLS - width) / 10;
    const cost = shape + narrow + (columns * rows - count) * EMPTY_SLOT_COST;
    if (cost < bestCost) [best, bestCost] = [columns, cost];
  }
  return best;
}

function chain(direction: SplitDirection, parts: Layout[]): Layout {
  const [first, ...rest] = parts;
  return rest.length === 0 ? first! : split(direction, 1 / parts.length, first!, chain(direction, rest));
}

function longerSide(tab: Tab, area: Area, paneId: PaneId): SplitDirection {
  const rect = tileRects(tab, area).get(paneId);
  return rect && rect.width < rect.height * GOOD_ASPECT ? 'down' : 'right';
}

/** The path of the nearest split along `axis` that holds the pane on its `side`. */
function borderPath(
  layout: Layout,
  path: readonly number[],
  axis: SplitDirection,
  side: 0 | 1,
): number[] | null {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const at = path.slice(0, depth);
    const found = splitAt(layout, areaRect(USUAL_AREA), at);
    if (found?.node.direction === axis && path[depth] === side) return at;
  }
  return null;
}

function pathTo(layout: Layout, paneId: PaneId): number[] | null {
  if (layout.type === 'leaf') return layout.paneId === paneId ? [] : null;
  const first = pathTo(layout.first, paneId);
  if (first) return [0, ...first];
  const second = pathTo(layout.second, paneId);
  return second ? [1, ...second] : null;
}

function withRatio(layout: Layout, path: readonly number[], ratio: number): Layout {
  if (layout.type === 'leaf') return layout;
  const [step, ...rest] = path;
  if (step === undefined) return { ...layout, ratio };
  return step === 0
    ? { ...layout, first: withRatio(layout.first, rest, ratio) }
    : { ...layout, second: withRatio(layout.second, rest, ratio) };
}

function withoutLeaf(layout: Layout, paneId: PaneId): Layout | null {
  if (layout.type === 'leaf') return layout.paneId === paneId ? null : layout;
  const first = withoutLeaf(layout.first, paneId);
  const second = withoutLeaf(layout.second, paneId);
  return first && second ? { ...layout, first, second } : (first ?? second);
}

function replaceLeaf(layout: Layout, paneId: PaneId, make: (old: Layout) => Layout): Layout {
  if (layout.type === 'leaf') return layout.paneId === paneId ? make(layout) : layout;
  const side = leavesOf(layout.first).includes(paneId) ? 'first' : 'second';
  return { ...layout, [side]: replaceLeaf(layout[side], paneId, make) };
}

function withoutZoom(tab: Tab): Tab {
  if (tab.zoomed === undefined) return tab;
  const { zoomed: _zoomed, ...rest } = tab;
  return rest;
}

function leaf(paneId: PaneId): Layout {
  return { type: 'leaf', paneId };
}

function split(direction: SplitDirection, ratio: number, first: Layout, second: Layout): Layout {
  return { type: 'split', direction, ratio, first, second };
}
