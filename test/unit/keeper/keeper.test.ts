import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FrameLink } from '../../../src/io/frame-link.js';
import { groupMembers } from '../../../src/io/process-group.js';
import { connectUnix } from '../../../src/io/unix-socket.js';
import type { ChildSpec, FromKeeper, StreamName, ToKeeper } from '../../../src/keeper/protocol.js';
import { KeeperLink } from '../../../src/keeper/link.js';
import { probeKeeper } from '../../../src/keeper/launch.js';
import { builtEntry, builtFile } from '../../helpers/build.js';
import { agent, collect, nodeSpec, specOf } from '../../helpers/children.js';
import { isAlive, KeeperHome } from '../../helpers/keeper-home.js';
import { until } from '../../helpers/until.js';

const KINDS = ['pty', 'pipe'] as const;
let home: KeeperHome;

beforeEach(() => {
  home = new KeeperHome();
});
afterEach(() => home.end());

const pidsOf = (text: string) => /pids (\d+) (\d+)/.exec(text)!.slice(1).map(Number) as [number, number];

describe('one keeper', () => {
  test('one that cannot start is told with its log', async () => {
    await expect(home.start('/no/such/bundle.js')).rejects.toMatchObject({
      code: 'KEEPER_UNREACHABLE',
      hint: expect.stringContaining('keeper.log'),
    });
  });

  test('A48 of many that start at once exactly one serves; the socket is private', async () => {
    const hellos = await Promise.all(Array.from({ length: 6 }, () => home.start()));
    const pids = new Set(hellos.map((hello) => hello.pid));
    expect(pids.size).toBe(1);
    expect(statSync(home.paths.keeperSocket).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(home.paths.keeperSocket)).mode & 0o777).toBe(0o700);
    const log = readFileSync(home.paths.keeperLogFile, 'utf8');
    expect(log.match(/keeper started/g)).toHaveLength(1);
  });

  test('A47 A48 the socket of a killed keeper is taken over, by exactly one', async () => {
    const { pid } = await home.start();
    process.kill(pid, 'SIGKILL');
    // At once, while its socket may still accept: the start must not take the dying one for a living one.
    const first = await home.start();
    expect(first.pid).not.toBe(pid);
    process.kill(first.pid, 'SIGKILL');
    await until('nobody answers', async () => {
      const answer = await probeKeeper(home.paths).catch(() => 'is ending');
      return answer === undefined;
    });
    expect(existsSync(home.paths.keeperSocket)).toBe(true);
    const hellos = await Promise.all([home.start(), home.start(), home.start()]);
    expect(new Set(hellos.map((hello) => hello.pid)).size).toBe(1);
    expect(hellos[0].pid).not.toBe(first.pid);
  });

  test('another protocol is refused in words, and nonsense does no harm', async () => {
    const { pid } = await home.start();
    const link = new FrameLink<ToKeeper, FromKeeper>(await connectUnix(home.paths.keeperSocket));
    const answers: FromKeeper[] = [];
    link.onFrame(({ header }) => answers.push(header));
    link.send({ t: 'hello', protocol: 99, version: '9.9.9', role: 'daemon' });
    await until('an answer', () => answers[0]);
    expect(answers[0]).toMatchObject({ t: 'refused' });
    expect((answers[0] as { reason: string }).reason).toMatch(/protocol 1.*9\.9\.9/);
    const vandal = connect(home.paths.keeperSocket);
    vandal.on('error', () => undefined);
    vandal.write(Buffer.alloc(4096, 0xff));
    await until('hung up on', () => vandal.destroyed);
    expect((await probeKeeper(home.paths))?.pid).toBe(pid);
  });

  test('a new daemon replaces the old one, a probe does not', async () => {
    await home.start();
    const first = await home.connect();
    let reason = '';
    first.onClose((error) => (reason = error?.message ?? 'orderly'));
    await probeKeeper(home.paths);
    expect(await first.list()).toEqual([]);
    const second = await home.connect();
    await until('the first is told', () => reason !== '');
    expect(reason).toBe('Another daemon took over.');
    await expect(first.list()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await second.list()).toEqual([]);
  });

  test('without a keeper: probe says so, connect rejects in words', async () => {
    expect(await probeKeeper(home.paths)).toBeUndefined();
    await expect(KeeperLink.connect(home.paths)).rejects.toMatchObject({ code: 'KEEPER_UNREACHABLE' });
  });
});

