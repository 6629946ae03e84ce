// `agentile call`: the real program against small fake CLIs, in a home of its own and without a daemon.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timeLimit } from '../../src/cli/call.js';
import { builtEntry, ROOT } from '../helpers/build.js';

const CATALOGUE = `
[providers.one]
name = "One"
vendors = ["x"]
controller = "subprocess"
format = "codex-json"
bin = "fake-one"
args = ["exec", "--json"]
prompt = { via = "stdin" }

[providers.one.call]
args = ["exec", "--json"]
prompt = { via = "stdin" }
format = "codex-json"
blocking_hint = "One waits for a sign-in"

[providers.plain]
name = "Plain"
vendors = ["x"]
controller = "terminal"
bin = "fake-plain"
args = []
prompt = { via = "type" }

[providers.plain.terminal]
tui_type = "line_oriented"

[providers.plain.call]
args = []
prompt = { via = "arg" }

[providers.screen]
name = "Screen"
vendors = ["x"]
controller = "terminal"
bin = "fake-plain"
args = []
prompt = { via = "type" }

[providers.screen.terminal]
tui_type = "line_oriented"
`;

const PLAIN = `#!/bin/sh
case "$1" in
  fail) echo "not logged in" >&2; exit 3;;
  silent) exec sleep 30;;
  *) printf '\\033[1mbold\\033[0m \\033]0;title\\007%s\\r\\n' "$1";;
esac
`;

let home: string;
let bin: string;

beforeAll(async () => {
  bin = await builtEntry('cli');
  home = mkdtempSync(join(tmpdir(), 'agentile-call-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, '.config/agentile'), { recursive: true });
  writeFileSync(join(home, '.config/agentile/providers.toml'), CATALOGUE);
  script(
    'fake-one',
    `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'test/agents/fake-codex.mjs')}" "$@"\n`,
  );
  script('fake-plain', PLAIN);
}, 60_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

function script(name: string, text: string): void {
  writeFileSync(join(home, 'bin', name), text);
  chmodSync(join(home, 'bin', name), 0o755);
}

function call(
  args: string[],
  options: { env?: Record<string, string>; stdin?: string } = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const env = {
      PATH: `${join(home, 'bin')}:/usr/bin:/bin`,
      HOME: home,
      XDG_RUNTIME_DIR: home,
      FAKE_LOG: join(home, 'fake.log'),
      ...options.env,
    };
    const child = execFile(process.execPath, [bin, 'call', ...args], { cwd: home, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.end(options.stdin ?? '');
  });
}

function resultOf(out: string): Record<string, unknown> {
  return JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

function lastPid(): number {
  const lines = readFileSync(join(home, 'fake.log'), 'utf8').trim().split('\n');
  return (JSON.parse(lines.at(-1)!) as { pid: number }).pid;
}

describe('agentile call', () => {
  it('prints the answer, starts no daemon and leaves no socket', async () => {
    expect(await call(['one', 'hello', 'there'])).toEqual({
      code: 0,
      out: 'you said: hello there\n',
      err: '',
    });
    expect(readdirSync(home).filter((name) => name.includes('sock') || name === 'agentile')).toEqual([]);
  });

  it('reads the text from stdin', async () => {
    expect(await call(['one'], { stdin: 'from a pipe\n' })).toMatchObject({
      code: 0,
      out: 'you said: from a pipe\n',
    });
    expect(await call(['one'])).toMatchObject({ code: 2 });
  });

  it('--json: every event a line, the result last', async () => {
    const { code, out } = await call(['one', '--json', 'hi']);
    expect(code).toBe(0);
    const types = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(['session.opened', 'text', 'usage', 'usage', 'turn.done', 'result']);
    expect(resultOf(out)).toMatchObject({ text: 'you said: hi', exitCode: 0, timedOut: false });
  });

  it('a wrong name starts nothing and lists those that can be called', async () => {
    const { code, out, err } = await call(['nosuch', 'hi']);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain('no provider "nosuch"');
    expect(err).toMatch(/Can be called: .*\bone\b.*\bplain\b/);
    expect((await call(['screen', 'hi'])).err).toContain('has no one-shot mode');
  });

  it('a CLI that is not installed is not installed: the command is told', async () => {
    const { code, err } = await call(['claude', 'hi']);
    expect(code).toBe(7);
    expect(err).toContain('npm install -g @anthropic-ai/claude-code');
  });

  it('a failed turn has its cause and an exit code of its own', async () => {
    const { code, err } = await call(['one', 'fail', '0']);
    expect(code).toBe(4);
    expect(err).toContain('429 Too Many Requests');
  });

  it('a limit without any output is an error that names it and what may block', async () => {
    const { code, out, err } = await call(['plain', '--timeout', '1', 'silent']);
    expect([code, out]).toEqual([124, '']);
    expect(err).toContain('said nothing within 1 s');
    expect(err).toContain('--timeout');
  });

  it('a limit with output gives the output as it is, with a warning', async () => {
    const cut = await call(['one', '--timeout', '1', 'hang']);
    expect(cut).toMatchObject({ code: 124, out: 'thinking\n' });
    expect(cut.err).toContain('warning: One was cut after 1 s');
    expect(() => process.kill(lastPid(), 0)).toThrow();
    const json = await call(['one', '--json', 'hang'], { env: { AGENTILE_CALL_TIMEOUT_SECS: '1' } });
    expect(json.code).toBe(124);
    expect(resultOf(json.out)).toMatchObject({ text: 'thinking', exitCode: -1, timedOut: true });
  });

  it('plain CLIs: terminal codes are stripped, exit code and stderr tell the outcome', async () => {
    expect(await call(['plain', 'hi'])).toMatchObject({ code: 0, out: 'bold hi\n' });
    const failed = await call(['plain', 'fail']);
    expect(failed.code).toBe(4);
    expect(failed.err).toContain('not logged in');
  });

  it('E05: an answer whose process never ends is an answer', async () => {
    expect(await call(['one', 'linger'])).toMatchObject({ code: 0, out: 'done\n' });
  });
});

describe('timeLimit', () => {
  it.each([
    [undefined, undefined, 120],
    ['5', '7', 5],
    [undefined, '7', 7],
    ['abc', '7', 7],
    ['0', undefined, 120],
    ['-3', '', 120],
    ['1.5', undefined, 1.5],
    ['', 'x', 120],
  ])('%s, %s → %d', (option, variable, seconds) => {
    expect(timeLimit(option, variable)).toBe(seconds);
  });
});
