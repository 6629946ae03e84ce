import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentileError } from '../../../src/base/errors.js';
import { groupMembers, isGroupAlive, statOf } from '../../../src/io/process-group.js';
import { LocalChildHost } from '../../../src/keeper/local-host.js';
import { RETAIN_CAP_BYTES, WINDOW_PTY_BYTES } from '../../../src/keeper/protocol.js';
import { agent, collect, nodeSpec, specOf } from '../../helpers/children.js';
import { until } from '../../helpers/until.js';

const KINDS = ['pty', 'pipe'] as const;
let host: LocalChildHost;

beforeEach(() => {
  host = new LocalChildHost();
});
afterEach(() => host.dispose());

describe('starting', () => {
  test('pty: a terminal of the right size, in a session of its own', async () => {
    const script = 'stty size; ps -o sid= -p $$; echo $$; tty';
    const handle = await host.spawn(specOf('pty', 'sh', ['-c', script], { cols: 91, rows: 17 }));
    const got = collect(handle);
    expect(await got.ended).toEqual({ exitCode: 0 });
    const [size, session, pid, tty] = got.text.stdout.trim().split(/\s*\r\n\s*/);
    expect(size).toBe('17 91');
    expect(Number(session)).toBe(handle.pid);
    expect(Number(pid)).toBe(handle.pid);
    expect(tty).toMatch(/^\/dev\/(pts\/|tty)/);
  });

  test('pipe: three streams of their own, in a session of its own', async () => {
    const script = 'read line; echo "out $line"; echo err >&2; ps -o sid= -p $$; exit 7';
    const handle = await host.spawn(specOf('pipe', 'sh', ['-c', script]));
    const got = collect(handle);
    handle.write('hällo\n');
    expect(await got.ended).toEqual({ exitCode: 7 });
    expect(Buffer.from(got.text.stdout, 'latin1').toString()).toContain('out hällo\n');
    expect(got.text.stdout).toContain(String(handle.pid));
    expect(got.text.stderr).toBe('err\n');
    expect(got.closed.sort()).toEqual(['stderr', 'stdout']);
    expect(handle.alive).toBe(false);
  });

  test.each(KINDS)('%s: the environment is the given one and nothing else', async (stdio) => {
    process.env['AGENTILE_TEST_SECRET'] = 'leaked';
    const handle = await host.spawn(specOf(stdio, '/usr/bin/env', [], { env: { ONLY: 'this', EMPTY: '' } }));
    const got = collect(handle);
    await got.ended;
    delete process.env['AGENTILE_TEST_SECRET'];
    expect(got.text.stdout.trim().split(/\r?\n/).sort()).toEqual(['EMPTY=', 'ONLY=this']);
  });

  test.each(KINDS)('%s: what cannot be started rejects with the errno', async (stdio) => {
    const errnoOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'started',
        (error: AgentileError) => `${error.code} ${(error.cause as { code: string }).code}`,
      );
    expect(await errnoOf(host.spawn(specOf(stdio, 'no-such-program-here', [])))).toBe('SPAWN_FAILED ENOENT');
    expect(await errnoOf(host.spawn(specOf(stdio, agent('flood.mjs'), [])))).toBe('SPAWN_FAILED EACCES');
    expect(await errnoOf(host.spawn(specOf(stdio, 'sh', [], { cwd: '/no/such/folder' })))).toBe(
      'SPAWN_FAILED ENOENT',
    );
    expect(await host.list()).toEqual([]);
  });

  test('pty: rawMode does not echo, does not cut long lines and adds no CR', async () => {
    const script = 'IFS= read -r line; echo "${#line}"';
    const handle = await host.spawn(specOf('pty', 'bash', ['-c', script], { rawMode: true }));
    const got = collect(handle);
    handle.write('y'.repeat(10_000) + '\n');
    await got.ended;
    expect(got.text.stdout).toBe('10000\n');
  });

  test('pty: resize reaches the child', async () => {
    const script = 'trap "stty size; exit" WINCH; echo ready; while :; do sleep 0.01; done';
    const handle = await host.spawn(specOf('pty', 'sh', ['-c', script], { cols: 80, rows: 24 }));
    const got = collect(handle);
    await until('ready', () => got.text.stdout.includes('ready'));
    handle.resize(101, 33);
    await got.ended;
    expect(got.text.stdout).toContain('33 101');
    expect((await host.list())[0]).toMatchObject({ cols: 101, rows: 33 });
  });
});

