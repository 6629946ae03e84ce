// The whole chrome as placed rows of text: what screen.tsx hands to Ink, where the compositor puts panes and clocks, and
// which cells lie above the panes. Pure: a state in, a model out.
import type { PaneId } from '../../model/ids.js';
import { bodyRect, isZoomed, tileRects } from '../../model/layout-ops.js';
import type { Rect, Tab } from '../../model/layout.js';
import type { SessionView } from '../../wire/messages.js';
import type { Keymap } from '../keymap.js';
import { kindOf } from '../panes/kinds.js';
import { splitBody } from '../panes/pane-kind.js';
import {
  activeTab,
  focusedPane,
  isTooSmall,
  MIN_HOST,
  paneById,
  sessionOfPane,
  tileArea,
  type UiState,
} from '../state.js';
import { boxRows, boxSize, dialogView } from './dialog-view.js';
import { noticeRows } from './notice.js';
import { separatorRows } from './separator-rows.js';
import { statusBar, type TabSpan } from './status-bar.js';
import { fit, wrap, type Look } from './text.js';
import { makeTheme, type Theme } from './theme.js';
import { TIME_CELLS, titleRow } from './title-row.js';

/** Rows of text at a place of the screen. */
export interface Block {
  key: string;
  x: number;
  y: number;
  cols: number;
  rows: string[];
}

/** Cells the compositor repaints by itself: the time in a status. */
export interface Clock {
  x: number;
  y: number;
  cols: number;
  /** Milliseconds since the epoch. */
  since: number;
  look: Look;
}

export interface PaneBody {
  paneId: PaneId;
  /** Cells of the pane's own rows; a footer of its kind lies below them. */
  rect: Rect;
  focused: boolean;
}

export interface ScreenModel {
  cols: number;
  rows: number;
  blocks: Block[];
  panes: PaneBody[];
  clocks: Clock[];
  /** Cells where the chrome lies above the panes. */
  overlays: Rect[];
  /** The text cursor of a dialog or of the focused pane's footer; otherwise the focused pane has it. */
  cursor?: { x: number; y: number };
  /** Cells of the tabs in the last row, for the mouse. */
  tabSpans: TabSpan[];
  dialogOpen: boolean;
}

export function screenModel(state: UiState, keymap: Keymap, now: number): ScreenModel {
  const theme = makeTheme(state.host);
  const { cols, rows } = state.host;
  const model: ScreenModel = {
    cols,
    rows,
    blocks: [],
    panes: [],
    clocks: [],
    overlays: [],
    tabSpans: [],
    dialogOpen: state.dialog !== null,
  };
  if (isTooSmall(state.host)) return tooSmall(model);
  const tab = activeTab(state);
  if (tab?.layout) addTiles(model, { state, tab, keymap, theme, now });
  else addWelcome(model, state, keymap);
  addBar(model, state, keymap, theme);
  if (state.dialog) addDialog(model, state, keymap, theme);
  else if (state.link === 'lost') addLost(model, theme);
  return model;

  function addWelcome(into: ScreenModel, of: UiState, keys: Keymap): void {
    const words = of.workspace
      ? `Nothing runs here. ${keys.prefix} n starts an agent or a shell.`
      : 'Connecting…';
    const lines = wrap(words, Math.max(1, cols - 2));
    const y = Math.max(0, Math.floor((rows - 1 - lines.length) / 2));
    into.blocks.push({ key: 'welcome', x: 1, y, cols: cols - 2, rows: lines });
  }
}

function tooSmall(model: ScreenModel): ScreenModel {
  const words = `Too small: ${model.cols}x${model.rows}, needs ${MIN_HOST.cols}x${MIN_HOST.rows}`;
  const lines = wrap(words, Math.max(1, model.cols)).slice(0, model.rows);
  model.blocks.push({ key: 'too-small', x: 0, y: 0, cols: model.cols, rows: lines });
  return model;
}

function addTiles(model: ScreenModel, context: TilesContext): void {
  const { state, tab, theme } = context;
  const area = tileArea(state.host);
  const rects = tileRects(tab, area);
  const focused = focusedPane(state)?.id;
  const focusedRect = focused ? rects.get(focused) : undefined;
  model.blocks.push({
    key: 'separators',
    x: 0,
    y: 0,
    cols: area.cols,
    rows: separatorRows(tab, area, focusedRect, theme),
  });
  for (const [paneId, rect] of rects) {
    if (rect.width === 0 || rect.height === 0) continue;
    addTile(model, { ...context, paneId, rect, focused: paneId === focused });
  }
}

