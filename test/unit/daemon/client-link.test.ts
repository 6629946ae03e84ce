// Clients that stall, flood or die, over real sockets; and the patches one gets, with a real emulated screen.
import { createServer, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock, ManualClock } from '../../../src/base/clock.js';
import { QUEUE_CAP_BYTES } from '../../../src/daemon/client-link.js';
import { PaneFeed, PAUSE_AFTER_MS } from '../../../src/daemon/pane-feed.js';
import { FrameLink } from '../../../src/io/frame-link.js';
import type { PaneId, SessionId } from '../../../src/model/ids.js';
import { createScreen } from '../../../src/screen/emulator.js';
import { decodePatches } from '../../../src/wire/patches.js';
import {
  WIRE_PROTOCOL,
  type FromDaemon,
  type PatchHeader,
  type ToDaemon,
} from '../../../src/wire/messages.js';
import { ScriptedHome, type Core } from './scripted.js';

let home: ScriptedHome;
let core: Core;
let server: Server;
let accepted: Socket[];
beforeEach(async () => {
  home = new ScriptedHome();
  core = await home.core();
  accepted = [];
  server = createServer((socket) => {
    accepted.push(socket);
    core.daemon.server.accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(join(home.dir, 's'), resolve));
});
afterEach(() => {
  server.close();
  for (const socket of accepted) socket.destroy();
  home.dispose();
});

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found) return found;
    await core.settle(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function client() {
  const socket = connect(join(home.dir, 's'));
  const link = new FrameLink<ToDaemon, FromDaemon>(socket);
  const received: FromDaemon[] = [];
  link.onFrame(({ header }) => received.push(header));
  const of = <T extends FromDaemon['t']>(t: T) =>
    received.filter((m): m is Extract<FromDaemon, { t: T }> => m.t === t);
  const hello = () => link.send({ t: 'hello', protocol: WIRE_PROTOCOL, version: 'x', role: 'tui' });
  const attach = () =>
    link.send({
      t: 'attach',
      cols: 100,
      rows: 30,
      caps: {
        colors: '256',
        unicode: true,
        syncOutput: true,
        marginsLR: false,
        kittyKeyboard: false,
        hyperlinks: false,
        clipboard: false,
      },
    });
  return { socket, link, received, of, hello, attach };
}

async function session(name = 'a') {
  const created = core.request('session/new', { providerId: 'agent', cwd: home.dir, name });
  await core.settle(300);
  return (await created).session;
}

test('hello first, of our protocol; anything else is refused in words', async () => {
  const ours = client();
  ours.hello();
  await until(() => ours.of('hello')[0]);
  const older = client();
  older.link.send({ t: 'hello', protocol: 99, version: 'x', role: 'cli' });
  expect((await until(() => older.of('refused')[0])).reason).toContain('agentile daemon restart');
  const rude = client();
  rude.link.send({ t: 'ack', batch: 1 });
  await until(() => rude.of('refused')[0]);
  await until(() => rude.link.isClosed);
  const junk = client();
  junk.socket.write('GET / HTTP/1.1\r\n\r\n');
  await until(() => junk.link.isClosed);
  expect(core.daemon.server.count).toBe(1);
});

test('an attached client gets the whole state, then only what changed', async () => {
  const a = client();
  a.hello();
  a.attach();
  const { state } = await until(() => a.of('workspace')[0]);
  expect(state).toMatchObject({ sessions: [], area: { cols: 100, rows: 30 } });
  await session();
  const change = await until(() => a.of('workspace-change').find((c) => c.sessions));
  expect(change.revision).toBeGreaterThan(state.revision);
  expect(change.sessions![0]!.session.name).toBe('a');
  expect(a.of('workspace')).toHaveLength(1);
});

test('a request gets one reply; an unknown one and a bad one are told why', async () => {
  const a = client();
  a.hello();
  a.link.send({ t: 'request', id: 1, method: 'daemon/status', params: {} });
  a.link.send({ t: 'request', id: 2, method: 'no/such' as never, params: {} });
  a.link.send({ t: 'request', id: 3, method: 'session/new', params: { cwd: 'relative' } });
  const replies = await until(() => a.of('reply').length === 3 && a.of('reply'));
  expect(replies.map((reply) => [reply.id, reply.ok || reply.error.code]).sort()).toEqual([
    [1, true],
    [2, 'USAGE'],
    [3, 'USAGE'],
  ]);
});

test('a transcript is replayed from the log, then followed live, without a gap or a double', async () => {
  const view = await session();
  const notice = (text: string) => core.last().say({ type: 'notice', kind: 'other', level: 'info', text });
  for (let i = 0; i < 1200; i++) notice(String(i));
  core.daemon.log.flush();
  const a = client();
  a.hello();
  a.link.send({ t: 'follow', sessionId: view.session.id, after: 0, on: true });
  await until(() => a.of('events').some((events) => events.live));
  notice('1200');
  const all = () => a.of('events').flatMap((events) => events.records);
  await until(() => all().length >= 1201);
  expect(all().map(({ event }) => (event.type === 'notice' ? Number(event.text) : -1))).toEqual(
    Array.from({ length: 1201 }, (_, i) => i),
  );
});

test('B10: a client that stops reading costs bounded memory, and catches up when it reads again', async () => {
  const view = await session();
  const a = client();
  a.hello();
  a.attach();
  a.link.send({ t: 'follow', sessionId: view.session.id, after: 0, on: true });
  await until(() => a.of('workspace').length > 0);
  a.link.pause();
  const text = 'x'.repeat(64 * 1024);
  const count = 600;
  let most = 0;
  for (let i = 0; i < count; i++) {
    core.last().say({ type: 'text', messageId: `m${i}`, final: `${i} ${text}` });
    core.daemon.log.flush();
    core.daemon.server.tell({ t: 'message', level: 'info', text });
    core.daemon.changes.touch(view.session.id);
    core.daemon.changes.flush();
    most = Math.max(most, accepted[0]!.writableLength);
    if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(count * text.length).toBeGreaterThan(4 * QUEUE_CAP_BYTES);
  expect(most).toBeLessThan(QUEUE_CAP_BYTES + 1024 * 1024);
  a.link.resume();
  const texts = () =>
    a
      .of('events')
      .flatMap(({ records }) =>
        records.flatMap(({ event }) => (event.type === 'text' ? [Number(event.final!.split(' ')[0])] : [])),
      );
  await until(() => texts().length >= count);
  expect(texts()).toEqual(Array.from({ length: count }, (_, i) => i));
}, 30_000);

test('a client that floods requests and reads nothing is not listened to; the others are', async () => {
  for (let i = 0; i < 40; i++) await session(`s${i}`);
  const rude = client();
  rude.hello();
  await until(() => rude.of('hello')[0]);
  rude.link.pause();
  let most = 0;
  for (let i = 0; i < 4000; i++) rude.link.send({ t: 'request', id: i, method: 'workspace/get', params: {} });
  const polite = client();
  polite.hello();
  polite.link.send({ t: 'request', id: 1, method: 'daemon/status', params: {} });
  await until(() => {
    most = Math.max(most, accepted[0]!.writableLength);
    return polite.of('reply').length === 1;
  });
  for (let i = 0; i < 200; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, accepted[0]!.writableLength);
  }
  expect(most).toBeLessThan(1.5 * QUEUE_CAP_BYTES);
  expect(accepted[0]!.isPaused()).toBe(true);
  rude.socket.destroy();
  await until(() => core.daemon.server.count === 1);
}, 30_000);

// ── patches ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const paneId = 'p-1' as PaneId;
const otherId = 'p-2' as PaneId;
interface Sent {
  batch: number;
  panes: PatchHeader[];
  rows: number[][];
}

function feed() {
  const clock = new ManualClock(1000);
  const screens = [0, 1].map(() => createScreen({ cols: 20, rows: 5, scrollback: 100 }));
  const sent: Sent[] = [];
  const room = { free: true };
  const panes = new PaneFeed({
    clock,
    sessionOf: (id) => id as unknown as SessionId,
    faceOf: (id) => {
      const screen = screens[(id as string) === paneId ? 0 : 1]!;
      return { screen, onScreenChange: screen.onChange };
    },
    canSend: () => room.free,
    send: (batch, headers, body) =>
      sent.push({
        batch,
        panes: headers,
        rows: decodePatches(headers, body).map((rows) => rows.map((row) => row.y)),
      }),
  });
  const write = (text: string, index = 0) => screens[index]!.write(Buffer.from(text));
  const ackAll = () => panes.ack(sent.at(-1)!.batch);
  return { clock, screens, sent, room, panes, write, ackAll };
}

test('a pane comes whole first, then only its dirty rows, and modes and title only when they change', () => {
  const { clock, sent, panes, write, ackAll } = feed();
  write('hello\r\n');
  panes.view([{ paneId, scrollOffset: 0 }], paneId);
  expect(sent[0]).toMatchObject({
    batch: 1,
    rows: [[0, 1, 2, 3, 4]],
    panes: [{ full: true, seq: 1, cols: 20 }],
  });
  expect(sent[0]!.panes[0]!.modes).toBeDefined();
  ackAll();
  clock.advance(100);
  write('world');
  expect(sent[1]).toMatchObject({ rows: [[1]], panes: [{ full: false, seq: 2, cursor: { x: 5, y: 1 } }] });
  expect(sent[1]!.panes[0]).not.toHaveProperty('modes');
  expect(sent[1]!.panes[0]).not.toHaveProperty('title');
});

test('one batch is in flight; what happens meanwhile is merged into the next', () => {
  const { clock, sent, panes, write, ackAll } = feed();
  panes.view([{ paneId, scrollOffset: 0 }], paneId);
  for (let i = 0; i < 500; i++) {
    write(`\x1b[${1 + (i % 3)};1H${i}`);
    clock.advance(5);
  }
  expect(sent).toHaveLength(1);
  ackAll();
  expect(sent).toHaveLength(2);
  expect(sent[1]!.rows).toEqual([[0, 1, 2]]);
});

test('the echo of a key goes at once; otherwise the focused pane waits 16 ms and the others 33 ms', () => {
  const { clock, sent, panes, write, ackAll } = feed();
  const view = [paneId, otherId].map((id) => ({ paneId: id, scrollOffset: 0 }));
  panes.view(view, paneId);
  ackAll();
  write('a');
  write('b', 1);
  expect(sent).toHaveLength(1);
  clock.advance(16);
  expect(sent[1]!.panes.map((pane) => pane.paneId)).toEqual([paneId]);
  ackAll();
  clock.advance(16);
  expect(sent).toHaveLength(2);
  clock.advance(1);
  expect(sent[2]!.panes.map((pane) => pane.paneId)).toEqual([otherId]);
  ackAll();
  write('c');
  ackAll();
  panes.keyed(paneId);
  write('d');
  expect(sent.at(-1)!.panes.map((pane) => pane.paneId)).toEqual([paneId]);
  ackAll();
  write('e');
  expect(sent.at(-1)!.panes[0]!.cursor.x).toBe(4);
});

test('a client that acknowledges nothing for 10 s is paused: nothing is kept for it, and it comes back whole', () => {
  const { clock, sent, panes, write, ackAll } = feed();
  panes.view([{ paneId, scrollOffset: 0 }], paneId);
  clock.advance(PAUSE_AFTER_MS - 1);
  expect(panes.isPaused).toBe(false);
  clock.advance(1);
  expect(panes.isPaused).toBe(true);
  write('while away');
  clock.advance(1000);
  expect(sent).toHaveLength(1);
  ackAll();
  expect(sent[1]).toMatchObject({ panes: [{ full: true }], rows: [[0, 1, 2, 3, 4]] });
});

test('while the socket is full nothing is built; when it drains the newest state goes', () => {
  const { clock, sent, panes, write, room, ackAll } = feed();
  panes.view([{ paneId, scrollOffset: 0 }], paneId);
  ackAll();
  room.free = false;
  clock.advance(50);
  write('one');
  clock.advance(50);
  write(' two');
  clock.advance(50);
  expect(sent).toHaveLength(1);
  room.free = true;
  panes.drained();
  expect(sent[1]).toMatchObject({ rows: [[0]], panes: [{ cursor: { x: 7, y: 0 } }] });
});

test('a view that is scrolled up stays on its lines while new ones come', () => {
  const { clock, screens, sent, panes, write, ackAll } = feed();
  for (let i = 0; i < 30; i++) write(`line ${i}\r\n`);
  panes.view([{ paneId, scrollOffset: 10 }], paneId);
  expect(sent[0]!.panes[0]).toMatchObject({ scrollOffset: 10, historyLines: 26 });
  const top = () =>
    screens[0]!.text(screens[0]!.historyLines)[
      screens[0]!.historyLines - sent.at(-1)!.panes[0]!.scrollOffset
    ];
  expect(top()).toBe('line 16');
  ackAll();
  clock.advance(100);
  write('more\r\nand more\r\n');
  expect(sent.at(-1)!.panes[0]!.scrollOffset).toBe(12);
  expect(top()).toBe('line 16');
});

test('the clock of a real daemon drives the same feed', async () => {
  const screen = createScreen({ cols: 20, rows: 5, scrollback: 10 });
  const seen = await new Promise<number>((resolve) => {
    const panes = new PaneFeed({
      clock: systemClock,
      sessionOf: () => 's' as SessionId,
      faceOf: () => ({ screen, onScreenChange: screen.onChange }),
      canSend: () => true,
      send: (batch) => {
        if (batch === 2) resolve(batch);
        else queueMicrotask(() => panes.ack(batch));
      },
    });
    panes.view([{ paneId, scrollOffset: 0 }], paneId);
    screen.write(Buffer.from('x'));
  });
  expect(seen).toBe(2);
});
