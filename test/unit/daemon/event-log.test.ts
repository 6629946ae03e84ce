// The log against real SQLite files.
import Database from 'better-sqlite3';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { exportLines, openLogFile } from '../../../src/daemon/log-export.js';
import {
  REPLY,
  SAVE_RUN,
  SAVE_SESSION,
  SAVE_TURN,
  SAVE_WORKSPACE,
  WORKSPACE,
} from '../../../src/daemon/log-names.js';
import { openStore } from '../../../src/daemon/log-open.js';
import { EventLog } from '../../../src/daemon/event-log.js';
import type { AgentEventBody } from '../../../src/model/event.js';
import { newRunId, newSessionId, newTurnId } from '../../../src/model/ids.js';
import type { LogRecord } from '../../../src/model/log-record.js';

const sessionId = newSessionId();
const runId = newRunId();
let dir: string;
let file: string;
let clock: ManualClock;
const opened: { dispose(): void }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agentile-log-'));
  file = join(dir, 'log.sqlite');
  clock = new ManualClock(1_000);
});
afterEach(() => {
  for (const log of opened.splice(0)) log.dispose();
  rmSync(dir, { recursive: true, force: true });
});

function openLog(options: Partial<ConstructorParameters<typeof EventLog>[0]> = {}) {
  const log = new EventLog({ file, clock, log: silentLog, ...options });
  opened.push(log);
  const published: LogRecord[] = [];
  log.onRecords((records) => published.push(...records));
  return { log, published };
}

function event(log: EventLog, body: AgentEventBody, offset?: number) {
  log.appendEvent({
    event: { ...body, sessionId, runId, at: clock.now() },
    attempt: 1,
    ...(offset === undefined ? {} : { mark: { runId, stream: 'stdout', offset } }),
  });
}

const notice = (text: string): AgentEventBody => ({ type: 'notice', kind: 'other', level: 'info', text });
const command = (name: string, body: unknown, commandId?: string) => ({
  sessionId,
  body: { kind: 'command' as const, name, body, ...(commandId ? { commandId } : {}) },
});

test('a record is in the file before it is published', () => {
  const { log } = openLog();
  const inFile: number[] = [];
  log.onRecords(() => {
    const reader = openLogFile(file);
    inFile.push(reader.read(sessionId, 0, 10).length);
    reader.close();
  });
  event(log, notice('one'));
  event(log, notice('two'));
  clock.advance(1);
  expect(inFile).toEqual([2]);
});

test('records can neither be changed nor deleted nor replaced', () => {
  const { log } = openLog();
  event(log, notice('kept'));
  log.flush();
  const db = new Database(file);
  expect(() => db.exec("UPDATE records SET body = '{}'")).toThrow(/append-only/);
  expect(() => db.exec('DELETE FROM records')).toThrow(/append-only/);
  expect(() =>
    db.exec(
      "INSERT OR REPLACE INTO records VALUES (1, 0, 's', NULL, NULL, 'event', 'x', '{}', NULL, NULL, NULL)",
    ),
  ).toThrow(/append-only/);
  db.close();
  expect(log.read(sessionId, 0, 10)).toHaveLength(1);
});

test('pieces of one message are joined for 30 ms, with the last byte mark', () => {
  const { log, published } = openLog();
  event(log, { type: 'text', messageId: 'm', delta: 'Hel' }, 10);
  event(log, { type: 'text', messageId: 'm', delta: 'lo' }, 20);
  clock.advance(29);
  expect(published).toEqual([]);
  clock.advance(2);
  expect(published).toMatchObject([
    { seq: 1, mark: { offset: 20 }, body: { event: { type: 'text', messageId: 'm', delta: 'Hello' } } },
  ]);
});

test('4 KiB of text do not wait, and another event goes behind the text before it', () => {
  const { log, published } = openLog();
  event(log, { type: 'text', messageId: 'm', delta: 'x'.repeat(4096) });
  clock.advance(1);
  expect(published).toHaveLength(1);
  event(log, { type: 'text', messageId: 'm', delta: 'tail' });
  event(log, { type: 'text', messageId: 'n', delta: 'other message' });
  event(log, notice('after'));
  clock.advance(1);
  expect(published.map((r) => (r.body.kind === 'event' ? r.body.event.type : ''))).toEqual([
    'text',
    'text',
    'text',
    'notice',
  ]);
});

test('the log goes on where it stopped: sequence, marks, projections', () => {
  const first = openLog().log;
  const session = { id: sessionId, name: 'a', providerId: 'x', cwd: '/', launch: {}, createdAt: 1 };
  const run = { id: runId, sessionId, attempt: 1, status: 'running', startedAt: 1 };
  const turn = { id: newTurnId(), sessionId, prompt: 'hi', state: 'running', createdAt: 5 };
  first.append(command(SAVE_SESSION, { session, number: 1, seen: true }));
  first.append(command(SAVE_RUN, run));
  first.append(command(SAVE_RUN, { ...run, status: 'exited' }));
  first.append(command(SAVE_TURN, turn));
  first.append({
    sessionId: WORKSPACE,
    body: { kind: 'command', name: SAVE_WORKSPACE, body: { panes: [], tabs: [] } },
  });
  event(first, notice('x'), 77);
  first.dispose();

  const { log } = openLog();
  const check = () => {
    const state = log.state()!;
    expect(state.sessions).toMatchObject([{ session: { name: 'a' }, number: 1 }]);
    expect(state.runs).toMatchObject([{ id: runId, status: 'exited' }]);
    expect(state.turns).toMatchObject([{ prompt: 'hi', state: 'running' }]);
    expect(state.workspace).toEqual({ panes: [], tabs: [] });
    expect(log.marks(runId)).toEqual({ stdout: 77, stderr: 0 });
  };
  check();
  const db = new Database(file);
  for (const table of ['sessions', 'runs', 'turns', 'workspace', 'marks', 'commands'])
    db.exec(`DELETE FROM ${table}`);
  db.close();
  const reader = openLogFile(file) as ReturnType<typeof openLogFile> & { rebuild(): void };
  reader.rebuild();
  reader.close();
  check();
  expect(log.append(command('x', {})).seq).toBe(7);
});

