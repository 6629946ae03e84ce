// Properties of tiles over random trees and areas, and the operations one by one.
import { describe, expect, it } from 'vitest';
import type { PaneId, TabId } from '../../../src/model/ids.js';
import type { LayoutMode, SplitDirection, Tab } from '../../../src/model/layout.js';
import {
  bodyRect,
  insertPane,
  minArea,
  MIN_TILE,
  neighbour,
  nextMode,
  paneIds,
  ratioForCell,
  removePane,
  resizeChange,
  resizePane,
  separatorAt,
  separators,
  setMode,
  setRatio,
  swapPanes,
  tileRects,
} from '../../../src/model/layout-ops.js';

const id = (n: number) => `p-${n}` as PaneId;
const empty = (mode: LayoutMode = 'auto'): Tab => ({ id: 'w-1' as TabId, name: 'main', layout: null, mode });
const many = (count: number, mode: LayoutMode = 'auto', area = { cols: 120, rows: 40 }) => {
  let tab = empty(mode);
  for (let n = 1; n <= count; n++) tab = insertPane(tab, id(n), undefined, undefined, area);
  return tab;
};

/** A small repeatable generator (mulberry32): failures name their seed. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomTab(next: () => number): Tab {
  let tab = empty('manual');
  const count = 1 + Math.floor(next() * 9);
  for (let n = 1; n <= count; n++) {
    const direction: SplitDirection = next() < 0.5 ? 'right' : 'down';
    tab = insertPane(tab, id(n), id(1 + Math.floor(next() * n)), direction);
  }
  for (let n = 0; n < 3; n++) tab = setRatio(tab, next() < 0.5 ? [] : [next() < 0.5 ? 0 : 1], next());
  return tab;
}

/** How often each cell is covered by tiles and separators. */
function coverage(tab: Tab, cols: number, rows: number): number[] {
  const cells = new Array<number>(cols * rows).fill(0);
  for (const rect of tileRects(tab, { cols, rows }).values())
    for (let y = rect.y; y < rect.y + rect.height; y++)
      for (let x = rect.x; x < rect.x + rect.width; x++) cells[y * cols + x]! += 1;
  for (const cell of separators(tab, { cols, rows })) cells[cell.y * cols + cell.x]! += 1;
  return cells;
}

/** The picture of a tab: pane numbers and separators. */
function draw(tab: Tab, cols: number, rows: number): string {
  const lines = Array.from({ length: rows }, () => new Array<string>(cols).fill(' '));
  for (const [pane, rect] of tileRects(tab, { cols, rows }))
    for (let y = rect.y; y < rect.y + rect.height; y++)
      for (let x = rect.x; x < rect.x + rect.width; x++) lines[y]![x] = pane.slice(2);
  for (const cell of separators(tab, { cols, rows })) lines[cell.y]![cell.x] = cell.glyph;
  return lines.map((line) => line.join('')).join('\n');
}

describe('tiles', () => {
  it('cover the area exactly once, in 400 random trees and areas', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const next = random(seed);
      const tab = randomTab(next);
      const cols = 1 + Math.floor(next() * 120);
      const rows = 1 + Math.floor(next() * 50);
      const wrong = coverage(tab, cols, rows).filter((count) => count !== 1).length;
      expect(wrong, `seed ${seed}, ${cols}x${rows}`).toBe(0);
    }
  });

  it('B08: 200 random resizes down to 1x1 change nothing but the picture', () => {
    const next = random(8);
    const tab = many(6);
    const before = draw(tab, 80, 24);
    for (let n = 0; n < 200; n++) {
      const cols = n % 10 === 0 ? 1 : 1 + Math.floor(next() * 90);
      const rows = n % 10 === 5 ? 1 : 1 + Math.floor(next() * 30);
      const rects = tileRects(tab, { cols, rows });
      expect(rects.size).toBe(6);
      for (const rect of rects.values()) {
        expect(rect.x + rect.width).toBeLessThanOrEqual(cols);
        expect(rect.y + rect.height).toBeLessThanOrEqual(rows);
        expect(Math.min(rect.width, rect.height, bodyRect(rect).height)).toBeGreaterThanOrEqual(0);
      }
    }
    expect(draw(tab, 80, 24)).toBe(before);
  });

  it('keep the least size whenever the area has room for it', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const tab = randomTab(random(seed));
      const min = minArea(tab.layout);
      for (const rect of tileRects(tab, min).values()) {
        expect(rect.width, `seed ${seed}`).toBeGreaterThanOrEqual(MIN_TILE.cols);
        expect(rect.height, `seed ${seed}`).toBeGreaterThanOrEqual(MIN_TILE.rows);
      }
    }
  });

  it('stand alone when zoomed', () => {
    const tab: Tab = { ...many(4), zoomed: id(2) };
    expect([...tileRects(tab, { cols: 80, rows: 23 })]).toEqual([
      [id(2), { x: 0, y: 0, width: 80, height: 23 }],
    ]);
    expect(separators(tab, { cols: 80, rows: 23 })).toEqual([]);
  });

  it('ignore a zoom on a pane that is gone', () => {
    expect(tileRects({ ...many(2), zoomed: id(9) }, { cols: 80, rows: 23 }).size).toBe(2);
  });
});

