// A checkpoint holds everything that the next bytes depend on: a restored screen goes on as if nothing had happened (A01).
import { describe, expect, it } from 'vitest';
import { createScreen } from '../../../src/screen/emulator.js';
import type { Screen } from '../../../src/screen/contract.js';
import { randomOutput, screenCells, seeded, split, ttyRecordings } from './bare.js';

const identity = { name: 'agentile', version: '1' };

/** All that can be seen of a screen, as text: quick to compare. */
function state(screen: Screen): string {
  const every = Array.from({ length: screen.rows }, (_, y) => y);
  const { changed, strings, exts } = screen.readRows(every, 0);
  const rows = changed.map(({ y, cells }) => `${y}: ${cells.join(' ')}`);
  const rest = { strings, exts, cursor: screen.cursor, modes: screen.modes, title: screen.title };
  return [...screen.text(Math.min(50, screen.historyLines)), ...rows, JSON.stringify(rest)].join('\n');
}

/** A new screen from the checkpoint of another, through plain bytes. */
function copyOf(screen: Screen, cols = screen.cols, rows = screen.rows): Screen {
  const copy = createScreen({ cols, rows, identity });
  copy.restore(Uint8Array.from(screen.checkpoint()));
  expect(copy.fault).toBeUndefined();
  return copy;
}

describe('checkpoint and restore', () => {
  it.each(ttyRecordings())('$name, cut anywhere', ({ bytes, cols, rows }) => {
    const random = seeded(bytes.length + 1);
    const screen = createScreen({ cols, rows, identity });
    let copy: Screen | undefined;
    for (const piece of split(bytes, random, Math.ceil(bytes.length / 4))) {
      screen.write(piece);
      copy?.write(piece);
      if (copy) expect(state(copy)).toBe(state(screen));
      copy = copyOf(screen);
      expect(state(copy)).toBe(state(screen));
    }
    expect(screen.checkpoint().length).toBeLessThan(120_000);
  });

  it('random output, cut at any byte', () => {
    const base = Number(process.env['SEED'] ?? 77);
    for (let seed = base; seed < base + 60; seed++) {
      const random = seeded(seed);
      const screen = createScreen({ cols: 2 + random(60), rows: 1 + random(20), identity });
      for (const piece of split(randomOutput(random, 300), random, 90)) screen.write(piece);
      const copy = copyOf(screen);
      expect(state(copy), `SEED=${seed}`).toBe(state(screen));
      for (const piece of split(randomOutput(random, 200), random, 90)) {
        screen.write(piece);
        copy.write(piece);
        expect(state(copy), `SEED=${seed}`).toBe(state(screen));
      }
    }
  });

  it('keeps what is behind the alternate screen, keyboard stacks, colours, titles and charsets', () => {
    const screen = createScreen({ cols: 30, rows: 6, identity });
    screen.write(
      Buffer.from(
        'main \x1b[1;31mred\x1b7\x1b]0;one\x07\x1b[22;0t\x1b]0;two\x07\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>7u\x1b[2;4r\x1b[?6h' +
          '\x1b[?1003;1006;2004;1004;2031h\x1b[3 q\x1b[>4;2m\x1b(0qqq\x1b]11;#102030\x07\x1b[4:3;58;5;9munder',
      ),
    );
    const copy = copyOf(screen);
    const replies: string[] = [];
    copy.onReply((bytes) => replies.push(Buffer.from(bytes).toString()));
    for (const each of [screen, copy])
      each.write(Buffer.from('\x1b[?u\x1b[<u\x1b[?u\x1b[?2031$p\x1b]11;?\x07qx'));
    expect(replies).toEqual(['\x1b[?7u', '\x1b[?5u', '\x1b[?2031;1$y', '\x1b]11;rgb:1010/2020/3030\x1b\\']);
    expect(state(copy)).toBe(state(screen));
    for (const each of [screen, copy]) each.write(Buffer.from('\x1b[?1049l\x1b8!\x1b[23;0t\x1b[?u'));
    expect(copy.title).toBe('one');
    expect(replies.at(-1)).toBe('\x1b[?1u');
    expect(state(copy)).toBe(state(screen));
  });

  it('restores into a screen of another size as if it had been resized', () => {
    const screen = createScreen({ cols: 40, rows: 10, identity });
    for (let i = 0; i < 30; i++) screen.write(Buffer.from(`a longer line of text with a number ${i}\r\n`));
    const copy = copyOf(screen, 20, 8);
    screen.resize(20, 8);
    expect(screenCells(copy)).toEqual(screenCells(screen));
    expect([copy.cols, copy.rows]).toEqual([20, 8]);
  });

  it('A01: what cannot be restored is quarantined in words, and never throws', () => {
    const text = '👨‍👩‍👧‍👦 🏳️‍🌈 cafe\u0301 漢字';
    const screen = createScreen({ cols: 40, rows: 4, identity });
    screen.write(Buffer.from(text));
    expect(copyOf(screen).text(0)[0]).toBe(text);
    const broken = createScreen({ cols: 40, rows: 4, identity });
    broken.restore(Buffer.from('not a checkpoint'));
    expect(broken.fault).toMatch(/The screen of this pane failed/);
    broken.write(Buffer.from('more'));
    broken.resize(10, 2);
    expect(broken.readRows([0], 0).changed).toHaveLength(1);
  });

  it('says so when the checkpoint is of another version', () => {
    const screen = createScreen({ cols: 100, rows: 4, identity });
    const json = Buffer.from('{"emulator":{"format":999},"companions":{}}');
    screen.restore(Buffer.concat([Buffer.from([json.length]), json]));
    expect(screen.fault).toBeUndefined();
    expect(screen.text(0)[0]).toMatch(/another version/);
  });
});
