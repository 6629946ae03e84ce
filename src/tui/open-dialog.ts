// Opens the dialogs, with what they must know at first.
import type { ProviderView, SessionExplanation, SessionView } from '../wire/messages.js';
import type { ActionContext } from './action-context.js';
import { makePickerRows, type ChoiceOption, type Place } from './dialog.js';
import { activeTab, focusedPane, focusedSession, sessionsByNumber } from './state.js';
import { textField } from './text-field.js';

/** The picker opens at once; what the daemon finds on PATH comes when it comes. */
export function openPicker(context: ActionContext, place?: Place): void {
  const { store } = context;
  const tabId = activeTab(store.state)?.id;
  const near = focusedPane(store.state)?.id;
  const folder = focusedSession(store.state)?.session.cwd ?? context.folder;
  const others = context.otherShells.filter((path) => path !== context.shell[0]);
  const rowsWith = (providers: readonly ProviderView[]) =>
    makePickerRows(context.shell.join(' '), others, providers);
  store.dispatch({
    type: 'dialog',
    dialog: {
      kind: 'picker',
      rows: rowsWith([]),
      query: textField(),
      cursor: 0,
      focus: 'list',
      folder: textField(folder),
      name: textField(),
      place: place ?? { ...(tabId ? { tabId } : {}), ...(near ? { near } : {}) },
    },
  });
  void context.ask('provider/list', {}).then((providers) => {
    const { dialog } = store.state;
    if (dialog?.kind !== 'picker' || !providers) return;
    store.dispatch({ type: 'dialog', dialog: { ...dialog, rows: rowsWith(providers) } });
  });
}

export function openChoice(
  context: ActionContext,
  title: string,
  lines: string[],
  options: ChoiceOption[],
): void {
  const shown = lines.filter((line) => line !== '');
  context.store.dispatch({
    type: 'dialog',
    dialog: { kind: 'choice', title, lines: shown, options, cursor: 0 },
  });
}

export function openRename(context: ActionContext, { session }: SessionView): void {
  const field = textField(session.name);
  const about = { sessionId: session.id };
  context.store.dispatch({
    type: 'dialog',
    dialog: { kind: 'text', title: 'Rename the session', field, about },
  });
}

export function openTabRename(context: ActionContext): void {
  const tab = activeTab(context.store.state);
  if (!tab) return;
  const field = textField(tab.name);
  const about = { tabId: tab.id };
  context.store.dispatch({ type: 'dialog', dialog: { kind: 'text', title: 'Rename the tab', field, about } });
}

/** All panes but those that have ended are chosen at first. */
export function openBroadcast(context: ActionContext): void {
  const sessions = sessionsByNumber(context.store.state);
  if (sessions.length === 0) return context.say('info', 'There is no pane to send to.');
  const chosen = sessions.filter((view) => view.run?.status === 'running').map((view) => view.session.id);
  context.store.dispatch({
    type: 'dialog',
    dialog: { kind: 'broadcast', field: textField(), chosen, cursor: 0, focus: 'text' },
  });
}

export async function openExplain(context: ActionContext, view: SessionView): Promise<void> {
  const { store } = context;
  const title = `${view.number} ${view.session.name}: ${view.status}`;
  store.dispatch({ type: 'dialog', dialog: { kind: 'explain', title, lines: null, top: 0 } });
  const told = await context.ask('session/explain', { session: view.session.id });
  const { dialog } = store.state;
  if (dialog?.kind !== 'explain' || dialog.title !== title) return;
  const lines = told ? explainLines(told) : ['The daemon did not say.'];
  store.dispatch({ type: 'dialog', dialog: { ...dialog, lines } });
}

/** The answer of the daemon as lines for people. */
export function explainLines(told: SessionExplanation): string[] {
  const part = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? ['', `${title}:`, ...lines] : [];
  const { failure } = told;
  const lines = [
    ...told.because,
    ...(failure ? [`${failure.kind}: ${failure.message}`, ...(failure.hint ? [failure.hint] : [])] : []),
    ...part('command', told.argv ? [told.argv.join(' ')] : []),
    ...part('folder', [told.cwd]),
    ...part('last lines of stderr', told.stderrTail),
    ...part('lines that were not frames', told.sideLog),
  ];
  return told.unknownFrames > 0 ? [...lines, '', `${told.unknownFrames} frames were not understood`] : lines;
}
