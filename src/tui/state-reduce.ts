// The one function that changes the client's state. Pure; called by the store.
import type { PaneId, SessionId, TabId } from '../model/ids.js';
import { paneIds } from '../model/layout-ops.js';
import type { FromDaemon, WorkspaceState } from '../wire/messages.js';
import type { Dialog } from './dialog.js';
import type { Composer } from './panes/composer.js';
import {
  focusedPane,
  tabOfPane,
  type Drag,
  type HostSize,
  type Message,
  type TranscriptView,
  type UiState,
} from './state.js';

export type WorkspaceChange = Extract<FromDaemon, { t: 'workspace-change' }>;

export type UiEvent =
  | { type: 'link'; link: UiState['link'] }
  | { type: 'host'; host: HostSize }
  | { type: 'workspace'; workspace: WorkspaceState }
  | { type: 'change'; change: WorkspaceChange }
  /** Also switches to its tab. A pane not yet known is focused when it comes; so is a tab shown. */
  | { type: 'focus'; paneId: PaneId }
  | { type: 'tab'; tabId: TabId }
  | { type: 'prefix'; open: boolean }
  | { type: 'repeat'; until: number }
  | { type: 'scroll-mode'; on: boolean }
  | { type: 'scrolled'; paneId: PaneId; offset: number; historyLines: number }
  | { type: 'pane-title'; paneId: PaneId; title: string }
  | { type: 'transcript'; sessionId: SessionId; view: TranscriptView }
  | { type: 'composer'; sessionId: SessionId; composer: Composer }
  | { type: 'dialog'; dialog: Dialog | null }
  | { type: 'message'; message: Message }
  | { type: 'expire'; now: number }
  | { type: 'drag'; drag: Drag | null }
  | { type: 'tour'; words: string | null };

/** Messages kept; only the newest is shown, and an older one again when it goes. */
const MESSAGES_KEPT = 8;

export function reduce(state: UiState, event: UiEvent): UiState {
  switch (event.type) {
    case 'link':
      return { ...state, link: event.link };
    case 'host':
      return { ...state, host: event.host };
    case 'workspace':
      return settle({ ...state, link: 'live', workspace: event.workspace });
    case 'change':
      return state.workspace
        ? settle({ ...state, workspace: applyChange(state.workspace, event.change) })
        : state;
    case 'focus':
      return focusPane(state, event.paneId);
    case 'tab':
      return showTab(state, event.tabId);
    case 'prefix':
      return state.prefixOpen === event.open ? state : { ...state, prefixOpen: event.open };
    case 'repeat':
      return { ...state, repeatUntil: event.until };
    case 'dialog':
      // Who has found the picker needs no more words about it.
      return { ...state, dialog: event.dialog, tour: event.dialog?.kind === 'picker' ? null : state.tour };
    case 'drag':
      return { ...state, drag: event.drag };
    case 'tour':
      return { ...state, tour: event.words };
    case 'message':
      return { ...state, messages: [...state.messages, event.message].slice(-MESSAGES_KEPT) };
    case 'expire':
      return expire(state, event.now);
    default:
      return reducePane(state, event);
  }
}

type PaneEvent = Extract<
  UiEvent,
  { type: 'scroll-mode' | 'scrolled' | 'pane-title' | 'transcript' | 'composer' }
>;

function reducePane(state: UiState, event: PaneEvent): UiState {
  switch (event.type) {
    case 'scroll-mode':
      return state.scrollMode === event.on ? state : { ...state, scrollMode: event.on };
    case 'scrolled':
      return setScroll(state, event.paneId, event.offset, event.historyLines);
    case 'transcript':
      return { ...state, transcripts: { ...state.transcripts, [event.sessionId]: event.view } };
    case 'composer':
      return { ...state, composers: { ...state.composers, [event.sessionId]: event.composer } };
    case 'pane-title':
      if ((state.paneTitles[event.paneId] ?? '') === event.title) return state;
      return { ...state, paneTitles: { ...state.paneTitles, [event.paneId]: event.title } };
  }
}

function setScroll(state: UiState, paneId: PaneId, offset: number, historyLines: number): UiState {
  const was = state.scroll[paneId];
  if (was ? was.offset === offset && was.historyLines === historyLines : offset === 0 && historyLines === 0)
    return state;
  return { ...state, scroll: { ...state.scroll, [paneId]: { offset, historyLines } } };
}

function focusPane(state: UiState, paneId: PaneId): UiState {
  const tab = tabOfPane(state, paneId);
  if (!tab) return { ...state, wantFocus: paneId };
  const moved = focusedPane(state)?.id !== paneId;
  return {
    ...state,
    tabId: tab.id,
    wantFocus: null,
    scrollMode: moved ? false : state.scrollMode,
    focusByTab: { ...state.focusByTab, [tab.id]: paneId },
  };
}

function showTab(state: UiState, tabId: TabId): UiState {
  const known = state.workspace?.tabs.some((tab) => tab.id === tabId) ?? false;
  if (!known) return { ...state, wantTab: tabId };
  return { ...state, tabId, wantTab: null, scrollMode: false, drag: null };
}

/** After the daemon's word: what points at something gone points at what is near. */
function settle(state: UiState): UiState {
  const workspace = state.workspace!;
  const tabs = workspace.tabs;
  const tabId = tabs.some((tab) => tab.id === state.tabId) ? state.tabId : (tabs[0]?.id ?? null);
  const known = new Set(workspace.panes.map((pane) => pane.id));
  const keep = <T>(record: Readonly<Record<PaneId, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([id]) => known.has(id as PaneId))) as Record<PaneId, T>;
  const open = new Set<string>(workspace.sessions.map((view) => view.session.id));
  const keepOpen = <T>(record: Readonly<Record<SessionId, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([id]) => open.has(id))) as Record<SessionId, T>;
  const focusByTab = Object.fromEntries(
    tabs.flatMap((tab) => {
      const id = state.focusByTab[tab.id];
      return id && paneIds(tab).includes(id) ? [[tab.id, id]] : [];
    }),
  ) as Record<TabId, PaneId>;
  const arrived = tabs.some((tab) => tab.id === state.wantTab) ? state.wantTab : null;
  const settled = {
    ...state,
    tabId: arrived ?? tabId,
    wantTab: arrived ? null : state.wantTab,
    focusByTab,
    scroll: keep(state.scroll),
    paneTitles: keep(state.paneTitles),
    transcripts: keepOpen(state.transcripts),
    composers: keepOpen(state.composers),
  };
  return state.wantFocus && tabOfPane(settled, state.wantFocus)
    ? focusPane(settled, state.wantFocus)
    : settled;
}

function applyChange(workspace: WorkspaceState, change: WorkspaceChange): WorkspaceState {
  const gone = new Set(change.gone ?? []);
  const updated = new Map((change.sessions ?? []).map((view) => [view.session.id, view]));
  const kept = workspace.sessions.filter((view) => !gone.has(view.session.id));
  const sessions = kept.map((view) => updated.get(view.session.id) ?? view);
  const before = new Set(kept.map((view) => view.session.id));
  const added = (change.sessions ?? []).filter((view) => !before.has(view.session.id));
  return {
    revision: change.revision,
    sessions: [...sessions, ...added],
    panes: change.panes ?? workspace.panes,
    tabs: change.tabs ?? workspace.tabs,
    banners: change.banners ?? workspace.banners,
    area: change.area ?? workspace.area,
  };
}

function expire(state: UiState, now: number): UiState {
  const messages = state.messages.filter((message) => message.until > now);
  return messages.length === state.messages.length ? state : { ...state, messages };
}
