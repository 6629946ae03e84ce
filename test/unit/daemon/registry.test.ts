// Sessions, turns, permissions, tiles and recovery over a real log, with controllers that do what the test says.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogRecord } from '../../../src/model/log-record.js';
import type { SessionId } from '../../../src/model/ids.js';
import { ScriptedHome, type Core } from './scripted.js';

let home: ScriptedHome;
let core: Core;
beforeEach(async () => {
  home = new ScriptedHome();
  core = await home.core();
});
afterEach(() => home.dispose());

async function create(name: string, more: object = {}) {
  const created = core.request('session/new', { providerId: 'agent', cwd: home.dir, name, ...more });
  await core.settle(300);
  return (await created).session;
}
const view = (session: string) => core.request('session/get', { session });
const send = (text: string, session = 'a') => core.request('session/prompt', { session, text });
const eventTypes = (records: readonly LogRecord[]) =>
  records.flatMap(({ body }) => (body.kind === 'event' ? [body.event.type] : []));
const done = { type: 'turn.done', stopReason: 'end_turn' } as const;

test('a turn: working, then done until somebody looked at it', async () => {
  await create('a');
  expect((await view('a')).status).toBe('idle');
  const { turn } = await send('hello');
  expect(turn.state).toBe('running');
  expect(core.last().prompts).toMatchObject([{ prompt: 'hello', id: turn.id }]);
  expect((await view('a')).status).toBe('working');
  core.last().say({ type: 'text', messageId: 'm', final: 'hi' });
  core.last().say(done);
  expect(await view('a')).toMatchObject({ status: 'done', turn: { state: 'done', stopReason: 'end_turn' } });
  await core.request('session/seen', { session: 'a' });
  expect((await view('a')).status).toBe('idle');
});

test('D25: a prompt typed in a turn is queued visibly, edited, withdrawn, and sent at the end', async () => {
  await create('a');
  await send('one');
  const two = (await send('two')).turn;
  const three = (await send('three')).turn;
  expect((await view('a')).queue).toMatchObject([
    { prompt: 'two', state: 'queued' },
    { prompt: 'three', state: 'queued' },
  ]);
  await core.request('session/queue-edit', { session: 'a', turnId: two.id, text: 'two, better' });
  await core.request('session/queue-edit', { session: 'a', turnId: three.id, text: null });
  core.last().say(done);
  expect(core.last().prompts.map((turn) => turn.prompt)).toEqual(['one', 'two, better']);
  await expect(
    core.request('session/queue-edit', { session: 'a', turnId: two.id, text: 'late' }),
  ).rejects.toMatchObject({ code: 'NOT_RUNNING' });
});

test('after a failed turn the queue waits for the person', async () => {
  await create('a');
  await send('one');
  await send('two');
  const failure = { kind: 'auth', message: 'not signed in' } as const;
  core.last().say({ type: 'turn.done', stopReason: 'error', failure });
  expect(await view('a')).toMatchObject({
    status: 'failed',
    turn: { state: 'failed' },
    queue: [{ prompt: 'two' }],
  });
  expect(core.last().prompts).toHaveLength(1);
  await send('three');
  expect(core.last().prompts.map((turn) => turn.prompt)).toEqual(['one', 'two']);
});

test('a turn begins and ends once in the log, however often the controller says it', async () => {
  const session = await create('a');
  const { turn } = await send('hello');
  core.last().say({ type: 'turn.started', prompt: 'hello' }, { turnId: turn.id });
  core.last().say(done);
  core.last().say(done);
  const records = core.daemon.log.read(session.session.id, 0, 100);
  expect(eventTypes(records)).toEqual(['turn.started', 'turn.done']);
});

test('E06: a process that ends in a turn without a result fails the turn and says so', async () => {
  await create('a');
  await send('hello');
  core.last().end({ status: 'exited', exitCode: 0 });
  expect(await view('a')).toMatchObject({
    status: 'failed',
    turn: { state: 'failed', failure: { message: 'The process ended without a result.' } },
    run: { status: 'exited', exitCode: 0 },
  });
});

test('A12: an open permission is "needs you"; only an answer closes it, and only once', async () => {
  await create('a');
  await send('hello');
  const request = core.last().ask();
  await core.settle(24 * 3600_000);
  expect(await view('a')).toMatchObject({ status: 'needs-you', requests: [{ id: request.id }] });
  const answer = {
    session: 'a',
    permissionId: request.id,
    answer: { outcome: 'selected', optionId: 'y' },
  } as const;
  await core.request('session/answer', answer);
  expect(core.last().answers).toEqual([[request.id, answer.answer]]);
  expect((await view('a')).status).toBe('working');
  await expect(core.request('session/answer', answer)).rejects.toMatchObject({ code: 'NOT_RUNNING' });
  const wrong = core.last().ask();
  await expect(
    core.request('session/answer', {
      ...answer,
      permissionId: wrong.id,
      answer: { outcome: 'selected', optionId: 'z' },
    }),
  ).rejects.toMatchObject({ code: 'USAGE' });
  expect((await view('a')).requests).toHaveLength(1);
});

