// The real daemon with the real keeper and real programs in real PTYs.
import { once } from 'node:events';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DaemonClient } from '../../src/wire/client.js';
import { bundleDaemon, DaemonBench, isAlive, waitFor } from './daemon-bench.js';

let folder: string;
let bench: DaemonBench;
beforeAll(async () => {
  folder = await bundleDaemon();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  bench = new DaemonBench(folder);
});
afterEach(() => bench.dispose());

async function newProgram(client: DaemonClient, script: string, name: string) {
  const { session } = await client.request('session/new', {
    cwd: bench.home,
    name,
    launch: { command: ['/bin/sh', '-c', script] },
  });
  return session;
}

async function screenHas(client: DaemonClient, session: string, text: string): Promise<string[]> {
  return waitFor(`"${text}" on the screen of ${session}`, async () => {
    const { lines } = await client.request('session/screen', { session, lines: 1000 });
    return lines.some((line) => line.includes(text)) && lines;
  });
}

test('A48: of many daemons that start at once over a stale socket exactly one stays', async () => {
  const stale = createServer().listen(`${bench.home}/run/x`);
  await once(stale, 'listening');
  stale.close();
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const { pid } = await bench.status(client);
  expect(pid).toBe(first.pid);
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(existsSync(bench.paths.daemonSocket)).toBe(true);

  const many = Array.from({ length: 6 }, () => bench.spawnDaemon());
  const ended = many.map((child) => once(child, 'exit').then(([code]) => code as number));
  await waitFor(
    'five daemons to give way',
    () => many.filter((child) => child.exitCode !== null).length === 5,
  );
  const stays = many.find((child) => child.exitCode === null)!;
  const codes = await Promise.all(ended.filter((_, i) => many[i] !== stays));
  expect(codes).toEqual([0, 0, 0, 0, 0]);
  const again = await bench.connect();
  expect((await bench.status(again)).pid).toBe(stays.pid);
  expect(statSync(bench.paths.daemonSocket).mode & 0o777).toBe(0o600);
});

