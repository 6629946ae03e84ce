// The client's painter: holds what should be seen (chrome, pane rows, spots, cursor) and what the host shows, and makes the
// bytes between the two. Called by the TUI app; does no I/O, keeps no timers, never throws on odd input.
//
// Contract
// - Coordinates are cells of the host screen, 0-based. Nothing is painted outside of cols x rows.
// - Layers, lowest first: chrome frame; pane rows in their holes; overlays (rectangles where the chrome is seen through
//   the holes: dialogs, cards); spots (small texts such as spinners and clocks; hidden by overlays unless `above`).
// - A hole whose pane has no rows yet shows the chrome below it. A pane smaller than its hole leaves blanks, a larger
//   one is cut; wide glyphs cut by any edge become blanks.
// - Texts (frames, lines, spots) may hold SGR and OSC 8; any other control is dropped.
// - Setters are cheap and only mark rows; `paint` makes the bytes and assumes that they will be written, completely and in
//   order. If they are not (the tty was lost, another program drew), call `invalidate`.
// - `paint({ paneId })` paints only that pane's rectangle and the cursor: for a key's echo while a slow link holds bulk
//   paints back. What else changed stays due. Answers null when nothing is due.
import type { Rect } from '../../model/layout.js';
import type { ScreenPatch } from '../../model/patch.js';
import type { HostCaps } from '../../wire/messages.js';
import { CellGrid } from './cell-grid.js';
import { CellTables } from './cell-tables.js';
import { RowDiffer } from './diff.js';
import { HostCursor, type CursorPlace } from './host-cursor.js';
import { PaneRows } from './pane-rows.js';
import { PenWriter } from './pen-writer.js';
import { scrollRegion } from './scroll.js';
import { LineCache, parseStyledLine } from './styled-line.js';
import type { CellStyle } from './style.js';

/** What the compositor must know of its host. HostCaps fit. */
export type PaintCaps = Pick<HostCaps, 'colors' | 'syncOutput' | 'marginsLR' | 'hyperlinks'> &
  Partial<Pick<HostCaps, 'underlineStyles' | 'backColorErase' | 'utf8' | 'scrollRegions'>>;

/** The rectangle that a pane's rows are shown in. */
export interface Hole {
  paneId: string;
  rect: Rect;
}

interface Spot {
  x: number;
  y: number;
  cells: Uint32Array;
  above: boolean;
}

/** Below this the wrapper of synchronized output costs more than the flicker it saves. */
const SYNC_OVER_BYTES = 120;
const EMPTY = new Uint32Array(0);

export class Compositor {
  readonly #tables = new CellTables();
  readonly #lines = new LineCache(this.#tables);
  #caps: PaintCaps;
  #writer: PenWriter;
  #differ: RowDiffer;
  readonly #cursor = new HostCursor();
  readonly #panes = new Map<string, PaneRows>();
  readonly #spots = new Map<string, Spot>();
  #front: CellGrid;
  #back: CellGrid;
  #dirty: Uint8Array;
  #chromeText: string[] = [];
  #chrome: Uint32Array[] = [];
  #holes: readonly Hole[] = [];
  #overlays: readonly Rect[] = [];
  #mustClear = true;
  /** Holes or overlays changed since the last whole paint: rectangles of front and back do not match. */
  #moved = true;

  constructor(caps: PaintCaps, size: { cols: number; rows: number }) {
    this.#caps = caps;
    this.#writer = newWriter(caps, this.#tables);
    this.#differ = newDiffer(caps, this.#tables, this.#writer);
    this.#front = new CellGrid(size.cols, size.rows);
    this.#back = new CellGrid(size.cols, size.rows);
    this.#dirty = new Uint8Array(size.rows).fill(1);
  }

  get cols(): number {
    return this.#back.cols;
  }

  get rows(): number {
    return this.#back.rows;
  }

  /** True when `paint` would look at something. */
  get isDue(): boolean {
    return this.#mustClear || this.#dirty.includes(1) || this.#cursor.differs(this.#place());
  }