test('D11: cancel answers every open request "cancelled" before the agent is interrupted', async () => {
  await create('a');
  await send('hello');
  const one = core.last().ask();
  const two = core.last().ask({ kind: 'question' });
  await core.request('session/cancel', { session: 'a' });
  expect(core.last().answers).toEqual([
    [one.id, { outcome: 'cancelled' }],
    [two.id, { outcome: 'cancelled' }],
  ]);
  expect(core.last().cancels).toBe(1);
});

test('a policy answers by kind, and is in the log as the one who did', async () => {
  const session = await create('a', { launch: { policy: 'reject' } });
  await send('hello');
  const request = core.last().ask();
  expect(core.last().answers).toEqual([[request.id, { outcome: 'selected', optionId: 'n' }]]);
  const records = core.daemon.log.readTypes(session.session.id, ['permission.answered'], 9);
  expect(records).toMatchObject([{ body: { event: { source: 'policy' } } }]);
});

test('A16: a refused native id is dead, is not tried again, and is believed only after a good turn', async () => {
  await create('a');
  core.last().say({ type: 'session.opened', nativeId: 'N1' });
  expect((await view('a')).session.nativeId).toBe('N1');
  await core.request('session/stop', { session: 'a' });
  const resumed = core.request('session/resume', { session: 'a' });
  await core.settle(300);
  await resumed;
  expect(core.last().context!.resumeId).toBe('N1');
  core.last().say({ type: 'session.opened', nativeId: 'N1' });
  const failure = { kind: 'protocol', message: 'No conversation found', deadNativeId: 'N1' } as const;
  core.last().end({ status: 'failed', exitCode: 1, failure });
  const dead = await view('a');
  expect(dead.session.nativeId).toBeUndefined();
  expect(dead.session.deadNativeIds).toEqual(['N1']);
  const again = core.request('session/restart', { session: 'a' });
  await core.settle(300);
  await again;
  expect(core.last().context!.resumeId).toBeUndefined();
  core.last().say({ type: 'session.opened', nativeId: 'N1' });
  expect((await view('a')).session.nativeId).toBeUndefined();
  await send('hello');
  core.last().say(done);
  expect((await view('a')).session).toMatchObject({ nativeId: 'N1', deadNativeIds: [] });
});

test('D08: without a known id nothing is resumed silently; a fresh start draws the line', async () => {
  const session = await create('a');
  await send('hello');
  core.last().say(done);
  await core.request('session/stop', { session: 'a' });
  await expect(core.request('session/resume', { session: 'a' })).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
  });
  const fresh = core.request('session/resume', { session: 'a', fresh: true });
  await core.settle(300);
  expect((await fresh).run!.attempt).toBe(2);
  const notices = core.daemon.log.readTypes(session.session.id, ['notice'], 9);
  expect(notices).toMatchObject([{ body: { event: { kind: 'context-reset' } } }]);
});

test('numbers are the lowest free ones, names are unique, and both find a session', async () => {
  expect((await create('a')).number).toBe(1);
  expect((await create('b')).number).toBe(2);
  await expect(create('a')).rejects.toMatchObject({ code: 'USAGE' });
  await expect(create('7')).rejects.toMatchObject({ code: 'USAGE' });
  await core.request('session/close', { session: 'a', force: true });
  expect((await create('c')).number).toBe(1);
  expect((await view('2')).session.name).toBe('b');
  await expect(view('a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND', hint: 'There are: c, b.' });
});

test('the hard cap holds for everyone', async () => {
  core = await home.core({ sessionsMax: 2 });
  await create('a');
  await create('b');
  await expect(create('c')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  await core.request('session/stop', { session: 'a' });
  expect((await create('c')).status).toBe('idle');
});

test('an agent cannot act on its own session, and a child of one cannot start or resume sessions', async () => {
  const a = await create('a');
  const caller = (sessionId: SessionId) => ({ caller: { role: 'cli' as const, sessionId } });
  const own = caller(a.session.id);
  await expect(core.request('session/prompt', { session: 'a', text: 'x' }, own)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
  });
  const created = core.request('session/new', { cwd: home.dir, name: 'child' }, own);
  await core.settle(300);
  const child = (await created).session;
  expect(child.session.parent).toBe(a.session.id);
  const below = caller(child.session.id);
  await expect(core.request('session/new', { cwd: home.dir }, below)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
  });
  await expect(core.request('session/restart', { session: 'a' }, below)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
  });
  await expect(core.request('daemon/stop', { children: 'stop' }, below)).rejects.toMatchObject({
    code: 'NOT_SUPPORTED',
  });
});