test('A47: a lock of a recycled pid, or a socket that nobody serves, keeps no daemon from starting', async () => {
  // The lock names this living process under another start time: its pid was given out again.
  const { runtimeDir, daemonSocket } = bench.paths;
  const { mkdirSync } = await import('node:fs');
  mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${daemonSocket}.lock`, `${process.pid}\n1\nsome-other-boot\nnonce`);
  bench.spawnDaemon();
  const client = await bench.connect();
  expect((await bench.status(client)).keeper).not.toBeNull();
});

test('kill -9 of the daemon costs nothing: the programs, their screens, tiles and names are there again', async () => {
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const session = await newProgram(
    client,
    'i=0; while read line; do i=$((i+1)); echo "got $i $line"; done',
    'echoer',
  );
  await client.request('session/prompt', { session: 'echoer', text: 'one' });
  await screenHas(client, 'echoer', 'got 1 one');
  const before = await client.request('workspace/get', {});
  first.kill('SIGKILL');
  await once(first, 'exit');

  bench.spawnDaemon();
  const again = await bench.connect();
  await screenHas(again, 'echoer', 'got 1 one');
  await again.request('session/prompt', { session: 'echoer', text: 'two' });
  await screenHas(again, 'echoer', 'got 2 two');
  const after = await again.request('workspace/get', {});
  expect(after.sessions[0]).toMatchObject({
    number: 1,
    session: { name: 'echoer', id: session.session.id },
    run: { id: session.run!.id, pid: session.run!.pid, status: 'running', attempt: 1 },
  });
  expect(after.panes).toEqual(before.panes);
  expect(after.tabs).toEqual(before.tabs);
});

test('A02: when the keeper is lost too, every pane says "process lost" with the time, and restart works', async () => {
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const session = await newProgram(client, 'echo hello; exec sleep 1000', 'sleeper');
  await screenHas(client, 'sleeper', 'hello');
  const { keeper } = await bench.status(client);
  first.kill('SIGKILL');
  await once(first, 'exit');
  process.kill(keeper!.pid, 'SIGKILL');
  await waitFor('the end of the keeper', () => !isAlive(keeper!.pid));

  bench.spawnDaemon();
  const again = await bench.connect();
  const lost = await again.request('session/get', { session: 'sleeper' });
  expect(lost.status).toBe('failed');
  expect(lost.run).toMatchObject({ id: session.run!.id, status: 'lost' });
  expect(lost.run!.failure!.message).toMatch(/^process lost at \d\d:\d\d$/);
  expect(lost.run!.failure!.hint).toContain('restart');
  const restarted = await again.request('session/restart', { session: 'sleeper' });
  expect(restarted.run!.attempt).toBe(2);
  await screenHas(again, 'sleeper', 'hello');
});

test('the keeper dies under a living daemon: panes say so, and a new keeper serves what comes', async () => {
  bench.spawnDaemon();
  const client = await bench.connect();
  await newProgram(client, 'echo up; exec sleep 1000', 'one');
  await screenHas(client, 'one', 'up');
  const { keeper } = await bench.status(client);
  process.kill(keeper!.pid, 'SIGKILL');
  const lost = await waitFor('the loss to be told', async () => {
    const view = await client.request('session/get', { session: 'one' });
    return view.run!.status === 'lost' && view;
  });
  expect(lost.run!.failure!.message).toContain('process lost at');
  await newProgram(client, 'echo again; exec sleep 1000', 'two');
  await screenHas(client, 'two', 'again');
});

test('daemon restart: clients hear "bye", the programs go on, the new daemon has them', async () => {
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const session = await newProgram(client, 'echo up; exec sleep 1000', 'one');
  await screenHas(client, 'one', 'up');
  const said: unknown[] = [];
  client.onPush(({ message }) => said.push(message));
  await client.request('daemon/stop', { children: 'keep', reason: 'restart' });
  const [code] = (await once(first, 'exit')) as [number];
  expect(code).toBe(0);
  expect(said).toContainEqual({ t: 'bye', reason: 'restart' });
  expect(existsSync(bench.paths.daemonSocket)).toBe(false);
  bench.spawnDaemon();
  const again = await bench.connect();
  const view = await again.request('session/get', { session: 'one' });
  expect(view.run).toMatchObject({ pid: session.run!.pid, status: 'running' });
});

test('SIGHUP and SIGINT do not end the daemon; SIGTERM ends it in order and keeps the programs', async () => {
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const session = await newProgram(client, 'echo up; exec sleep 1000', 'one');
  await screenHas(client, 'one', 'up');
  first.kill('SIGHUP');
  first.kill('SIGINT');
  expect((await bench.status(client)).pid).toBe(first.pid);
  first.kill('SIGTERM');
  const [code] = (await once(first, 'exit')) as [number];
  expect(code).toBe(0);
  expect(isAlive(session.run!.pid!)).toBe(true);
});

test('daemon stop with its children leaves nothing alive', async () => {
  const first = bench.spawnDaemon();
  const client = await bench.connect();
  const session = await newProgram(client, 'echo up; exec sleep 1000', 'one');
  await screenHas(client, 'one', 'up');
  const { keeper } = await bench.status(client);
  await client.request('daemon/stop', { children: 'stop' });
  await once(first, 'exit');
  await waitFor('the end of the keeper', () => !isAlive(keeper!.pid));
  expect(isAlive(session.run!.pid!)).toBe(false);
});

test('a program that is not there fails with its cause; the session is restarted by name', async () => {
  bench.spawnDaemon();
  const client = await bench.connect();
  const { session } = await client.request('session/new', {
    cwd: bench.home,
    name: 'nope',
    launch: { command: ['/no/such/program'] },
  });
  expect(session.status).toBe('failed');
  expect(session.run!.failure!.kind).toBe('spawn');
});
