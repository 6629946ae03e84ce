// One width table for emulator, layout and compositor (C14, A01).
import { describe, expect, it } from 'vitest';
import { createScreen } from '../../../src/screen/emulator.js';
import { cellWidth, graphemes } from '../../../src/screen/width.js';

const CASES: [text: string, width: number, clusters: number][] = [
  ['✅', 2, 1],
  ['⏳', 2, 1],
  ['👍🏽', 2, 1],
  ['❤️', 2, 1],
  ['❤', 1, 1],
  ['1️⃣', 2, 1],
  ['漢字', 4, 2],
  ['👨‍👩‍👧‍👦', 2, 1],
  ['🏳️‍🌈', 2, 1],
  ['cafe\u0301', 4, 4],
  ['🇩🇪🇫🇷', 4, 2],
  ['한국', 4, 2],
  ['\u1112\u1161\u11ab', 2, 1],
  ['©', 1, 1],
  ['ｱＡ', 3, 2],
  ['─│╭…⠋', 5, 5],
  ['🫩', 2, 1],
  ['a\u200bb', 2, 2],
  ['', 0, 0],
];

describe('width', () => {
  it.each(CASES)('%s takes %i cells', (text, width, clusters) => {
    expect(cellWidth(text)).toBe(width);
    const parts = graphemes(text);
    expect(parts).toHaveLength(clusters);
    expect(parts.map((part) => part.text).join('')).toBe(text);
    expect(parts.reduce((sum, part) => sum + part.width, 0)).toBe(width);
    const screen = createScreen({ cols: 20, rows: 2 });
    screen.write(Buffer.from(text + '|'));
    expect(screen.cursor.x).toBe(width + 1);
    expect(screen.text(0)[0]).toBe(text + '|');
  });

  it('control characters take no cell', () => {
    expect(cellWidth('a\tb\x1b\x7f\u009bc')).toBe(3);
    expect(graphemes('\n')).toEqual([{ text: '\n', width: 0 }]);
  });

  it('C14: the border after each line of emoji stands in the same column', () => {
    const screen = createScreen({ cols: 60, rows: 4 });
    screen.write(Buffer.from('✅ ⏳ 👍🏽 ❤️ 1️⃣ 漢字 |\r\n' + '12 45 78 01 34 6789 |'));
    const [emoji, plain] = screen.text(0);
    expect(cellWidth(emoji!)).toBe(cellWidth(plain!));
  });

  it('a mark without a base gets a cell of its own and does not move onto its neighbour', () => {
    const screen = createScreen({ cols: 10, rows: 1 });
    screen.write(Buffer.from('a\x1b[5G\u0301x'));
    const { changed, strings } = screen.readRows([0], 0);
    expect(strings).toEqual([' \u0301']);
    expect(changed[0]!.cells.length).toBe(6 * 4);
  });

  it('a wide glyph never crosses the edge and is never split', () => {
    const screen = createScreen({ cols: 5, rows: 2 });
    screen.write(Buffer.from('abcd漢'));
    expect(screen.text(0)).toEqual(['abcd', '漢']);
    screen.write(Buffer.from('\x1b[2;2Hx'));
    expect(screen.text(0)[1]).toBe(' x');
    const narrow = createScreen({ cols: 1, rows: 1 });
    narrow.write(Buffer.from('漢'));
    expect(narrow.readRows([0], 0).changed[0]!.cells).toHaveLength(0);
    expect(narrow.cursor).toEqual({ x: 0, y: 0 });
  });
});
