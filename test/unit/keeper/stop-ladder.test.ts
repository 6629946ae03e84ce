import { expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { StopLadder } from '../../../src/keeper/stop-ladder.js';
import type { StopRung } from '../../../src/keeper/protocol.js';

const RUNGS: StopRung[] = [
  { step: 'eof', graceMs: 1000 },
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 2000 },
];

function ladderOn(clock: ManualClock) {
  const seen = { steps: [] as string[], isGone: false, finished: 0 };
  const target = {
    climb: (rung: StopRung) => seen.steps.push(`${rung.step}@${clock.now()}`),
    isGone: () => seen.isGone,
    finished: () => (seen.finished += 1),
  };
  return { seen, ladder: new StopLadder(target, RUNGS, clock) };
}

test('each rung waits its grace, and the last one ends the climb although somebody lives', () => {
  const clock = new ManualClock();
  const { seen, ladder } = ladderOn(clock);
  ladder.start();
  clock.advance(20_000);
  expect(seen.steps).toEqual(['eof@0', 'sigterm@1000', 'sigkill@6000']);
  expect([ladder.isOver, seen.finished]).toEqual([true, 1]);
});

test('it stops climbing as soon as nobody is left', () => {
  const clock = new ManualClock();
  const { seen, ladder } = ladderOn(clock);
  ladder.start();
  clock.advance(1200);
  seen.isGone = true;
  clock.advance(50);
  expect([ladder.isOver, seen.finished]).toEqual([true, 1]);
  clock.advance(60_000);
  expect(seen.steps).toEqual(['eof@0', 'sigterm@1000']);
});

test('kill skips what is left of the ladder', () => {
  const clock = new ManualClock();
  const { seen, ladder } = ladderOn(clock);
  ladder.start();
  clock.advance(100);
  ladder.kill();
  expect(seen.steps).toEqual(['eof@0', 'sigkill@100']);
});