interface TilesContext {
  state: UiState;
  tab: Tab;
  keymap: Keymap;
  theme: Theme;
  now: number;
}

interface TileContext extends TilesContext {
  paneId: PaneId;
  rect: Rect;
  focused: boolean;
}

function addTile(model: ScreenModel, tile: TileContext): void {
  const { state, theme, paneId, rect, focused, now } = tile;
  const view = sessionOfPane(state, paneId);
  const title = titleRow(
    {
      view,
      childTitle: state.paneTitles[paneId] ?? '',
      focused,
      zoomed: isZoomed(tile.tab),
      scroll: state.scroll[paneId],
      scrollMode: state.scrollMode,
      width: rect.width,
      now,
    },
    theme,
  );
  model.blocks.push({ key: `title ${paneId}`, x: rect.x, y: rect.y, cols: rect.width, rows: [title.line] });
  if (view && title.timeAt !== undefined) {
    const x = rect.x + title.timeAt;
    model.clocks.push({ x, y: rect.y, cols: TIME_CELLS, since: view.statusSince, look: title.look });
  }
  const body = bodyRect(rect);
  if (body.height === 0) return;
  const hole = addFooter(model, tile, view, body);
  model.panes.push({ paneId, rect: hole, focused });
  // Scrolled up, the person reads what was; the end of the program is no news there.
  if ((state.scroll[paneId]?.offset ?? 0) === 0) addNotice(model, tile, view, hole);
}

/** The pane's composer or card, when its kind has one; answers the cells that are left above it. */
function addFooter(model: ScreenModel, tile: TileContext, view: SessionView | null, body: Rect): Rect {
  const { state, paneId, focused, now } = tile;
  const pane = paneById(state, paneId);
  if (!pane || !view) return body;
  const size = { cols: body.width, rows: body.height };
  const footer = kindOf(view, pane).footer?.({ state, pane, view, focused, size, now }) ?? null;
  const { hole, footerRect } = splitBody(body, footer);
  if (!footer || footerRect.height === 0) return hole;
  const rows = footer.rows.slice(-footerRect.height);
  model.blocks.push({ key: `footer ${paneId}`, x: body.x, y: footerRect.y, cols: body.width, rows });
  const skipped = footer.rows.length - rows.length;
  if (focused && footer.cursor && footer.cursor.y >= skipped)
    model.cursor = { x: body.x + footer.cursor.x, y: footerRect.y + footer.cursor.y - skipped };
  return hole;
}

/** What a person must know of a pane lies over the last rows of its body. */
function addNotice(model: ScreenModel, tile: TileContext, view: SessionView | null, body: Rect): void {
  const rows = noticeRows(view, tile.keymap, body.width, tile.theme).slice(-body.height);
  if (rows.length === 0) return;
  const y = body.y + body.height - rows.length;
  model.blocks.push({ key: `notice ${tile.paneId}`, x: body.x, y, cols: body.width, rows });
  model.overlays.push({ x: body.x, y, width: body.width, height: rows.length });
}

function addBar(model: ScreenModel, state: UiState, keymap: Keymap, theme: Theme): void {
  const bar = statusBar(state, keymap, theme);
  model.blocks.push({ key: 'bar', x: 0, y: model.rows - 1, cols: model.cols, rows: [bar.line] });
  model.tabSpans = bar.tabs;
}

function addDialog(model: ScreenModel, state: UiState, keymap: Keymap, theme: Theme): void {
  const view = dialogView(state.dialog!, state, keymap, theme);
  const size = boxSize(view);
  const x = Math.max(0, Math.floor((model.cols - size.cols) / 2));
  const y = Math.max(0, Math.floor((model.rows - 1 - size.rows) / 2));
  const rows = boxRows(view, theme);
  model.blocks.push({ key: 'dialog', x, y, cols: size.cols, rows });
  model.overlays.push({ x, y, width: size.cols, height: rows.length });
  delete model.cursor;
  if (view.cursor) model.cursor = { x: x + 2 + view.cursor.x, y: y + 1 + view.cursor.y };
}

function addLost(model: ScreenModel, theme: Theme): void {
  const words = ' The daemon is gone; starting it again. Programs go on. ';
  const cols = Math.min(words.length, model.cols);
  const x = Math.floor((model.cols - cols) / 2);
  const rows = [theme.paint(fit(words, cols, theme.ellipsis), { inverse: true, bold: true })];
  const y = Math.floor((model.rows - 1) / 2);
  model.blocks.push({ key: 'lost', x, y, cols, rows });
  model.overlays.push({ x, y, width: cols, height: 1 });
}
