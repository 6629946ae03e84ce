// Starts programs for the person: a shell beside the focused pane, or what the picker chose.
import type { ActionContext } from './action-context.js';
import type { PickerRow, Place } from './dialog.js';
import { focusedSession } from './state.js';

/** A shell in the focused pane's folder. */
export function startShell(context: ActionContext, place: Place): void {
  const folder = focusedSession(context.store.state)?.session.cwd ?? context.folder;
  // Neither provider nor command: the daemon starts the person's shell.
  const row: PickerRow = { label: 'shell', detail: '', terminal: true };
  void startRow(context, row, { folder, name: '', place });
}

export interface StartChoice {
  folder: string;
  name: string;
  place: Place;
}

/** Asks the daemon for a session and focuses its pane. */
export async function startRow(context: ActionContext, row: PickerRow, choice: StartChoice): Promise<void> {
  const { folder, name, place } = choice;
  const launch = {
    ...(row.terminal ? { terminal: true } : {}),
    ...(row.command ? { command: row.command } : {}),
  };
  const made = await context.ask('session/new', {
    ...(row.providerId ? { providerId: row.providerId } : {}),
    cwd: folder === '' ? context.folder : folder,
    ...(name === '' ? {} : { name }),
    launch,
    open: true,
    place,
  });
  if (made?.paneId) context.store.dispatch({ type: 'focus', paneId: made.paneId });
}
