// Items of a transcript as rows: what is shown, never wider than asked, and harmless whatever a model says.
import { describe, expect, it } from 'vitest';
import type { AgentEventBody } from '../../../src/model/event.js';
import type { RunId, SessionId, TurnId } from '../../../src/model/ids.js';
import { Transcript } from '../../../src/model/transcript.js';
import { cellWidth } from '../../../src/screen/width.js';
import { makeTheme } from '../../../src/tui/chrome/theme.js';
import { renderItem } from '../../../src/tui/transcript/render-item.js';
import { offsetOf, placeAt, transcriptRows, visibleRows } from '../../../src/tui/transcript/row-window.js';
import type { RenderContext } from '../../../src/tui/transcript/styled-wrap.js';

const theme = makeTheme({ colors: 'none', unicode: true });
const context = (more: Partial<RenderContext> = {}): RenderContext => ({
  width: 40,
  theme,
  now: 5000,
  expanded: false,
  ...more,
});
const plain = (row: string) => row.replace(/\x1b\[[\d;]*m/g, '');

function fold(bodies: AgentEventBody[]): Transcript {
  const transcript = new Transcript();
  const stamp = { sessionId: 's-1' as SessionId, runId: 'r-1' as RunId, turnId: 't-1' as TurnId };
  bodies.forEach((body, at) => transcript.apply({ ...body, ...stamp, at: at * 1000 }));
  return transcript;
}

const rowsOf = (bodies: AgentEventBody[], more: Partial<RenderContext> = {}) =>
  fold(bodies).items.flatMap((item) => renderItem(item, context(more)));
const shown = (bodies: AgentEventBody[], more: Partial<RenderContext> = {}) =>
  rowsOf(bodies, more).map(plain);
const say = (text: string): AgentEventBody => ({ type: 'text', messageId: 'm', final: text });
const tool = (status: 'completed' | 'failed', output: string, more: object = {}): AgentEventBody[] => [
  {
    type: 'tool.started',
    call: { toolCallId: 'c', name: 'Bash', kind: 'execute', title: 'npm test', status: 'running', ...more },
  },
  {
    type: 'tool.finished',
    toolCallId: 'c',
    status,
    content: [{ type: 'text', text: output }],
    exitCode: status === 'failed' ? 1 : 0,
  },
];

describe('items as rows', () => {
  it('renders headings, lists, code and bold, and wraps at words', () => {
    const text =
      '# Title\n\n- one **two** three four five six seven eight\n1. `x = 1`\n\n```ts\n  const a = 1;\n```\nend';
    expect(shown([say(text)])).toEqual([
      'Title',
      '',
      '• one two three four five six seven',
      '  eight',
      '1. x = 1',
      '',
      '│   const a = 1;',
      'end',
    ]);
    expect(rowsOf([say('a **b** c')])[0]).toBe('a \x1b[1mb\x1b[0m c');
  });

  it('leaves snake_case, globs and lone stars as they were written', () => {
    expect(shown([say('my_var_name and src/**/*.ts and 2 * 3 * 4')])).toEqual([
      'my_var_name and src/**/*.ts and 2 * 3 *',
      '4',
    ]);
  });

  it('makes control characters of a model visible, in every kind of item', () => {
    const evil = 'a\x1b]0;owned\x07b\x1b[2Jc\u202ed';
    const rows = shown(
      [
        { type: 'turn.started', prompt: evil },
        { type: 'thought', messageId: 'th', final: evil },
        say(evil),
        ...tool('failed', evil, { title: evil }),
        { type: 'plan', entries: [{ text: evil, status: 'pending' }] },
        { type: 'notice', kind: 'other', level: 'warning', text: evil },
        { type: 'unknown', frameType: evil, raw: evil },
        { type: 'failed', failure: { kind: 'crash', message: evil, hint: evil, stderrTail: [evil] } },
      ],
      { expanded: true, width: 200 },
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const row of rows) expect(row).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    expect(rows.join('\n')).toContain('a␛]0;owned␇b');
  });

  it('is never wider than the pane, at any width, with wide characters too', () => {
    const bodies: AgentEventBody[] = [
      { type: 'turn.started', prompt: '你好 world and more words' },
      say(`# ${'漢字'.repeat(30)}\n- ${'x'.repeat(90)}\n\n\`\`\`\n${'語'.repeat(50)}\n\`\`\`\n👩‍👩‍👧 family`),
      ...tool('failed', `${'y'.repeat(200)}\n你好`, { title: '修正'.repeat(40) }),
      { type: 'usage', usage: { scope: 'turn', inputTokens: 12_345, outputTokens: 9, costUsd: 1.5 } },
      { type: 'turn.done', stopReason: 'end_turn' },
    ];
    for (let width = 6; width < 90; width += 3)
      for (const row of shown(bodies, { width, expanded: width % 2 === 0 }))
        expect(cellWidth(row), `${width}: ${row}`).toBeLessThanOrEqual(width);
  });

  it('shows how a call ended, folds long output, and shows all of it on demand', () => {
    const output = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\n');
    const rows = shown(tool('failed', output));
    expect(rows[0]).toMatch(/^✗ npm test +exit 1 {2}1\.0 s$/);
    expect(rows[1]).toBe('  … 18 more lines');
    expect(rows.at(-1)).toBe('  line 30');
    expect(shown(tool('completed', output))).toEqual([
      expect.stringMatching(/^✓ npm test +1\.0 s$/),
      '  line 1',
      '  line 2',
      '  line 3',
      '  line 4',
      '  … 26 more lines',
    ]);
    expect(shown(tool('failed', output), { expanded: true })).toHaveLength(31);
  });

  it('shows a diff with signs that are readable without colour', () => {
    const before = Array.from({ length: 20 }, (_, i) => `l${i + 1}`);
    const after = before.with(9, 'changed');
    const diff = {
      type: 'diff' as const,
      path: 'a.ts',
      oldText: before.join('\n'),
      newText: after.join('\n'),
    };
    const rows = shown([
      {
        type: 'tool.started',
        call: {
          toolCallId: 'c',
          name: 'Edit',
          kind: 'edit',
          title: 'Edit a.ts',
          status: 'running',
          content: [diff],
        },
      },
    ]);
    expect(rows.slice(1)).toEqual([
      '  @@ line 8 @@',
      '    l8',
      '    l9',
      '  - l10',
      '  + changed',
      '    l11',
      '    l12',
    ]);
  });

  it('shows a failure with its hint, and the usage at the end of a turn', () => {
    const rows = shown([
      { type: 'turn.started', prompt: 'go' },
      { type: 'usage', usage: { scope: 'turn', inputTokens: 18_000, outputTokens: 300, costUsd: 0.42 } },
      {
        type: 'turn.done',
        stopReason: 'error',
        failure: { kind: 'auth', message: 'no key', hint: 'sign in' },
      },
    ]);
    expect(rows).toEqual([
      '',
      '> go',
      '✗ not signed in: no key',
      '  sign in',
      '─ failed · 2.0 s · ↑18.0k ↓300 · $0.42',
    ]);
  });
});

describe('the window', () => {
  const many = (count: number): AgentEventBody[] =>
    Array.from({ length: count }, (_, i) => ({
      type: 'text',
      messageId: `m${i}`,
      final: `message ${i}\nsecond row`,
    }));

  it('shows the newest rows, and older ones by offset', () => {
    const source = transcriptRows(fold(many(50)), context());
    expect(visibleRows(source, 3, 0).rows).toEqual(['second row', 'message 49', 'second row']);
    expect(visibleRows(source, 2, 5).rows).toEqual(['second row', 'message 47']);
    expect(visibleRows(source, 4, 1000)).toEqual({
      rows: ['message 0', 'second row', 'message 1', 'second row'],
      total: 100,
    });
  });

  it('keeps its place while text comes', () => {
    const transcript = fold(many(20));
    const place = placeAt(transcriptRows(transcript, context()), 7)!;
    const before = visibleRows(transcriptRows(transcript, context()), 5, 7).rows;
    transcript.apply({
      type: 'text',
      messageId: 'new',
      delta: 'one\ntwo\nthree',
      sessionId: 's' as SessionId,
      runId: 'r' as RunId,
      at: 1,
    });
    const source = transcriptRows(transcript, context());
    expect(offsetOf(source, place)).toBe(10);
    expect(visibleRows(source, 5, offsetOf(source, place)).rows).toEqual(before);
  });

  it('renders only what is in sight of 10,000 items', () => {
    const transcript = fold(many(10_000));
    let asked = 0;
    const source = transcriptRows(transcript, context());
    const counting = {
      ...source,
      count: source.count,
      rows: (index: number) => (asked++, source.rows(index)),
    };
    expect(visibleRows(counting, 40, 0).rows).toHaveLength(40);
    expect(asked).toBe(20);
  });
});
