// What a key or a paste does in the open dialog. Pure: a dialog and a key in, a dialog and perhaps an intent out.
import type { Key } from '../model/key.js';
import type { SessionView } from '../wire/messages.js';
import type { Dialog, Intent } from './dialog.js';
import { helpRows, inboxRows, paletteRows, pickerRows } from './dialog.js';
import type { ActionId, Keymap } from './keymap.js';
import { editField, insertText, type TextField } from './text-field.js';

export interface DialogContext {
  keymap: Keymap;
  sessions: readonly SessionView[];
  /** Rows of a list that are seen at once. */
  pageRows: number;
}

export interface DialogStep {
  /** null closes it. */
  dialog: Dialog | null;
  intent?: Intent;
}

type Of<K extends Dialog['kind']> = Extract<Dialog, { kind: K }>;
const CLOSE: DialogStep = { dialog: null };

/** `action` is what the key means in the dialog layer, if anything. */
export function dialogKey(
  dialog: Dialog,
  key: Key,
  action: ActionId | undefined,
  context: DialogContext,
): DialogStep {
  if (action === 'dialog-close') return CLOSE;
  switch (dialog.kind) {
    case 'help':
      return helpKey(dialog, key, action, context);
    case 'palette':
      return paletteKey(dialog, key, action, context);
    case 'picker':
      return pickerKey(dialog, key, action, context);
    case 'text':
      return textKey(dialog, key, action);
    case 'choice':
      return choiceKey(dialog, key, action);
    case 'inbox':
      return inboxKey(dialog, action, context);
    case 'explain':
      return {
        dialog: { ...dialog, top: moved(dialog.top, action, dialog.lines?.length ?? 0, context.pageRows) },
      };
    case 'broadcast':
      return broadcastKey(dialog, key, action, context);
  }
}

/** A paste goes whole into the field that has the cursor. */
export function dialogPaste(dialog: Dialog, text: string): Dialog {
  switch (dialog.kind) {
    case 'help':
    case 'palette':
      return { ...dialog, query: insertText(dialog.query, text) };
    case 'picker': {
      const name = dialog.focus === 'list' ? 'query' : dialog.focus;
      return { ...dialog, [name]: insertText(dialog[name], text) };
    }
    case 'text':
    case 'broadcast':
      return { ...dialog, field: insertText(dialog.field, text) };
    case 'choice':
    case 'inbox':
    case 'explain':
      return dialog;
  }
}

function helpKey(
  dialog: Of<'help'>,
  key: Key,
  action: ActionId | undefined,
  context: DialogContext,
): DialogStep {
  if (action === 'dialog-accept') return CLOSE;
  const count = helpRows(context.keymap, dialog.query.text).length;
  if (action) return { dialog: { ...dialog, top: moved(dialog.top, action, count, context.pageRows) } };
  const query = editField(dialog.query, key);
  return { dialog: query ? { ...dialog, query, top: 0 } : dialog };
}

function paletteKey(
  dialog: Of<'palette'>,
  key: Key,
  action: ActionId | undefined,
  context: DialogContext,
): DialogStep {
  const rows = paletteRows(context.keymap, dialog.query.text);
  if (action === 'dialog-accept') {
    const row = rows[dialog.cursor];
    return row ? { dialog: null, intent: { do: 'action', id: row.action.id } } : { dialog };
  }
  if (action)
    return { dialog: { ...dialog, cursor: moved(dialog.cursor, action, rows.length, context.pageRows) } };
  const query = editField(dialog.query, key);
  return { dialog: query ? { ...dialog, query, cursor: 0 } : dialog };
}

const PICKER_FOCUS = ['list', 'folder', 'name'] as const;

function pickerKey(
  dialog: Of<'picker'>,
  key: Key,
  action: ActionId | undefined,
  context: DialogContext,
): DialogStep {
  const rows = pickerRows(dialog);
  switch (action) {
    case 'dialog-accept':
      return acceptPicker(dialog, rows[dialog.cursor]);
    case 'dialog-next':
    case 'dialog-previous': {
      const step = action === 'dialog-next' ? 1 : PICKER_FOCUS.length - 1;
      const at = (PICKER_FOCUS.indexOf(dialog.focus) + step) % PICKER_FOCUS.length;
      return { dialog: { ...dialog, focus: PICKER_FOCUS[at]! } };
    }
    case undefined:
      return { dialog: editPicker(dialog, key) };
    default:
      return { dialog: { ...dialog, cursor: moved(dialog.cursor, action, rows.length, context.pageRows) } };
  }
}

