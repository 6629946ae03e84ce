// The real program, as a process of its own in a home of its own: exit codes, streams, and what it leaves behind.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtEntry } from '../../helpers/build.js';

let bin: string;
let home: string;

beforeAll(async () => {
  bin = await builtEntry('cli');
  home = mkdtempSync('/tmp/agentile-bin-');
}, 60_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

function run(
  argv: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const own = { PATH: process.env['PATH']!, HOME: home, XDG_RUNTIME_DIR: home, ...env };
    const child = execFile(process.execPath, [bin, ...argv], { cwd: home, env: own }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.end();
  });
}

describe('the program', () => {
  test('--help names every command, and asks nothing of the machine', async () => {
    const { code, out, err } = await run(['--help']);
    expect([code, err]).toEqual([0, '']);
    for (const name of [
      'attach',
      'new',
      'ls',
      'send',
      'wait',
      'read',
      'approve',
      'daemon',
      'config',
      'provider',
    ])
      expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect((await run(['send', '--help'])).out).toContain('Exit: 0 the turn ended well');
    expect((await run(['daemon', 'restart', '--help'])).out).toContain('agents go on');
    expect(readdirSync(home)).toEqual([]);
  });

  test('--version prints it', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: 'test\n', err: '' });
  });

  test.each([
    [['nonsense'], 2],
    [['ls', '--nonsense'], 2],
    [['daemon'], 2],
    [['daemon', 'status'], 6],
    [['signal', 'started', '--run', 'r'], 6],
    [['config', 'get', 'nonsense'], 2],
    [['config', 'check'], 0],
    [['ls'], 0],
  ])('%j ends with %i', async (argv, code) => {
    const result = await run(argv);
    expect(result.code).toBe(code);
    if (code !== 0 && argv.length > 1) expect(result.err).toMatch(/^agentile: [^\n]+\n$/);
  });

  test('A49: a home with a long path still has a socket, or says why not', async () => {
    const long = `/tmp/${'h'.repeat(130)}`;
    const fits = await run(['ls'], { HOME: long, XDG_RUNTIME_DIR: long });
    expect(fits.code).toBe(0);
    const { code, err } = await run(['ls'], { HOME: long, XDG_RUNTIME_DIR: long, TMPDIR: long });
    expect(code).toBe(1);
    expect(err).toContain('Set TMPDIR or XDG_RUNTIME_DIR to a shorter folder.');
  });
});
