// What each action of the key table does. Called by the app for keys, the palette and dialogs.
import type { PaneId } from '../model/ids.js';
import { neighbour, nextMode, paneIds, resizeChange } from '../model/layout-ops.js';
import type { FocusDirection } from '../model/layout.js';
import type { SessionView } from '../wire/messages.js';
import type { ActionContext } from './action-context.js';
import {
  openBroadcast,
  openChoice,
  openExplain,
  openPicker,
  openRename,
  openTabRename,
} from './open-dialog.js';
import type { ActionId, ComposerAction } from './keymap.js';
import { startShell } from './start-session.js';
import { activeTab, focusedPane, focusedSession, sessionsByNumber, tileArea } from './state.js';
import { textField } from './text-field.js';

/** Cells a border moves at a time; a column is half as wide as a row is tall. */
const RESIZE_CELLS = { left: 4, right: 4, up: 2, down: 2 } as const;

type DialogAction = Extract<ActionId, `dialog-${string}`>;
type NumberedAction = Extract<ActionId, `focus-pane-${number}` | `tab-${number}`>;
type Handler = (context: ActionContext) => void;

const HANDLERS: Record<Exclude<ActionId, DialogAction | ComposerAction | NumberedAction>, Handler> = {
  'focus-left': (context) => focusBeside(context, 'left'),
  'focus-down': (context) => focusBeside(context, 'down'),
  'focus-up': (context) => focusBeside(context, 'up'),
  'focus-right': (context) => focusBeside(context, 'right'),
  'next-pane': (context) => focusInOrder(context),
  zoom: toggleZoom,
  help: ({ store }) =>
    store.dispatch({ type: 'dialog', dialog: { kind: 'help', query: textField(), top: 0 } }),
  palette: ({ store }) =>
    store.dispatch({ type: 'dialog', dialog: { kind: 'palette', query: textField(), cursor: 0 } }),
  new: (context) => openPicker(context),
  'new-shell': (context) => startShell(context, beside(context)),
  'split-below': (context) => startShell(context, { ...beside(context), direction: 'down' }),
  'split-right': (context) => startShell(context, { ...beside(context), direction: 'right' }),
  close: closePane,
  stop: (context) =>
    withSession(context, (view) => void context.ask('session/stop', { session: view.session.id })),
  resume: resumeSession,
  'stop-all': (context) =>
    openChoice(
      context,
      'Stop all?',
      ['Every program of every tab is asked to end.'],
      [
        { key: 'y', label: 'stop all', intent: { do: 'stop-all' } },
        { key: 'n', label: 'leave them' },
      ],
    ),
  'resume-all': (context) =>
    openChoice(
      context,
      'Resume all?',
      ['Every session that has ended is started again.'],
      [
        { key: 'y', label: 'resume all', intent: { do: 'resume-all' } },
        { key: 'n', label: 'leave them' },
      ],
    ),
  interrupt: (context) =>
    withSession(context, (view) => void context.ask('session/cancel', { session: view.session.id })),
  inbox: ({ store }) => store.dispatch({ type: 'dialog', dialog: { kind: 'inbox', cursor: 0 } }),
  'goto-needs-you': gotoNeedsYou,
  explain: (context) => withSession(context, (view) => void openExplain(context, view)),
  'mark-done': markDone,
  'switch-view': switchView,
  broadcast: (context) => openBroadcast(context),
  rename: (context) => withSession(context, (view) => openRename(context, view)),
  scroll: ({ store }) => store.dispatch({ type: 'scroll-mode', on: focusedPane(store.state) !== null }),
  'next-layout': nextLayout,
  'resize-left': (context) => resize(context, 'left'),
  'resize-down': (context) => resize(context, 'down'),
  'resize-up': (context) => resize(context, 'up'),
  'resize-right': (context) => resize(context, 'right'),
  'swap-previous': (context) => swap(context, -1),
  'swap-next': (context) => swap(context, 1),
  'tab-new': (context) => void newTab(context),
  'tab-rename': (context) => openTabRename(context),
  'tab-close': closeTab,
  'move-to-new-tab': (context) => void moveToNewTab(context),
  redraw: (context) => context.redraw(),
  detach: (context) => context.detach(),
  quit: (context) =>
    openChoice(
      context,
      'Quit',
      ['Detaching leaves every program running; "agentile" brings this screen back.'],
      [
        { key: 'd', label: 'detach', intent: { do: 'detach' } },
        { key: 's', label: 'stop all and quit', intent: { do: 'quit' } },
      ],
    ),
  'scroll-up': (context) => scrollBy(context, () => 1),
  'scroll-down': (context) => scrollBy(context, () => -1),
  'scroll-page-up': (context) => scrollBy(context, (rows) => Math.max(1, rows - 1)),
  'scroll-page-down': (context) => scrollBy(context, (rows) => -Math.max(1, rows - 1)),
  'scroll-half-up': (context) => scrollBy(context, (rows) => Math.max(1, rows >> 1)),
  'scroll-half-down': (context) => scrollBy(context, (rows) => -Math.max(1, rows >> 1)),
  'scroll-top': (context) => scrollTo(context, 'top'),
  'scroll-bottom': (context) => scrollTo(context, 'live'),
  'scroll-leave': leaveScroll,
};

