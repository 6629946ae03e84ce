// Decides what a mouse event of the host means: focus, a border dragged, scrolling, a tab, or an event for the child that
// asked for the mouse. Pure; the app carries it out.
import type { PaneId, TabId } from '../model/ids.js';
import type { MouseEvent } from '../model/key.js';
import { contains, ratioForCell, separatorAt, tileRects, type SeparatorHit } from '../model/layout-ops.js';
import type { Rect } from '../model/layout.js';
import type { PaneModes } from '../model/patch.js';
import type { ScreenModel } from './chrome/screen-model.js';
import { activeTab, focusedPane, tileArea, type UiState } from './state.js';

/** Lines a notch of the wheel moves. */
export const WHEEL_LINES = 3;

export interface MouseContext {
  state: UiState;
  model: ScreenModel;
  modesOf(paneId: PaneId): PaneModes | undefined;
  /** The pane whose child was given the last press: it gets the moves and the release, wherever they are. */
  heldBy: PaneId | null;
}

export type MouseRoute =
  | { do: 'nothing' }
  | { do: 'drag-start'; tabId: TabId; hit: SeparatorHit }
  | { do: 'drag'; tabId: TabId; path: number[]; ratio: number }
  | { do: 'drag-end' }
  | { do: 'focus'; paneId: PaneId }
  | { do: 'tab'; tabId: TabId }
  | { do: 'scroll'; paneId: PaneId; lines: number }
  /** A program with a screen of its own and no mouse: the wheel is arrow keys, as in a bare terminal. */
  | { do: 'arrows'; paneId: PaneId; name: 'up' | 'down'; count: number }
  | { do: 'child'; paneId: PaneId; mouse: MouseEvent; focus: boolean };

const NOTHING: MouseRoute = { do: 'nothing' };

export function routeMouse(mouse: MouseEvent, context: MouseContext): MouseRoute {
  const { state, model } = context;
  if (state.drag) return dragRoute(mouse, state);
  if (context.heldBy && (mouse.kind === 'move' || mouse.kind === 'release')) return heldRoute(mouse, context);
  if (model.dialogOpen) return NOTHING;
  const span = model.tabSpans.find(
    (tab) => mouse.y === model.rows - 1 && mouse.x >= tab.from && mouse.x < tab.to,
  );
  if (span) return mouse.kind === 'press' ? { do: 'tab', tabId: span.tabId } : NOTHING;
  if (mouse.kind === 'wheel') return wheelRoute(mouse, context);
  const body = model.panes.find((pane) => contains(pane.rect, mouse.x, mouse.y));
  if (body) return bodyRoute(mouse, context, body.paneId, body.rect);
  return mouse.kind === 'press' ? pressOutside(mouse, state) : NOTHING;
}

function dragRoute(mouse: MouseEvent, state: UiState): MouseRoute {
  const tab = activeTab(state);
  if (mouse.kind === 'release' || !state.drag || tab?.id !== state.drag.tabId) return { do: 'drag-end' };
  const { tabId, path } = state.drag;
  const ratio = ratioForCell(tab, tileArea(state.host), path, mouse.x, mouse.y);
  return ratio === null ? { do: 'drag-end' } : { do: 'drag', tabId, path, ratio };
}

function heldRoute(mouse: MouseEvent, { model, heldBy }: MouseContext): MouseRoute {
  const pane = model.panes.find((one) => one.paneId === heldBy);
  if (!pane) return NOTHING;
  return { do: 'child', paneId: pane.paneId, mouse: within(mouse, pane.rect), focus: false };
}

function wheelRoute(mouse: MouseEvent, { state, model, modesOf }: MouseContext): MouseRoute {
  const pane = model.panes.find((one) => contains(one.rect, mouse.x, mouse.y));
  if (!pane) return NOTHING;
  const { paneId, rect } = pane;
  const scrolled = (state.scroll[paneId]?.offset ?? 0) > 0;
  const modes = modesOf(paneId);
  const vertical = mouse.button === 'wheel-up' || mouse.button === 'wheel-down';
  if (!scrolled && modes && modes.mouse !== 'none' && modes.mouse !== 'x10')
    return { do: 'child', paneId, mouse: within(mouse, rect), focus: false };
  if (!vertical) return NOTHING;
  const up = mouse.button === 'wheel-up';
  if (!scrolled && modes?.altScreen)
    return { do: 'arrows', paneId, name: up ? 'up' : 'down', count: WHEEL_LINES };
  return { do: 'scroll', paneId, lines: up ? WHEEL_LINES : -WHEEL_LINES };
}

function bodyRoute(mouse: MouseEvent, context: MouseContext, paneId: PaneId, rect: Rect): MouseRoute {
  const modes = context.modesOf(paneId);
  const focused = focusedPane(context.state)?.id === paneId;
  const scrolled = (context.state.scroll[paneId]?.offset ?? 0) > 0;
  const wanted = !scrolled && modes !== undefined && wants(modes.mouse, mouse);
  if (wanted && (focused || mouse.kind === 'press'))
    return { do: 'child', paneId, mouse: within(mouse, rect), focus: !focused };
  return mouse.kind === 'press' && !focused ? { do: 'focus', paneId } : NOTHING;
}

function wants(mode: PaneModes['mouse'], mouse: MouseEvent): boolean {
  if (mode === 'none') return false;
  if (mouse.kind === 'press') return true;
  if (mouse.kind === 'release') return mode !== 'x10';
  return mode === 'any' || (mode === 'drag' && mouse.button !== 'none');
}

/** A press on a title focuses its pane; one on a line takes hold of it. */
function pressOutside(mouse: MouseEvent, state: UiState): MouseRoute {
  const tab = activeTab(state);
  if (!tab || mouse.button !== 'left') return NOTHING;
  const area = tileArea(state.host);
  const hit = separatorAt(tab, area, mouse.x, mouse.y);
  if (hit) return { do: 'drag-start', tabId: tab.id, hit };
  for (const [paneId, rect] of tileRects(tab, area))
    if (contains(rect, mouse.x, mouse.y)) return { do: 'focus', paneId };
  return NOTHING;
}

/** The event in cells of the pane's body; outside of it the nearest cell. */
function within(mouse: MouseEvent, rect: Rect): MouseEvent {
  const near = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
  return { ...mouse, x: near(mouse.x - rect.x, rect.width), y: near(mouse.y - rect.y, rect.height) };
}
