import { describe, expect, test } from 'vitest';
import { HeldStream } from '../../../src/keeper/held-stream.js';
import { OutputBuffer } from '../../../src/keeper/output-buffer.js';
import { RETAIN_CAP_BYTES } from '../../../src/keeper/protocol.js';

/** A small repeatable source of numbers (a linear congruential generator). */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state % below;
  };
}

describe('output buffer', () => {
  test.each([1, 2, 3, 4])('reads back what was appended, whatever the pieces (seed %i)', (seed) => {
    const next = numbers(seed);
    const buffer = new OutputBuffer();
    const all: number[] = [];
    for (let round = 0; round < 400; round += 1) {
      const piece = Uint8Array.from({ length: next(3000) }, () => next(256));
      all.push(...piece);
      buffer.append(piece);
      if (next(3) === 0) buffer.dropBefore(buffer.start + next(4000));
      expect(buffer.end).toBe(all.length);
      const from = buffer.start + next(buffer.end - buffer.start + 1);
      const got = buffer.read(from, 1 + next(5000));
      expect([...got]).toEqual(all.slice(from, from + got.length));
      expect(got.length > 0 || from === buffer.end).toBe(true);
    }
  });
});

describe('held stream', () => {
  const make = (windowBytes: number) => {
    const stream = new HeldStream('stdout', windowBytes);
    const got = { end: 0, closed: false };
    const receiver = {
      output: (_name: string, offset: number, bytes: Uint8Array) => {
        expect(offset).toBe(got.end);
        got.end += bytes.length;
      },
      closed: () => {
        got.closed = true;
      },
    };
    return { stream, got, receiver };
  };

  test('sends a window, waits for acknowledgements, and tells the end last', () => {
    const { stream, got, receiver } = make(1000);
    stream.append(new Uint8Array(1500));
    stream.close();
    stream.attach(receiver, undefined);
    expect(got).toEqual({ end: 1000, closed: false });
    stream.ack(400);
    expect(got.end).toBe(1400);
    // Acknowledging what was not sent counts as far as it was.
    stream.ack(99_999);
    expect(got).toEqual({ end: 1500, closed: true });
    expect(stream.acked).toBe(1400);
  });

  test('the child waits at the window and goes on when half of it is free; alone it waits at the cap', () => {
    const { stream, got, receiver } = make(1000);
    stream.append(new Uint8Array(5000));
    expect(stream.shouldPause(false)).toBe(false);
    got.end = 4100;
    stream.attach(receiver, 4100);
    expect(stream.shouldPause(false)).toBe(false);
    stream.append(new Uint8Array(200));
    expect(stream.shouldPause(false)).toBe(true);
    stream.ack(4300);
    expect(stream.shouldPause(false)).toBe(true);
    stream.ack(4800);
    expect(stream.shouldPause(false)).toBe(false);
    stream.detach();
    stream.append(new Uint8Array(RETAIN_CAP_BYTES));
    expect(stream.shouldPause(false)).toBe(true);
    // What a dead child left in its pipe is still taken.
    expect(stream.shouldPause(true)).toBe(false);
  });

  test('a second receiver begins where it says, clamped to what is kept', () => {
    const { stream, got, receiver } = make(10_000);
    stream.append(new Uint8Array(3000));
    stream.attach(receiver, undefined);
    stream.ack(2000);
    stream.dropBefore(2500);
    expect(stream.start).toBe(2000);
    got.end = 2000;
    stream.attach(receiver, 0);
    expect(got.end).toBe(3000);
    stream.attach({ ...receiver, output: () => expect.fail('nothing is left to send') }, 99_999);
  });
});
