import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolvePaths, type Paths } from '../../../src/base/paths.js';
import {
  connectOrStart,
  daemonEnvironment,
  reconnect,
  reconnectDelayMs,
  tryConnect,
} from '../../../src/wire/launch.js';

let home: string;
let paths: Paths;
let env: NodeJS.ProcessEnv;

/** A daemon in a few lines: one wins the socket, the others end with 0; it ends when it hears "bye". */
const DAEMON = `
import { createServer } from 'node:net';
import { appendFileSync } from 'node:fs';
const frame = (header) => {
  const head = Buffer.from(JSON.stringify(header));
  const out = Buffer.alloc(8 + head.length);
  out.writeUInt32LE(4 + head.length, 0);
  out.writeUInt32LE(head.length, 4);
  head.copy(out, 8);
  return out;
};
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.write(frame({ t: 'hello', protocol: 1, version: 'x', pid: process.pid, startedAt: 1 })));
});
server.on('error', () => process.exit(0));
server.listen(process.env.SOCKET, () => appendFileSync(process.env.STARTS, process.pid + '\\n'));
setTimeout(() => process.exit(0), 15000);
`;

const starts = () =>
  readFileSync(join(home, 'starts'), 'utf8').trim().split('\n').filter(Boolean).map(Number);

beforeEach(() => {
  home = mkdtempSync('/tmp/agentile-launch-');
  paths = resolvePaths({ HOME: home, XDG_RUNTIME_DIR: home, XDG_STATE_HOME: home });
  paths = { ...paths, daemonSocket: join(home, 'd.sock') };
  writeFileSync(join(home, 'daemon.mjs'), DAEMON);
  writeFileSync(join(home, 'starts'), '');
  env = { ...process.env, HOME: home, SOCKET: paths.daemonSocket, STARTS: join(home, 'starts') };
});

afterEach(() => {
  for (const pid of starts()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  rmSync(home, { recursive: true, force: true });
});

describe('starting the daemon', () => {
  test('none runs: it is started once, the next client finds it', async () => {
    expect(await tryConnect(paths)).toBeUndefined();
    let told = 0;
    const options = { env, entry: join(home, 'daemon.mjs'), onStart: () => told++ };
    const first = await connectOrStart(paths, options);
    const second = await connectOrStart(paths, options);
    expect(first.daemon.pid).toBe(second.daemon.pid);
    expect([told, starts().length]).toEqual([1, 1]);
    first.dispose();
    second.dispose();
  });

  test('A48: many at once get one and the same daemon', async () => {
    const options = { env, entry: join(home, 'daemon.mjs') };
    const clients = await Promise.all(Array.from({ length: 6 }, () => connectOrStart(paths, options)));
    expect(new Set(clients.map((client) => client.daemon.pid)).size).toBe(1);
    expect(starts()).toHaveLength(1);
    for (const client of clients) client.dispose();
  });

  test('a daemon that dies at once is told with its last words', async () => {
    writeFileSync(join(home, 'bad.mjs'), 'console.error("no disk left"); process.exit(3);');
    const attempt = connectOrStart(paths, { env, entry: join(home, 'bad.mjs') });
    await expect(attempt).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE', exitCode: 6 });
    await expect(attempt).rejects.toThrow(/exit code 3.*no disk left/);
  });

  test('connecting again goes on until it works, and ends when it is told to', async () => {
    const failures: number[] = [];
    const entry = join(home, 'late.mjs');
    const controller = new AbortController();
    writeFileSync(entry, 'process.exit(3);');
    const client = await reconnect(paths, {
      env,
      entry,
      signal: controller.signal,
      onFailure: (_error, attempt) => {
        failures.push(attempt);
        writeFileSync(entry, DAEMON);
      },
    });
    expect(client?.daemon.pid).toBe(starts()[0]);
    expect(failures).toEqual([0]);
    client?.dispose();
    controller.abort();
    expect(await reconnect(paths, { env, entry, signal: controller.signal })).toBeUndefined();
  });
});

test('attempts come slower and slower, never slower than two seconds', () => {
  expect([0, 1, 2, 3, 10].map(reconnectDelayMs)).toEqual([100, 200, 400, 800, 2000]);
});

test("the daemon's environment does not name the pane it was started from", () => {
  expect(
    daemonEnvironment({ AGENTILE_PANE_ID: 'p', AGENTILE_TOKEN: 't', AGENTILE_PROFILE: 'x', A: '1' }),
  ).toEqual({
    AGENTILE_PROFILE: 'x',
    A: '1',
  });
});