describe('children over the link', () => {
  test('spawn, write, resize, stop, release; errors carry the errno', async () => {
    await home.start();
    const link = await home.connect();
    const failed = link.spawn(specOf('pipe', 'no-such-program-here', []));
    await expect(failed).rejects.toMatchObject({ code: 'SPAWN_FAILED', cause: { code: 'ENOENT' } });
    const script = 'trap "stty size" WINCH; echo ready; while read -r a; do echo "got $a"; done';
    const handle = await link.spawn(specOf('pty', 'bash', ['-c', script], { label: 'my shell' }));
    const got = collect(handle);
    await until('ready', () => got.text.stdout.includes('ready'));
    handle.resize(77, 22);
    handle.write('one\n');
    await until('an answer', () => got.text.stdout.includes('got one'));
    await until('the new size', () => got.text.stdout.includes('22 77'));
    expect(await link.list()).toMatchObject([
      { childId: handle.childId, pid: handle.pid, label: 'my shell', cols: 77 },
    ]);
    await expect(link.spawn(specOf('pty', 'sh', [], { childId: handle.childId }))).rejects.toMatchObject({
      code: 'ALREADY_RUNNING',
    });
    handle.stop([
      { step: 'sighup', graceMs: 500 },
      { step: 'sigkill', graceMs: 500 },
    ]);
    await got.ended;
    handle.release();
    expect(await link.list()).toEqual([]);
  });

  test.each(KINDS)(
    '%s: a daemon killed in a flood costs no byte: the next one goes on at the offset',
    async (stdio) => {
      await home.start();
      const lines = 60_000;
      const spec = nodeSpec(stdio, 'flood.mjs', [String(lines)]);
      const whole = await killAndAdopt(spec, 1_000_000);
      const eol = stdio === 'pty' ? '\r\n' : '\n';
      const expected = createHash('sha256');
      for (let i = 0; i < lines; i += 1)
        expected.update(`${String(i).padStart(10, '0')} ${'x'.repeat(52)}${eol}`);
      expected.update(`END${eol}`);
      expect(createHash('sha256').update(whole).digest('hex')).toBe(expected.digest('hex'));
    },
  );

  test('the ladder climbs to its end although the daemon is gone (D14)', async () => {
    await home.start();
    const link = await home.connect();
    const handle = await link.spawn(specOf('pipe', 'sh', [agent('stubborn.sh')]));
    const got = collect(handle);
    await until('pids', () => got.text.stdout.includes('\n'));
    handle.stop([
      { step: 'sigterm', graceMs: 300 },
      { step: 'sigkill', graceMs: 1000 },
    ]);
    await link.list();
    link.dispose();
    await until('the group is gone', () => groupMembers(handle.pid).length === 0);
    const next = await home.connect();
    const { handle: adopted } = await next.adopt(handle.childId, { stdout: got.bytes.stdout }, false);
    expect(await collect(adopted, { from: got.bytes.stdout }).ended).toEqual({ signal: 'SIGKILL' });
  });

  test('checkpoints and input-blocked cross the socket', async () => {
    await home.start();
    const link = await home.connect();
    const handle = await link.spawn(nodeSpec('pty', 'deaf.mjs'));
    const got = collect(handle);
    await until('ready', () => got.text.stdout.includes('ready'));
    handle.write(Buffer.alloc(900_000, 'x'));
    await until('told as blocked', () => got.blocked.length > 0);
    handle.checkpoint(3, Uint8Array.of(1, 2, 3, 0, 255));
    await link.list();
    link.dispose();
    const next = await home.connect();
    const { checkpoint, state } = await next.adopt(handle.childId, {}, true);
    expect(checkpoint).toEqual({ offset: 3, state: Uint8Array.of(1, 2, 3, 0, 255) });
    expect(state.inputQueued).toBeGreaterThan(500_000);
  });
});

