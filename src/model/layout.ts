// Tiles: a binary tree of splits per tab, its rectangles, and the operations on it. Pure.
import type { PaneId, SessionId, TabId } from './ids.js';

/** right: first is left of second. down: first is above second. */
export type SplitDirection = 'right' | 'down';
export type PaneView = 'main' | 'raw';

export interface Pane {
  id: PaneId;
  sessionId: SessionId;
  view: PaneView;
}

export type Layout =
  | { type: 'leaf'; paneId: PaneId }
  | {
      type: 'split';
      direction: SplitDirection;
      /** Share of `first`, 0..1. */ ratio: number;
      first: Layout;
      second: Layout;
    };

export const LAYOUT_MODES = ['auto', 'columns', 'rows', 'main', 'manual'] as const;
/** auto, columns, rows, main rebuild the tree whenever a pane comes or goes; manual keeps the user's splits. */
export type LayoutMode = (typeof LAYOUT_MODES)[number];

export interface Tab {
  id: TabId;
  name: string;
  layout: Layout | null;
  mode: LayoutMode;
  /** Shown alone while set; the tree below it stays. */
  zoomed?: PaneId;
}

/** Cells, 0-based, of the host screen. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type FocusDirection = 'left' | 'right' | 'up' | 'down';
