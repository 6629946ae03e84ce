// The composer as a value: lines, caret, history, pastes; and the card: what a key means to it, and only to it.
import { describe, expect, it } from 'vitest';
import type { PermissionId, RunId } from '../../../src/model/ids.js';
import type { PermissionRequest } from '../../../src/model/permission.js';
import { cellWidth } from '../../../src/screen/width.js';
import { makeTheme } from '../../../src/tui/chrome/theme.js';
import { cardRows, cardStep } from '../../../src/tui/panes/card.js';
import {
  composedText,
  edit,
  EMPTY_COMPOSER,
  insert,
  moveHistory,
  moveLine,
  paste,
} from '../../../src/tui/panes/composer.js';
import { composerRows } from '../../../src/tui/panes/composer-view.js';
import { key } from '../tui/keys.js';
import { sessionId } from '../tui/sample.js';

const theme = makeTheme({ colors: 'none', unicode: true });
const look = { cols: 20, maxRows: 4, theme, label: '› ', hint: 'ask' };
const plain = (row: string) => row.replace(/\x1b\[[\d;]*m/g, '').trimEnd();

describe('the composer', () => {
  it('edits several lines and walks through them before it walks through history', () => {
    const two = insert(EMPTY_COMPOSER, 'first\r\nsecond');
    const up = moveLine(two, -1)!;
    expect(up.cursor).toBe(5);
    expect(moveLine(up, -1)).toBeUndefined();
    const old = moveHistory(up, 1, ['older', 'newest'])!;
    expect(old.text).toBe('newest');
    expect(moveHistory(moveHistory(old, 1, ['older', 'newest'])!, 1, ['older', 'newest'])).toBeUndefined();
    expect(moveHistory(old, -1, ['older', 'newest'])!.text).toBe('first\nsecond');
  });

  it('takes control characters of a paste away and keeps its lines', () => {
    expect(composedText(paste(EMPTY_COMPOSER, 'a\x1b[201~\rb\x03'))).toBe('a[201~\nb');
  });

  it('folds a large paste to one piece and sends it whole', () => {
    const big = Array.from({ length: 12 }, (_, i) => `row ${i}`).join('\n');
    const composer = insert(paste(insert(EMPTY_COMPOSER, 'see '), big), '!');
    expect(composerRows(composer, { ...look, cols: 40 }).rows.map(plain)).toEqual([
      '› see [pasted 12 lines]!',
    ]);
    expect(composedText(composer)).toBe(`see ${big}!`);
    const gone = edit(edit(composer, key('backspace'))!, key('backspace'))!;
    expect(composedText(gone)).toBe('see ');
  });

  it('places the caret behind wide characters and keeps it in sight', () => {
    const wide = insert(EMPTY_COMPOSER, '你好');
    expect(composerRows(wide, look).cursor).toEqual({ x: 6, y: 0 });
    const long = insert(EMPTY_COMPOSER, '语'.repeat(60));
    const drawn = composerRows(long, look);
    expect(drawn.rows).toHaveLength(4);
    for (const row of drawn.rows) expect(cellWidth(plain(row))).toBeLessThanOrEqual(20);
    expect(drawn.cursor.y).toBe(3);
    const first = composerRows({ ...long, cursor: 0 }, look);
    expect(first.cursor).toEqual({ x: 2, y: 0 });
  });
});

function request(more: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    id: 'q-1' as PermissionId,
    sessionId: sessionId(1),
    runId: 'r-1' as RunId,
    kind: 'permission',
    title: 'Run rm',
    command: 'rm -rf build\nls',
    options: [
      { optionId: 'once', kind: 'allow_once', label: 'Allow once' },
      { optionId: 'always', kind: 'allow_always', label: 'Always', effect: 'Bash(rm:*)' },
      { optionId: 'no', kind: 'reject_once', label: 'Reject' },
      { optionId: 'session', kind: 'allow_always', label: 'This session' },
    ],
    raw: null,
    askedAt: 0,
    ...more,
  };
}

describe('the card', () => {
  const cardLook = { cols: 60, maxRows: 10, theme, hasFocus: true, of: 1, composer: EMPTY_COMPOSER };

  it('shows the whole command and says what each key does', () => {
    const rows = cardRows(request(), cardLook);
    for (const row of rows) expect(cellWidth(row.replace(/\x1b\[[\d;]*m/g, ''))).toBe(60);
    const text = rows.map(plain).join('\n');
    expect(text).toContain('$ rm -rf build');
    expect(text).toMatch(/y Allow once · a Always \(Bash\(rm:\*\)\)/);
    expect(
      cardRows(request(), { ...cardLook, hasFocus: false })
        .map(plain)
        .join('\n'),
    ).not.toContain('y Allow');
  });

  it('answers with the option of the key, and with nothing for other keys', () => {
    const answerTo = (label: string) => cardStep(request(), EMPTY_COMPOSER, label);
    expect(answerTo('y')).toEqual({ answer: { outcome: 'selected', optionId: 'once' } });
    expect(answerTo('a')).toEqual({ answer: { outcome: 'selected', optionId: 'always' } });
    expect(answerTo('n')).toEqual({ answer: { outcome: 'selected', optionId: 'no' } });
    expect(answerTo('4')).toEqual({ answer: { outcome: 'selected', optionId: 'session' } });
    for (const label of ['enter', 'space', 'Y', 'x', 'ctrl+y']) expect(answerTo(label)).toBeUndefined();
    expect(answerTo('r')).toMatchObject({ composer: { wordsFor: 'q-1', cardFocus: null } });
  });

  it('asks one question after the other and answers when all have an answer', () => {
    const choices = [{ label: 'Red' }, { label: 'Blue' }];
    const asked = request({
      kind: 'question',
      questions: [
        { question: 'Which?', choices, multiple: false },
        { question: 'Also?', choices, multiple: true },
      ],
    });
    const first = cardStep(asked, EMPTY_COMPOSER, '2');
    if (!first || 'answer' in first) throw new Error('the second question is still open');
    const picked = cardStep(asked, first.composer, '1');
    if (!picked || 'answer' in picked) throw new Error('a choice of several is a toggle');
    expect(cardStep(asked, picked.composer, 'enter')).toEqual({
      answer: { outcome: 'answers', answers: { 'Which?': 'Blue', 'Also?': 'Red' } },
    });
  });
});
