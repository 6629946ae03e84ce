// What a host of lesser abilities gets: colours mapped down, NO_COLOR, ASCII; edges, controls in texts, cursor, tables.
import { describe, expect, it } from 'vitest';
import { DEFAULT_MODES, type ScreenPatch } from '../../../src/model/patch.js';
import type { PaneId } from '../../../src/model/ids.js';
import { CellTables } from '../../../src/tui/compositor/cell-tables.js';
import { Compositor, type PaintCaps } from '../../../src/tui/compositor/compositor.js';
import { parseStyledLine } from '../../../src/tui/compositor/styled-line.js';
import { HostScreen } from './emulators.js';

const CAPS: PaintCaps = { colors: 'truecolor', syncOutput: false, marginsLR: false, hyperlinks: false };

function painted(frame: string, caps: Partial<PaintCaps> = {}): string {
  const compositor = new Compositor({ ...CAPS, ...caps }, { cols: 40, rows: 3 });
  compositor.setChrome(frame, [], []);
  return compositor.paint() ?? '';
}

function screenOf(compositor: Compositor): string[] {
  const host = new HostScreen(compositor.cols, compositor.rows);
  compositor.invalidate();
  host.write(compositor.paint() ?? '');
  const buffer = host.term.buffer.active;
  return Array.from({ length: compositor.rows }, (_, y) => buffer.getLine(y)!.translateToString());
}

function patch(text: string[], more: Partial<ScreenPatch> = {}): ScreenPatch {
  const cols = 10;
  const changed = text.map((line, y) => {
    const cells = new Uint32Array(cols * 4);
    [...line].forEach((char, x) => (cells[x * 4] = char.codePointAt(0)! | (1 << 22)));
    return { y, cells };
  });
  return {
    paneId: 'p' as PaneId,
    seq: 0,
    cols,
    rows: text.length,
    full: true,
    scrolled: 0,
    changed,
    strings: [],
    exts: [],
    cursor: { x: 2, y: 0 },
    modes: DEFAULT_MODES,
    title: '',
    historyLines: 0,
    scrollOffset: 0,
    ...more,
  };
}

