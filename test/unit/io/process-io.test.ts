import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { detachPlan, launchDetached } from '../../../src/io/detached.js';
import { InputQueue, type WriteResult } from '../../../src/io/input-queue.js';
import { withLock } from '../../../src/io/lock-file.js';
import {
  groupMembers,
  isGroupAlive,
  isSameProcess,
  signalGroup,
  statOf,
} from '../../../src/io/process-group.js';
import { connectUnix, isNobodyThere, listenExclusive } from '../../../src/io/unix-socket.js';
import { until } from '../../helpers/until.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agentile-io-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('process groups', () => {
  test('a process is named by pid and start time; a group is alive as long as one member lives', async () => {
    const child = spawn('sh', ['-c', 'sleep 60 & exec sleep 60'], { detached: true, stdio: 'ignore' });
    const pid = child.pid!;
    await until('two members', () => groupMembers(pid).length === 2);
    const { startTime, group, session } = statOf(pid)!;
    expect([group, session]).toEqual([pid, pid]);
    expect(isSameProcess(pid, startTime)).toBe(true);
    expect(isSameProcess(pid, '1')).toBe(false);
    child.kill('SIGKILL');
    await until('the leader is gone', () => !isSameProcess(pid, startTime));
    expect(isGroupAlive(pid)).toBe(true);
    expect(signalGroup(pid, 'SIGNOTHING')).toBe(false);
    expect(signalGroup(pid, 'SIGKILL')).toBe(true);
    await until('the group is empty', () => !isGroupAlive(pid));
  });
});

describe('input queue', () => {
  test('a full descriptor is tried again ever more slowly, in order, and told as blocked', async () => {
    let isFull = true;
    let tries = 0;
    let taken = '';
    const queue = new InputQueue((bytes, done: (result: WriteResult) => void) => {
      tries += 1;
      if (isFull) {
        done('again');
        return;
      }
      const part = bytes.subarray(0, 3);
      taken += Buffer.from(part).toString();
      done(part.length);
    });
    const told: number[] = [];
    queue.onBlocked((queued) => told.push(queued));
    queue.write(Buffer.from('hello '));
    queue.write(Buffer.from('world'));
    await until('told', () => told.length > 0);
    expect(told).toEqual([11]);
    expect(tries).toBeLessThan(25);
    isFull = false;
    await until('all is taken', () => queue.queuedBytes === 0);
    expect(taken).toBe('hello world');
    expect(told).toEqual([11, 0]);
    queue.dispose();
    queue.write(Buffer.from('late'));
    expect(queue.queuedBytes).toBe(0);
  });
});

describe('lock', () => {
  test('one at a time, and a lock of a dead owner is broken', async () => {
    const file = join(dir, 'the.lock');
    // A47: the pid lives (it is ours), but it is not the process that took the lock.
    writeFileSync(file, [process.pid, '1', 'another boot', 'x'].join('\n'));
    let inside = 0;
    let most = 0;
    const enter = () =>
      withLock(file, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 8 }, enter));
    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test('a living owner is waited for, and named when it takes too long', async () => {
    const file = join(dir, 'the.lock');
    let letGo = () => undefined as void;
    const held = withLock(file, () => new Promise<void>((resolve) => (letGo = resolve)));
    await until('it is held', () => existsSync(file));
    await expect(withLock(file, async () => undefined, 50)).rejects.toMatchObject({
      code: 'TIMED_OUT',
      hint: expect.stringContaining(String(process.pid)),
    });
    letGo();
    await held;
    expect(await withLock(file, async () => 'mine')).toBe('mine');
  });
});

