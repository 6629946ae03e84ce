import { describe, expect, test } from 'vitest';
import { Pump, SLICE_BYTES } from '../../../src/controllers/pump.js';

/** Time that moves only when a slice is parsed; turns of the event loop that run only when asked. */
class Turns {
  #nowMs = 0;
  #callbacks: (() => void)[] = [];
  now = () => this.#nowMs;
  later = (callback: () => void) => void this.#callbacks.push(callback);

  spend(ms: number): void {
    this.#nowMs += ms;
  }

  get pending(): number {
    return this.#callbacks.length;
  }

  turn(): void {
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  finish(): number {
    let turns = 0;
    for (; this.#callbacks.length > 0; turns++) this.turn();
    return turns;
  }
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe('fair pump', () => {
  test('parses a small chunk in the same call', () => {
    const turns = new Turns();
    const seen: string[] = [];
    const lane = new Pump(turns).add((slice) => seen.push(Buffer.from(slice).toString()));
    lane.push(bytes('hello'));
    expect(seen).toEqual(['hello']);
    expect(lane.queuedBytes).toBe(0);
  });

  test('keeps the order and loses nothing when chunks are cut into slices', () => {
    const turns = new Turns();
    const seen: Uint8Array[] = [];
    const lane = new Pump(turns).add((slice) => {
      seen.push(slice);
      turns.spend(0.2);
    });
    const all = Buffer.alloc(5 * SLICE_BYTES + 17, 0);
    for (let at = 0; at < all.length; at++) all[at] = at % 251;
    lane.push(all.subarray(0, 3 * SLICE_BYTES));
    lane.push(all.subarray(3 * SLICE_BYTES));
    lane.push(bytes('tail'));
    turns.finish();
    expect(Math.max(...seen.map((slice) => slice.length))).toBeLessThanOrEqual(SLICE_BYTES);
    expect(Buffer.concat(seen).equals(Buffer.concat([all, bytes('tail')]))).toBe(true);
  });

  test('C13: a flood in one lane does not keep a small chunk of another waiting for the flood', () => {
    const turns = new Turns();
    const pump = new Pump(turns);
    let flooded = 0;
    let answered = false;
    const flood = pump.add((slice) => {
      flooded += slice.length;
      turns.spend(0.3);
    });
    const other = pump.add(() => (answered = true));
    flood.push(new Uint8Array(4 * 1024 * 1024));
    turns.turn();
    other.push(bytes('x'));
    turns.turn();
    turns.turn();
    expect(answered).toBe(true);
    expect(flooded).toBeLessThan(10 * SLICE_BYTES);
  });

  test('stays within the budget of a turn: at most one slice after it is spent', () => {
    const turns = new Turns();
    const lane = new Pump(turns).add(() => turns.spend(0.3));
    lane.push(new Uint8Array(10 * SLICE_BYTES));
    const before = turns.now();
    turns.turn();
    expect(turns.now() - before).toBeCloseTo(0.6);
  });

  test('a flood of small chunks is held to the budget as well', () => {
    const turns = new Turns();
    let slices = 0;
    const lane = new Pump(turns).add(() => {
      slices++;
      turns.spend(0.3);
    });
    for (let i = 0; i < 50; i++) lane.push(new Uint8Array(4096));
    expect(slices).toBe(2);
    turns.finish();
    expect(slices).toBe(50);
  });

  test('a boosted lane is parsed at once although the budget is spent', () => {
    const turns = new Turns();
    const pump = new Pump(turns);
    const flood = pump.add(() => turns.spend(0.6));
    let answered = false;
    const typed = pump.add(() => (answered = true));
    flood.push(new Uint8Array(100));
    flood.push(new Uint8Array(100));
    typed.boost();
    typed.push(bytes('x'));
    expect(answered).toBe(true);
  });

  test('flush takes all that waits; dispose forgets it', () => {
    const turns = new Turns();
    const pump = new Pump(turns);
    let taken = 0;
    const lane = pump.add((slice) => (taken += slice.length));
    lane.push(new Uint8Array(3 * SLICE_BYTES));
    lane.flush();
    expect(taken).toBe(3 * SLICE_BYTES);
    lane.push(new Uint8Array(3 * SLICE_BYTES));
    lane.dispose();
    turns.finish();
    expect(taken).toBe(3 * SLICE_BYTES);
  });

  test('an idle pump schedules nothing', () => {
    const turns = new Turns();
    const lane = new Pump(turns).add(() => {});
    lane.push(bytes('x'));
    turns.finish();
    expect(turns.pending).toBe(0);
  });
});
