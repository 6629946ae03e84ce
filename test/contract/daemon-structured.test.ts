// Structured sessions in the real daemon: a daemon that is killed in the middle of turns loses and doubles no text.
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/model/event.js';
import type { DaemonClient } from '../../src/wire/client.js';
import { bundleDaemon, DaemonBench, waitFor } from './daemon-bench.js';

const AGENTS = resolve(import.meta.dirname, '../agents');
const CATALOGUE = `
[providers.fake-persistent]
name = "Fake persistent"
vendors = ["nobody"]
controller = "persistent"
format = "claude-stream-json"
bin = "{node}"
args = ["${AGENTS}/fake-claude.mjs"]
prompt = { via = "frame" }
resume = { kind = "flag", args = ["--resume", "{session_id}"] }
signals = ["protocol", "exit_code"]
detect = { version_args = [] }
source = "a stand-in"

[providers.fake-subprocess]
name = "Fake subprocess"
vendors = ["nobody"]
controller = "subprocess"
format = "codex-json"
bin = "{node}"
args = ["${AGENTS}/fake-codex.mjs", "-"]
prompt = { via = "stdin" }
resume = { kind = "subcommand", args = ["resume", "{session_id}"], after_args = 1 }
signals = ["protocol", "exit_code"]
detect = { version_args = [] }
source = "a stand-in"
`;

let folder: string;
let bench: DaemonBench;
beforeAll(async () => {
  folder = await bundleDaemon();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  bench = new DaemonBench(folder);
  mkdirSync(dirname(bench.paths.userCatalogueFile), { recursive: true });
  writeFileSync(bench.paths.userCatalogueFile, CATALOGUE);
});
afterEach(() => bench.dispose());

async function events(client: DaemonClient, session: string): Promise<AgentEvent[]> {
  const { records } = await client.request('session/records', { session, limit: 5000 });
  return records.flatMap(({ body, sessionId, runId, at, seq: _seq }) =>
    body.kind === 'event'
      ? [{ ...body.event, sessionId, runId: runId!, at, ...(body.turnId ? { turnId: body.turnId } : {}) }]
      : [],
  );
}

/** The text of each message as a transcript shows it: deltas appended, finals in their place. */
function texts(all: AgentEvent[]): string[] {
  const messages = new Map<string, string>();
  for (const event of all) {
    if (event.type !== 'text') continue;
    const before = messages.get(event.messageId) ?? '';
    messages.set(event.messageId, event.final ?? before + (event.delta ?? ''));
  }
  return [...messages.values()];
}

/** What was streamed, before any final text mended it. */
const streamed = (all: AgentEvent[]) =>
  all.map((event) => (event.type === 'text' ? (event.delta ?? '') : '')).join('');
const ticks = (from: number, to: number, suffix: string) =>
  Array.from({ length: to - from + 1 }, (_, i) => `tick ${from + i}${suffix}`);

async function start(client: DaemonClient, providerId: string, name: string) {
  await client.request('session/new', { providerId, cwd: bench.home, name });
  await waitFor(`${name} to run`, async () => {
    const view = await client.request('session/get', { session: name });
    if (view.status === 'failed') throw new Error(JSON.stringify(view.run?.failure));
    return view.run?.status === 'running';
  });
}