describe('unix socket', () => {
  test('private from the first moment; the second listener is told; the end removes it', async () => {
    const path = join(dir, 'run', 'a.sock');
    // The second listener asks whether somebody is there and hangs up at once.
    const first = await listenExclusive(path, (socket) => socket.on('error', () => undefined).end('hi'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'run')).mode & 0o777).toBe(0o700);
    expect(await listenExclusive(path, () => undefined)).toBeUndefined();
    const socket = await connectUnix(path);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    await until('the greeting', () => text === 'hi');
    first!.dispose();
    await until('it is removed', () => !existsSync(path));
    await expect(connectUnix(path)).rejects.toSatisfy(isNobodyThere);
  });

  test('A49 a path over the limit is refused in words', async () => {
    const path = join(dir, 'x'.repeat(120));
    await expect(listenExclusive(path, () => undefined)).rejects.toMatchObject({
      code: 'SOCKET_PATH_TOO_LONG',
    });
  });

  test('a file in the way is not removed', async () => {
    const path = join(dir, 'a.sock');
    writeFileSync(path, 'precious');
    await expect(listenExclusive(path, () => undefined)).rejects.toThrow(
      /not a socket|ENOTSOCK|ECONNREFUSED/,
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('A48 a socket that nobody serves is taken over', async () => {
    const path = join(dir, 'a.sock');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`;
    const owner = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => owner.stdout.once('data', resolve));
    expect(await listenExclusive(path, () => undefined)).toBeUndefined();
    owner.kill('SIGKILL');
    await new Promise((resolve) => owner.once('exit', resolve));
    expect(existsSync(path)).toBe(true);
    const many = await Promise.all(
      [1, 2, 3, 4].map(() => listenExclusive(path, (socket) => socket.on('error', () => undefined).end())),
    );
    const winners = many.filter((listening) => listening !== undefined);
    expect(winners).toHaveLength(1);
    await new Promise<void>((resolve, reject) =>
      connect(path).once('connect', resolve).once('error', reject),
    );
    winners[0]!.dispose();
  });
});

describe('detached', () => {
  const spec = (plan?: ReturnType<typeof detachPlan>) => ({
    file: '/bin/sh',
    args: ['-c', 'echo "sid $(ps -o sid= -p $$) cwd $PWD var $VAR"'],
    env: { PATH: `${join(dir, 'bin')}:${process.env['PATH']}`, VAR: 'value' },
    outputFile: join(dir, 'logs', 'out.log'),
    description: 'a test',
    ...(plan ? { plan } : {}),
  });

  test('its own session, the root folder, output to a private file', async () => {
    const started = await launchDetached(spec({ how: 'own-session', reason: 'a test' }));
    expect(await started.ended).toEqual({ exitCode: 0, signal: null });
    const text = readFileSync(join(dir, 'logs', 'out.log'), 'utf8').replace(/ +/g, ' ');
    expect(text).toBe(`sid ${started.pid} cwd / var value\n`);
    expect(statSync(join(dir, 'logs', 'out.log')).mode & 0o777).toBe(0o600);
  });

  test('A05 a scope of the user manager when it lingers and answers, else its own session with the reason', async () => {
    const where = { systemdDir: dir, lingerDir: join(dir, 'linger') };
    const { env } = spec();
    expect(detachPlan(env, { systemdDir: join(dir, 'none') })).toMatchObject({ how: 'own-session' });
    expect(detachPlan(env, where).reason).toContain('lingering is off');
    mkdirSync(where.lingerDir);
    writeFileSync(join(where.lingerDir, userInfo().username), '');
    const bin = join(dir, 'bin');
    mkdirSync(bin);
    const fake = join(bin, 'systemd-run');
    writeFileSync(fake, '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n');
    chmodSync(fake, 0o755);
    expect(detachPlan(env, where)).toMatchObject({
      how: 'own-session',
      reason: expect.stringContaining('Failed to connect'),
    });
    writeFileSync(
      fake,
      `#!/bin/sh\necho "$@" >> ${join(dir, 'calls')}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`,
    );
    const plan = detachPlan(env, where);
    expect(plan.how).toBe('user-scope');
    const started = await launchDetached(spec(plan));
    expect(await started.ended).toEqual({ exitCode: 0, signal: null });
    expect(readFileSync(join(dir, 'logs', 'out.log'), 'utf8')).toContain('var value');
    expect(readFileSync(join(dir, 'calls'), 'utf8')).toMatch(
      /--user --scope --quiet --collect --description=a test -- \/bin\/sh/,
    );
  });

  test('what cannot be started rejects', async () => {
    const bad = { ...spec({ how: 'own-session', reason: 'a test' }), file: join(dir, 'nothing') };
    await expect(launchDetached(bad)).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      cause: { code: 'ENOENT' },
    });
  });
});

test('a socket whose listener is busy counts as served', async () => {
  const path = join(dir, 'busy.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  expect(await listenExclusive(path, () => undefined)).toBeUndefined();
  server.close();
});
