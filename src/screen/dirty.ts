// Which rows changed since a consumer last looked. The emulator says roughly which rows it touched; a hash of each row says
// which of them really differ, so that a spinner and a clock far apart cost two rows and not all between them.
import { toDisposable } from '../base/disposable.js';
import type { Dirty, DirtyTracker } from './contract.js';
import type { BufferLine } from './xterm-internals.js';

const COMBINED = 0x200000;
const HAS_EXTENDED = 0x10000000;

/** The rows of the live screen, as a tracker needs them. */
export interface LiveRows {
  rowCount(): number;
  lineAt(y: number): BufferLine | undefined;
}

/** All trackers of one screen; the emulator tells it what happened. */
export class DirtyTrackers {
  readonly #trackers = new Set<Tracker>();
  readonly #live: LiveRows;

  constructor(live: LiveRows) {
    this.#live = live;
  }

  track(): DirtyTracker {
    const tracker: Tracker = new Tracker(this.#live, () => this.#trackers.delete(tracker));
    this.#trackers.add(tracker);
    return tracker;
  }

  markRows(start: number, end: number): void {
    for (const tracker of this.#trackers) tracker.markRows(start, end);
  }

  markAll(): void {
    for (const tracker of this.#trackers) tracker.markAll();
  }

  /** Something visible changed that is no row: cursor, title, modes. */
  markOther(): void {
    for (const tracker of this.#trackers) tracker.markOther();
  }

  markScrolled(): void {
    for (const tracker of this.#trackers) tracker.markScrolled();
  }
}

class Tracker implements DirtyTracker {
  readonly #live: LiveRows;
  readonly #end: { dispose(): void };
  #all = true;
  #other = false;
  #start = Infinity;
  #last = -1;
  #scrolled = 0;
  /** Two hashes a row, as of the last take. */
  #hashes = new Int32Array(0);

  constructor(live: LiveRows, end: () => void) {
    this.#live = live;
    this.#end = toDisposable(end);
  }

  get isDirty(): boolean {
    return this.#all || this.#other || this.#last >= this.#start;
  }

  markRows(start: number, end: number): void {
    if (start < this.#start) this.#start = start;
    if (end > this.#last) this.#last = end;
  }

  markAll(): void {
    this.#all = true;
  }

  markOther(): void {
    this.#other = true;
  }

  markScrolled(): void {
    this.#scrolled++;
  }

  take(): Dirty {
    const rows = this.#live.rowCount();
    const isAll = this.#all || this.#hashes.length !== rows * 2;
    const start = isAll ? 0 : Math.max(0, this.#start);
    const end = isAll ? rows - 1 : Math.min(rows - 1, this.#last);
    const scrolled = isAll ? 0 : Math.min(this.#scrolled, rows);
    const changed = this.#compare(rows, start, end, scrolled);
    this.#all = false;
    this.#other = false;
    this.#start = Infinity;
    this.#last = -1;
    this.#scrolled = 0;
    return { rows: isAll ? 'all' : changed, scrolled };
  }

  /**
   * Rows that differ from what the consumer has at their place, or would have there once it moved its rows up by
   * `scrolled`: right for a consumer that moves them and for one that does not.
   */
  #compare(rows: number, start: number, end: number, scrolled: number): Set<number> {
    const before = this.#hashes;
    const now = before.length === rows * 2 ? before.slice() : new Int32Array(rows * 2);
    const changed = new Set<number>();
    for (let y = start; y <= end; y++) {
      hashLine(this.#live.lineAt(y), now, y * 2);
      const from = y + scrolled;
      const isSame = now[y * 2] === before[y * 2] && now[y * 2 + 1] === before[y * 2 + 1];
      const isMoved =
        scrolled === 0 ||
        (from < rows && now[y * 2] === before[from * 2] && now[y * 2 + 1] === before[from * 2 + 1]);
      if (!isSame || !isMoved) changed.add(y);
    }
    this.#hashes = now;
    return changed;
  }

  dispose(): void {
    this.#end.dispose();
  }
}

function hashLine(line: BufferLine | undefined, out: Int32Array, at: number): void {
  let a = 0x2f6b1d;
  let b = 0x51ed27;
  const words = line?._data ?? new Uint32Array(0);
  let flags = 0;
  for (let i = 0; i + 2 < words.length; i += 3) {
    const content = words[i]!;
    const fg = words[i + 1]!;
    const bg = words[i + 2]!;
    flags |= (content & COMBINED) | (bg & HAS_EXTENDED);
    a = Math.imul(a ^ content, 0x01000193) ^ fg;
    b = Math.imul(b + content, 0x5bd1e995) ^ (b >>> 15);
    a = Math.imul(a, 0x01000193) ^ bg ^ (a >>> 13);
    b = Math.imul(b + fg, 0x5bd1e995) + bg;
  }
  if (line && flags !== 0) [a, b] = hashExtras(line, a, b);
  out[at] = a;
  out[at + 1] = b;
}

function hashExtras(line: BufferLine, a: number, b: number): [number, number] {
  for (let cell = 0; cell < line.length; cell++) {
    if (line._data[cell * 3]! & COMBINED) {
      const text = line._combined[cell] ?? '';
      for (let i = 0; i < text.length; i++) {
        a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
        b = Math.imul(b + text.charCodeAt(i), 0x5bd1e995) ^ (b >>> 15);
      }
    }
    const ext = line._data[cell * 3 + 2]! & HAS_EXTENDED ? line._extendedAttrs[cell] : undefined;
    if (ext) {
      a = Math.imul(a ^ ext._ext, 0x01000193);
      b = Math.imul(b + ext.urlId, 0x5bd1e995) + ext._ext;
    }
  }
  return [a, b];
}
