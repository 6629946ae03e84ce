// A workspace for tests: panes with given statuses in one tab, in auto tiling, and the state that shows it.
import { insertPane } from '../../../src/model/layout-ops.js';
import type { PaneId, RunId, SessionId, TabId } from '../../../src/model/ids.js';
import type { Tab } from '../../../src/model/layout.js';
import type { StatusWord } from '../../../src/model/status.js';
import { initialState, tileArea, type UiState } from '../../../src/tui/state.js';
import { reduce } from '../../../src/tui/state-reduce.js';
import type { SessionView, WorkspaceState } from '../../../src/wire/messages.js';

export const NOW = 1_000_000_000_000;
export const paneId = (n: number) => `p-${n}` as PaneId;
export const sessionId = (n: number) => `s-${n}` as SessionId;
export const tabId = (n: number) => `w-${n}` as TabId;

export function sampleView(number: number, status: StatusWord, more: Partial<SessionView> = {}): SessionView {
  const id = sessionId(number);
  return {
    number,
    session: { id, name: `work-${number}`, providerId: 'fake', cwd: '/home/me', launch: {}, createdAt: NOW },
    providerName: 'Fake',
    controller: 'terminal',
    run: { id: `r-${number}` as RunId, sessionId: id, attempt: 1, status: 'running', startedAt: NOW },
    queue: [],
    requests: [],
    status,
    statusSince: NOW - 42_000,
    ...more,
  };
}

export function sampleWorkspace(views: SessionView[], area = { cols: 80, rows: 23 }): WorkspaceState {
  let tab: Tab = { id: tabId(1), name: 'main', layout: null, mode: 'auto' };
  for (const view of views) tab = insertPane(tab, paneId(view.number), undefined, undefined, area);
  const panes = views.map((view) => ({
    id: paneId(view.number),
    sessionId: view.session.id,
    view: 'main' as const,
  }));
  return { revision: 1, sessions: views, panes, tabs: [tab], banners: [], area };
}

export function sampleState(views: SessionView[], size = { cols: 80, rows: 24 }): UiState {
  const state = initialState({ ...size, colors: 'none', unicode: true });
  return reduce(state, { type: 'workspace', workspace: sampleWorkspace(views, tileArea(size)) });
}
