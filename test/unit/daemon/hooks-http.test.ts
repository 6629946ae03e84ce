// The endpoint for hooks, over real HTTP on loopback.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../src/base/log.js';
import { HooksEndpoint, type HookSignal } from '../../../src/daemon/hooks-http.js';
import { newRunId } from '../../../src/model/ids.js';

let dir: string;
let seen: HookSignal[];
const opened: HooksEndpoint[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agentile-hooks-'));
  seen = [];
});
afterEach(() => {
  for (const hooks of opened.splice(0)) hooks.dispose();
  rmSync(dir, { recursive: true, force: true });
});

async function open(): Promise<HooksEndpoint> {
  const hooks = new HooksEndpoint({
    stateDir: dir,
    diagnostics: silentLog,
    onSignal: (signal) => seen.push(signal) === 1,
  });
  opened.push(hooks);
  await hooks.start();
  return hooks;
}

const runId = newRunId();
const signal = { type: 'completed', result: { kind: 'success' } };
function post(hooks: HooksEndpoint, token: string | undefined, body: unknown, path = '/') {
  return fetch(`${hooks.url}${path}`, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

test('a signal with the token of its run is taken, by body or by path', async () => {
  const hooks = await open();
  const token = hooks.tokenOf(runId);
  const first = await post(hooks, token, { runId, attempt: 1, signal });
  expect([first.status, await first.json()]).toEqual([200, { admitted: true }]);
  const second = await post(hooks, token, { attempt: 1, signal }, `/runs/${runId}/signals`);
  expect(await second.json()).toEqual({ admitted: false });
  expect(seen).toEqual([
    { runId, attempt: 1, signal },
    { runId, attempt: 1, signal },
  ]);
});

test('a token is good for its own run only', async () => {
  const hooks = await open();
  const other = newRunId();
  expect((await post(hooks, hooks.tokenOf(other), { runId, attempt: 1, signal })).status).toBe(403);
  expect((await post(hooks, 'guess', { runId, attempt: 1, signal })).status).toBe(403);
  expect((await post(hooks, undefined, { runId, attempt: 1, signal })).status).toBe(401);
  expect(seen).toEqual([]);
});

test('anything but a small, well-formed signal is refused', async () => {
  const hooks = await open();
  const token = hooks.tokenOf(runId);
  expect((await fetch(hooks.url!)).status).toBe(405);
  expect((await post(hooks, token, 'no json')).status).toBe(400);
  expect((await post(hooks, token, { runId, attempt: 1, signal: { type: 'rm -rf' } })).status).toBe(400);
  const large = { runId, attempt: 1, signal: { type: 'failed', error: 'x'.repeat(70_000) } };
  expect((await post(hooks, token, large)).status).toBe(413);
  expect(seen).toEqual([]);
});

test('a child of the last daemon still reaches the next one: same port, same token', async () => {
  const first = await open();
  const { url } = first;
  const token = first.tokenOf(runId);
  first.dispose();
  const second = await open();
  expect(second.url).toBe(url);
  expect((await post(second, token, { runId, attempt: 1, signal })).status).toBe(200);
  expect(statSync(join(dir, 'hooks.secret')).mode & 0o777).toBe(0o600);
});

test('when the port is taken, another one is', async () => {
  const first = await open();
  const second = await open();
  expect(second.url).not.toBe(first.url);
  expect(second.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