/** Does an action. Keys of the dialog and composer layers have no handler here: dialog-keys and the pane understand them. */
export function performAction(id: ActionId, context: ActionContext): void {
  if (id.startsWith('focus-pane-')) return focusNumber(context, Number(id.slice('focus-pane-'.length)));
  if (/^tab-\d$/.test(id)) return gotoTab(context, Number(id.slice('tab-'.length)));
  HANDLERS[id as keyof typeof HANDLERS]?.(context);
}

/** Focuses a pane; a zoom goes with the focus. */
export function focusPane({ store, ask }: ActionContext, paneId: PaneId): void {
  const zoomed = store.state.workspace?.tabs.find(
    (tab) => tab.zoomed !== undefined && tab.zoomed !== paneId && paneIds(tab).includes(paneId),
  );
  store.dispatch({ type: 'focus', paneId });
  if (zoomed) void ask('layout/apply', { op: 'zoom', tabId: zoomed.id, paneId });
}

function withSession(context: ActionContext, act: (view: SessionView) => void): void {
  const view = focusedSession(context.store.state);
  if (view) act(view);
  else context.say('info', 'There is no pane here.');
}

/** A new pane goes to the active tab, near the focused one. */
function beside({ store }: ActionContext) {
  const near = focusedPane(store.state)?.id;
  const tabId = activeTab(store.state)?.id;
  return { ...(tabId ? { tabId } : {}), ...(near ? { near } : {}) };
}

function focusBeside(context: ActionContext, direction: FocusDirection): void {
  const { state } = context.store;
  const tab = activeTab(state);
  const pane = focusedPane(state);
  const next = tab && pane ? neighbour(tab, tileArea(state.host), pane.id, direction) : null;
  if (next) focusPane(context, next);
}

function focusInOrder(context: ActionContext): void {
  const tab = activeTab(context.store.state);
  const ids = tab ? paneIds(tab) : [];
  const next =
    ids[(ids.indexOf(focusedPane(context.store.state)?.id as PaneId) + 1) % Math.max(1, ids.length)];
  if (next) focusPane(context, next);
}

function focusNumber(context: ActionContext, number: number): void {
  const { state } = context.store;
  const view = state.workspace?.sessions.find((one) => one.number === number);
  const pane = view && state.workspace?.panes.find((one) => one.sessionId === view.session.id);
  if (pane) focusPane(context, pane.id);
  else context.say('info', `No pane has number ${number}.`);
}

function gotoTab(context: ActionContext, number: number): void {
  const tab = context.store.state.workspace?.tabs[number - 1];
  if (tab) context.store.dispatch({ type: 'tab', tabId: tab.id });
  else context.say('info', `There is no tab ${number}.`);
}

function toggleZoom({ store, ask }: ActionContext): void {
  const tab = activeTab(store.state);
  const pane = focusedPane(store.state);
  if (!tab || !pane) return;
  void ask('layout/apply', { op: 'zoom', tabId: tab.id, paneId: tab.zoomed === undefined ? pane.id : null });
}

function isLive(view: SessionView): boolean {
  return view.run?.status === 'running' || view.run?.status === 'starting';
}

function closePane(context: ActionContext): void {
  const pane = focusedPane(context.store.state);
  const view = focusedSession(context.store.state);
  if (!pane || !view) return;
  const sessionId = view.session.id;
  if (!isLive(view)) return void context.ask('session/close', { session: sessionId });
  openChoice(
    context,
    `Close ${view.session.name}?`,
    ['Its program is running.'],
    [
      {
        key: 'y',
        label: 'stop it and close',
        intent: { do: 'close-pane', paneId: pane.id, sessionId, stop: true },
      },
      {
        key: 'k',
        label: 'close the pane, keep it running',
        intent: { do: 'close-pane', paneId: pane.id, sessionId, stop: false },
      },
      { key: 'n', label: 'neither' },
    ],
  );
}

function resumeSession(context: ActionContext): void {
  withSession(context, (view) => {
    const sessionId = view.session.id;
    if (!isLive(view)) return void context.ask('session/resume', { session: sessionId });
    openChoice(
      context,
      `Restart ${view.session.name}?`,
      ['Its program is running; it is stopped first.'],
      [
        { key: 'y', label: 'restart', intent: { do: 'restart', sessionId } },
        { key: 'n', label: 'leave it' },
      ],
    );
  });
}

