// The kinds of panes: the place where a new one plugs in. The app asks kindOf; nothing else in the TUI asks what a session
// is driven by.
import type { Pane } from '../../model/layout.js';
import type { SessionView } from '../../wire/messages.js';
import { focusedPane, isScrolling, sessionById, type UiState } from '../state.js';
import type { PaneKind } from './pane-kind.js';
import { structuredKind } from './structured-kind.js';
import { terminalKind } from './terminal-kind.js';

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
