// A pane shows the cells that a bare emulator shows: recordings of real CLIs, random output, resizes, history.
import { StringDecoder } from 'node:string_decoder';
import { describe, expect, it } from 'vitest';
import { createScreen } from '../../../src/screen/emulator.js';
import { WholeCharacters } from '../../../src/screen/whole-characters.js';
import {
  bareCells,
  bareTerminal,
  randomOutput,
  screenCells,
  seeded,
  split,
  ttyRecordings,
  writeBare,
} from './bare.js';

const identity = { name: 'agentile', version: '1' };

describe('recordings', () => {
  it.each(ttyRecordings())('$name', async ({ bytes, cols, rows }) => {
    const screen = createScreen({ cols, rows, identity });
    const bare = bareTerminal(cols, rows);
    const random = seeded(bytes.length);
    const decoder = new StringDecoder('utf8');
    let steps = 0;
    for (const piece of split(bytes, random, 4000)) {
      screen.write(piece);
      await writeBare(bare, decoder.write(piece));
      if (steps++ % 5 === 0) expect(screenCells(screen)).toEqual(bareCells(bare));
    }
    expect(screen.fault).toBeUndefined();
    expect(screenCells(screen)).toEqual(bareCells(bare));
    expect(screen.cursor).toEqual({
      x: Math.min(bare.buffer.active.cursorX, cols - 1),
      y: bare.buffer.active.cursorY,
    });
    expect(screen.modes.bracketedPaste).toBe(bare.modes.bracketedPasteMode);
    expect(screen.modes.altScreen).toBe(bare.buffer.active.type === 'alternate');
  });

  it('stay equal through resizes', async () => {
    for (const { name, bytes, cols, rows } of ttyRecordings().filter((r) =>
      r.name.includes('session-full'),
    )) {
      const screen = createScreen({ cols, rows, identity });
      const bare = bareTerminal(cols, rows);
      const random = seeded(7);
      const decoder = new StringDecoder('utf8');
      for (const piece of split(bytes, random, 9000)) {
        screen.write(piece);
        await writeBare(bare, decoder.write(piece));
        const [newCols, newRows] = [2 + random(140), 1 + random(50)];
        screen.resize(newCols, newRows);
        bare.resize(newCols, newRows);
        expect(screenCells(screen), `${name} at ${newCols}x${newRows}`).toEqual(bareCells(bare));
      }
    }
  });
});

describe('random output', () => {
  it('shows the same cells, in any split, and never faults', async () => {
    const base = Number(process.env['SEED'] ?? 20261201);
    for (let round = 0; round < 40; round++) {
      const seed = base + round;
      const random = seeded(seed);
      const [cols, rows] = [2 + random(80), 1 + random(30)];
      const screen = createScreen({ cols, rows, identity });
      const bare = bareTerminal(cols, rows);
      const characters = new WholeCharacters();
      for (let step = 0; step < 8; step++) {
        const bytes = randomOutput(random, 120);
        for (const piece of split(bytes, random, 50)) {
          screen.write(piece);
          bare.write(characters.take(piece));
        }
        await writeBare(bare, '');
        expect(screen.fault, `SEED=${seed}`).toBeUndefined();
        expect(screenCells(screen), `SEED=${seed} step ${step}`).toEqual(bareCells(bare));
      }
    }
  });

  it('tells every row that changed', () => {
    for (let round = 0; round < 60; round++) {
      const seed = 900 + round;
      const random = seeded(seed);
      const screen = createScreen({ cols: 2 + random(60), rows: 1 + random(24), identity });
      const tracker = screen.track();
      let shown = screenCells(screen);
      for (let step = 0; step < 30; step++) {
        screen.write(randomOutput(random, 1 + random(20)));
        if (random(15) === 0) screen.resize(2 + random(60), 1 + random(24));
        const now = screenCells(screen);
        const { rows, scrolled } = tracker.take();
        if (rows === 'all') shown = now;
        // A consumer that moves its rows up and one that does not both end with the right screen.
        const moved = shown.map((_, y) => shown[y + scrolled] ?? []);
        for (const view of [shown, moved]) {
          const result = view.map((row, y) => (rows === 'all' || rows.has(y) ? now[y] : row));
          expect(result, `seed ${seed} step ${step}`).toEqual(now);
        }
        shown = now;
        expect(tracker.isDirty).toBe(false);
      }
    }
  });
});

describe('history', () => {
  it('loses no line, whatever scrolls it out and however the screen is resized', async () => {
    const random = seeded(42);
    const screen = createScreen({ cols: 60, rows: 20, identity, scrollback: 50_000 });
    for (let i = 0; i < 4000; i++) {
      // Also with a scroll region that begins at the top, as inline agents use it.
      if (i % 500 === 0) screen.write(Buffer.from('\x1b[1;15r\x1b[15;1H'));
      if (i % 500 === 250) screen.write(Buffer.from('\x1b[r\x1b[20;1H'));
      screen.write(Buffer.from(`\r\nline ${i}`));
      if (i % 333 === 0) screen.resize(30 + random(60), 20);
    }
    const seen = new Set(screen.text(Infinity).flatMap((line) => /^line (\d+)$/.exec(line)?.[1] ?? []));
    const missing = Array.from({ length: 4000 }, (_, i) => String(i)).filter((i) => !seen.has(i));
    // Lines that a resize left below the scroll region may be overwritten, as in any terminal; none that scrolled out.
    expect(missing.length).toBeLessThan(40);
  });

  it('shows views above the emulator scrollback with all attributes', async () => {
    const screen = createScreen({ cols: 50, rows: 10, identity, scrollback: 5000 });
    const bare = bareTerminal(50, 10);
    const random = seeded(5);
    const colors = Array.from(
      { length: 3000 },
      (_, i) =>
        `\x1b[${30 + (i % 8)};${random(2) ? 1 : 3}m${i} ✅ e\u0301\x1b[48;5;${i % 256}m 漢 \x1b[0m\x1b[4:3mu\x1b[0m\r\n`,
    ).join('');
    screen.write(Buffer.from(colors));
    await writeBare(bare, Buffer.from(colors));
    expect(screen.historyLines).toBe(bare.buffer.active.baseY);
    for (const offset of [0, 5, 500, 995, 1000, 1005, 2000, screen.historyLines]) {
      expect(screenCells(screen, offset), `offset ${offset}`).toEqual(
        bareCells(bare, bare.buffer.active.baseY - offset),
      );
    }
    expect(screen.text(3)).toHaveLength(13);
    expect(screen.text(screen.historyLines)[0]).toBe('0 ✅ e\u0301 漢 u');
  });

  it('is bounded, empty on the alternate screen, and cleared by ED 3 and by a reset', () => {
    const screen = createScreen({ cols: 20, rows: 5, identity, scrollback: 2000 });
    const lines = Array.from({ length: 5000 }, (_, i) => `${i}\r\n`).join('');
    screen.write(Buffer.from(lines));
    expect(screen.historyLines).toBe(2000);
    expect(screen.text(Infinity)[0]).toBe(String(5001 - 5 - 2000));
    screen.write(Buffer.from('\x1b[?1049h'));
    expect(screen.historyLines).toBe(0);
    screen.write(Buffer.from('\x1b[?1049l'));
    expect(screen.historyLines).toBe(2000);
    screen.write(Buffer.from('\x1b[3J'));
    expect(screen.historyLines).toBe(0);
    screen.write(Buffer.from(lines + '\x1bc'));
    expect(screen.historyLines).toBe(0);
  });
});
