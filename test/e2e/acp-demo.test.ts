// `agentile new demo` with the real daemon, keeper and agent: what works on a fresh machine without a key.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/base/errors.js';
import type { SessionView } from '../../src/wire/messages.js';
import { until } from '../helpers/until.js';
import { World } from '../helpers/world.js';

let world: World;

beforeEach(() => {
  world = new World();
});

afterEach(() => world.dispose());

async function ok(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await world.run(args);
  expect([exitCode, stderr], args.join(' ')).toEqual([0, '']);
  return stdout;
}

interface TurnRead {
  prompt: string;
  text: string;
  stopReason: string;
  tools: { title: string; status: string }[];
}

const turns = () => world.json<TurnRead[]>(['read', 'demo']);
const view = async () => (await world.json<SessionView[]>(['ls']))[0]!;

test('a conversation: text, a question, an edit, a failure, and a memory that outlives the process', async () => {
  await ok('new', 'demo', '-n', 'demo');
  expect(await ok('send', 'demo', '--wait', 'say hello there')).toContain('hello there');
  expect(await ok('send', 'demo', '--wait', 'remember the blue door')).toContain('I will remember');
  expect((await world.run(['send', 'demo', '--wait', 'edit a line'])).exitCode).toBe(EXIT_CODES.needsYou);
  await ok('approve', 'demo');
  await until('the edit', async () => (await view()).status === 'done');
  expect(readFileSync(join(world.project, 'demo.txt'), 'utf8')).toBe('a line\n');
  const failed = await world.run(['send', 'demo', '--wait', 'fail out of luck']);
  expect(failed.exitCode).toBe(EXIT_CODES.turnFailed);
  expect(failed.stderr).toContain('out of luck');
  await ok('restart', 'demo');
  expect(await ok('send', 'demo', '--wait', 'recall')).toContain('the blue door');
  expect((await view()).run?.attempt).toBe(2);
  const told = await turns();
  expect(told.map(({ stopReason }) => stopReason)).toEqual([
    'end_turn',
    'end_turn',
    'end_turn',
    'error',
    'end_turn',
  ]);
  expect(told[2]?.tools).toMatchObject([{ title: 'Edit demo.txt', status: 'completed' }]);
  // The agent gives its history again on a resume: it is not in the transcript twice.
  expect((await ok('read', 'demo')).match(/^hello there$/gm)).toHaveLength(1);
}, 60_000);

test('kill -9 of the daemon in the middle of a turn: it ends once, no text lost or doubled', async () => {
  await ok('new', 'demo', '-n', 'demo');
  await ok('send', 'demo', 'slow 3');
  await until('some text', async () => (await ok('read', 'demo')).includes('tick 2 '));
  const killed = world.daemonPid!;
  process.kill(killed, 'SIGKILL');
  await until('the daemon is gone', () => !world.pids().includes(killed));
  await until('the end of the turn', async () => (await view()).turn?.state === 'done', 20_000);
  const text = Array.from({ length: 15 }, (_, i) => `tick ${i} `).join('');
  expect(await turns()).toMatchObject([{ prompt: 'slow 3', stopReason: 'end_turn', text }]);
  expect((await view()).run).toMatchObject({ attempt: 1, status: 'running' });
}, 60_000);
