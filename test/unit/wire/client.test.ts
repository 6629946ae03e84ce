import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentileError } from '../../../src/base/errors.js';
import { resolvePaths, type Paths } from '../../../src/base/paths.js';
import { FrameLink } from '../../../src/io/frame-link.js';
import { DaemonClient, isNotRunning, versionNote } from '../../../src/wire/client.js';
import { WIRE_PROTOCOL, type FromDaemon, type ToDaemon } from '../../../src/wire/messages.js';
import { VERSION } from '../../../src/base/version.js';

let home: string;
let paths: Paths;
let server: Server | undefined;
let sockets: Socket[] = [];

beforeEach(() => {
  home = mkdtempSync('/tmp/agentile-wire-');
  paths = { ...resolvePaths({ HOME: home, XDG_RUNTIME_DIR: home }), daemonSocket: join(home, 'd.sock') };
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

type Link = FrameLink<FromDaemon, ToDaemon>;
const HELLO: FromDaemon = { t: 'hello', protocol: WIRE_PROTOCOL, version: VERSION, pid: 7, startedAt: 1 };

/** A small daemon: answers the hello with `hello` and gives every other message to `react`. */
function serve(
  react: (message: ToDaemon, link: Link) => void,
  hello: FromDaemon | null = HELLO,
): Promise<void> {
  server = createServer((socket) => {
    sockets.push(socket);
    const link: Link = new FrameLink(socket);
    link.onFrame(({ header }) => {
      if (header.t !== 'hello') react(header, link);
      else if (hello) link.send(hello);
    });
  });
  return new Promise((resolve) => server!.listen(paths.daemonSocket, resolve));
}

const rejection = (promise: Promise<unknown>): Promise<AgentileError> =>
  promise.then(
    () => {
      throw new Error('it did not reject');
    },
    (error: AgentileError) => error,
  );

describe('connecting', () => {
  test('nobody there: says so and that a daemon may be started', async () => {
    const error = await rejection(DaemonClient.connect(paths, 'cli'));
    expect(error.code).toBe('DAEMON_UNREACHABLE');
    expect(isNotRunning(error)).toBe(true);
    expect(error.exitCode).toBe(6);
  });

  test('another protocol is a mismatch with the way out', async () => {
    await serve(() => {}, { ...HELLO, protocol: 99, version: '9.9.9' });
    const error = await rejection(DaemonClient.connect(paths, 'cli'));
    expect(error.code).toBe('VERSION_MISMATCH');
    expect(error.message).toContain('9.9.9');
    expect(error.hint).toContain('agentile daemon restart');
    expect(isNotRunning(error)).toBe(false);
  });

  test('a refusal keeps its reason', async () => {
    await serve(() => {}, { t: 'refused', reason: 'too old' });
    expect((await rejection(DaemonClient.connect(paths, 'cli'))).message).toBe('too old');
  });

  test('a daemon that hangs up before the hello is not waited for', async () => {
    server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server!.listen(paths.daemonSocket, resolve));
    expect((await rejection(DaemonClient.connect(paths, 'cli'))).code).toBe('CONNECTION_CLOSED');
  });

  test('another version with the same protocol works and is told', async () => {
    await serve(() => {}, { ...HELLO, version: '0.0.1' });
    const client = await DaemonClient.connect(paths, 'cli');
    expect(versionNote(client.daemon)).toContain('0.0.1');
    expect(versionNote(HELLO as never)).toBeUndefined();
    client.dispose();
  });
});

describe('talking', () => {
  test('answers find their requests, in any order; errors keep code and hint', async () => {
    const held: { id: number; link: Link }[] = [];
    await serve((message, link) => {
      if (message.t !== 'request') return;
      held.push({ id: message.id, link });
      if (held.length < 3) return;
      const [a, b, c] = held as [(typeof held)[0], (typeof held)[0], (typeof held)[0]];
      c.link.send({ t: 'reply', id: c.id, ok: true, result: { who: 'c' } });
      b.link.send({
        t: 'reply',
        id: b.id,
        ok: false,
        error: { code: 'SESSION_NOT_FOUND', message: 'no 9', hint: 'ls' },
      });
      a.link.send({ t: 'reply', id: a.id, ok: true, result: { who: 'a' } });
    });
    const client = await DaemonClient.connect(paths, 'cli');
    const first = client.request('workspace/get', {});
    const second = rejection(client.request('session/get', { session: '9' }));
    const third = client.request('daemon/status', {});
    expect(await first).toEqual({ who: 'a' });
    expect(await second).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: 'no 9',
      hint: 'ls',
      exitCode: 3,
    });
    expect(await third).toEqual({ who: 'c' });
    client.dispose();
  });

  test('pushes arrive with their body', async () => {
    await serve((message, link) => {
      if (message.t === 'attach') link.send({ t: 'patches', batch: 1, panes: [] }, new Uint8Array([1, 2, 3]));
    });
    const client = await DaemonClient.connect(paths, 'tui');
    const push = new Promise<[string, number[]]>((resolve) =>
      client.onPush(({ message, body }) => resolve([message.t, [...body]])),
    );
    client.send({ t: 'attach', cols: 80, rows: 24, caps: {} as never });
    expect(await push).toEqual(['patches', [1, 2, 3]]);
    client.dispose();
  });

  test('a daemon that dies rejects what is open and what comes after', async () => {
    await serve((_message, link) => link.dispose());
    const client = await DaemonClient.connect(paths, 'cli');
    const closed = new Promise((resolve) => client.onClose(resolve));
    expect((await rejection(client.request('daemon/status', {}))).code).toBe('CONNECTION_CLOSED');
    await closed;
    expect(client.isClosed).toBe(true);
    expect((await rejection(client.request('daemon/status', {}))).code).toBe('CONNECTION_CLOSED');
  });

  test('a time limit rejects, and the late answer is ignored', async () => {
    let late: (() => void) | undefined;
    await serve((message, link) => {
      if (message.t !== 'request') return;
      if (message.method === 'daemon/status')
        late = () => link.send({ t: 'reply', id: message.id, ok: true, result: {} });
      else {
        late?.();
        link.send({ t: 'reply', id: message.id, ok: true, result: { ok: 1 } });
      }
    });
    const client = await DaemonClient.connect(paths, 'cli');
    const error = await rejection(client.request('daemon/status', {}, { timeoutMs: 20 }));
    expect([error.code, error.exitCode]).toEqual(['TIMED_OUT', 124]);
    expect(await client.request('workspace/get', {})).toEqual({ ok: 1 });
    client.dispose();
  });
});