describe('colours by what the host can show', () => {
  const RED = '\x1b[38;2;250;10;10mred';
  it.each([
    ['truecolor', '38;2;250;10;10'],
    ['256', '38;5;196'],
    ['16', '91'],
  ] as const)('%s', (colors, code) => {
    expect(painted(RED, { colors })).toContain(`\x1b[${code}mred`);
  });

  it('none (NO_COLOR): attributes stay, colours go', () => {
    const bytes = painted('\x1b[1;38;5;9;48;2;1;2;3mred\x1b[0m \x1b[7minverse', { colors: 'none' });
    expect(bytes).toContain('\x1b[1mred');
    expect(bytes).toMatch(/\x1b\[0;7minverse/);
    expect(bytes).not.toMatch(/\x1b\[[\d;]*(38|48|3\d|4\d)[;m]/);
  });

  it('maps palette colours to the 16 and keeps the first 16 as they are', () => {
    expect(painted('\x1b[38;5;4ma\x1b[38;5;46mb', { colors: '16' })).toMatch(/\x1b\[34ma\x1b\[92mb/);
  });

  it('paints anew when the probe finds more colours, and not when it finds nothing new', () => {
    const compositor = new Compositor({ ...CAPS, colors: '16' }, { cols: 40, rows: 3 });
    compositor.setChrome(RED, [], []);
    compositor.paint();
    compositor.setCaps({ ...CAPS, colors: 'truecolor' });
    expect(compositor.paint()).toContain('38;2;250;10;10');
    compositor.setCaps({ ...CAPS, colors: 'truecolor', marginsLR: true, syncOutput: true });
    expect(compositor.paint()).toBeNull();
  });

  it('leaves out underline styles and links that the host does not know', () => {
    const frame = '\x1b[4:3;58:5:9mx\x1b[0m \x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\';
    expect(painted(frame)).not.toMatch(/4:3|58:|\x1b\]8/);
    expect(painted(frame)).toContain('\x1b[4mx');
    expect(painted(frame, { underlineStyles: true, hyperlinks: true })).toMatch(
      /4:3;58:5:9mx.*https:\/\/a\.example/s,
    );
  });
});

describe('texts', () => {
  it('takes other controls out of what it draws', () => {
    const bytes = painted('a\x1b[2Jb\x07\x1b]0;title\x07c\x9b5nd\x1bPq\x1b\\e');
    expect(bytes).not.toMatch(/title|\x07|\x9b|\x1bP/);
    expect(bytes.match(/2J/g)).toHaveLength(1);
    expect(bytes).toContain('abc5nde');
  });

  it('drops links with controls in them', () => {
    const tables = new CellTables();
    expect(tables.ext(0, 0, 'https://a.example/\x1b\\evil')).toBe(0);
    expect(tables.ext(0, 0, 'https://a.example/')).not.toBe(0);
  });

  it('writes ASCII where the host takes no UTF-8', () => {
    const bytes = painted('─│┌ ä 漢 ✓ …', { utf8: false });
    expect(bytes).toContain('-|+ ? ?  + .');
    expect(/[^\x00-\x7f]/.test(bytes)).toBe(false);
  });

  it('rebuilds its tables from what is alive', () => {
    const tables = new CellTables();
    for (let i = 0; i < 33_000; i++) tables.glyph(`x${i}`);
    const cells = parseStyledLine('e\u0301 \x1b[4:3mu', tables);
    expect(tables.isLarge).toBe(true);
    tables.compact([cells]);
    expect(tables.isLarge).toBe(false);
    expect(tables.textOf(cells[0]!)).toBe('e\u0301');
    expect(tables.extOf(cells[11]!)?.underlineStyle).toBe(3);
  });
});

describe('layers', () => {
  const rect = { x: 3, y: 1, width: 6, height: 2 };

  it('B03: a wide glyph at the edge of a pane is a blank, the border stays', () => {
    const compositor = new Compositor(CAPS, { cols: 12, rows: 3 });
    compositor.setChrome('..........│.\n..........│.\n..........│.', [], [{ paneId: 'p', rect }]);
    compositor.setRows('p', ['漢字漢字', 'a漢字漢字']);
    expect(screenOf(compositor)).toEqual(['..........│.', '...漢字漢.│.', '...a漢字 .│.']);
  });

  it('chrome is seen through a hole without rows and in overlays', () => {
    const compositor = new Compositor(CAPS, { cols: 12, rows: 3 });
    compositor.setChrome('############\n############\n############', [], [{ paneId: 'p', rect }]);
    expect(screenOf(compositor)[1]).toBe('############');
    compositor.applyPatch(patch(['abcdefgh', 'ABCDEFGH']));
    expect(screenOf(compositor).slice(1)).toEqual(['###abcdef###', '###ABCDEF###']);
    compositor.setChrome(
      '############\n############\n############',
      [{ x: 4, y: 1, width: 2, height: 1 }],
      [{ paneId: 'p', rect }],
    );
    expect(screenOf(compositor).slice(1)).toEqual(['###a##def###', '###ABCDEF###']);
    compositor.dropPane('p');
    expect(screenOf(compositor)[1]).toBe('############');
  });

  it('the cursor follows its pane, and hides when it is covered, scrolled away or hidden', () => {
    const compositor = new Compositor(CAPS, { cols: 12, rows: 3 });
    const holes = [{ paneId: 'p', rect }];
    compositor.setChrome('', [], holes);
    compositor.applyPatch(patch(['abc', 'def']));
    compositor.setCursor({ paneId: 'p' });
    expect(compositor.paint()).toMatch(/\x1b\[2;6H\x1b\[\?25h$/);
    compositor.applyPatch(patch(['abc', 'def'], { modes: { ...DEFAULT_MODES, cursorStyle: 6 } }));
    expect(compositor.paint()).toBe('\x1b[6 q');
    compositor.setChrome('', [{ x: 5, y: 1, width: 1, height: 1 }], holes);
    expect(compositor.paint()).toContain('\x1b[?25l');
    compositor.setChrome('', [], holes);
    expect(compositor.paint()).toContain('\x1b[?25h');
    compositor.applyPatch(patch(['abc', 'def'], { scrollOffset: 3 }));
    expect(compositor.paint()).toContain('\x1b[?25l');
    compositor.setCursor({ x: 0, y: 0 });
    expect(compositor.paint()).toMatch(/\x1b\[H.*\x1b\[\?25h/s);
  });

  it('survives sizes of one cell and rectangles outside of the screen', () => {
    const compositor = new Compositor(CAPS, { cols: 1, rows: 1 });
    compositor.setChrome(
      '漢字\nmore\nlines',
      [{ x: -3, y: -1, width: 2, height: 9 }],
      [{ paneId: 'p', rect: { x: -2, y: -1, width: 50, height: 50 } }],
    );
    compositor.applyPatch(patch(['abc', 'def'], { cursor: { x: 99, y: 99 } }));
    compositor.setSpot('s', 40, 40, 'far');
    compositor.setSpot('t', -1, 0, '漢');
    compositor.setCursor({ paneId: 'p' });
    expect(() => compositor.paint()).not.toThrow();
    compositor.resize(3, 2);
    expect(() => compositor.paint()).not.toThrow();
  });
});
