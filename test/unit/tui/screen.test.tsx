// The chrome as Ink draws it: ink-testing-library for components, goldens of whole screens (UPDATE=1 writes them).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { render } from 'ink-testing-library';
import { describe, expect, it } from 'vitest';
import { Screen } from '../../../src/tui/chrome/screen.js';
import { screenModel } from '../../../src/tui/chrome/screen-model.js';
import { startInk } from '../../../src/tui/chrome/ink-frames.js';
import { makePickerRows, type Dialog } from '../../../src/tui/dialog.js';
import { buildKeymap } from '../../../src/tui/keymap.js';
import { renderPicture } from '../../../src/tui/picture.js';
import type { UiState } from '../../../src/tui/state.js';
import { reduce } from '../../../src/tui/state-reduce.js';
import { textField } from '../../../src/tui/text-field.js';
import { cellWidth } from '../../../src/screen/width.js';
import { NOW, paneId, sampleState, sampleView, sampleWorkspace, sessionId } from './sample.js';

const keymap = buildKeymap();
const four = () => [
  sampleView(1, 'working'),
  sampleView(2, 'needs-you'),
  sampleView(3, 'unknown', { providerName: 'shell' }),
  sampleView(4, 'exited', { run: { ...sampleView(4, 'exited').run!, status: 'exited', exitCode: 3 } }),
];

function frameOf(state: UiState): string[] {
  const { lastFrame, unmount } = render(<Screen model={screenModel(state, keymap, NOW)} />);
  const frame = lastFrame() ?? '';
  unmount();
  return frame.replace(/\x1b\[[\d;]*m/g, '').split('\n');
}

function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, '../../golden/tui', `${name}.txt`);
  if (process.env['UPDATE'] === '1' || !existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  expect(`${text}\n`).toBe(readFileSync(file, 'utf8'));
}

const trimmed = (lines: string[]) => lines.map((line) => line.trimEnd()).join('\n');

describe('goldens', () => {
  for (const size of [
    { cols: 80, rows: 24 },
    { cols: 120, rows: 40 },
  ]) {
    const name = `${size.cols}x${size.rows}`;
    const state = () => sampleState(four(), size);
    it(`four panes at ${name}`, () => golden(`four-${name}`, trimmed(frameOf(state()))));
    it(`help at ${name}`, () => {
      const dialog = { kind: 'help' as const, query: textField(), top: 0 };
      golden(`help-${name}`, trimmed(frameOf(reduce(state(), { type: 'dialog', dialog }))));
    });
    it(`the picker at ${name}`, () => {
      const rows = makePickerRows('/bin/bash', ['/bin/zsh'], []);
      const fields = { query: textField(), folder: textField('/home/me'), name: textField() };
      const dialog = {
        kind: 'picker' as const,
        rows,
        cursor: 0,
        focus: 'list' as const,
        place: {},
        ...fields,
      };
      golden(`picker-${name}`, trimmed(frameOf(reduce(state(), { type: 'dialog', dialog }))));
    });
    it(`the picture at ${name}`, () => {
      const workspace = sampleWorkspace(four(), { cols: size.cols, rows: size.rows - 1 });
      const paneText = (id: string) => [`$ echo ${id}`, id, '漢字'];
      golden(`picture-${name}`, renderPicture({ ...size, workspace, paneText, keymap, now: NOW }));
    });
  }
});

describe('C01: a frame', () => {
  const sizes = [
    [1, 1],
    [3, 2],
    [24, 5],
    [30, 8],
    [80, 10],
    [200, 50],
  ] as const;
  it.each(sizes)('never exceeds %ix%i, with a dialog or without', (cols, rows) => {
    const plain = sampleState(four(), { cols, rows });
    const help = { kind: 'help' as const, query: textField(), top: 0 };
    const long = {
      kind: 'explain' as const,
      title: 'x',
      lines: new Array<string>(99).fill('words '.repeat(40)),
      top: 0,
    };
    for (const dialog of [null, help, long]) {
      const lines = frameOf({ ...plain, dialog });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(cols);
    }
  });
});

