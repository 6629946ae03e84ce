// What a pane shows and where its keys go, by kind: the place where a new kind of pane plugs in. The app asks kindOf;
// nothing else in the TUI asks what a session is driven by.
import type { Key } from '../../model/key.js';
import type { Pane, Rect } from '../../model/layout.js';
import type { SessionView } from '../../wire/messages.js';
import type { ActionContext } from '../action-context.js';
import { focusedPane, isScrolling, sessionById, type UiState } from '../state.js';
import type { RowSource } from '../transcript/row-window.js';
import { structuredKind } from './structured-kind.js';
import { terminalKind } from './terminal-kind.js';

export interface PaneContext {
  state: UiState;
  pane: Pane;
  view: SessionView;
  focused: boolean;
  /** Cells of the body below the title row. */
  size: { cols: number; rows: number };
  /** Milliseconds since the epoch. */
  now: number;
}

/** Rows at the bottom of a body that belong to the chrome: a composer, a permission card. */
export interface PaneFooter {
  /** Styled text, each exactly `size.cols` cells; at most half of the body is given to it. */
  rows: string[];
  /** The person works in it: it may take all of the body but two rows. */
  isTall?: boolean;
  /** The text cursor within these rows. */
  cursor?: { x: number; y: number };
}

export interface PanePorts {
  context: ActionContext;
  pane: Pane;
  view: SessionView | null;
  sendKeys(keys: Key[]): void;
  sendPaste(text: string): void;
}

export interface PaneKind {
  /** Whether a pane is of this kind; the first kind that says so has it. */
  shows(view: SessionView | null, pane: Pane): boolean;
  /** The rows of the body, made by the client; missing: the daemon sends them as patches. */
  rows?(context: PaneContext): readonly string[];
  /** What `rows` are cut from, for scrolling; goes with `rows`. */
  source?(context: PaneContext): RowSource | undefined;
  footer?(context: PaneContext): PaneFooter | null;
  /** A key that none of our layers took. */
  handleKey(key: Key, ports: PanePorts): void;
  /** A paste, whole. */
  handlePaste(text: string, ports: PanePorts): void;
}

/** In the order in which they are asked; the terminal shows whatever nobody else does. */
const KINDS: readonly PaneKind[] = [structuredKind, terminalKind];

export function kindOf(view: SessionView | null, pane: Pane): PaneKind {
  return KINDS.find((kind) => kind.shows(view, pane)) ?? terminalKind;
}

/** Whether keys scroll the focused pane. A transcript can be read while one writes below it: there only scroll mode does. */
export function takesScrollKeys(state: UiState): boolean {
  const pane = focusedPane(state);
  if (!pane) return state.scrollMode;
  const isOwn = kindOf(sessionById(state, pane.sessionId), pane).rows !== undefined;
  return isOwn ? state.scrollMode : isScrolling(state);
}

/** The body cut in two: rows of the pane above, rows of its footer below. */
export function splitBody(body: Rect, footer: PaneFooter | null): { hole: Rect; footerRect: Rect } {
  const room = footer?.isTall ? Math.max(0, body.height - 2) : Math.floor(body.height / 2);
  const height = Math.min(footer?.rows.length ?? 0, room);
  return {
    hole: { ...body, height: body.height - height },
    footerRect: { ...body, y: body.y + body.height - height, height },
  };
}
