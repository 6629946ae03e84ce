// How many bytes a change costs (A09, C18), and that nothing costs nothing.
import { describe, expect, it } from 'vitest';
import { Compositor, type PaintCaps } from '../../../src/tui/compositor/compositor.js';
import { feed, HostScreen, PaneEmulator } from './emulators.js';

const CAPS: PaintCaps = {
  colors: 'truecolor',
  syncOutput: true,
  marginsLR: false,
  hyperlinks: true,
  underlineStyles: true,
  backColorErase: true,
};

/** A screen of panes side by side with a border between, filled with coloured text. */
function tiles(cols: number, rows: number, panes: number, caps = CAPS) {
  const compositor = new Compositor(caps, { cols, rows });
  const width = Math.floor(cols / panes) - (panes > 1 ? 1 : 0);
  const list = Array.from({ length: panes }, (_, i) => new PaneEmulator(`p${i}`, width, rows - 2));
  const holes = list.map((pane, i) => ({
    paneId: pane.paneId,
    rect: { x: i * (width + 1), y: 1, width, height: rows - 2 },
  }));
  const border = Array.from({ length: rows }, () =>
    `${' '.repeat(width)}│`.repeat(panes > 1 ? panes : 0),
  ).join('\n');
  compositor.setChrome(border, [], holes);
  for (const pane of list) {
    for (let y = 0; y < rows - 2; y++)
      feed(pane.term, `\r\n\x1b[3${y % 7}mline ${y} of ${pane.paneId}: ${'text '.repeat(6)}${y * 7919}`);
    compositor.applyPatch(pane.patch());
  }
  compositor.setCursor({ paneId: 'p0' });
  compositor.paint();
  return { compositor, panes: list };
}

const paintBytes = (compositor: Compositor) => Buffer.byteLength(compositor.paint() ?? '');

describe('bytes of a paint', () => {
  it('nothing changed: nothing is written', () => {
    const { compositor, panes } = tiles(120, 40, 2);
    expect(compositor.paint()).toBeNull();
    compositor.applyPatch({ ...panes[0]!.patch(), changed: [] });
    expect(compositor.paint()).toBeNull();
    const again = panes[0]!;
    again.resize(again.term.cols, again.term.rows);
    compositor.applyPatch(again.patch());
    expect(compositor.isDue).toBe(true);
    expect(compositor.paint()).toBeNull();
  });

  it('a typed character costs itself', () => {
    const { compositor, panes } = tiles(120, 40, 2);
    feed(panes[0]!.term, 'x');
    compositor.applyPatch(panes[0]!.patch());
    // The first one sets the colour of the line.
    expect(paintBytes(compositor)).toBe(6);
    feed(panes[0]!.term, 'yz');
    compositor.applyPatch(panes[0]!.patch());
    expect(paintBytes(compositor)).toBe(2);
  });

  it('one character in another row costs two cursor moves', () => {
    const { compositor, panes } = tiles(120, 40, 2);
    feed(panes[1]!.term, '\x1b7\x1b[5;3HQ\x1b8');
    compositor.applyPatch(panes[1]!.patch());
    expect(paintBytes(compositor)).toBeLessThan(32);
  });

  it('a line scrolled in a full-width pane costs about a line', () => {
    const { compositor, panes } = tiles(120, 40, 1);
    feed(panes[0]!.term, '\r\n\x1b[32mone more line of output');
    compositor.applyPatch(panes[0]!.patch());
    expect(paintBytes(compositor)).toBeLessThan(23 + 60);
  });

  it('a line scrolled beside another pane costs about a line where the host has margins', () => {
    const bytes = (marginsLR: boolean) => {
      const { compositor, panes } = tiles(120, 40, 2, { ...CAPS, marginsLR });
      feed(panes[0]!.term, '\r\n\x1b[32mone more line of output');
      compositor.applyPatch(panes[0]!.patch());
      return paintBytes(compositor);
    };
    expect(bytes(true)).toBeLessThan(23 + 110);
    expect(bytes(false)).toBeGreaterThan(600);
  });

  it('C18 A09: six spinners at 200x50 stay far under 20 KB a second', () => {
    const { compositor } = tiles(200, 50, 6);
    const host = new HostScreen(200, 50);
    compositor.invalidate();
    host.write(compositor.paint() ?? '');
    let total = 0;
    for (let tick = 0; tick < 13; tick++) {
      for (let i = 0; i < 6; i++)
        compositor.setSpot(`s${i}`, i * 33 + 20, 0, '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[tick % 10]!, { fg: { ansi: 4 } });
      const paint = compositor.paint() ?? '';
      expect(Buffer.byteLength(paint)).toBeLessThan(200);
      total += Buffer.byteLength(paint);
    }
    expect(total).toBeLessThan(2500);
  });

  it('an empty screen is cleared, not written', () => {
    const compositor = new Compositor(CAPS, { cols: 200, rows: 60 });
    expect(paintBytes(compositor)).toBeLessThan(40);
  });

  it('wraps only larger paints into a synchronized update, and only where the host has it', () => {
    const { compositor, panes } = tiles(120, 40, 2);
    feed(panes[0]!.term, 'x');
    compositor.applyPatch(panes[0]!.patch());
    expect(compositor.paint()).not.toContain('2026');
    compositor.invalidate();
    expect(compositor.paint()).toMatch(/^\x1b\[\?2026h[^]*\x1b\[\?2026l$/);
    const plain = tiles(120, 40, 2, { ...CAPS, syncOutput: false }).compositor;
    plain.invalidate();
    expect(plain.paint()).not.toContain('2026');
  });

  it('a paint of one pane leaves the rest due', () => {
    const { compositor, panes } = tiles(120, 40, 2);
    for (const pane of panes) {
      feed(pane.term, '\x1b[4;1Hchanged');
      compositor.applyPatch(pane.patch());
    }
    expect(Buffer.byteLength(compositor.paint({ paneId: 'p0' }) ?? '')).toBeLessThan(24);
    expect(compositor.paint({ paneId: 'p0' })).toBeNull();
    expect(compositor.paint()).toContain('changed');
  });

  it('transcript rows that move up are scrolled by the host', () => {
    const compositor = new Compositor(CAPS, { cols: 80, rows: 24 });
    compositor.setChrome('', [], [{ paneId: 't', rect: { x: 0, y: 0, width: 80, height: 24 } }]);
    const rows = Array.from(
      { length: 30 },
      (_, i) => `\x1b[1mrow ${i}\x1b[22m ${String(i * 7919).repeat(8)}`,
    );
    compositor.setRows('t', rows.slice(0, 24));
    compositor.paint();
    compositor.setRows('t', rows.slice(1, 25));
    expect(paintBytes(compositor)).toBeLessThan(110);
  });
});
