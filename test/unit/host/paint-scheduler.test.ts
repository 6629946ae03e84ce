// When paints are made: one in flight, newest state wins, keys at once, bulk paints paced by DSR.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { PaintScheduler } from '../../../src/tui/host/paint-scheduler.js';

const microtasks = () => new Promise<void>((resolve) => setImmediate(resolve));
const BULK = 'x'.repeat(2000);

function setUp(pace = true) {
  const clock = new ManualClock();
  const written: string[] = [];
  const scopes: string[] = [];
  const pending: (() => void)[] = [];
  const state = { text: 'a' as string | null, asks: 0, painted: 0 };
  const scheduler = new PaintScheduler({
    clock,
    pace,
    write: (text, done) => {
      written.push(text);
      pending.push(done);
    },
    paint: (scope) => {
      scopes.push(scope);
      return state.text;
    },
    onAsk: () => state.asks++,
    onPainted: () => state.painted++,
  });
  /** The host took what was written. */
  const taken = () => pending.splice(0).forEach((done) => done());
  return { clock, written, scopes, state, scheduler, taken };
}

describe('PaintScheduler', () => {
  it('paints a burst once and the newest state after the write callback', async () => {
    const { written, state, scheduler, taken } = setUp();
    scheduler.request('key');
    scheduler.request('key');
    await microtasks();
    expect(written).toEqual(['a']);
    state.text = 'b';
    scheduler.request('key');
    await microtasks();
    state.text = 'c';
    scheduler.request('key');
    await microtasks();
    expect(written).toEqual(['a']);
    taken();
    expect(written).toEqual(['a', 'c']);
    expect(state.painted).toBe(1);
  });

  it('keeps the period for what no key asked for', async () => {
    const { clock, written, scheduler, taken } = setUp();
    for (const urgency of ['soon', 'soon', 'slow'] as const) {
      scheduler.request(urgency);
      await microtasks();
      taken();
    }
    expect(written).toHaveLength(1);
    clock.advance(15);
    expect(written).toHaveLength(1);
    clock.advance(1);
    expect(written).toHaveLength(2);
    taken();
    scheduler.request('slow');
    await microtasks();
    clock.advance(32);
    expect(written).toHaveLength(2);
    scheduler.request('key');
    await microtasks();
    expect(written).toHaveLength(3);
  });

  it('holds bulk paints until the DSR is answered; a key goes through, in its scope', async () => {
    const { clock, written, scopes, state, scheduler, taken } = setUp();
    state.text = BULK;
    scheduler.request('soon');
    await microtasks();
    taken();
    expect(written[0]!.endsWith('\x1b[5n')).toBe(true);
    expect(state.asks).toBe(1);
    scheduler.request('soon');
    await microtasks();
    clock.advance(100);
    expect(written).toHaveLength(1);
    state.text = 'k';
    scheduler.request('key');
    await microtasks();
    expect(written).toEqual([expect.anything(), 'k']);
    expect(scopes.at(-1)).toBe('key');
    taken();
    state.text = BULK;
    expect(written).toHaveLength(2);
    scheduler.handleDsr();
    expect(written).toHaveLength(3);
    expect(scopes.at(-1)).toBe('all');
  });

  it('goes on after two seconds without an answer, and stops asking a host that never answers', async () => {
    const { clock, written, state, scheduler, taken } = setUp();
    state.text = BULK;
    for (let i = 0; i < 4; i++) {
      scheduler.request('soon');
      await microtasks();
      taken();
      clock.advance(2100);
      taken();
    }
    expect(state.asks).toBe(2);
    expect(written).toHaveLength(4);
    expect(written.at(-1)).toBe(BULK);
  });

  it('writes nothing while paused or when nothing is due', async () => {
    const { written, state, scheduler } = setUp();
    scheduler.pause();
    scheduler.request('key');
    await microtasks();
    expect(written).toEqual([]);
    scheduler.resume();
    expect(written).toEqual(['a']);
    state.text = null;
    scheduler.request('soon');
    await microtasks();
    expect(written).toHaveLength(1);
  });
});