test('kill -9 of the daemon in the middle of two turns: both end well, no text lost or doubled', async () => {
  let daemon = bench.spawnDaemon();
  let client = await bench.connect();
  await start(client, 'fake-persistent', 'p');
  await start(client, 'fake-subprocess', 's');
  await client.request('session/prompt', { session: 'p', text: 'slow 200' });
  await client.request('session/prompt', { session: 's', text: 'slow 200' });
  for (const kill of [30, 90]) {
    for (const name of ['p', 's']) {
      await waitFor(`tick ${kill} of ${name}`, async () =>
        texts(await events(client, name))
          .join('')
          .includes(`tick ${kill}`),
      );
    }
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    daemon = bench.spawnDaemon();
    client = await bench.connect();
  }
  for (const name of ['p', 's']) {
    const ended = await waitFor(`the end of ${name}`, async () => {
      const view = await client.request('session/get', { session: name });
      return view.turn?.state !== 'running' && view;
    });
    expect(ended.turn).toMatchObject({ state: 'done', stopReason: 'end_turn' });
    expect(ended.run).toMatchObject({ attempt: 1, status: 'running' });
    const types = (await events(client, name)).map((event) => event.type);
    expect(types.filter((type) => type === 'turn.done')).toHaveLength(1);
    expect(types.filter((type) => type === 'turn.started')).toHaveLength(1);
  }
  const p = await events(client, 'p');
  expect(texts(p)).toEqual([ticks(1, 200, ' ').join('')]);
  expect(streamed(p)).toBe(ticks(1, 200, ' ').join(''));
  expect(texts(await events(client, 's'))).toEqual(ticks(0, 199, ''));
}, 60_000);

test('an open permission outlives the daemon and is answered in the next one', async () => {
  const daemon = bench.spawnDaemon();
  const client = await bench.connect();
  await start(client, 'fake-persistent', 'p');
  await client.request('session/prompt', { session: 'p', text: 'bash ls' });
  const asked = await waitFor('the question', async () => {
    const view = await client.request('session/get', { session: 'p' });
    return view.status === 'needs-you' && view;
  });
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  bench.spawnDaemon();
  const again = await bench.connect();
  const still = await again.request('session/get', { session: 'p' });
  expect(still).toMatchObject({ status: 'needs-you', requests: [{ id: asked.requests[0]!.id }] });
  const allow = still.requests[0]!.options.find((option) => option.kind === 'allow_once')!;
  await again.request('session/answer', {
    session: 'p',
    permissionId: still.requests[0]!.id,
    answer: { outcome: 'selected', optionId: allow.optionId },
  });
  const done = await waitFor('the end of the turn', async () => {
    const view = await again.request('session/get', { session: 'p' });
    return view.status === 'done' && view;
  });
  expect(done.requests).toEqual([]);
  expect(texts(await events(again, 'p'))).toEqual(['done: allow']);
  const kinds = (await events(again, 'p')).map((event) => event.type);
  expect(kinds.filter((kind) => kind === 'permission.asked')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'permission.answered')).toHaveLength(1);
});

test('stop and resume by the exact id, in a new process; a follower sees it live', async () => {
  bench.spawnDaemon();
  const client = await bench.connect();
  await start(client, 'fake-persistent', 'p');
  await client.request('session/prompt', { session: 'p', text: 'say hello there' });
  const first = await waitFor('the end of the turn', async () => {
    const view = await client.request('session/get', { session: 'p' });
    return view.status === 'done' && view;
  });
  expect(first.session.nativeId).toMatch(/^native-/);
  expect(first.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  expect((await client.request('session/stop', { session: 'p' })).status).toBe('stopped');
  const seen: string[] = [];
  client.onPush(({ message }) => {
    if (message.t === 'events') seen.push(...message.records.map(({ event }) => event.type));
  });
  client.send({ t: 'follow', sessionId: first.session.id, after: 0, on: true });
  await client.request('session/resume', { session: 'p' });
  const resumed = await waitFor('the second run', async () => {
    const view = await client.request('session/get', { session: 'p' });
    return view.run!.status === 'running' && view;
  });
  expect(resumed.run!.attempt).toBe(2);
  const explained = await client.request('session/explain', { session: 'p' });
  expect(explained.argv).toContain(first.session.nativeId);
  await client.request('session/prompt', { session: 'p', text: 'say again' });
  await waitFor('two ends of turns', () => seen.filter((type) => type === 'turn.done').length === 2);
  expect(seen.filter((type) => type === 'turn.started')).toHaveLength(2);
});
