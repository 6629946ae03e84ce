// What one viewer cares about, as plain values: the workspace as the daemon told it, focus, scroll, dialogs, messages.
// Held by the store, changed by state-reduce only, read by the router, the actions and the chrome. No React, no effects.
import type { AgentEvent } from '../model/event.js';
import type { PaneId, SessionId, TabId } from '../model/ids.js';
import { paneIds } from '../model/layout-ops.js';
import type { Pane, SplitDirection, Tab } from '../model/layout.js';
import type { Transcript } from '../model/transcript.js';
import type { HostCaps, SessionView, WorkspaceState } from '../wire/messages.js';
import type { Dialog } from './dialog.js';
import type { Composer } from './panes/composer.js';

/** Below this the screen shows one line that says so, and nothing else. */
export const MIN_HOST = { cols: 24, rows: 5 };
/** The status bar. */
export const BAR_ROWS = 1;

export interface HostSize {
  cols: number;
  rows: number;
  colors: HostCaps['colors'];
  unicode: boolean;
}

export interface Message {
  level: 'info' | 'warning' | 'error';
  text: string;
  /** Milliseconds of the clock; it goes then. */
  until: number;
}

export interface ScrollState {
  /** Lines above the live screen; 0: live. */
  offset: number;
  historyLines: number;
}

export interface Drag {
  tabId: TabId;
  path: number[];
  direction: SplitDirection;
}

/** A session's log as far as it came here. A new value whenever events came. */
export interface TranscriptView {
  transcript: Transcript;
  /** The log's number of the last event taken. */
  seq: number;
  /** All that is in the log has come. */
  live: boolean;
  /** The latest events as they came, for the raw view, and how many were before them. */
  raw: readonly AgentEvent[];
  rawFirst: number;
}

export interface UiState {
  /** lost: the daemon went away and is being started again. */
  link: 'starting' | 'live' | 'lost';
  host: HostSize;
  workspace: WorkspaceState | null;
  tabId: TabId | null;
  focusByTab: Readonly<Record<TabId, PaneId>>;
  /** A pane that we asked for; it is focused when the daemon tells of it. */
  wantFocus: PaneId | null;
  /** Likewise a tab. */
  wantTab: TabId | null;
  prefixOpen: boolean;
  /** Until then a repeating key needs no prefix. */
  repeatUntil: number;
  /** Scroll mode of the focused pane, also at the live end. */
  scrollMode: boolean;
  scroll: Readonly<Record<PaneId, ScrollState>>;
  /** Titles the children gave (OSC 0/2). */
  paneTitles: Readonly<Record<PaneId, string>>;
  transcripts: Readonly<Record<SessionId, TranscriptView>>;
  composers: Readonly<Record<SessionId, Composer>>;
  dialog: Dialog | null;
  messages: readonly Message[];
  drag: Drag | null;
  /** Words shown while the tour runs; null otherwise. */
  tour: string | null;
}

export function initialState(host: HostSize): UiState {
  return {
    link: 'starting',
    host,
    workspace: null,
    tabId: null,
    focusByTab: {},
    wantFocus: null,
    wantTab: null,
    prefixOpen: false,
    repeatUntil: 0,
    scrollMode: false,
    scroll: {},
    paneTitles: {},
    transcripts: {},
    composers: {},
    dialog: null,
    messages: [],
    drag: null,
    tour: null,
  };
}

/** The rows above the status bar. */
export function tileArea(host: Pick<HostSize, 'cols' | 'rows'>): { cols: number; rows: number } {
  return { cols: Math.max(0, host.cols), rows: Math.max(0, host.rows - BAR_ROWS) };
}

export function isTooSmall(host: Pick<HostSize, 'cols' | 'rows'>): boolean {
  return host.cols < MIN_HOST.cols || host.rows < MIN_HOST.rows;
}

export function activeTab(state: UiState): Tab | null {
  const tabs = state.workspace?.tabs ?? [];
  return tabs.find((tab) => tab.id === state.tabId) ?? tabs[0] ?? null;
}

/** The pane that has the keyboard: the one focused last in the active tab, or its first. */
export function focusedPane(state: UiState): Pane | null {
  const tab = activeTab(state);
  if (!tab) return null;
  const ids = paneIds(tab);
  const chosen = tab.zoomed && ids.includes(tab.zoomed) ? tab.zoomed : state.focusByTab[tab.id];
  const id = chosen && ids.includes(chosen) ? chosen : ids[0];
  return id ? paneById(state, id) : null;
}

export function paneById(state: UiState, id: PaneId): Pane | null {
  return state.workspace?.panes.find((pane) => pane.id === id) ?? null;
}

export function sessionById(state: UiState, id: SessionId): SessionView | null {
  return state.workspace?.sessions.find((view) => view.session.id === id) ?? null;
}

export function sessionOfPane(state: UiState, id: PaneId | undefined): SessionView | null {
  const pane = id ? paneById(state, id) : null;
  return pane ? sessionById(state, pane.sessionId) : null;
}

export function focusedSession(state: UiState): SessionView | null {
  return sessionOfPane(state, focusedPane(state)?.id);
}

/** The tab that holds a pane. */
export function tabOfPane(state: UiState, id: PaneId): Tab | null {
  return state.workspace?.tabs.find((tab) => paneIds(tab).includes(id)) ?? null;
}

export function isScrolling(state: UiState): boolean {
  const pane = focusedPane(state);
  return state.scrollMode || (pane !== null && (state.scroll[pane.id]?.offset ?? 0) > 0);
}

/** Sessions in the order of their numbers. */
export function sessionsByNumber(state: UiState): SessionView[] {
  return [...(state.workspace?.sessions ?? [])].sort((a, b) => a.number - b.number);
}