function acceptPicker(
  dialog: Of<'picker'>,
  row: ReturnType<typeof pickerRows>[number] | undefined,
): DialogStep {
  if (!row || row.blocked) return { dialog };
  const { folder, name, place } = dialog;
  return { dialog: null, intent: { do: 'start', row, folder: folder.text, name: name.text.trim(), place } };
}

function editPicker(dialog: Of<'picker'>, key: Key): Dialog {
  if (dialog.focus !== 'list') {
    const field = editField(dialog[dialog.focus], key);
    return field ? { ...dialog, [dialog.focus]: field } : dialog;
  }
  const query = editField(dialog.query, key);
  return query ? { ...dialog, query, cursor: 0 } : dialog;
}

function textKey(dialog: Of<'text'>, key: Key, action: ActionId | undefined): DialogStep {
  if (action === 'dialog-accept') {
    const name = dialog.field.text.trim();
    if (name === '') return { dialog };
    const { about } = dialog;
    return 'sessionId' in about
      ? { dialog: null, intent: { do: 'rename-session', sessionId: about.sessionId, name } }
      : { dialog: null, intent: { do: 'rename-tab', tabId: about.tabId, name } };
  }
  const field = editField(dialog.field, key);
  return { dialog: field ? { ...dialog, field } : dialog };
}

function choiceKey(dialog: Of<'choice'>, key: Key, action: ActionId | undefined): DialogStep {
  const chosen =
    action === 'dialog-accept'
      ? dialog.options[dialog.cursor]
      : dialog.options.find((option) => option.key === key.text && !key.ctrl && !key.alt);
  if (chosen) return { dialog: null, ...(chosen.intent ? { intent: chosen.intent } : {}) };
  const count = dialog.options.length;
  const sideways = key.name === 'right' || action === 'dialog-next' ? 1 : 0;
  const back = key.name === 'left' || action === 'dialog-previous' ? count - 1 : 0;
  if (sideways || back) return { dialog: { ...dialog, cursor: (dialog.cursor + sideways + back) % count } };
  return { dialog: { ...dialog, cursor: moved(dialog.cursor, action, count, count) } };
}

function inboxKey(dialog: Of<'inbox'>, action: ActionId | undefined, context: DialogContext): DialogStep {
  const rows = inboxRows(context.sessions);
  const row = rows[Math.min(dialog.cursor, rows.length - 1)];
  if (action === 'dialog-accept')
    return row ? { dialog: null, intent: { do: 'goto-session', sessionId: row.sessionId } } : CLOSE;
  return { dialog: { ...dialog, cursor: moved(dialog.cursor, action, rows.length, context.pageRows) } };
}

function broadcastKey(
  dialog: Of<'broadcast'>,
  key: Key,
  action: ActionId | undefined,
  context: DialogContext,
): DialogStep {
  if (action === 'dialog-next' || action === 'dialog-previous')
    return { dialog: { ...dialog, focus: dialog.focus === 'list' ? 'text' : 'list' } };
  if (dialog.focus === 'text') return broadcastText(dialog, key, action);
  const at = context.sessions[dialog.cursor]?.session.id;
  if (at && (key.name === 'space' || action === 'dialog-accept')) {
    const without = dialog.chosen.filter((id) => id !== at);
    return {
      dialog: { ...dialog, chosen: without.length < dialog.chosen.length ? without : [...without, at] },
    };
  }
  return {
    dialog: { ...dialog, cursor: moved(dialog.cursor, action, context.sessions.length, context.pageRows) },
  };
}

function broadcastText(dialog: Of<'broadcast'>, key: Key, action: ActionId | undefined): DialogStep {
  const text = dialog.field.text.trim();
  if (action === 'dialog-accept') {
    if (text === '' || dialog.chosen.length === 0) return { dialog };
    return { dialog: null, intent: { do: 'broadcast', sessionIds: dialog.chosen, text } };
  }
  const field: TextField | undefined = editField(dialog.field, key);
  return { dialog: field ? { ...dialog, field } : dialog };
}

/** The place in a list after a movement, kept within it. */
function moved(at: number, action: ActionId | undefined, count: number, page: number): number {
  const step =
    { 'dialog-up': -1, 'dialog-down': 1, 'dialog-page-up': -page, 'dialog-page-down': page }[
      action as string
    ] ?? 0;
  return Math.max(0, Math.min(count - 1, at + step));
}