test('a command id runs once: at the same time, later, and after a restart of the daemon', async () => {
  await create('a');
  const prompt = () => core.request('session/prompt', { session: 'a', text: 'hello' }, { commandId: 'c-1' });
  const [first, second] = await Promise.all([prompt(), prompt()]);
  expect(second).toEqual(first);
  expect(await prompt()).toEqual(first);
  expect(core.last().prompts).toHaveLength(1);
  home.child(core.last().context!.run.id);
  home.kill(core);
  core = await home.core();
  expect(await prompt()).toEqual(first);
  expect(core.last().prompts).toHaveLength(0);
});

test('a new daemon goes on: open turn, open permission, queue, byte marks, tiles', async () => {
  const a = await create('a');
  await send('hello');
  await send('later');
  core.last().say({ type: 'text', messageId: 'm', delta: 'par' }, { offset: 100 });
  await core.settle(40);
  expect(core.last().marks).toMatchObject([{ offset: 100 }]);
  const request = core.last().ask();
  await core.settle(300);
  home.child(a.run!.id);
  const before = await core.request('workspace/get', {});
  home.kill(core);

  core = await home.core();
  expect(await view('a')).toMatchObject({
    status: 'needs-you',
    run: { id: a.run!.id, attempt: 1 },
    turn: { prompt: 'hello', state: 'running' },
    queue: [{ prompt: 'later' }],
    requests: [{ id: request.id }],
  });
  expect(core.last().adopted).toMatchObject({
    from: { stdout: 100, stderr: 0 },
    openTurn: { prompt: 'hello' },
    openPermissions: [request.id],
  });
  const after = await core.request('workspace/get', {});
  expect([after.panes, after.tabs]).toEqual([before.panes, before.tabs]);
  core.last().ask({ id: request.id });
  expect((await view('a')).requests).toHaveLength(1);
  core.last().say(done);
  expect(core.last().prompts).toMatchObject([{ prompt: 'later' }]);
});

test('A02: what the keeper does not hold any more is lost, said with the time, and its turn has failed', async () => {
  await create('a');
  await send('hello');
  core.last().ask();
  await core.settle(300);
  home.kill(core);
  core = await home.core();
  const lost = await view('a');
  expect(lost).toMatchObject({
    status: 'failed',
    run: { status: 'lost' },
    turn: { state: 'failed' },
    requests: [],
  });
  expect(lost.run!.failure!.message).toMatch(/^process lost at \d\d:\d\d$/);
  expect(core.controllers).toHaveLength(0);
});

test('panes are sized from the tiles of the last active client', async () => {
  await create('a');
  await create('b');
  core.daemon.workspace.setArea({ cols: 101, rows: 30 });
  expect(core.controllers.map((controller) => controller.sizes.at(-1))).toEqual([
    [50, 29],
    [50, 29],
  ]);
  const { panes, tabs } = await core.request('workspace/get', {});
  await core.request('layout/apply', { op: 'zoom', tabId: tabs[0]!.id, paneId: panes[0]!.id });
  expect(core.controllers[0]!.sizes.at(-1)).toEqual([101, 29]);
  await core.request('session/close', { session: 'a', force: true });
  expect(core.controllers[1]!.sizes.at(-1)).toEqual([101, 29]);
});

test('changes are published as whole objects, after the log has what led to them', async () => {
  await create('a');
  await core.settle(50);
  const changes: { inLog: number; names: string[] }[] = [];
  core.daemon.changes.onChange((change) =>
    changes.push({
      inLog: core.daemon.log.readAll(0, 1000).length,
      names: (change.sessions ?? []).map((session) => session.status),
    }),
  );
  const before = core.daemon.log.readAll(0, 1000).length;
  await send('hello');
  core.last().say({ type: 'usage', usage: { scope: 'turn', costUsd: 1 } });
  await core.settle(50);
  expect(changes).toHaveLength(1);
  expect(changes[0]!.names).toEqual(['working']);
  expect(changes[0]!.inLog).toBeGreaterThan(before);
});

test('a mark is the word of the user and overrides; explain tells why a status is what it is', async () => {
  await create('a');
  await core.request('session/mark', { session: 'a', confidence: 'unsure' });
  expect((await core.request('session/mark', { session: 'a', confidence: 'certain' })).taskDone).toBe(
    'certain',
  );
  await send('hello');
  core.last().ask();
  const explained = await core.request('session/explain', { session: 'a' });
  expect(explained.status).toBe('needs-you');
  expect(explained.because.join(' ')).toContain('It waits for your answer: write src/a.ts.');
  expect(explained.signals).toHaveLength(2);
});

test('a tile that somebody was told of is in the log: a daemon killed right after it has it again', async () => {
  const created = core.request('session/new', { providerId: 'agent', cwd: home.dir, name: 'a' });
  await core.settle(0);
  home.child(core.last().context!.run.id);
  const before = await core.request('workspace/get', {});
  const crashed = core;
  core = await home.core();
  const after = await core.request('workspace/get', {});
  expect(after.panes).toEqual(before.panes);
  expect(after.panes).toHaveLength(1);
  await crashed.settle(300);
  await created;
});
