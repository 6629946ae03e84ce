// Dialogs by their keys: what they hold after each, and what they ask for.
import { describe, expect, it } from 'vitest';
import { helpRows, makePickerRows, type Dialog } from '../../../src/tui/dialog.js';
import { dialogKey, dialogPaste, type DialogStep } from '../../../src/tui/dialog-keys.js';
import { buildKeymap } from '../../../src/tui/keymap.js';
import { keyLabel } from '../../../src/model/key.js';
import { textField } from '../../../src/tui/text-field.js';
import type { ProviderView } from '../../../src/wire/messages.js';
import { key } from './keys.js';
import { sampleView, sessionId } from './sample.js';

const keymap = buildKeymap();
const sessions = [sampleView(1, 'unknown'), sampleView(2, 'needs-you')];

function press(dialog: Dialog, ...labels: string[]): DialogStep {
  let step: DialogStep = { dialog };
  for (const label of labels) {
    const typed = key(label);
    const action = keymap.lookup('dialog', keyLabel(typed))?.id;
    step = dialogKey(step.dialog!, typed, action, { keymap, sessions, pageRows: 5 });
  }
  return step;
}

const picker = (): Extract<Dialog, { kind: 'picker' }> => ({
  kind: 'picker',
  rows: makePickerRows('/bin/sh', [], [provider('able', 'installed'), provider('baker', 'missing')]),
  query: textField(),
  cursor: 0,
  focus: 'list',
  folder: textField('/tmp'),
  name: textField(),
  place: {},
});

function provider(id: string, state: ProviderView['state']): ProviderView {
  const lists = { models: [], efforts: [], permissions: [] };
  return { id, name: id, controller: 'terminal', state, detail: `/bin/${id}`, hasTerminal: true, ...lists };
}

describe('the picker', () => {
  it('starts the first row with the folder and the name', () => {
    const step = press(picker(), 'tab', ...'/a', 'tab', ...'fix', 'enter');
    expect(step.dialog).toBeNull();
    expect(step.intent).toMatchObject({
      do: 'start',
      folder: '/tmp/a',
      name: 'fix',
      row: { label: 'shell' },
    });
  });

  it('finds by typing, and does not start what is missing', () => {
    expect(press(picker(), ...'abl', 'enter').intent).toMatchObject({ row: { providerId: 'able' } });
    const step = press(picker(), ...'bak', 'enter');
    expect(step.intent).toBeUndefined();
    expect(step.dialog).not.toBeNull();
  });

  it('escape starts nothing', () => {
    expect(press(picker(), 'down', 'escape')).toEqual({ dialog: null });
  });

  it('a paste goes whole into the field with the cursor', () => {
    const dialog = dialogPaste({ ...picker(), focus: 'folder', folder: textField() }, '/home/me/two words');
    expect(dialog).toMatchObject({ folder: { text: '/home/me/two words' }, query: { text: '' } });
  });
});

describe('help', () => {
  it('is built from the key table and searchable', () => {
    expect(helpRows(keymap, '').length).toBeGreaterThan(40);
    const rows = helpRows(keymap, 'split below').filter((row) => !row.heading);
    expect(rows).toEqual([{ keys: 'ctrl+] "', doc: 'split: new pane below', heading: false }]);
    const typed = press({ kind: 'help', query: textField(), top: 3 }, ...'zoo');
    expect(typed.dialog).toMatchObject({ query: { text: 'zoo' }, top: 0 });
  });

  it('stays within its rows', () => {
    const down = press(
      { kind: 'help', query: textField(), top: 0 },
      ...new Array<string>(40).fill('pagedown'),
    );
    expect((down.dialog as { top: number }).top).toBe(helpRows(keymap, '').length - 1);
    expect(press({ kind: 'help', query: textField(), top: 0 }, 'up').dialog).toMatchObject({ top: 0 });
  });
});

describe('the palette', () => {
  it('does the row under the cursor', () => {
    expect(press({ kind: 'palette', query: textField(), cursor: 0 }, ...'detach', 'enter').intent).toEqual({
      do: 'action',
      id: 'detach',
    });
  });
});

describe('choices', () => {
  const choice = (): Dialog => ({
    kind: 'choice',
    title: 'Quit',
    lines: [],
    options: [
      { key: 'd', label: 'detach', intent: { do: 'detach' } },
      { key: 's', label: 'stop', intent: { do: 'quit' } },
    ],
    cursor: 0,
  });

  it('take their own key, or enter on the cursor; others do nothing', () => {
    expect(press(choice(), 's').intent).toEqual({ do: 'quit' });
    expect(press(choice(), 'enter').intent).toEqual({ do: 'detach' });
    expect(press(choice(), 'down', 'enter').intent).toEqual({ do: 'quit' });
    expect(press(choice(), 'ctrl+s')).toEqual({ dialog: choice() });
    expect(press(choice(), 'escape')).toEqual({ dialog: null });
  });
});

describe('the others', () => {
  it('inbox goes to the session of the row', () => {
    expect(press({ kind: 'inbox', cursor: 0 }, 'enter').intent).toEqual({
      do: 'goto-session',
      sessionId: sessionId(2),
    });
  });

  it('broadcast sends to the chosen ones, and not to nobody', () => {
    const dialog: Dialog = { kind: 'broadcast', field: textField(), chosen: [], cursor: 0, focus: 'text' };
    expect(press(dialog, ...'hi', 'enter').intent).toBeUndefined();
    expect(press(dialog, ...'hi', 'tab', 'down', 'space', 'tab', 'enter').intent).toEqual({
      do: 'broadcast',
      sessionIds: [sessionId(2)],
      text: 'hi',
    });
  });

  it('rename takes no empty name', () => {
    const dialog: Dialog = {
      kind: 'text',
      title: '',
      field: textField('x'),
      about: { sessionId: sessionId(1) },
    };
    expect(press(dialog, 'backspace', 'enter').intent).toBeUndefined();
    expect(press(dialog, 'y', 'enter').intent).toMatchObject({ do: 'rename-session', name: 'xy' });
  });
});
