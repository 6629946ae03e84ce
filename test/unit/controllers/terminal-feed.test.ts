import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { Pump } from '../../../src/controllers/pump.js';
import { CHECKPOINT_BYTES, CHECKPOINT_MS, TerminalFeed } from '../../../src/controllers/terminal-feed.js';
import type { ChildHandle } from '../../../src/keeper/child-handle.js';
import type { Screen } from '../../../src/screen/contract.js';

/** A feed over a child and a screen that only write down what happens to them. */
function setUp(place: { from: number; replayUntil: number } = { from: 0, replayUntil: 0 }) {
  const clock = new ManualClock();
  const acks: number[] = [];
  const checkpoints: number[] = [];
  const written: { text: string; replaying: boolean }[] = [];
  const screenState = { fault: undefined as string | undefined };
  const handle = {
    ack: (_stream: string, offset: number) => acks.push(offset),
    checkpoint: (offset: number) => checkpoints.push(offset),
  } as unknown as ChildHandle;
  const screen = {
    get fault() {
      return screenState.fault;
    },
    write: (bytes: Uint8Array) =>
      written.push({ text: Buffer.from(bytes).toString(), replaying: feed.isReplaying }),
    checkpoint: () => new Uint8Array(1),
  } as unknown as Screen;
  const turns: (() => void)[] = [];
  const pump = new Pump({ now: () => 0, later: (callback) => void turns.push(callback) });
  const feed: TerminalFeed = new TerminalFeed({ handle, screen, pump, clock, ...place });
  const push = (offset: number, text: string) =>
    feed.push({ stream: 'stdout', offset, bytes: new TextEncoder().encode(text) });
  const finish = () => {
    while (turns.length > 0) turns.shift()!();
  };
  return { clock, acks, checkpoints, written, feed, push, finish, screenState };
}

const text = (written: { text: string }[]) => written.map((part) => part.text).join('');

describe('terminal feed', () => {
  test('acknowledges what was parsed: small output together, a flood every 32 KiB', () => {
    const { clock, acks, push, finish } = setUp();
    push(0, 'a');
    push(1, 'b');
    expect(acks).toEqual([]);
    clock.advance(20);
    expect(acks).toEqual([2]);
    push(2, 'x'.repeat(100_000));
    finish();
    expect(acks.length).toBeGreaterThan(2);
    expect(Math.max(...acks.map((ack, i) => ack - (acks[i - 1] ?? 0)))).toBeLessThanOrEqual(48 * 1024);
    clock.advance(20);
    expect(acks.at(-1)).toBe(100_002);
  });

  test('leaves out what the checkpoint holds, and goes on behind a gap', () => {
    const { written, feed, push } = setUp({ from: 4, replayUntil: 0 });
    push(0, 'abcdef');
    push(6, 'gh');
    push(2, 'cd');
    push(100, 'zz');
    expect(text(written)).toBe('efghzz');
    expect(feed.parsedOffset).toBe(102);
  });

  test('replayed output is told apart from new output to the byte', () => {
    const { written, push } = setUp({ from: 0, replayUntil: 3 });
    push(0, 'abcdef');
    expect(written).toEqual([
      { text: 'abc', replaying: true },
      { text: 'def', replaying: false },
    ]);
  });

  test('leaves a checkpoint after two quiet seconds, and not again without output', () => {
    const { clock, checkpoints, push } = setUp();
    push(0, 'hello');
    clock.advance(CHECKPOINT_MS - 500);
    push(5, '!');
    clock.advance(CHECKPOINT_MS - 100);
    expect(checkpoints).toEqual([]);
    clock.advance(3 * CHECKPOINT_MS);
    expect(checkpoints).toEqual([6]);
  });

  test('in a flood at most one checkpoint in two seconds', () => {
    const { clock, checkpoints, push, finish } = setUp();
    const line = `${'x'.repeat(99)}\n`;
    const block = line.repeat(CHECKPOINT_BYTES / 50 / 2);
    let offset = 0;
    for (let at = 0; at < 100; at++) {
      push(offset, block);
      offset += block.length;
      finish();
      clock.advance(100);
    }
    expect(checkpoints.length).toBeGreaterThanOrEqual(4);
    expect(checkpoints.length).toBeLessThanOrEqual(6);
  });

  test('A01: a quarantined screen leaves no checkpoint that would break the next daemon', () => {
    const { clock, acks, checkpoints, push, screenState } = setUp();
    screenState.fault = 'broken';
    push(0, 'hello');
    clock.advance(10_000);
    expect(checkpoints).toEqual([]);
    expect(acks).toEqual([5]);
  });

  test('disposing ends timers and forgets output', () => {
    const { clock, acks, checkpoints, written, feed, push } = setUp();
    push(0, 'hello');
    feed.dispose();
    push(5, 'more');
    clock.advance(10_000);
    expect([acks, checkpoints, text(written)]).toEqual([[], [], 'hello']);
  });
});