test('a command is known by its id after a restart, with its reply', () => {
  const { log } = openLog();
  log.append(command('session/prompt', { text: 'hi' }, 'c-1'));
  log.append(command('session/prompt', { text: 'ho' }, 'c-2'));
  log.append(command(REPLY, { ok: true, result: 42 }, 'c-1'));
  expect(log.reply('c-1')).toEqual({ ok: true, result: 42 });
  log.dispose();
  const again = openLog().log;
  expect(again.reply('c-1')).toEqual({ ok: true, result: 42 });
  expect(again.reply('c-2')).toBeNull();
  expect(again.reply('c-3')).toBeUndefined();
});

test('a locked file fails nothing: events wait in order and are written later', () => {
  const { log, published } = openLog();
  const states: string[] = [];
  log.onHealth((health) => states.push(health.state));
  const holder = new Database(file);
  holder.exec('BEGIN IMMEDIATE');
  event(log, notice('one'));
  clock.advance(1);
  event(log, notice('two'));
  clock.advance(1);
  expect(published).toHaveLength(2);
  expect(log.health).toMatchObject({ state: 'locked', detail: 'another program holds it', waiting: 2 });
  expect(log.read(sessionId, 1, 10)).toMatchObject([{ seq: 2 }]);
  holder.exec('COMMIT');
  holder.close();
  clock.advance(500);
  expect(states).toEqual(['locked', 'ok']);
  const reader = openLogFile(file);
  expect(reader.read(sessionId, 0, 10).map((r) => r.seq)).toEqual([1, 2]);
  reader.close();
});

test('a full disk fails nothing: events wait and are written when there is room', () => {
  let full = false;
  const { log } = openLog({
    open: (path) => {
      const result = openStore(path);
      if (result.state !== 'ok') return result;
      const write = result.store.write.bind(result.store);
      result.store.write = (records) => {
        if (full) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
        write(records);
      };
      return result;
    },
  });
  full = true;
  event(log, notice('one'));
  clock.advance(1);
  expect(log.health).toMatchObject({ state: 'locked', detail: 'the disk is full', waiting: 1 });
  full = false;
  clock.advance(500);
  expect(log.health).toEqual({ state: 'ok', waiting: 0 });
});

test('a corrupt file is moved aside with its path told, and a new one begins', () => {
  writeFileSync(file, 'this is no database, '.repeat(100));
  const { log } = openLog();
  expect(log.health.state).toBe('moved-aside');
  const aside = readdirSync(dir).find((name) => name.includes('.corrupt-'));
  expect(log.health.detail).toBe(join(dir, aside!));
  event(log, notice('new life'));
  log.flush();
  expect(log.read(sessionId, 0, 10)).toHaveLength(1);
});

test('a file that turns corrupt while we write is replaced, and state is asked for again', () => {
  let corrupt = false;
  const { log } = openLog({
    open: (path) => {
      const result = openStore(path);
      if (result.state !== 'ok') return result;
      const write = result.store.write.bind(result.store);
      result.store.write = (records) => {
        if (corrupt) {
          corrupt = false;
          throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
        }
        write(records);
      };
      return result;
    },
  });
  let asked = 0;
  log.onReplaced(() => asked++);
  event(log, notice('old'));
  log.flush();
  corrupt = true;
  event(log, notice('during'));
  log.flush();
  expect(asked).toBe(1);
  expect(log.health.state).toBe('moved-aside');
  expect(log.read(sessionId, 0, 10)).toMatchObject([{ seq: 2, body: { event: { text: 'during' } } }]);
});

test('without better-sqlite3 the log lives in memory and says what is missing', () => {
  const { log, published } = openLog({
    open: (path) =>
      openStore(path, () => {
        throw new Error("Cannot find module 'better-sqlite3'");
      }),
  });
  expect(log.health.state).toBe('missing');
  expect(log.health.detail).toMatch(/better-sqlite3/);
  log.append(command('x', {}, 'c-1'));
  log.append(command(REPLY, { ok: true }, 'c-1'));
  event(log, notice('one'), 5);
  log.flush();
  expect(published).toHaveLength(3);
  expect(log.reply('c-1')).toEqual({ ok: true });
  expect(log.marks(runId).stdout).toBe(5);
});

test('export gives every record, one JSON object a line, over several pages', () => {
  const { log } = openLog();
  for (let i = 0; i < 1201; i++) event(log, notice(`n${i}`));
  const lines = [...exportLines(log)];
  expect(lines).toHaveLength(1201);
  expect(JSON.parse(lines[1200]!)).toMatchObject({ seq: 1201, body: { event: { text: 'n1200' } } });
});
