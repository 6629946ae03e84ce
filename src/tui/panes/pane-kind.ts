// What a kind of pane must know how to do: show itself and take keys. The kinds stand in kinds.ts.
import type { Key } from '../../model/key.js';
import type { Pane, Rect } from '../../model/layout.js';
import type { SessionView } from '../../wire/messages.js';
import type { ActionContext } from '../action-context.js';
import type { UiState } from '../state.js';
import type { RowSource } from '../transcript/row-window.js';

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

/** The body cut in two: rows of the pane above, rows of its footer below. */
export function splitBody(body: Rect, footer: PaneFooter | null): { hole: Rect; footerRect: Rect } {
  const room = footer?.isTall ? Math.max(0, body.height - 2) : Math.floor(body.height / 2);
  const height = Math.min(footer?.rows.length ?? 0, room);
  return {
    hole: { ...body, height: body.height - height },
    footerRect: { ...body, y: body.y + body.height - height, height },
  };
}