describe('auto tiling', () => {
  it.each([
    [80, 23, 2, 2],
    [80, 23, 4, 2],
    [80, 23, 6, 2],
    [200, 49, 2, 2],
    [200, 49, 4, 2],
    [200, 49, 6, 3],
    [200, 49, 9, 3],
  ])('at %ix%i puts %i panes in %i columns', (cols, rows, count, columns) => {
    const tab = many(count, 'auto', { cols, rows });
    const tops = [...tileRects(tab, { cols, rows }).values()].filter((rect) => rect.y === 0);
    expect(tops.length).toBe(columns);
  });

  it('gives equal shares that differ by a cell at most', () => {
    const widths = [...tileRects(many(5, 'columns'), { cols: 203, rows: 40 }).values()].map((r) => r.width);
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(1);
  });

  it('draws the junctions', () => {
    expect(draw(many(4), 19, 5)).toBe(
      [
        '111111111│222222222',
        '111111111│222222222',
        '─────────┼─────────',
        '333333333│444444444',
        '333333333│444444444',
      ].join('\n'),
    );
    expect(draw(many(3), 19, 5)).toBe(
      [
        '111111111│222222222',
        '111111111│222222222',
        '─────────┴─────────',
        '3333333333333333333',
        '3333333333333333333',
      ].join('\n'),
    );
    expect(draw(many(3, 'main'), 20, 5)).toBe(
      [
        '11111111111│22222222',
        '11111111111│22222222',
        '11111111111├────────',
        '11111111111│33333333',
        '11111111111│33333333',
      ].join('\n'),
    );
  });
});

describe('operations', () => {
  it('insert beside a pane makes the tab manual and keeps the rest', () => {
    const tab = insertPane(many(2), id(3), id(1), 'down');
    expect(tab.mode).toBe('manual');
    expect(
      draw(tab, 19, 5)
        .split('\n')
        .map((line) => line[0]),
    ).toEqual(['1', '1', '─', '3', '3']);
    expect(insertPane(tab, id(3))).toBe(tab);
  });

  it('insert ends a zoom, so that the new pane is seen', () => {
    expect(insertPane({ ...many(2), zoomed: id(1) }, id(3)).zoomed).toBeUndefined();
  });

  it('remove gives the room to the neighbour, and the last one leaves nothing', () => {
    const tab = insertPane(many(2), id(3), id(1), 'down');
    expect(draw(removePane(tab, id(3)), 19, 5)).toBe(draw(many(2), 19, 5));
    expect(removePane(many(1), id(1)).layout).toBeNull();
    expect(removePane({ ...tab, zoomed: id(3) }, id(3)).zoomed).toBeUndefined();
    expect(removePane(tab, id(7))).toBe(tab);
  });

  it('swap keeps sizes', () => {
    const tab = setRatio(many(2), [], 0.3);
    const before = tileRects(tab, { cols: 80, rows: 20 });
    const after = tileRects(swapPanes(tab, id(1), id(2)), { cols: 80, rows: 20 });
    expect(after.get(id(2))).toEqual(before.get(id(1)));
  });

  it('resize moves the border by exactly that many cells, to and fro', () => {
    const area = { cols: 81, rows: 20 };
    const tab = many(2);
    const width = (t: Tab) => tileRects(t, area).get(id(1))!.width;
    expect(width(resizePane(tab, area, id(1), 'right', 3)) - width(tab)).toBe(3);
    expect(width(resizePane(tab, area, id(2), 'left', 3)) - width(tab)).toBe(-3);
    // The right pane has no border on its right: its left one moves.
    expect(width(resizePane(tab, area, id(2), 'right', 2)) - width(tab)).toBe(2);
    expect(resizeChange(tab, area, id(1), 'down', 1)).toBeNull();
    const there = resizePane(tab, area, id(1), 'right', 1000);
    expect(tileRects(there, area).get(id(2))!.width).toBe(MIN_TILE.cols);
  });

  it('a dragged separator follows the mouse', () => {
    const area = { cols: 80, rows: 20 };
    const tab = many(4, 'auto', area);
    const line = separators(tab, area).find((cell) => cell.glyph === '│' && cell.y > 12)!;
    const hit = separatorAt(tab, area, line.x, line.y)!;
    expect(hit.direction).toBe('right');
    const moved = setRatio(tab, hit.path, ratioForCell(tab, area, hit.path, 55, line.y)!);
    expect(separatorAt(moved, area, 55, line.y)).toEqual(hit);
    expect(separatorAt(tab, area, 3, 3)).toBeNull();
  });

  it('neighbour finds the tile across the edge, also on a tiny screen and while zoomed', () => {
    const tab = many(4);
    for (const area of [
      { cols: 80, rows: 24 },
      { cols: 1, rows: 1 },
    ]) {
      expect(neighbour(tab, area, id(1), 'right')).toBe(id(2));
      expect(neighbour(tab, area, id(1), 'down')).toBe(id(3));
      expect(neighbour(tab, area, id(4), 'left')).toBe(id(3));
      expect(neighbour(tab, area, id(4), 'right')).toBeNull();
      expect(neighbour({ ...tab, zoomed: id(4) }, area, id(4), 'up')).toBe(id(2));
    }
  });

  it('modes keep every pane and its order', () => {
    let mode: LayoutMode = 'manual';
    for (let n = 0; n < 5; n++) {
      mode = nextMode(mode);
      expect(paneIds(setMode(many(5), mode))).toEqual([1, 2, 3, 4, 5].map(id));
    }
    expect(setMode(many(3), 'manual').layout).toEqual(many(3).layout);
  });
});
