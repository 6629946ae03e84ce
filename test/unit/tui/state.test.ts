// The reducer: what points at something gone points at what is near; what was asked for is focused when it comes.
import { describe, expect, it } from 'vitest';
import { removePane } from '../../../src/model/layout-ops.js';
import { activeTab, focusedPane, isScrolling } from '../../../src/tui/state.js';
import { reduce, type UiEvent } from '../../../src/tui/state-reduce.js';
import { Store } from '../../../src/tui/store.js';
import { NOW, paneId, sampleState, sampleView, sampleWorkspace, sessionId, tabId } from './sample.js';

const two = () => sampleState([sampleView(1, 'unknown'), sampleView(2, 'unknown')]);
const after = (events: UiEvent[], state = two()) => events.reduce(reduce, state);

describe('focus', () => {
  it('begins at the first pane and stays when another comes', () => {
    const state = after([{ type: 'focus', paneId: paneId(2) }]);
    expect(focusedPane(two())?.id).toBe(paneId(1));
    const three = sampleWorkspace([1, 2, 3].map((n) => sampleView(n, 'unknown')));
    const change = { t: 'workspace-change' as const, ...three, revision: 2 };
    expect(focusedPane(reduce(state, { type: 'change', change }))?.id).toBe(paneId(2));
  });

  it('goes to a pane that was asked for once the daemon tells of it', () => {
    const state = after([{ type: 'focus', paneId: paneId(3) }]);
    expect(focusedPane(state)?.id).toBe(paneId(1));
    const three = sampleWorkspace([1, 2, 3].map((n) => sampleView(n, 'unknown')));
    const change = { t: 'workspace-change' as const, ...three, revision: 2 };
    expect(focusedPane(reduce(state, { type: 'change', change }))?.id).toBe(paneId(3));
  });

  it('falls to a pane that is left, and its scroll place goes with it', () => {
    const state = after([
      { type: 'focus', paneId: paneId(2) },
      { type: 'scrolled', paneId: paneId(2), offset: 7, historyLines: 90 },
    ]);
    expect(isScrolling(state)).toBe(true);
    const tabs = [removePane(activeTab(state)!, paneId(2))];
    const panes = state.workspace!.panes.slice(0, 1);
    const change = { t: 'workspace-change' as const, revision: 2, tabs, panes, gone: [sessionId(2)] };
    const left = reduce(state, { type: 'change', change });
    expect(focusedPane(left)?.id).toBe(paneId(1));
    expect(left.scroll).toEqual({});
    expect(left.workspace!.sessions.map((view) => view.number)).toEqual([1]);
  });

  it('ends scroll mode when it moves', () => {
    const state = after([
      { type: 'scroll-mode', on: true },
      { type: 'focus', paneId: paneId(2) },
    ]);
    expect(state.scrollMode).toBe(false);
  });

  it('shows a new tab when it comes, and the first one when the shown tab is gone', () => {
    const state = after([{ type: 'tab', tabId: tabId(2) }]);
    const tabs = [...state.workspace!.tabs, { ...state.workspace!.tabs[0]!, id: tabId(2), layout: null }];
    const more = reduce(state, { type: 'change', change: { t: 'workspace-change', revision: 2, tabs } });
    expect(activeTab(more)?.id).toBe(tabId(2));
    const change = { t: 'workspace-change' as const, revision: 3, tabs: tabs.slice(0, 1) };
    expect(activeTab(reduce(more, { type: 'change', change }))?.id).toBe(tabId(1));
  });
});

describe('changes of the daemon', () => {
  it('replace sessions by id and keep the others', () => {
    const change = { t: 'workspace-change' as const, revision: 2, sessions: [sampleView(2, 'failed')] };
    const views = after([{ type: 'change', change }]).workspace!.sessions;
    expect(views.map((view) => view.status)).toEqual(['unknown', 'failed']);
  });

  it('before the whole state are nothing', () => {
    const empty = { ...two(), workspace: null };
    expect(reduce(empty, { type: 'change', change: { t: 'workspace-change', revision: 2 } })).toBe(empty);
  });
});

describe('the store', () => {
  it('tells listeners only of a state that is another', () => {
    const store = new Store(two());
    let heard = 0;
    store.onChange(() => heard++);
    store.dispatch({ type: 'prefix', open: false });
    store.dispatch({ type: 'expire', now: NOW });
    store.dispatch({ type: 'scrolled', paneId: paneId(1), offset: 0, historyLines: 0 });
    expect(heard).toBe(0);
    store.dispatch({ type: 'message', message: { level: 'info', text: 'hi', until: NOW + 1 } });
    store.dispatch({ type: 'expire', now: NOW + 2 });
    expect(heard).toBe(2);
    expect(store.state.messages).toEqual([]);
  });
});
