// Each dialog as rows of text in a box, with the place of its cursor. Pure; screen.tsx places the box.
import type { Dialog } from '../dialog.js';
import { helpRows, inboxRows, paletteRows, pickerRows } from '../dialog.js';
import type { Keymap } from '../keymap.js';
import type { UiState } from '../state.js';
import { sessionsByNumber } from '../state.js';
import type { TextField } from '../text-field.js';
import { graphemes } from '../text-field.js';
import { fit, sanitize, truncate, width, wrap } from './text.js';
import { statusColour, statusGlyph, type Theme } from './theme.js';

/** Wide enough for the longest key with its words, narrow enough to leave the tiles around it in sight. */
const DIALOG_COLS = 72;
/** Border, padding. */
const FRAME_COLS = 4;
const FRAME_ROWS = 2;

export interface DialogView {
  title: string;
  /** Content rows, each exactly `cols` cells. */
  rows: string[];
  cols: number;
  footer: string;
  /** Cell of the text cursor within the content. */
  cursor?: { x: number; y: number };
}

export interface ViewContext {
  state: UiState;
  keymap: Keymap;
  theme: Theme;
  /** Room for content. */
  cols: number;
  rowsMax: number;
}

type Of<K extends Dialog['kind']> = Extract<Dialog, { kind: K }>;

export function dialogView(dialog: Dialog, state: UiState, keymap: Keymap, theme: Theme): DialogView {
  const cols = Math.max(1, Math.min(DIALOG_COLS, state.host.cols) - FRAME_COLS);
  const context = { state, keymap, theme, cols, rowsMax: Math.max(1, state.host.rows - 1 - FRAME_ROWS) };
  const view = viewOf(dialog, context);
  return {
    ...view,
    rows: view.rows.slice(0, context.rowsMax),
    title: truncate(view.title, cols - 2, theme.ellipsis),
  };
}

/** Rows a list in a dialog shows at once; also the step of its page keys. */
export function listRows(rows: number): number {
  return Math.max(1, Math.min(18, rows - 1 - FRAME_ROWS - 4));
}

function viewOf(dialog: Dialog, context: ViewContext): DialogView {
  switch (dialog.kind) {
    case 'help':
      return helpView(dialog, context);
    case 'palette':
      return paletteView(dialog, context);
    case 'picker':
      return pickerView(dialog, context);
    case 'text':
      return {
        ...fieldsView(context, [['', dialog.field, true]]),
        title: dialog.title,
        footer: 'enter accepts · esc closes',
      };
    case 'choice':
      return choiceView(dialog, context);
    case 'inbox':
      return inboxView(dialog, context);
    case 'explain':
      return explainView(dialog, context);
    case 'broadcast':
      return broadcastView(dialog, context);
  }
}

function helpView(dialog: Of<'help'>, context: ViewContext): DialogView {
  const { theme, cols } = context;
  const rows = helpRows(context.keymap, dialog.query.text);
  const keyCells = Math.min(24, Math.floor(cols / 3));
  const lines = rows.map((row) =>
    row.heading
      ? theme.paint(fit(row.doc, cols, theme.ellipsis), { bold: true, underline: true })
      : fit(`${fit(row.keys, keyCells, theme.ellipsis)} ${row.doc}`, cols, theme.ellipsis),
  );
  const list = lines.length > 0 ? windowOf(lines, dialog.top, context) : [fit('nothing matches', cols)];
  const search = fieldsView(context, [['search', dialog.query, true]]);
  return {
    ...search,
    title: 'Keys',
    rows: [...search.rows, ...list],
    footer: 'type to search · up/down · esc',
  };
}

function paletteView(dialog: Of<'palette'>, context: ViewContext): DialogView {
  const { theme, cols } = context;
  const rows = paletteRows(context.keymap, dialog.query.text);
  const lines = rows.map((row, at) => {
    const keys = row.keys === '' ? '' : ` ${row.keys}`;
    const words = fit(row.action.doc, cols - 2 - width(keys), theme.ellipsis);
    return listLine(words + keys, at === dialog.cursor, context);
  });
  const search = fieldsView(context, [['do', dialog.query, true]]);
  const list = rows.length > 0 ? cursorWindow(lines, dialog.cursor, context) : [fit('nothing matches', cols)];
  return { ...search, title: 'Commands', rows: [...search.rows, ...list], footer: 'enter does it · esc' };
}

function pickerView(dialog: Of<'picker'>, context: ViewContext): DialogView {
  const { theme, cols } = context;
  const rows = pickerRows(dialog);
  const lines = rows.map((row, at) => {
    const label = fit(sanitize(row.label), Math.min(28, cols), theme.ellipsis);
    const detail = sanitize(row.blocked ?? row.detail);
    const text = fit(`${label} ${detail}`, cols - 2, theme.ellipsis);
    const line = listLine(text, at === dialog.cursor, context, row.blocked !== undefined);
    return line;
  });
  const nothing = dialog.rows === null ? 'looking for CLIs…' : 'nothing matches';
  const list =
    rows.length > 0 ? cursorWindow(lines, dialog.cursor, context) : [fit(nothing, cols, theme.ellipsis)];
  const fields = fieldsView(context, [
    ['search', dialog.query, dialog.focus === 'list'],
    ['folder', dialog.folder, dialog.focus === 'folder'],
    ['name', dialog.name, dialog.focus === 'name'],
  ]);
  return {
    ...fields,
    title: 'Start',
    rows: [...fields.rows, ...list],
    footer: 'enter starts · tab: folder, name · esc',
  };
}

