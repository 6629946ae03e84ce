// Commands against the real daemon, keeper and programs: what a script can rely on.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DaemonStatus, ScreenText, SessionView } from '../../src/wire/messages.js';
import { until } from '../helpers/until.js';
import { World } from '../helpers/world.js';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.dispose());

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

const screenOf = async (session: string) =>
  (await world.json<ScreenText>(['read', session])).lines.join('\n');

async function newProgram(name: string, ...command: string[]): Promise<SessionView> {
  const { exitCode, stdout, stderr } = await world.run(['new', '-t', '-n', name, '--json', '--', ...command]);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as SessionView;
}

test('a shell from start to end: new, ls, send, read, stop, restart, close', async () => {
  const made = await newProgram('sh', '/bin/bash', '--norc');
  expect(made).toMatchObject({ number: 1, session: { name: 'sh', cwd: world.project } });
  expect((await world.run(['send', 'sh', 'echo $((40+2))'])).stdout).toBe('typed\n');
  await until('the answer is on the screen', async () => /^42$/m.test(await screenOf('sh')));
  expect((await world.run(['stop', '1'])).stdout).toBe('1 sh  stopped\n');
  expect(await world.run(['send', 'sh', 'x'])).toMatchObject({ exitCode: 8 });
  expect((await world.run(['restart', 'sh'])).exitCode).toBe(0);
  expect(await world.run(['close', 'sh'])).toMatchObject({ exitCode: 8 });
  expect((await world.run(['close', 'sh', '--force'])).exitCode).toBe(0);
  expect(await world.json<SessionView[]>(['ls'])).toEqual([]);
});

test('A02: kill -9 of the daemon, twice, costs no program and no line', async () => {
  await newProgram('sh', '/bin/bash', '--norc');
  await newProgram('less', '/usr/bin/less', '/etc/services');
  await world.run(['send', 'sh', 'MARK=alive; echo begin']);
  await until('the echo', async () => /^begin$/m.test(await screenOf('sh')));
  const less = await screenOf('less');
  for (let round = 0; round < 2; round++) {
    const killed = world.daemonPid!;
    process.kill(killed, 'SIGKILL');
    await until('the daemon is gone', () => !world.pids().includes(killed));
    expect((await world.json<SessionView[]>(['ls'])).map((view) => view.session.name)).toEqual([
      'sh',
      'less',
    ]);
  }
  await until('the screen is back', async () => (await screenOf('less')) === less);
  await world.run(['send', 'sh', 'echo still $MARK']);
  await until('the same shell answers', async () => /^begin[^]*^still alive$/m.test(await screenOf('sh')));
});

test('daemon restart changes the process and nothing else; stop --all ends everything', async () => {
  await newProgram('sh', '/bin/bash', '--norc');
  const before = await world.json<DaemonStatus>(['daemon', 'status']);
  expect((await world.run(['daemon', 'restart'])).exitCode).toBe(0);
  const after = await world.json<DaemonStatus>(['daemon', 'status']);
  expect(after.pid).not.toBe(before.pid);
  expect(after.keeper).toMatchObject({ pid: before.keeper!.pid, children: 1 });
  expect((await world.run(['daemon', 'stop', '--all'])).exitCode).toBe(0);
  await until('nothing is left', () => world.pids().length === 0);
  expect((await world.run(['daemon', 'status'])).exitCode).toBe(6);
});

test('A48: many commands at once start one daemon', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => world.run(['daemon', 'start'])));
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
  // Those that came second find the first one and leave.
  await until('one is left', () => world.pidsOf(/dist\/daemon\.js/).length === 1);
  const { pid } = await world.json<DaemonStatus>(['daemon', 'status']);
  expect(results[0]?.stdout).toBe(`The daemon runs (pid ${pid}).\n`);
});

test('C13: a flood bounds memory, leaves the others alone, and stops when it is told', async () => {
  await newProgram('flood', '/bin/sh', '-c', 'yes "a quick brown fox"');
  await newProgram('sh', '/bin/bash', '--norc');
  await until('the flood runs', async () => (await screenOf('flood')).includes('brown fox'));
  await world.run(['send', 'sh', 'echo neighbour']);
  await until('the neighbour answers', async () => /^neighbour$/m.test(await screenOf('sh')));
  const { pid, keeper } = await world.json<DaemonStatus>(['daemon', 'status']);
  for (const each of [pid, keeper!.pid]) expect(residentMb(each)).toBeLessThan(250);
  expect((await world.run(['stop', 'flood'])).exitCode).toBe(0);
});

test('without a terminal "start" prints a picture of real programs, and leaves nothing running', async () => {
  const { exitCode, stdout, stderr } = await world.run(['start']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('demo screen');
  expect(stdout).toContain('not a terminal');
  expect(stdout).not.toContain('\u001b');
  await until('nothing is left', () => world.pids().length === 0);
});