describe('every row of the chrome', () => {
  const field = textField('some text that is quite long, so that it must be cut in a small field');
  const dialogs: Dialog[] = [
    { kind: 'help', query: field, top: 0 },
    { kind: 'palette', query: textField(), cursor: 3 },
    { kind: 'text', title: 'Rename', field, about: { sessionId: sessionId(1) } },
    {
      kind: 'choice',
      title: 'Quit',
      lines: ['words '.repeat(30)],
      options: [{ key: 'y', label: 'yes' }],
      cursor: 0,
    },
    { kind: 'inbox', cursor: 0 },
    { kind: 'explain', title: 'why', lines: ['because '.repeat(30), ''], top: 0 },
    { kind: 'broadcast', field, chosen: [sessionId(1)], cursor: 1, focus: 'list' },
    {
      kind: 'picker',
      rows: makePickerRows('/bin/bash', ['/bin/zsh'], []),
      query: field,
      cursor: 1,
      focus: 'name',
      folder: field,
      name: field,
      place: {},
    },
  ];
  it.each(dialogs.map((dialog) => [dialog.kind, dialog] as const))(
    'fits its block, with %s open',
    (_kind, dialog) => {
      for (const [cols, rows] of [
        [24, 5],
        [40, 12],
        [80, 24],
        [200, 50],
      ] as const) {
        const model = screenModel({ ...sampleState(four(), { cols, rows }), dialog }, keymap, NOW);
        for (const block of model.blocks)
          for (const row of block.rows)
            expect(cellWidth(row.replace(/\x1b\[[\d;]*m/g, '')), `${block.key}: ${row}`).toBeLessThanOrEqual(
              block.cols,
            );
      }
    },
  );
});

describe('what the eye sees', () => {
  it('focus is told without colour', () => {
    const model = screenModel(sampleState(four()), keymap, NOW);
    const titles = model.blocks.filter((block) => block.key.startsWith('title'));
    expect(titles.filter((block) => block.rows[0]!.includes('\x1b[1;7m')).map((block) => block.key)).toEqual([
      `title ${paneId(1)}`,
    ]);
    expect(titles.every((block) => !/\x1b\[[\d;]*3\d/.test(block.rows[0]!))).toBe(true);
  });

  it('ASCII hosts get ASCII only', () => {
    const state = sampleState(four());
    const ascii = { ...state, host: { ...state.host, unicode: false } };
    expect(frameOf(ascii).join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('names from outside cannot carry control characters', () => {
    const evil = sampleView(1, 'working');
    evil.session.name = 'a\x1b[31mb\x07';
    const row = screenModel(sampleState([evil]), keymap, NOW).blocks.find((block) =>
      block.key.startsWith('title'),
    )!;
    expect(row.rows[0]).not.toContain('\x1b[31m');
    expect(row.rows[0]).not.toContain('\x07');
  });

  it('says that a screen is too small, whatever is open', () => {
    expect(frameOf(sampleState(four(), { cols: 20, rows: 4 })).join(' ')).toContain('Too small');
  });

  it('puts the cursor into the field of a dialog', () => {
    const dialog = { kind: 'palette' as const, query: textField('zo'), cursor: 0 };
    const model = screenModel({ ...sampleState(four()), dialog }, keymap, NOW);
    const line = frameOf({ ...sampleState(four()), dialog })[model.cursor!.y]!;
    expect(line.slice(0, model.cursor!.x).trimEnd().endsWith('zo')).toBe(true);
  });
});

describe('Ink in a private stream', () => {
  it('gives whole frames for each model, also after a resize', () => {
    const frames: string[] = [];
    const small = screenModel(sampleState(four()), keymap, NOW);
    const ink = startInk(small, (frame) => frames.push(frame));
    expect(frames.at(-1)!.split('\n')).toHaveLength(24);
    ink.draw(screenModel(sampleState(four(), { cols: 100, rows: 30 }), keymap, NOW));
    expect(frames.at(-1)!.split('\n')).toHaveLength(30);
    ink.dispose();
  });
});