function choiceView(dialog: Of<'choice'>, context: ViewContext): DialogView {
  const lines = dialog.lines.flatMap((line) => wrap(sanitize(line), context.cols));
  const options = dialog.options.map((option, at) =>
    listLine(
      fit(`${option.key}  ${option.label}`, context.cols - 2, context.theme.ellipsis),
      at === dialog.cursor,
      context,
    ),
  );
  const rows = [...lines.map((line) => fit(line, context.cols)), ...options];
  return { title: dialog.title, rows, cols: context.cols, footer: 'a key, or enter · esc: nothing' };
}

function inboxView(dialog: Of<'inbox'>, context: ViewContext): DialogView {
  const { cols, theme } = context;
  const rows = inboxRows(sessionsByNumber(context.state));
  const lines = rows.map((row, at) =>
    listLine(
      fit(`${row.number} ${sanitize(row.name)}: ${row.text}`, cols - 2, theme.ellipsis),
      at === dialog.cursor,
      context,
    ),
  );
  const list = rows.length > 0 ? cursorWindow(lines, dialog.cursor, context) : [fit('nothing is open', cols)];
  return { title: 'Inbox', rows: list, cols, footer: 'enter goes there · esc' };
}

function explainView(dialog: Of<'explain'>, context: ViewContext): DialogView {
  const lines = (dialog.lines ?? ['asking…']).flatMap((line) => wrap(sanitize(line), context.cols));
  const padded = lines.map((line) => fit(line, context.cols));
  return {
    title: dialog.title,
    rows: windowOf(padded, dialog.top, context),
    cols: context.cols,
    footer: 'up/down · esc',
  };
}

function broadcastView(dialog: Of<'broadcast'>, context: ViewContext): DialogView {
  const { theme, cols } = context;
  const sessions = sessionsByNumber(context.state);
  const lines = sessions.map((view, at) => {
    const box = dialog.chosen.includes(view.session.id) ? theme.checked : theme.unchecked;
    const glyph = theme.paint(statusGlyph(theme, view.status), { colour: statusColour(view.status) });
    const text = fit(`${view.number} ${sanitize(view.session.name)}`, cols - 5 - width(box), theme.ellipsis);
    return listLine(`${box} ${glyph} ${text}`, dialog.focus === 'list' && at === dialog.cursor, context);
  });
  const field = fieldsView(context, [['text', dialog.field, dialog.focus === 'text']]);
  return {
    ...field,
    title: 'Send to several',
    rows: [...field.rows, ...cursorWindow(lines, dialog.cursor, context)],
    footer: 'tab: list, text · space chooses · enter sends · esc',
  };
}

/** A row of a list: marked, and inverse under the cursor, so that it is seen without colour. */
function listLine(text: string, on: boolean, { theme }: ViewContext, dim = false): string {
  const mark = on ? `${theme.cursorMark} ` : '  ';
  return theme.paint(mark + text, on ? { inverse: true } : { dim });
}

function windowOf(lines: string[], top: number, context: ViewContext): string[] {
  const size = listRows(context.state.host.rows);
  const from = Math.max(0, Math.min(top, lines.length - size));
  return lines.slice(from, from + size);
}

function cursorWindow(lines: string[], cursor: number, context: ViewContext): string[] {
  const size = listRows(context.state.host.rows);
  return windowOf(lines, Math.max(0, cursor - size + 1), context);
}

type FieldRow = [label: string, field: TextField, active: boolean];

/** Text fields, one a row; the active one holds the cursor and shows the part of its text around it. */
function fieldsView({ cols, theme }: ViewContext, fields: FieldRow[]): DialogView {
  const labelCells = Math.max(...fields.map(([label]) => (label === '' ? 0 : width(label) + 2)));
  let cursor: DialogView['cursor'];
  const rows = fields.map(([label, field, active], y) => {
    const room = Math.max(1, cols - labelCells - 1);
    const parts = graphemes(sanitize(field.text));
    let from = 0;
    while (width(parts.slice(from, field.cursor).join('')) >= room) from++;
    if (active) cursor = { x: labelCells + width(parts.slice(from, field.cursor).join('')), y };
    const text = fit(parts.slice(from).join(''), cols - labelCells, theme.ellipsis);
    const name = label === '' ? '' : fit(`${label}:`, labelCells);
    return theme.paint(name, { bold: active, dim: !active }) + text;
  });
  return { title: '', rows, cols, footer: '', ...(cursor ? { cursor } : {}) };
}

/** The rows of the box: border, title, content, footer. */
export function boxRows(view: DialogView, theme: Theme): string[] {
  const { corners, dash, bar } = theme;
  const line = (left: string, words: string, right: string) => {
    const text = words === '' ? '' : ` ${truncate(words, view.cols - 1, theme.ellipsis)} `;
    return left + dash + text + dash.repeat(Math.max(0, view.cols + 1 - width(text))) + right;
  };
  return [
    theme.paint(line(corners.topLeft, view.title, corners.topRight), { bold: true }),
    ...view.rows.map((row) => `${bar} ${row} ${bar}`),
    line(corners.bottomLeft, view.footer, corners.bottomRight),
  ];
}

export function boxSize(view: DialogView): { cols: number; rows: number } {
  return { cols: view.cols + FRAME_COLS, rows: view.rows.length + FRAME_ROWS };
}
