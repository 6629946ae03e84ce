// Who owns the socket: by answering hello, not by being there.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answersHello, claimSocket, socketIdentity, watchSocket } from '../../../src/daemon/own-socket.js';
import { FrameLink } from '../../../src/io/frame-link.js';
import type { FromDaemon, ToDaemon } from '../../../src/wire/messages.js';
import type { Disposable } from '../../../src/base/disposable.js';
import type { Socket } from 'node:net';

let dir: string;
let path: string;
const ends: Disposable[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agt-sock-'));
  path = join(dir, 'daemon.sock');
});
afterEach(() => {
  for (const end of ends.splice(0)) end.dispose();
  rmSync(dir, { recursive: true, force: true });
});

/** Answers hello as a daemon does. */
function answering(socket: Socket): void {
  const link = new FrameLink<FromDaemon, ToDaemon>(socket);
  link.onFrame(() => link.send({ t: 'hello', protocol: 1, version: 'x', pid: 1, startedAt: 1 }));
}

async function listenDumb(): Promise<Server> {
  const server = createServer(() => {
    // Accepts and says nothing: a daemon that hangs.
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

test('of twenty that claim at once one gets it, the others learn that a daemon answers', async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimSocket(path, answering)));
  const won = claims.filter((claim) => claim !== undefined);
  ends.push(...won);
  expect(won).toHaveLength(1);
  expect(await answersHello(path)).toBe(true);
});

test('A47: a process that holds the socket and answers nothing loses it, and finds out', async () => {
  const dumb = await listenDumb();
  const told = new Promise<void>((resolve) => ends.push(watchSocket(path, resolve)));
  const before = socketIdentity(path);
  const claim = await claimSocket(path, answering, 100);
  expect(claim).toBeDefined();
  ends.push(claim!);
  expect(socketIdentity(path)).not.toBe(before);
  await told;
  expect(await answersHello(path)).toBe(true);
  dumb.close();
});

test('nobody there, or somebody who hangs up, is no daemon', async () => {
  expect(await answersHello(path)).toBe(false);
  const rude = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => rude.listen(path, resolve));
  expect(await answersHello(path)).toBe(false);
  rude.close();
});
