import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { Emitter } from '../../../src/base/emitter.js';
import { AgentileError } from '../../../src/base/errors.js';
import { FailureError } from '../../../src/controllers/controller.js';
import { ProgramStatus } from '../../../src/controllers/program-status.js';
import { toFailureError } from '../../../src/controllers/spawn-failure.js';
import { describeEnd } from '../../../src/controllers/terminal-end.js';
import { ResizeGate } from '../../../src/controllers/terminal-resize.js';
import { typePrompt } from '../../../src/controllers/terminal-typing.js';

describe('program status', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('a report becomes a state with its kind and its text', () => {
    const report = { state: 'blocked', kind: 'permission', app: 'x', msg: base64('approve Bash: echo hi') };
    expect(new ProgramStatus().signals(report)).toEqual([
      { type: 'state', state: 'blocked', kind: 'permission', message: 'approve Bash: echo hi' },
    ]);
  });

  test('progress rises with each report', () => {
    const status = new ProgramStatus();
    status.signals({ state: 'working', progress: '10' });
    expect(status.signals({ state: 'working', progress: '250' })[1]).toEqual({
      type: 'progress',
      seq: 2,
      message: '',
      percent: 100,
    });
  });

  test('unknown states and broken texts are left out, control characters do not pass', () => {
    const status = new ProgramStatus();
    expect(status.signals({ state: 'party' })).toEqual([]);
    expect(status.signals({})).toEqual([]);
    expect(status.signals({ state: 'idle', msg: '%%%' })).toEqual([{ type: 'state', state: 'idle' }]);
    expect(status.signals({ state: 'idle', msg: base64('a\u001b[2Jb') })).toEqual([
      { type: 'state', state: 'idle', message: 'a [2Jb' },
    ]);
  });
});

describe('end of a program', () => {
  const base = { stopped: false, label: 'x', plain: false, lastLines: ['', 'boom', ''] };

  test('a shell that ends with 1 has just exited', () => {
    expect(describeEnd({ ...base, plain: true, exit: { exitCode: 1 } })).toEqual({
      status: 'exited',
      exitCode: 1,
    });
  });

  test('an agent that ends with 1 failed, and its last lines say why', () => {
    const end = describeEnd({ ...base, exit: { exitCode: 1 } });
    expect(end.status).toBe('failed');
    expect(end.failure).toMatchObject({ kind: 'crash', stderrTail: ['boom'] });
  });

  test('a fault and a kill from outside are failures, an asked-for end is not', () => {
    expect(describeEnd({ ...base, plain: true, exit: { signal: 'SIGSEGV' } }).failure?.kind).toBe('crash');
    expect(describeEnd({ ...base, plain: true, exit: { signal: 'SIGKILL' } }).failure?.kind).toBe('killed');
    expect(describeEnd({ ...base, exit: { signal: 'SIGTERM' } }).status).toBe('exited');
    expect(describeEnd({ ...base, stopped: true, exit: { signal: 'SIGKILL' } }).status).toBe('stopped');
  });

  test('a spawn error keeps its words and gets a next step', () => {
    const cause = Object.assign(new Error('spawn'), { code: 'ENOENT' });
    const error = toFailureError(new AgentileError('SPAWN_FAILED', 'nope: not found', { cause }));
    expect(error.failure).toMatchObject({ kind: 'spawn', message: 'nope: not found' });
    expect(error.failure.hint).toContain('Check the name');
    const known = new FailureError({ kind: 'auth', message: 'no key' });
    expect(toFailureError(known)).toBe(known);
  });
});

describe('resize gate', () => {
  function gate() {
    const clock = new ManualClock();
    const sizes: string[] = [];
    return { clock, sizes, gate: new ResizeGate(clock, (cols, rows) => sizes.push(`${cols}x${rows}`)) };
  }

  test('the first comes at once, a burst ends with the newest', () => {
    const { clock, sizes, gate: resizes } = gate();
    for (let cols = 80; cols < 100; cols++) resizes.request(cols, 24);
    expect(sizes).toEqual(['80x24']);
    clock.advance(100);
    expect(sizes).toEqual(['80x24', '99x24']);
  });

  test('the same size is not told twice, and nothing is below one cell', () => {
    const { clock, sizes, gate: resizes } = gate();
    resizes.request(0, -3);
    clock.advance(100);
    resizes.request(1, 1);
    clock.advance(100);
    expect(sizes).toEqual(['1x1']);
  });
});

describe('typing a prompt (A24)', () => {
  function target() {
    const clock = new ManualClock();
    const changes = new Emitter<void>();
    const ends = new Emitter<void>();
    const written: string[] = [];
    const done = typePrompt(
      {
        clock,
        writeText: (text) => written.push(`text:${text}@${clock.now()}`),
        writeEnter: () => written.push(`enter@${clock.now()}`),
        onScreenChange: changes.event,
        onEnd: ends.event,
      },
      'hello',
    );
    return { clock, changes, ends, written, done };
  }

  test('Enter comes apart from the text', async () => {
    const { clock, written, done } = target();
    expect(written).toEqual(['text:hello@0']);
    clock.advance(120);
    expect(written).toEqual(['text:hello@0', 'enter@120']);
    expect(await done).toBe(true);
  });

  test('Enter waits until the program has drawn, but not for ever', async () => {
    const { clock, changes, written, done } = target();
    for (let at = 0; at < 2000; at += 20) {
      clock.advance(20);
      changes.fire();
    }
    expect(written).toEqual(['text:hello@0', 'enter@1500']);
    expect(await done).toBe(true);
  });

  test('a program that ends before gets no Enter', async () => {
    const { clock, ends, written, done } = target();
    ends.fire();
    clock.advance(5000);
    expect(written).toEqual(['text:hello@0']);
    expect(await done).toBe(false);
    expect(ends.listenerCount).toBe(0);
  });
});
