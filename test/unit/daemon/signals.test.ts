import { expect, test } from 'vitest';
import { policyAnswer } from '../../../src/daemon/policy.js';
import {
  admit,
  noSignals,
  programStateAfter,
  reduceRun,
  taskDoneAfter,
} from '../../../src/daemon/signals.js';
import { addUsage } from '../../../src/daemon/usage-sum.js';
import { newPermissionId, newRunId, newSessionId } from '../../../src/model/ids.js';
import type { PermissionOptionKind, PermissionRequest } from '../../../src/model/permission.js';
import type { Run } from '../../../src/model/session.js';
import type { RunSignal, RunSignalBody, SignalSource } from '../../../src/model/signal.js';

const run: Run = {
  id: newRunId(),
  sessionId: newSessionId(),
  attempt: 2,
  status: 'running',
  startedAt: 1,
};
const signal = (body: RunSignalBody, source: SignalSource = 'hook', attempt = 2): RunSignal => ({
  ...body,
  runId: run.id,
  attempt,
  source,
  at: 9,
});

test('a signal of another run or attempt is refused', () => {
  const done: RunSignalBody = { type: 'completed', result: { kind: 'success' } };
  expect(admit(undefined, noSignals(), signal(done)).admitted).toBe(false);
  expect(admit({ ...run, id: newRunId() }, noSignals(), signal(done)).admitted).toBe(false);
  expect(admit(run, noSignals(), signal(done, 'hook', 1)).admitted).toBe(false);
  expect(admit(run, noSignals(), signal(done)).admitted).toBe(true);
});

test('one-shot kinds count once a run, whatever the source; the mark of the user may be made again', () => {
  const taken = noSignals();
  const done: RunSignalBody = { type: 'completed', result: { kind: 'success' } };
  expect(admit(run, taken, signal(done, 'hook')).admitted).toBe(true);
  expect(admit(run, taken, signal(done, 'wrapper')).admitted).toBe(false);
  expect(admit(run, taken, signal(done, 'manual')).admitted).toBe(true);
  expect(admit(run, taken, signal(done, 'manual')).admitted).toBe(true);
  expect(admit(run, taken, signal({ type: 'finished', exitCode: 0 })).admitted).toBe(true);
  expect(admit(run, taken, signal({ type: 'finished', exitCode: 0 })).admitted).toBe(false);
});

test('progress must rise, for each source by itself, and not come after the end', () => {
  const taken = noSignals();
  const progress = (seq: number, source: SignalSource) =>
    admit(run, taken, signal({ type: 'progress', seq, message: 'x' }, source)).admitted;
  expect([progress(1, 'hook'), progress(1, 'hook'), progress(3, 'hook'), progress(2, 'hook')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(progress(1, 'protocol')).toBe(true);
  const over: Run = { ...run, status: 'exited' };
  expect(admit(over, taken, signal({ type: 'progress', seq: 9, message: 'x' })).admitted).toBe(false);
  expect(admit(over, taken, signal({ type: 'state', state: 'working' })).admitted).toBe(false);
});

test('a hook changes the word of a program and the task, never how the run ended', () => {
  const failed = signal({ type: 'failed', error: 'x' });
  expect(reduceRun(run, failed)).toBe(run);
  expect(programStateAfter(failed)).toEqual({ state: 'error' });
  const partial = signal({ type: 'completed', result: { kind: 'partial', reason: 'half' } });
  expect(taskDoneAfter(partial)).toBeUndefined();
  const marked = signal({ type: 'completed', result: { kind: 'success' }, confidence: 'unsure' }, 'manual');
  expect([taskDoneAfter(marked), programStateAfter(marked)]).toEqual(['unsure', null]);
  expect(programStateAfter(signal({ type: 'state', state: 'clear' }))).toEqual({ state: undefined });
  const starting: Run = { ...run, status: 'starting' };
  expect(reduceRun(starting, signal({ type: 'started', pid: 7 }, 'wrapper'))).toMatchObject({
    status: 'running',
    pid: 7,
  });
});

test('policies choose by the kind of an option, never by its place, and leave the rest open', () => {
  const request = (
    kinds: PermissionOptionKind[],
    more: Partial<PermissionRequest> = {},
  ): PermissionRequest => ({
    id: newPermissionId(),
    sessionId: run.sessionId,
    runId: run.id,
    kind: 'permission',
    title: 'write',
    options: kinds.map((kind) => ({ optionId: kind.toUpperCase(), kind, label: kind })),
    raw: {},
    askedAt: 1,
    ...more,
  });
  const all: PermissionOptionKind[] = ['reject_always', 'allow_always', 'other', 'reject_once', 'allow_once'];
  const selected = (optionId: string) => ({ outcome: 'selected', optionId });
  expect(policyAnswer('ask', request(all))).toBeUndefined();
  expect(policyAnswer('allow-once', request(all))).toEqual(selected('ALLOW_ONCE'));
  expect(policyAnswer('allow-once', request(['allow_always', 'other']))).toBeUndefined();
  expect(policyAnswer('allow', request(['reject_once', 'allow_always']))).toEqual(selected('ALLOW_ALWAYS'));
  expect(policyAnswer('reject', request(all))).toEqual(selected('REJECT_ONCE'));
  expect(policyAnswer('allow-reads', request(all))).toBeUndefined();
  expect(policyAnswer('allow-reads', request(all, { toolKind: 'execute' }))).toBeUndefined();
  expect(policyAnswer('allow-reads', request(all, { toolKind: 'read' }))).toEqual(selected('ALLOW_ONCE'));
  expect(policyAnswer('allow', request(all, { kind: 'question' }))).toBeUndefined();
});

test('usage of turns is added, usage of the session replaces, unknown numbers stay unknown', () => {
  const one = addUsage(undefined, { scope: 'turn', inputTokens: 10, costUsd: 0.5 });
  const two = addUsage(one, { scope: 'turn', inputTokens: 5, outputTokens: 1, contextUsed: 100 });
  expect(two).toEqual({ scope: 'session', inputTokens: 15, outputTokens: 1, costUsd: 0.5, contextUsed: 100 });
  expect(addUsage(two, { scope: 'session', inputTokens: 7 })).toMatchObject({ inputTokens: 7, costUsd: 0.5 });
});