describe('input', () => {
  test.each(KINDS)(
    '%s: 1 MB arrives whole and in order at a child that reads slowly (B11)',
    async (stdio) => {
      const input = randomBytes(1024 * 1024);
      const handle = await host.spawn(nodeSpec(stdio, 'slow-reader.mjs', [String(input.length)]));
      const got = collect(handle);
      await until('ready', () => got.text.stdout.includes('ready'));
      for (let from = 0; from < input.length; from += 100_000)
        handle.write(input.subarray(from, from + 100_000));
      await got.ended;
      expect(got.text.stdout).toContain(
        `got ${input.length} ${createHash('sha256').update(input).digest('hex')}`,
      );
    },
  );

  test.each(KINDS)(
    '%s: C08 a child that never reads costs no CPU, is told, and holds nobody up',
    async (stdio) => {
      const deaf = await host.spawn(nodeSpec(stdio, 'deaf.mjs'));
      const got = collect(deaf);
      await until('ready', () => got.text.stdout.includes('ready'));
      deaf.write(Buffer.alloc(1024 * 1024, 'x'));
      await until('told as blocked', () => got.blocked.length > 0);
      expect(got.blocked[0]).toBeGreaterThan(500_000);
      const before = process.cpuUsage();
      const from = performance.now();
      const other = await host.spawn(specOf(stdio, 'sh', ['-c', 'read a; sleep 1; echo "other $a"']));
      const otherGot = collect(other);
      other.write('lives\n');
      await otherGot.ended;
      expect(otherGot.text.stdout).toContain('other lives');
      const cpu = process.cpuUsage(before);
      const share = (cpu.user + cpu.system) / 1000 / (performance.now() - from);
      expect(share).toBeLessThan(0.1);
      expect((await host.list())[0]!.inputQueued).toBeGreaterThan(500_000);
      deaf.stop([{ step: 'sigkill', graceMs: 1000 }]);
      expect(await got.ended).toEqual({ signal: 'SIGKILL' });
    },
  );

  test('pty: input that is taken again is told with 0', async () => {
    const script = 'stty raw -echo; echo ready; sleep 1.2; head -c 300000 | wc -c';
    const handle = await host.spawn(specOf('pty', 'sh', ['-c', script]));
    const got = collect(handle);
    await until('ready', () => got.text.stdout.includes('ready'));
    handle.write(Buffer.alloc(300_000, 'x'));
    await got.ended;
    expect(got.text.stdout).toContain('300000');
    expect(got.blocked[0]).toBeGreaterThan(0);
    expect(got.blocked.at(-1)).toBe(0);
  });

  test.each(KINDS)('%s: C12 writing after the end is dropped quietly', async (stdio) => {
    const handle = await host.spawn(nodeSpec(stdio, 'deaf.mjs'));
    const got = collect(handle);
    await until('ready', () => got.text.stdout.includes('ready'));
    process.kill(handle.pid, 'SIGKILL');
    const until_ = Date.now() + 300;
    while (Date.now() < until_) {
      handle.write('key');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await got.ended;
    handle.write('late');
    handle.eof();
    handle.resize(10, 10);
    handle.signal('SIGTERM');
    expect(handle.alive).toBe(false);
  });

  test.each(KINDS)('%s: eof ends a program that reads to the end', async (stdio) => {
    const handle = await host.spawn(specOf(stdio, 'wc', ['-c']));
    const got = collect(handle);
    handle.write('12345\n');
    handle.eof();
    expect(await got.ended).toEqual({ exitCode: 0 });
    expect(got.text.stdout).toContain('6');
  });
});

describe('the end', () => {
  test.each(KINDS)(
    '%s: C07 the last line is there in 200 of 200 quick exits',
    async (stdio) => {
      const script = 'head -c 20000 /dev/zero | tr "\\0" x; echo; echo the last line';
      for (let round = 0; round < 20; round += 1) {
        const runs = Array.from({ length: 10 }, async () => {
          const handle = await host.spawn(specOf(stdio, 'sh', ['-c', script]));
          const got = collect(handle);
          await got.ended;
          handle.release();
          return got.text.stdout;
        });
        for (const text of await Promise.all(runs)) {
          expect(text.length).toBeGreaterThan(20_000);
          expect(text.trimEnd().endsWith('the last line')).toBe(true);
        }
      }
      expect(await host.list()).toEqual([]);
    },
    40_000,
  );

  test('pty: a child that closes its terminal is not hung up on, and may open it again', async () => {
    const script = 'exec <&- >&- 2>&-; sleep 0.2; exec >/dev/tty; echo back; exec >&-; sleep 0.1; exit 6';
    const handle = await host.spawn(specOf('pty', 'sh', ['-c', script]));
    const got = collect(handle);
    expect(await got.ended).toEqual({ exitCode: 6 });
    expect(got.text.stdout).toBe('back\r\n');
  });

  test.each(KINDS)('%s: output of a child that ended while nobody took it is kept', async (stdio) => {
    const handle = await host.spawn(nodeSpec(stdio, 'flood.mjs', ['6000']));
    const got = collect(handle, { ack: false });
    await until('the window is full or all is read', () => got.bytes.stdout >= WINDOW_PTY_BYTES);
    handle.dispose();
    await until('it has ended', async () => (await host.list())[0]!.exit);
    const { handle: second, state } = await host.adopt(handle.childId, { stdout: 1000 }, false);
    expect(state.exit).toMatchObject({ exitCode: 0 });
    const rest = collect(second, { from: 1000 });
    await rest.ended;
    expect(rest.text.stdout.trimEnd().endsWith('END')).toBe(true);
    expect(rest.bytes.stdout).toBe(6000 * (stdio === 'pty' ? 65 : 64) + (stdio === 'pty' ? 5 : 4));
  });

  test('E05 a grandchild that holds the pipes delays the exit by 2 s and no more', async () => {
    const handle = await host.spawn(specOf('pipe', 'sh', ['-c', 'sleep 30 & echo $!; exit 4']));
    const got = collect(handle);
    const from = performance.now();
    expect(await got.ended).toEqual({ exitCode: 4 });
    expect(performance.now() - from).toBeGreaterThan(1500);
    expect(performance.now() - from).toBeLessThan(4000);
    process.kill(Number(got.text.stdout), 'SIGKILL');
  });
});

describe('stopping', () => {
  test.each(KINDS)('%s: D14 TERM then KILL reach a stubborn child and its grandchild', async (stdio) => {
    const handle = await host.spawn(specOf(stdio, 'sh', [agent('stubborn.sh')]));
    const got = collect(handle);
    await until('pids', () => got.text.stdout.includes('\n'));
    const grandchild = Number(got.text.stdout.trim().split(' ')[2]);
    expect(statOf(grandchild)).toBeDefined();
    handle.stop([
      { step: 'interrupt', graceMs: 100 },
      { step: 'sigterm', graceMs: 200 },
      { step: 'sigkill', graceMs: 2000 },
    ]);
    expect(await got.ended).toEqual({ signal: 'SIGKILL' });
    await until('nobody of the group lives', () => groupMembers(handle.pid).length === 0);
  });

  test('D14 the ladder climbs on for a grandchild when the child has gone politely', async () => {
    const script = `sh -c 'trap "" TERM; echo up; sleep 9999' & wait`;
    const handle = await host.spawn(specOf('pipe', 'sh', ['-c', script]));
    const got = collect(handle);
    await until('up', () => got.text.stdout.includes('up'));
    handle.stop([
      { step: 'sigterm', graceMs: 300 },
      { step: 'sigkill', graceMs: 2000 },
    ]);
    expect(await got.ended).toEqual({ signal: 'SIGTERM' });
    await until('the grandchild is gone', () => !isGroupAlive(handle.pid));
  });

  test.each(KINDS)('%s: a second stop goes straight to SIGKILL', async (stdio) => {
    const handle = await host.spawn(specOf(stdio, 'sh', [agent('stubborn.sh')]));
    const got = collect(handle);
    await until('pids', () => got.text.stdout.includes('\n'));
    const ladder = [{ step: 'sigterm', graceMs: 60_000 } as const];
    handle.stop(ladder);
    handle.stop(ladder);
    expect(await got.ended).toEqual({ signal: 'SIGKILL' });
    await until('nobody of the group lives', () => groupMembers(handle.pid).length === 0);
  });

  test('pty: a job in the foreground of a shell is reached too', async () => {
    const handle = await host.spawn(
      specOf('pty', 'bash', ['--norc', '-i'], { env: { PATH: process.env['PATH']!, PS1: '$ ' } }),
    );
    const got = collect(handle);
    handle.write(`sh ${agent('stubborn.sh')}\n`);
    await until('pids', () => /pids \d+ \d+/.test(got.text.stdout));
    const [, shell, grandchild] = /pids (\d+) (\d+)/.exec(got.text.stdout)!;
    handle.stop([
      { step: 'sighup', graceMs: 100 },
      { step: 'sigkill', graceMs: 2000 },
    ]);
    await got.ended;
    const isAlive = (pid: number) => !['Z', undefined].includes(statOf(pid)?.state);
    await until('all are gone', () => !isAlive(Number(shell)) && !isAlive(Number(grandchild)));
  });
});

describe('keeping', () => {
  test.each(KINDS)(
    '%s: nobody takes the output: kept up to the cap, then the child waits, and nothing is lost',
    async (stdio) => {
      const lines = 160_000;
      const handle = await host.spawn(nodeSpec(stdio, 'flood.mjs', [String(lines)]));
      handle.dispose();
      const end = async () => (await host.list())[0]!.streams.stdout!.end;
      await until('the cap is reached', async () => (await end()) >= RETAIN_CAP_BYTES);
      const kept = await end();
      expect(kept).toBeLessThan(RETAIN_CAP_BYTES + 256 * 1024);
      const { handle: second } = await host.adopt(handle.childId, {}, false);
      const got = collect(second, { keepText: false });
      let tail = '';
      second.onOutput(({ bytes }) => {
        tail = (tail + Buffer.from(bytes).toString('latin1')).slice(-200);
      });
      await got.ended;
      expect(tail).toContain(String(lines - 1).padStart(10, '0'));
      expect(got.bytes.stdout).toBe(lines * (stdio === 'pty' ? 65 : 64) + (stdio === 'pty' ? 5 : 4));
    },
  );

  test('a daemon that acknowledges nothing stops the child at the window', async () => {
    const handle = await host.spawn(nodeSpec('pty', 'flood.mjs', ['20000']));
    const got = collect(handle, { ack: false });
    await until('the window is full', () => got.bytes.stdout === WINDOW_PTY_BYTES);
    await new Promise((resolve) => setImmediate(resolve));
    const { end } = (await host.list())[0]!.streams.stdout!;
    expect(end).toBeLessThan(WINDOW_PTY_BYTES + 128 * 1024);
    handle.ack('stdout', got.bytes.stdout);
    await until('it goes on', () => got.bytes.stdout > WINDOW_PTY_BYTES);
  });

  test('the replay ring and the checkpoint outlive the one who left them', async () => {
    const handle = await host.spawn(nodeSpec('pty', 'flood.mjs', ['20000', 'stay']));
    const got = collect(handle);
    await until('END', () => got.text.stdout.endsWith('END\r\n'));
    const end = got.bytes.stdout;
    handle.checkpoint(end - 400_000, Buffer.from('opaque state'));
    handle.dispose();
    const { handle: second, state, checkpoint } = await host.adopt(handle.childId, {}, true);
    expect(checkpoint).toEqual({ offset: end - 400_000, state: new Uint8Array(Buffer.from('opaque state')) });
    const { start } = state.streams.stdout!;
    expect(start).toBe(end - 256 * 1024);
    const replay = collect(second, { from: start });
    await until('the replay', () => replay.bytes.stdout === end);
    expect(replay.text.stdout).toBe(got.text.stdout.slice(start));
    second.write('bye\n');
    expect(await replay.ended).toEqual({ exitCode: 0 });
    second.release();
    expect(await host.list()).toEqual([]);
  });
});
