// Dialogs as values: what each one holds, and what it may ask the app to do. dialog-keys changes them, chrome draws them.
import type { PaneId, SessionId, TabId } from '../model/ids.js';
import type { SplitDirection } from '../model/layout.js';
import type { Confidence } from '../model/signal.js';
import type { ProviderView, SessionView } from '../wire/messages.js';
import { ACTION_LAYERS, LAYER_TITLES, typedKeys, type Action, type ActionId, type Keymap } from './keymap.js';
import { sanitize } from './chrome/text.js';
import type { TextField } from './text-field.js';

/** Where a new pane goes: beside `near`, or where the tab's mode puts it. */
export interface Place {
  tabId?: TabId;
  near?: PaneId;
  direction?: SplitDirection;
}

/** A row of the picker: a program that can be started. */
export interface PickerRow {
  label: string;
  detail: string;
  /** Missing: `command` is a program of the user's own; without that too: the user's shell. */
  providerId?: string;
  command?: string[];
  /** Start the provider's own screen in a terminal pane. */
  terminal: boolean;
  /** Why it cannot be started now. */
  blocked?: string;
}

export type Intent =
  | { do: 'action'; id: ActionId }
  | { do: 'start'; row: PickerRow; folder: string; name: string; place: Place }
  | { do: 'rename-session'; sessionId: SessionId; name: string }
  | { do: 'rename-tab'; tabId: TabId; name: string }
  | { do: 'close-pane'; paneId: PaneId; sessionId: SessionId; stop: boolean }
  | { do: 'close-tab'; tabId: TabId }
  | { do: 'restart'; sessionId: SessionId }
  | { do: 'stop-all' }
  | { do: 'resume-all' }
  | { do: 'mark'; sessionId: SessionId; confidence: Confidence }
  | { do: 'broadcast'; sessionIds: SessionId[]; text: string }
  | { do: 'goto-session'; sessionId: SessionId }
  | { do: 'detach' }
  | { do: 'quit' };

export interface ChoiceOption {
  /** The key that chooses it at once. */
  key: string;
  label: string;
  /** Missing: only closes. */
  intent?: Intent;
}

export type PickerFocus = 'list' | 'folder' | 'name';

export type Dialog =
  | { kind: 'help'; query: TextField; top: number }
  | { kind: 'palette'; query: TextField; cursor: number }
  | {
      kind: 'picker';
      /** null while the daemon looks for CLIs. */
      rows: PickerRow[] | null;
      query: TextField;
      cursor: number;
      focus: PickerFocus;
      folder: TextField;
      name: TextField;
      place: Place;
    }
  | { kind: 'text'; title: string; field: TextField; about: { sessionId: SessionId } | { tabId: TabId } }
  | { kind: 'choice'; title: string; lines: string[]; options: ChoiceOption[]; cursor: number }
  | { kind: 'inbox'; cursor: number }
  | { kind: 'explain'; title: string; lines: string[] | null; top: number }
  | { kind: 'broadcast'; field: TextField; chosen: SessionId[]; cursor: number; focus: 'list' | 'text' };

export interface HelpRow {
  keys: string;
  doc: string;
  /** A heading has no keys. */
  heading: boolean;
}

/** The lines of the help overlay: every binding that matches the query, under its layer. */
export function helpRows(keymap: Keymap, query: string): HelpRow[] {
  const rows: HelpRow[] = [];
  for (const layer of ACTION_LAYERS) {
    const own = keymap.bindings.filter(
      ({ action, keys }) =>
        action.layer === layer &&
        keys.length > 0 &&
        matches(`${action.id} ${keys.join(' ')} ${action.doc}`, query),
    );
    if (own.length === 0) continue;
    rows.push({ keys: '', doc: LAYER_TITLES[layer], heading: true });
    for (const { action, keys } of own) rows.push({ keys: keys.join(', '), doc: action.doc, heading: false });
  }
  return rows;
}

export interface PaletteRow {
  action: Action;
  keys: string;
}

/** Everything that can be done from anywhere, with its keys. */
export function paletteRows(keymap: Keymap, query: string): PaletteRow[] {
  return keymap.bindings
    .filter(({ action }) => action.layer === 'app' && action.id !== 'palette')
    .filter(({ action }) => matches(`${action.id} ${action.doc}`, query))
    .map(({ action }) => ({ action, keys: typedKeys(keymap, action.id) }));
}

export function pickerRows(dialog: Extract<Dialog, { kind: 'picker' }>): PickerRow[] {
  return (dialog.rows ?? []).filter((row) => matches(`${row.label} ${row.detail}`, dialog.query.text));
}

/** What the picker offers: the shell, other shells, then the providers, those that can start now before the others. */
export function makePickerRows(
  shell: string,
  otherShells: readonly string[],
  providers: readonly ProviderView[],
): PickerRow[] {
  const own: PickerRow[] = [
    { label: 'shell', detail: shell, terminal: true },
    ...otherShells.map((path) => ({
      label: `shell: ${baseName(path)}`,
      detail: path,
      command: [path],
      terminal: true,
    })),
  ];
  // The catalogue's own entry for the shell is the row that is there already.
  const rows = providers.flatMap(providerRows).filter((row) => row.label.toLowerCase() !== own[0]!.label);
  return [...own, ...rows.filter((row) => !row.blocked), ...rows.filter((row) => row.blocked)];
}

function providerRows(view: ProviderView): PickerRow[] {
  if (view.state === 'disabled') return [];
  const blocked = view.state === 'missing' ? (view.hint ?? view.detail) : undefined;
  const detail = view.state === 'installable' ? `installs on first use · ${view.detail}` : view.detail;
  const row = {
    label: view.name,
    detail,
    providerId: view.id,
    terminal: false,
    ...(blocked ? { blocked } : {}),
  };
  if (view.controller === 'terminal') return [{ ...row, terminal: true }];
  const ownScreen = { ...row, label: `${view.name} (its own screen)`, terminal: true };
  return view.hasTerminal ? [row, ownScreen] : [row];
}

export interface InboxRow {
  sessionId: SessionId;
  number: number;
  name: string;
  text: string;
}

/** All open requests of all sessions, oldest session first. */
export function inboxRows(sessions: readonly SessionView[]): InboxRow[] {
  return sessions.flatMap((view) => {
    const row = { sessionId: view.session.id, number: view.number, name: view.session.name };
    const open = view.requests.map((request) => ({ ...row, text: sanitize(request.title) }));
    return open.length > 0 || view.status !== 'needs-you'
      ? open
      : [{ ...row, text: 'says that it needs you' }];
  });
}

/** Every word of the query occurs, whatever the case. */
export function matches(text: string, query: string): boolean {
  const hay = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
