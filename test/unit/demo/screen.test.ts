// The demo screen: stays within its terminal and tells what was typed.
import { describe, expect, it } from 'vitest';
import { demoInput, demoRows, nameInput } from '../../../src/demo/screen.js';
import { cellWidth } from '../../../src/screen/width.js';

const state = { cols: 80, rows: 24, tick: 0, lastInput: '', click: null };

describe('the demo screen', () => {
  it.each([
    [80, 24],
    [20, 6],
    [13, 9],
    [1, 1],
  ])('stays within %ix%i', (cols, rows) => {
    const shown = demoRows({ ...state, cols, rows, lastInput: '漢'.repeat(30) });
    expect(shown.length).toBeLessThanOrEqual(rows);
    for (const row of shown) expect(cellWidth(row.replace(/\x1b\[[\d;]*m/g, ''))).toBeLessThanOrEqual(cols);
  });

  it('shows keys and clicks, and ends at q', () => {
    expect(demoInput(state, '\x1b[A')?.lastInput).toBe('ESC [A');
    expect(demoInput(state, '\x1b[<0;3;4M')?.click).toEqual({ x: 2, y: 3 });
    expect(demoInput(state, 'q')).toBeNull();
    expect(nameInput('\x01\x7f')).toBe('^A^?');
  });
});
