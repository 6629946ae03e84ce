// A screen survives what programs and people do to it: floods, resize storms, hostile sequences, a throwing emulator.
import { describe, expect, it, vi } from 'vitest';
import xterm from '@xterm/headless';
import { createScreen } from '../../../src/screen/emulator.js';
import { History } from '../../../src/screen/history.js';
import { openEmulator } from '../../../src/screen/xterm-internals.js';
import { unicodeProvider } from '../../../src/screen/width.js';
import { bareTerminal, randomOutput, screenCells, seeded } from './bare.js';

const CHUNK = 16 * 1024;

interface Handler {
  print: () => void;
}
function handlerPrototype(): Handler {
  const core = (new xterm.Terminal({ allowProposedApi: true }) as any)._core;
  return Object.getPrototypeOf(core._inputHandler) as Handler;
}

describe('floods', () => {
  it('C13: takes 20 MB without losing the end, with history bounded', () => {
    const line = 'the quick brown fox jumps over \x1b[32mthe lazy dog\x1b[0m 漢字 ';
    const block = Buffer.from(Array.from({ length: 4000 }, (_, i) => `${line}${i}\r\n`).join(''));
    const screen = createScreen({ cols: 200, rows: 60 });
    const started = process.cpuUsage();
    let bytes = 0;
    while (bytes < 20e6) {
      for (let at = 0; at < block.length; at += CHUNK) screen.write(block.subarray(at, at + CHUNK));
      bytes += block.length;
    }
    const used = process.cpuUsage(started);
    console.log(`flood: ${(bytes / (used.user + used.system)).toFixed(1)} MB per CPU second`);
    expect(screen.text(1).slice(-2)).toEqual([expect.stringMatching(/ 3999$/), '']);
    expect(screen.historyLines).toBe(10_000);
    expect(screen.fault).toBeUndefined();
  });

  it('holds 10,000 lines of 200 columns in well under 5 MB', () => {
    const history = new History(10_000, () => undefined);
    const bare = bareTerminal(200, 5) as any;
    const random = seeded(3);
    const write = (text: string) => bare._core._writeBuffer.writeSync(Buffer.from(text));
    for (let i = 0; i < 12_000; i++) {
      const words = 'lorem ipsum dolor sit amet consectetur '.repeat(1 + random(5)).slice(0, 199);
      write(`\x1b[1;1H\x1b[2K\x1b[3${i % 8}m${words.slice(0, 40)}\x1b[0m${words.slice(40)}`);
      history.push(bare._core._bufferService.buffer.lines.get(0));
    }
    expect(history.length).toBe(10_000);
    expect(history.sizeBytes).toBeLessThan(2.5e6);
  });

  it('no sequence costs more than a screenful', () => {
    const screen = createScreen({ cols: 120, rows: 40 });
    const started = performance.now();
    for (const final of [
      '@',
      'L',
      'M',
      'P',
      'S',
      'T',
      'X',
      'I',
      'Z',
      'b',
      ' @',
      ' A',
      "'}",
      "'~",
      'A',
      'B',
      'a',
      'e',
      'J',
      'K',
      'r',
      'H',
    ]) {
      screen.write(Buffer.from(`x\x1b[2147483647${final}`));
    }
    expect(performance.now() - started).toBeLessThan(2000);
    expect(screen.fault).toBeUndefined();
  });

  it('many links do not slow scrolling down', () => {
    const screen = createScreen({ cols: 80, rows: 24 });
    const links = Array.from(
      { length: 3000 },
      (_, i) => `\x1b]8;;http://host/${i}\x07file ${i}\x1b]8;;\x07\r\n`,
    ).join('');
    screen.write(Buffer.from(links));
    const started = process.cpuUsage();
    screen.write(Buffer.from('x\r\n'.repeat(20_000)));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
    const shown = createScreen({ cols: 80, rows: 24 });
    shown.write(Buffer.from(links));
    const { exts, changed } = shown.readRows([0, 1], 2990);
    expect(exts.map((ext) => ext.url)).toEqual(['http://host/0', 'http://host/1']);
    expect(changed[0]!.cells[3]).toBe(1);
  });
});