test('without node-pty pipes work, and a terminal says what to install', async () => {
  const copy = join(home.dir, 'copy');
  cpSync(dirname(await builtEntry('keeper')), copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  await home.start(join(copy, 'keeper.js'));
  const link = await home.connect();
  await expect(link.spawn(specOf('pty', 'sh', []))).rejects.toMatchObject({
    code: 'NATIVE_MISSING',
    hint: expect.stringContaining('npm rebuild node-pty'),
  });
  const handle = await link.spawn(specOf('pipe', 'echo', ['works']));
  const got = collect(handle);
  await got.ended;
  expect(got.text.stdout).toBe('works\n');
});

describe('its own end', () => {
  test('it ends by itself when it holds nothing and nobody has come, not before', async () => {
    await home.end();
    home = new KeeperHome(250);
    const { pid } = await home.start();
    const link = await home.connect();
    const handle = await link.spawn(specOf('pipe', 'cat', []));
    link.dispose();
    const since = Date.now();
    await until('longer than the linger', () => Date.now() - since > 600);
    const next = await home.connect();
    expect(next.hello.pid).toBe(pid);
    const { handle: adopted } = await next.adopt(handle.childId, {}, false);
    const got = collect(adopted);
    adopted.eof();
    await got.ended;
    adopted.release();
    expect(await next.list()).toEqual([]);
    next.dispose();
    await until('it has ended', () => !isAlive(pid));
    expect(existsSync(home.paths.keeperSocket)).toBe(false);
  });

  test('SIGHUP and SIGINT are ignored; SIGTERM ends the children by the ladder', async () => {
    const { pid } = await home.start();
    const link = await home.connect();
    const handle = await link.spawn(
      specOf('pipe', 'sh', [
        '-c',
        'trap "" HUP; trap "echo bye; exit 5" TERM; echo up; while :; do sleep 0.02; done',
      ]),
    );
    const got = collect(handle);
    await until('up', () => got.text.stdout.includes('up'));
    process.kill(pid, 'SIGHUP');
    process.kill(pid, 'SIGINT');
    expect(await link.list()).toHaveLength(1);
    process.kill(pid, 'SIGTERM');
    expect(await got.ended).toEqual({ exitCode: 5 });
    expect(got.text.stdout).toContain('bye');
    await until('it has ended', () => !isAlive(pid));
  });

  test('shutdown ends it once it holds nothing; force ends the children too', async () => {
    const { pid } = await home.start();
    const link = await home.connect();
    const handle = await link.spawn(specOf('pipe', 'cat', []));
    const got = collect(handle);
    await link.shutdown(false);
    await expect(link.spawn(specOf('pipe', 'cat', []))).rejects.toMatchObject({ code: 'KEEPER_UNREACHABLE' });
    expect(isAlive(handle.pid)).toBe(true);
    await link.shutdown(true);
    await got.ended;
    await until('it has ended', () => !isAlive(pid));
  });

  test.each(KINDS)('D14 %s: what a killed keeper left is swept by the next one', async (stdio) => {
    const { pid } = await home.start();
    const link = await home.connect();
    const handle = await link.spawn(specOf(stdio, 'sh', [agent('stubborn.sh')]));
    const got = collect(handle);
    await until('pids', () => got.text.stdout.includes('\n'));
    const [child, grandchild] = pidsOf(got.text.stdout);
    // A stranger with a pid in the record but another start time must live.
    const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    process.kill(pid, 'SIGKILL');
    await until('the keeper is dead', () => !isAlive(pid));
    expect(isAlive(child) && isAlive(grandchild)).toBe(true);
    const file = join(home.paths.stateDir, 'keeper-groups.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    record.groups.push({ pid: stranger.pid, startTime: '1', childId: 'stale' });
    writeFileSync(file, JSON.stringify(record));
    await home.start();
    await until('both are swept', () => !isAlive(child) && !isAlive(grandchild));
    expect(isAlive(stranger.pid!)).toBe(true);
    stranger.kill('SIGKILL');
  });
});

/** Runs a daemon side in a process of its own, kills it after `bytes` of stdout, adopts where its output ended. */
async function killAndAdopt(spec: ChildSpec, bytes: number): Promise<Buffer> {
  const program = await builtFile('daemon-side', 'test/agents/daemon-side.ts');
  const daemon = spawn(process.execPath, [program, 'spawn', JSON.stringify(spec)], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: Buffer[] = [];
  let seen = 0;
  for await (const line of createInterface({ input: daemon.stdout })) {
    // A line that the kill cut short was not acknowledged; every whole one may have been.
    if (!line.endsWith(' .')) continue;
    const [stream, offset, base64] = line.split(' ') as [StreamName, string, string];
    const piece = Buffer.from(base64, 'base64');
    if (stream !== 'stdout' || Number(offset) !== seen) throw new Error(`unexpected ${line.slice(0, 60)}`);
    pieces.push(piece);
    seen += piece.length;
    if (seen >= bytes) daemon.kill('SIGKILL');
  }
  const link = await home.connect();
  const { handle } = await link.adopt(spec.childId, { stdout: seen }, false);
  const rest = collect(handle, { from: seen });
  await rest.ended;
  handle.release();
  return Buffer.concat([...pieces, Buffer.from(rest.text.stdout, 'latin1')]);
}