  /** The host has a new size; everything is painted anew. Chrome, holes and patches of the new size follow. */
  resize(cols: number, rows: number): void {
    this.#front = new CellGrid(cols, rows);
    this.#back = new CellGrid(cols, rows);
    this.#dirty = new Uint8Array(rows);
    this.invalidate();
  }

  /** The probe knows the host better now. Everything is painted anew only if it would look different. */
  setCaps(caps: PaintCaps): void {
    const looks = ['colors', 'hyperlinks', 'underlineStyles', 'utf8'] as const;
    const same = looks.every((look) => caps[look] === this.#caps[look]);
    this.#caps = caps;
    this.#writer = newWriter(caps, this.#tables);
    this.#differ = newDiffer(caps, this.#tables, this.#writer);
    if (!same) this.invalidate();
  }

  /** The host may show anything (after SIGCONT, redraw): the next paint clears and draws all. */
  invalidate(): void {
    this.#mustClear = true;
    this.#dirty.fill(1);
    this.#writer.forget();
    this.#cursor.forget();
  }

  /** A whole chrome frame as Ink made it (lines joined by LF), and where panes and dialogs are in it. */
  setChrome(frame: string, overlays: readonly Rect[], holes: readonly Hole[]): void {
    const lines = frame.split('\n');
    for (let y = 0; y < Math.max(lines.length, this.#chromeText.length); y++) {
      const line = lines[y] ?? '';
      if (line === this.#chromeText[y]) continue;
      this.#chrome[y] = line === '' ? EMPTY : this.#lines.parse(line);
      this.#markRow(y);
    }
    this.#chromeText = lines;
    if (!sameHoles(holes, this.#holes) || !sameRects(overlays, this.#overlays)) {
      this.#moved = true;
      this.#dirty.fill(1);
    }
    this.#holes = holes.map((hole) => ({ paneId: hole.paneId, rect: { ...hole.rect } }));
    this.#overlays = overlays.map((rect) => ({ ...rect }));
  }

  /** Rows of a terminal pane, from the daemon. May come before the pane has a hole. */
  applyPatch(patch: ScreenPatch): void {
    this.#markPane(patch.paneId, this.#pane(patch.paneId).applyPatch(patch, this.#tables));
  }

  /** The visible rows of a transcript pane, top first, as text with SGR. A scroll is found by comparing. */
  setRows(paneId: string, rows: readonly string[]): void {
    this.#markPane(paneId, this.#pane(paneId).setLines(rows, this.#lines));
  }

  /** Forgets a pane's rows (closed, or its view changed to one that has none yet). */
  dropPane(paneId: string): void {
    if (!this.#panes.delete(paneId)) return;
    for (const hole of this.#holes) if (hole.paneId === paneId) this.#markRect(hole.rect);
  }

  /** Text that changes often, drawn without Ink: spinner, clock, counter. Replaces the spot of that id. */
  setSpot(
    id: string,
    x: number,
    y: number,
    text: string,
    style?: CellStyle,
    options: { above?: boolean } = {},
  ): void {
    const old = this.#spots.get(id);
    const cells = parseStyledLine(text, this.#tables, style);
    const above = options.above ?? false;
    if (old && old.x === x && old.y === y && old.above === above && sameWords(old.cells, cells)) return;
    if (old) this.#markRow(old.y);
    this.#spots.set(id, { x, y, cells, above });
    this.#markRow(y);
  }

  clearSpot(id: string): void {
    const old = this.#spots.get(id);
    if (!old) return;
    this.#spots.delete(id);
    this.#markRow(old.y);
  }

  /**
   * Where the host's cursor is: at a cell, in a pane (where the pane's program has it, in its shape, unless it is hidden,
   * scrolled away or covered), or nowhere.
   */
  setCursor(place: { x: number; y: number; style?: number } | { paneId: string } | null): void {
    this.#cursor.want = place;
  }

  /** The bytes that make the host show what should be seen, or null when it does. */
  paint(scope?: { paneId: string }): string | null {
    if (this.#tables.isLarge) this.#compact();
    const writer = this.#writer;
    const hole =
      scope && !this.#mustClear && !this.#moved && this.#holes.find((h) => h.paneId === scope.paneId);
    if (hole) this.#paintHole(hole);
    else this.#paintAll();
    const body = writer.take();
    const bulk = body.length > SYNC_OVER_BYTES;
    const hide = bulk && !this.#caps.syncOutput && this.#cursor.isShown;
    if (hide) this.#cursor.isShown = false;
    this.#cursor.place(writer, this.#place());
    const text = (hide ? '\x1b[?25l' : '') + body + writer.take();
    if (text === '') return null;
    return bulk && this.#caps.syncOutput ? `\x1b[?2026h${text}\x1b[?2026l` : text;
  }

  #paintAll(): void {
    const writer = this.#writer;
    if (this.#mustClear) {
      writer.forget();
      writer.setPen(0, 0, 0);
      writer.out += '\x1b[H\x1b[2J';
      writer.x = 0;
      writer.y = 0;
      this.#front.clear();
      this.#mustClear = false;
    }
    for (let y = 0; y < this.rows; y++) if (this.#dirty[y]) this.#compose(y);
    this.#scroll();
    for (let y = 0; y < this.rows; y++) if (this.#dirty[y]) this.#differ.diff(this.#front, this.#back, y);
    this.#dirty.fill(0);
    this.#moved = false;
  }

  #scroll(): void {
    for (const { paneId, rect } of this.#holes) {
      const pane = this.#panes.get(paneId);
      if (pane && pane.scrolled > 0 && !this.#moved) this.#scrollRect(rect, pane.scrolled);
    }
    for (const pane of this.#panes.values()) pane.scrolled = 0;
  }

  #scrollRect(rect: Rect, lines: number): void {
    const regions = this.#caps.scrollRegions ?? true;
    const { marginsLR } = this.#caps;
    if (scrollRegion(this.#front, this.#back, rect, lines, this.#writer, { regions, marginsLR })) {
      // Rows that were not due have moved too.
      this.#markRect(rect);
    }
  }

  /** Only the hole's columns of its dirty rows; the rows stay due for their other columns. */
  #paintHole({ paneId, rect }: Hole): void {
    const x0 = Math.max(0, rect.x);
    const x1 = Math.min(this.cols, rect.x + rect.width);
    const bottom = Math.min(this.rows, rect.y + rect.height);
    if (x0 >= x1) return;
    for (let y = Math.max(0, rect.y); y < bottom; y++) if (this.#dirty[y]) this.#compose(y);
    const pane = this.#panes.get(paneId);
    if (pane && pane.scrolled > 0) {
      // Side by side a scroll may move the neighbours too and would have to repair them: they are not ours here.
      if (x0 === 0 && x1 === this.cols) this.#scrollRect(rect, pane.scrolled);
      pane.scrolled = 0;
    }
    for (let y = Math.max(0, rect.y); y < bottom; y++)
      if (this.#dirty[y]) this.#differ.diff(this.#front, this.#back, y, x0, x1);
  }

  #compose(y: number): void {
    const back = this.#back;
    back.copy(y, 0, this.#chrome[y] ?? EMPTY, 0, this.cols);
    for (const { paneId, rect } of this.#holes) {
      const pane = this.#panes.get(paneId);
      if (!pane || y < rect.y || y >= rect.y + rect.height) continue;
      const row = pane.rows[y - rect.y] ?? EMPTY;
      for (const [from, to] of this.#uncovered(y, rect.x, rect.x + rect.width))
        back.copy(y, from, row, from - rect.x, to - from);
    }
    for (const spot of this.#spots.values()) {
      if (spot.y !== y) continue;
      const end = spot.x + spot.cells.length / 4;
      const parts = spot.above ? [clipped(spot.x, end, this.cols)] : this.#uncovered(y, spot.x, end);
      for (const [from, to] of parts) back.copy(y, from, spot.cells, from - spot.x, to - from);
    }
  }

  /** The parts of columns [from, to) on row y that no overlay covers, inside of the screen. */
  #uncovered(y: number, from: number, to: number): [number, number][] {
    let parts: [number, number][] = [clipped(from, to, this.cols)];
    for (const rect of this.#overlays) {
      if (y < rect.y || y >= rect.y + rect.height) continue;
      parts = parts.flatMap(([a, b]): [number, number][] => [
        [a, Math.min(b, rect.x)],
        [Math.max(a, rect.x + rect.width), b],
      ]);
    }
    return parts.filter(([a, b]) => a < b);
  }

  #place(): CursorPlace | null {
    const want = this.#cursor.want;
    if (!want) return null;
    if (!('paneId' in want)) return this.#inside(want.x, want.y) ? { ...want, style: want.style ?? 0 } : null;
    const hole = this.#holes.find((h) => h.paneId === want.paneId);
    const pane = this.#panes.get(want.paneId);
    if (!hole || !pane?.modes?.cursorVisible || pane.scrollOffset > 0) return null;
    const x = Math.min(pane.cursor.x, hole.rect.width - 1);
    if (x < 0 || pane.cursor.y >= hole.rect.height) return null;
    const place = { x: hole.rect.x + x, y: hole.rect.y + pane.cursor.y, style: pane.modes.cursorStyle };
    const covered = this.#uncovered(place.y, place.x, place.x + 1).length === 0;
    return covered || !this.#inside(place.x, place.y) ? null : place;
  }

  #inside(x: number, y: number): boolean {
    return x >= 0 && y >= 0 && x < this.cols && y < this.rows;
  }

  #pane(paneId: string): PaneRows {
    let pane = this.#panes.get(paneId);
    if (!pane) {
      pane = new PaneRows();
      this.#panes.set(paneId, pane);
      for (const hole of this.#holes) if (hole.paneId === paneId) this.#markRect(hole.rect);
    }
    return pane;
  }

  #markPane(paneId: string, changed: Iterable<number>): void {
    const rects = this.#holes.filter((hole) => hole.paneId === paneId).map((hole) => hole.rect);
    for (const row of changed) for (const rect of rects) if (row < rect.height) this.#markRow(rect.y + row);
  }

  #markRect(rect: Rect): void {
    for (let y = rect.y; y < rect.y + rect.height; y++) this.#markRow(y);
  }

  #markRow(y: number): void {
    if (y >= 0 && y < this.#dirty.length) this.#dirty[y] = 1;
  }

  /** Keeps the tables of glyphs and links small over weeks. */
  #compact(): void {
    const buffers = new Set<Uint32Array>([this.#front.words, this.#back.words, ...this.#chrome]);
    for (const pane of this.#panes.values()) for (const row of pane.rows) buffers.add(row);
    for (const spot of this.#spots.values()) buffers.add(spot.cells);
    this.#tables.compact(buffers);
    this.#lines.clear();
    this.#writer.forget();
  }
}

function newWriter(caps: PaintCaps, tables: CellTables): PenWriter {
  const { colors, hyperlinks, underlineStyles = false } = caps;
  return new PenWriter({ colors, hyperlinks, underlineStyles }, tables);
}

function newDiffer(caps: PaintCaps, tables: CellTables, writer: PenWriter): RowDiffer {
  const { backColorErase = false, utf8 = true } = caps;
  return new RowDiffer(tables, writer, { backColorErase, utf8 });
}

function clipped(from: number, to: number, cols: number): [number, number] {
  return [Math.max(0, from), Math.min(cols, to)];
}

function sameRects(a: readonly Rect[], b: readonly Rect[]): boolean {
  return a.length === b.length && a.every((rect, i) => sameRect(rect, b[i]!));
}

function sameRect(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

function sameHoles(a: readonly Hole[], b: readonly Hole[]): boolean {
  return (
    a.length === b.length &&
    a.every((hole, i) => hole.paneId === b[i]!.paneId && sameRect(hole.rect, b[i]!.rect))
  );
}

function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}