describe('resizing', () => {
  it('B08: a storm of sizes, 1x1 and 3x2 among them, converges', () => {
    const random = seeded(8);
    const screen = createScreen({ cols: 80, rows: 24 });
    for (let i = 0; i < 400; i++) {
      screen.write(randomOutput(random, 10));
      const [cols, rows] = i % 7 === 0 ? [1, 1] : i % 5 === 0 ? [3, 2] : [1 + random(200), 1 + random(60)];
      screen.resize(cols, rows);
      expect(screen.fault).toBeUndefined();
      expect([screen.cols, screen.rows]).toEqual([cols, rows]);
      const { changed } = screen.readRows(
        Array.from({ length: rows }, (_, y) => y),
        random(2) * 5,
      );
      expect(changed).toHaveLength(rows);
      for (const row of changed) expect(row.cells.length).toBeLessThanOrEqual(cols * 4);
      expect(screen.cursor.x).toBeLessThan(cols);
      expect(screen.cursor.y).toBeLessThan(rows);
    }
    screen.resize(80, 24);
    screen.write(Buffer.from('\x1bcafter\x1b[c'));
    expect(screen.text(0)[0]).toBe('after');
  });

  it('changes nothing, and says nothing, when the size is the same or no size at all', () => {
    const screen = createScreen({ cols: 20, rows: 5 });
    let changes = 0;
    screen.onChange(() => changes++);
    screen.resize(20, 5);
    expect(changes).toBe(0);
    screen.resize(0, -3);
    expect([screen.cols, screen.rows]).toEqual([1, 1]);
    screen.resize(NaN, 1e9);
    expect([screen.cols, screen.rows]).toEqual([1, 2000]);
  });

  it('never reflows the alternate screen', () => {
    const screen = createScreen({ cols: 20, rows: 3 });
    screen.write(Buffer.from('\x1b[?1049h0123456789abcdefghij\x1b[2;1Hsecond'));
    screen.resize(10, 3);
    expect(screen.text(0)).toEqual(['0123456789', 'second', '']);
  });
});

describe('quarantine', () => {
  it('A01: an emulator that throws is set aside with words; the screen takes no more bytes', () => {
    const screen = createScreen({ cols: 20, rows: 3 });
    screen.write(Buffer.from('before'));
    const print = vi.spyOn(handlerPrototype(), 'print').mockImplementation(() => {
      throw new Error('width of undefined');
    });
    let changes = 0;
    screen.onChange(() => changes++);
    try {
      screen.write(Buffer.from('\x1b[?2026hboom'));
    } finally {
      print.mockRestore();
    }
    expect(screen.fault).toContain('width of undefined');
    expect(changes).toBe(1);
    screen.write(Buffer.from('later'));
    screen.resize(10, 2);
    expect(screen.text(0)[0]).toBe('before');
    expect(screenCells(screen)).toHaveLength(2);
    expect(screen.holding).toBe(false);
  });

  it('says at once when the emulator is not the version it was built for', () => {
    const core = (new xterm.Terminal({ allowProposedApi: true }) as any)._core;
    const prototype = Object.getPrototypeOf(core._writeBuffer);
    const original = prototype.writeSync;
    try {
      prototype.writeSync = undefined;
      expect(() => openEmulator(80, 24, unicodeProvider)).toThrow(/not the version/);
    } finally {
      prototype.writeSync = original;
    }
  });

  it('after dispose nothing happens any more', () => {
    const screen = createScreen({ cols: 20, rows: 3 });
    let heard = 0;
    screen.onChange(() => heard++);
    screen.onReply(() => heard++);
    screen.dispose();
    screen.dispose();
    screen.write(Buffer.from('x\x1b[c'));
    screen.resize(3, 3);
    expect(heard).toBe(0);
  });
});

describe('dirty rows', () => {
  it('names just the rows that differ, also far apart, and none when nothing does', () => {
    const screen = createScreen({ cols: 40, rows: 20 });
    const tracker = screen.track();
    expect(tracker.take().rows).toBe('all');
    expect(tracker.isDirty).toBe(false);
    screen.write(Buffer.from('\x1b[2;1Hspinner\x1b[18;1Hclock'));
    expect(tracker.take()).toEqual({ rows: new Set([1, 17]), scrolled: 0 });
    screen.write(Buffer.from('\x1b[2;1Hspinner\x1b[18;1Hclock'));
    expect(tracker.take()).toEqual({ rows: new Set(), scrolled: 0 });
    screen.write(Buffer.from('\x1b[5;5H'));
    expect(tracker.isDirty).toBe(true);
    expect(tracker.take()).toEqual({ rows: new Set(), scrolled: 0 });
    screen.write(Buffer.from('\x1b[20;1H\n\n'));
    const { rows, scrolled } = tracker.take();
    expect(scrolled).toBe(2);
    expect([...(rows as Set<number>)].sort((a, b) => a - b)).toEqual([1, 15, 17, 18, 19]);
  });

  it('each consumer has its own', () => {
    const screen = createScreen({ cols: 40, rows: 5 });
    const [a, b] = [screen.track(), screen.track()];
    a.take();
    b.take();
    screen.write(Buffer.from('x'));
    a.take();
    expect([a.isDirty, b.isDirty]).toEqual([false, true]);
    b.dispose();
    screen.write(Buffer.from('y'));
    expect(a.take().rows).toEqual(new Set([0]));
  });
});