function gotoNeedsYou(context: ActionContext): void {
  const { state } = context.store;
  const here = focusedSession(state)?.number ?? 0;
  const waiting = sessionsByNumber(state).filter((view) => view.status === 'needs-you');
  const next = waiting.find((view) => view.number > here) ?? waiting[0];
  const pane = next && state.workspace?.panes.find((one) => one.sessionId === next.session.id);
  if (pane) focusPane(context, pane.id);
  else context.say('info', next ? `${next.session.name} needs you and has no pane.` : 'No pane needs you.');
}

function markDone(context: ActionContext): void {
  withSession(context, (view) => {
    const sessionId = view.session.id;
    const option = (key: string, confidence: 'certain' | 'likely' | 'unsure') => ({
      key,
      label: confidence,
      intent: { do: 'mark' as const, sessionId, confidence },
    });
    const options = [option('c', 'certain'), option('l', 'likely'), option('u', 'unsure')];
    openChoice(context, `Is the task of ${view.session.name} done?`, [view.session.task ?? ''], options);
  });
}

function switchView(context: ActionContext): void {
  const pane = focusedPane(context.store.state);
  const view = focusedSession(context.store.state);
  if (!pane || !view) return;
  if (view.controller === 'terminal') return context.say('info', 'A terminal pane has one view.');
  void context.ask('layout/apply', {
    op: 'view',
    paneId: pane.id,
    view: pane.view === 'main' ? 'raw' : 'main',
  });
}

function nextLayout(context: ActionContext): void {
  const tab = activeTab(context.store.state);
  if (!tab) return;
  const mode = nextMode(tab.mode);
  context.say('info', `layout: ${mode}`);
  void context.ask('layout/apply', { op: 'mode', tabId: tab.id, mode });
}

function resize(context: ActionContext, direction: FocusDirection): void {
  const { state } = context.store;
  const tab = activeTab(state);
  const pane = focusedPane(state);
  if (!tab || !pane) return;
  const change = resizeChange(tab, tileArea(state.host), pane.id, direction, RESIZE_CELLS[direction]);
  if (change) void context.ask('layout/apply', { op: 'ratio', tabId: tab.id, ...change });
}

function swap(context: ActionContext, step: 1 | -1): void {
  const tab = activeTab(context.store.state);
  const pane = focusedPane(context.store.state);
  const ids = tab ? paneIds(tab) : [];
  if (!pane || ids.length < 2) return;
  const other = ids[(ids.indexOf(pane.id) + step + ids.length) % ids.length]!;
  void context.ask('layout/apply', { op: 'swap', a: pane.id, b: other });
}

async function newTab(context: ActionContext): Promise<void> {
  const made = await context.ask('layout/apply', { op: 'tab-new' });
  if (!made?.tabId) return;
  context.store.dispatch({ type: 'tab', tabId: made.tabId });
  openPicker(context, { tabId: made.tabId });
}

async function moveToNewTab(context: ActionContext): Promise<void> {
  const pane = focusedPane(context.store.state);
  if (!pane) return;
  const made = await context.ask('layout/apply', { op: 'tab-new' });
  if (!made?.tabId) return;
  await context.ask('layout/apply', { op: 'move-to-tab', paneId: pane.id, tabId: made.tabId });
  context.store.dispatch({ type: 'tab', tabId: made.tabId });
}

function closeTab(context: ActionContext): void {
  const tab = activeTab(context.store.state);
  if (!tab) return;
  const count = paneIds(tab).length;
  if (count === 0) return void context.ask('layout/apply', { op: 'tab-close', tabId: tab.id });
  const words =
    count === 1
      ? 'Its pane is closed; the program goes on.'
      : `Its ${count} panes are closed; programs go on.`;
  openChoice(
    context,
    `Close tab ${tab.name}?`,
    [words],
    [
      { key: 'y', label: 'close the tab', intent: { do: 'close-tab', tabId: tab.id } },
      { key: 'n', label: 'leave it' },
    ],
  );
}

function scrollBy(context: ActionContext, lines: (bodyRows: number) => number): void {
  const pane = focusedPane(context.store.state);
  if (pane) context.scroll(pane.id, lines(context.bodyRows(pane.id)));
}

function scrollTo(context: ActionContext, end: 'top' | 'live'): void {
  const pane = focusedPane(context.store.state);
  if (pane) context.scroll(pane.id, end);
}

function leaveScroll(context: ActionContext): void {
  scrollTo(context, 'live');
  context.store.dispatch({ type: 'scroll-mode', on: false });
}
