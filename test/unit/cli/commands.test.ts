import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentileError } from '../../../src/base/errors.js';
import { COMMANDS } from '../../../src/cli/commands.js';
import type { LogRecord } from '../../../src/model/log-record.js';
import { FakeWorld, sessionView } from './fake-daemon.js';

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

afterEach(() => world.dispose());

const oneLine = (text: string) => text.trimEnd().split('\n').length === 1;

describe('the command line', () => {
  test('every command of the table is known, and its code can be loaded', async () => {
    // Two need the TUI, which is tested where it lives.
    for (const row of COMMANDS.filter((row) => !['attach', 'start'].includes(row.usage))) {
      expect(typeof (await row.load()), row.usage).toBe('function');
    }
  });

  test.each([
    [['frobnicate'], /unknown command|too many arguments/],
    [['list'], /agentile --help/],
    [['send'], /missing required argument 'session'/],
    [['ls', '--jsn'], /Did you mean --json/],
    [['new'], /Which provider\?/],
    [['wait', '1', '--for', 'happy'], /"happy" is not a status/],
    [['wait', '1', '--timeout', 'soon'], /--timeout must be a number/],
    [['mark', '1', 'undone'], /can be marked "done"/],
    [['signal', 'wave', '--run', 'r'], /not a signal/],
    [['config', 'get', 'nope'], /no setting "nope"/],
    [['new', 'x', '--policy', 'yes'], /--policy must be one of ask/],
    [['new', 'x', '--cwd', '/nonexistent/folder'], /is not a folder/],
  ])('%j is a usage error in one line', async (argv, words) => {
    const { exitCode, out, err } = await world.run(...argv);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(/^agentile: /);
    expect(err).toMatch(words);
    expect(oneLine(err)).toBe(true);
  });

  test('inside of a pane the tiles refuse to nest, and say what works', async () => {
    world.env['AGENTILE_PANE_ID'] = 'p-1';
    for (const argv of [[], ['attach'], ['start']]) {
      const { exitCode, err } = await world.run(...argv);
      expect(exitCode).toBe(2);
      expect(err).toContain('pane of agentile already');
    }
  });

  test('a profile name that is none is told', async () => {
    world.env['AGENTILE_PROFILE'] = '../x';
    expect(await world.run('ls')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('not a profile name'),
    });
  });
});

describe('without a daemon', () => {
  test('ls of a fresh machine starts nothing', async () => {
    expect(await world.run('ls', '--json')).toEqual({ exitCode: 0, out: '[]\n', err: '' });
    expect((await world.run('ls')).err).toContain('No sessions');
  });

  test('daemon status ends with 6, also as JSON', async () => {
    const { exitCode, out, err } = await world.run('daemon', 'status', '--json');
    expect([exitCode, out]).toEqual([6, 'null\n']);
    expect(err).toContain('agentile daemon start');
  });

  test('daemon stop has nothing to do', async () => {
    expect(await world.run('daemon', 'stop')).toMatchObject({ exitCode: 0, out: 'No daemon was running.\n' });
  });
});

describe('sessions', () => {
  test('ls shows number, name, status with its glyph, and folder', async () => {
    const view = sessionView({ number: 3, status: 'needs-you' });
    view.session.cwd = join(world.home, 'work');
    await world.serve({ 'workspace/get': () => ({ sessions: [view] }) });
    const { out } = await world.run('ls');
    expect(out).toMatch(/^3 {2}fix {2}Provider {2}◆ needs you {2}5s {2}~\/work\n$/);
    expect(JSON.parse((await world.run('ls', '--json')).out)).toEqual([view]);
  });

  test('new passes on what was asked, and what is behind "--" as it stands', async () => {
    await world.serve({ 'session/new': () => ({ session: sessionView() }) });
    await world.run('new', '--terminal', '--', 'htop', '-d', '5', '--json');
    await world.run(
      'new',
      'x',
      '-n',
      'a',
      '-m',
      'big',
      '--policy',
      'reject',
      '--no-open',
      '-p',
      'hi',
      '--',
      '--flag',
    );
    world.env['AGENTILE_SESSION_ID'] = 's-parent';
    const { out } = await world.run('new', 'x');
    expect(world.asked.map(({ params }) => params)).toEqual([
      { cwd: world.home, launch: { terminal: true, command: ['htop', '-d', '5', '--json'] }, open: true },
      {
        cwd: world.home,
        providerId: 'x',
        name: 'a',
        prompt: 'hi',
        launch: { args: ['--flag'], model: 'big', policy: 'reject' },
        open: false,
      },
      { cwd: world.home, providerId: 'x', launch: {}, open: true, parent: 's-parent' },
    ]);
    expect(out).toBe('1 fix  s-0000000001\n');
  });

  test('new waits until the program runs, and tells why it does not', async () => {
    const failure = { kind: 'spawn', message: '/nope does not exist.', hint: 'Check the name.' };
    const views = [
      sessionView({ status: 'starting' }),
      sessionView({ status: 'failed', run: { failure } as never }),
    ];
    await world.serve({
      'session/new': () => ({ session: sessionView({ status: 'starting' }) }),
      'session/get': () => views.shift(),
    });
    expect(await world.run('new', '-t', '--', '/nope')).toEqual({
      exitCode: 1,
      out: '',
      err: 'agentile: /nope does not exist. Check the name.\n',
    });
  });

  test('an error of the daemon keeps its exit code and its hint', async () => {
    await world.serve({
      'session/stop': () => {
        throw new AgentileError('SESSION_NOT_FOUND', 'There is no session "9".', { hint: 'There are: fix.' });
      },
    });
    const answer = await world.run('stop', '9');
    expect(answer).toEqual({
      exitCode: 3,
      out: '',
      err: 'agentile: There is no session "9". There are: fix.\n',
    });
  });

  test('resume, close and mark say what happened', async () => {
    await world.serve({
      'session/resume': () => sessionView({ status: 'starting' }),
      'session/close': () => ({}),
      'session/mark': () => sessionView({ status: 'done' }),
    });
    expect((await world.run('resume', 'fix', '--fresh')).out).toBe('1 fix  starting\n');
    expect((await world.run('close', 'fix', '--force')).out).toBe('fix closed\n');
    expect((await world.run('mark', 'fix', 'done', '--confidence', 'likely')).out).toBe('1 fix  done\n');
    expect(world.asked.map(({ params }) => params)).toEqual([
      { session: 'fix', fresh: true },
      { session: 'fix', force: true },
      { session: 'fix', confidence: 'likely' },
    ]);
  });
});

describe('permissions', () => {
  const options = [
    { optionId: 'z', kind: 'reject_once', label: 'No' },
    { optionId: 'y', kind: 'allow_always', label: 'Always' },
    { optionId: 'x', kind: 'allow_once', label: 'Yes' },
  ];
  const request = (id: string, more: object = {}) =>
    ({ id, kind: 'permission', title: `write ${id}`, options, ...more }) as never;

  test('the option is chosen by its kind, not by its place', async () => {
    await world.serve({
      'session/get': () => sessionView({ requests: [request('q1')] }),
      'session/answer': () => ({}),
    });
    expect((await world.run('approve', '1')).out).toBe('1 fix  write q1: Yes\n');
    await world.run('approve', '1', '--always');
    await world.run('reject', '1', '--message', 'not there');
    const answers = world.asked
      .filter(({ method }) => method === 'session/answer')
      .map(({ params }) => params.answer);
    expect(answers).toEqual([
      { outcome: 'selected', optionId: 'x' },
      { outcome: 'selected', optionId: 'y' },
      { outcome: 'selected', optionId: 'z', message: 'not there' },
    ]);
  });

  test('nothing is answered when it is not clear which, or what', async () => {
    let view = sessionView({ requests: [request('q1'), request('q2')] });
    await world.serve({ 'session/get': () => view });
    expect(await world.run('approve', '1')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('q2 (write q2)'),
    });
    expect(await world.run('approve', '1', '--request', 'q9')).toMatchObject({ exitCode: 3 });
    view = sessionView({ requests: [request('q1', { options: [options[1]] })] });
    expect(await world.run('approve', '1')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('no allow_once'),
    });
    view = sessionView({ requests: [request('q1', { kind: 'question', options: [] })] });
    expect(await world.run('approve', '1')).toMatchObject({ err: expect.stringContaining('is a question') });
    view = sessionView();
    expect(await world.run('reject', '1')).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining('no open request'),
    });
    expect(world.asked.some(({ method }) => method === 'session/answer')).toBe(false);
  });
});

describe('sending and waiting', () => {
  const turn = { id: 't-1', sessionId: 's-0000000001', prompt: 'hi', state: 'running', createdAt: 0 };
  const event = (seq: number, body: object): LogRecord =>
    ({
      seq,
      at: 0,
      sessionId: turn.sessionId,
      body: { kind: 'event', event: body, turnId: turn.id },
    }) as never;
  const records = [
    event(1, { type: 'turn.started', prompt: 'hi' }),
    event(2, { type: 'text', messageId: 'm1', delta: 'let me ' }),
    event(3, { type: 'text', messageId: 'm1', delta: 'see' }),
    event(4, { type: 'tool.started', call: { toolCallId: 'c', title: 'npm test', status: 'pending' } }),
    event(5, { type: 'tool.finished', toolCallId: 'c', status: 'failed', exitCode: 1 }),
    event(6, { type: 'text', messageId: 'm2', final: 'All \u001b[2Jdone.' }),
    event(7, { type: 'turn.done', stopReason: 'end_turn' }),
  ];

  /** A daemon whose session goes through these views, the last one stays. */
  async function serveViews(...views: ReturnType<typeof sessionView>[]): Promise<void> {
    await world.serve({
      'session/prompt': () => ({ turn }),
      'session/get': () => (views.length > 1 ? views.shift() : views[0]),
      'session/records': ({ after, limit }: { after: number; limit: number }) => {
        const from = records.filter(({ seq }) => seq > (after ?? 0));
        return { records: from.slice(0, Math.min(3, limit)), more: from.length > 3 };
      },
    });
  }
  const running = () => sessionView({ status: 'working', turn: turn as never });
  const done = (more: object = {}) =>
    sessionView({ status: 'done', turn: { ...turn, state: 'done', ...more } as never });

  test('send without waiting prints the turn', async () => {
    await serveViews(running());
    expect((await world.run('send', '1', 'fix', 'it')).out).toBe('t-1  running\n');
    expect(world.asked[0]?.params).toEqual({ session: '1', text: 'fix it' });
  });

  test('send --wait prints the answer, harmless for a terminal, also as JSON', async () => {
    await serveViews(running(), running(), done());
    expect(await world.run('send', '1', 'hi', '--wait')).toEqual({
      exitCode: 0,
      out: 'All ␛[2Jdone.\n',
      err: '',
    });
    expect(JSON.parse((await world.run('send', '1', 'hi', '--wait', '--json')).out)).toEqual({
      session: 's-0000000001',
      turnId: 't-1',
      prompt: 'hi',
      text: 'All \u001b[2Jdone.',
      tools: [{ title: 'npm test', status: 'failed', exitCode: 1 }],
      stopReason: 'end_turn',
    });
  });

  test('a failed turn ends with 4 and its next step, an open permission with 5', async () => {
    const failure = { kind: 'auth', message: 'Not signed in.', hint: 'Run: x login.' };
    await serveViews(running(), done({ state: 'failed', failure }));
    expect(await world.run('send', '1', 'hi', '--wait')).toMatchObject({
      exitCode: 4,
      err: 'agentile: Not signed in. Run: x login.\n',
    });
  });

  test('an open permission ends the waiting with 5', async () => {
    const view = running();
    await serveViews(running(), { ...view, status: 'needs-you', requests: [{ title: 'write x' }] as never });
    const { exitCode, err } = await world.run('send', '1', 'hi', '--wait');
    expect(exitCode).toBe(5);
    expect(err).toContain('needs you: write x. agentile approve 1');
  });

  test('the time limit ends with 124', async () => {
    await serveViews(running());
    expect(await world.run('send', '1', 'hi', '--wait', '--timeout', '0.3')).toMatchObject({ exitCode: 124 });
  });

  test('wait returns with the wished status, and does not hang when it cannot come', async () => {
    await serveViews(running(), running(), done());
    expect(await world.run('wait', '1', '--for', 'done')).toMatchObject({
      exitCode: 0,
      out: '1 fix  done\n',
    });
  });

  test.each([
    ['needs-you', 5],
    ['stopped', 4],
    ['failed', 4],
  ] as const)('waiting for done while the session is %s ends with %i', async (status, exitCode) => {
    await serveViews(sessionView({ status }));
    expect((await world.run('wait', '1', '--for', 'done')).exitCode).toBe(exitCode);
  });

  test('waiting for a program that gives no sign is told once', async () => {
    await serveViews(sessionView({ status: 'unknown' }));
    const { exitCode, err } = await world.run('wait', '1', '--timeout', '0.5');
    expect(exitCode).toBe(124);
    expect(err.match(/no sign of its status/g)).toHaveLength(1);
  });

  test('read prints prompts, text and tools; --last cuts turns; --json gives turns', async () => {
    await serveViews(done());
    const { out } = await world.run('read', '1');
    expect(out).toBe('\n> hi\nlet me see\n✗ npm test  exit 1\nAll ␛[2Jdone.\n');
    expect((await world.run('read', '1', '--last', '1')).out).toBe(out);
    expect(JSON.parse((await world.run('read', '1', '--json')).out)).toHaveLength(1);
  });

  test('read --follow goes on with live events until the daemon goes', async () => {
    await world.serve(
      {
        'session/get': () => done(),
        'session/records': () => ({ records: records.slice(0, 2), more: false }),
      },
      (message, send) => {
        if (message.t !== 'follow') return;
        expect(message).toEqual({ t: 'follow', sessionId: 's-0000000001', after: 2, on: true });
        const text = {
          type: 'text',
          messageId: 'm1',
          delta: 'live',
          sessionId: message.sessionId,
          runId: 'r',
          at: 0,
        };
        send({
          t: 'events',
          sessionId: message.sessionId,
          live: true,
          records: [{ seq: 3, event: text as never }],
        });
        send({ t: 'bye', reason: 'stop' });
        setImmediate(() => void world.dispose());
      },
    );
    expect((await world.run('read', '1', '--follow')).out).toBe('\n> hi\nlet me live');
  });

  test('read of a terminal pane is its screen, and says when there is no scrollback', async () => {
    const screen = { lines: ['one', 'two', '', ''], rows: 4, cols: 80, historyLines: 0, altScreen: true };
    await world.serve({
      'session/get': () => sessionView({ controller: 'terminal', status: 'unknown' }),
      'session/screen': () => screen,
      'session/prompt': () => ({ turn, typed: true }),
    });
    expect(await world.run('read', '1')).toEqual({
      exitCode: 0,
      out: 'one\ntwo\n',
      err: 'agentile: this is a full-screen program; it has no scrollback.\n',
    });
    expect((await world.run('read', '1', '--last', '1')).out).toBe('two\n');
    expect(JSON.parse((await world.run('read', '1', '--json')).out)).toEqual(screen);
    expect((await world.run('send', '1', 'hi')).out).toBe('typed\n');
    expect(await world.run('send', '1', 'hi', '--wait')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('does not tell when it is done'),
    });
  });
});

describe('signals', () => {
  test('a hook tells its own run', async () => {
    Object.assign(world.env, { AGENTILE_RUN_ID: 'r-1', AGENTILE_ATTEMPT: '2', AGENTILE_TOKEN: 'tok' });
    await world.serve({ 'session/signal': () => ({ admitted: true }) });
    expect((await world.run('signal', 'completed', '--result', 'partial', '--reason', 'half')).out).toBe(
      'admitted\n',
    );
    await world.run('signal', 'progress', '--seq', '3', '--percent', '50', '--message', 'm');
    await world.run('signal', 'finished', '--exit-code', '1');
    expect(world.asked.map(({ params }) => params.signal)).toEqual([
      { type: 'completed', result: { kind: 'partial', reason: 'half' } },
      { type: 'progress', seq: 3, message: 'm', percent: 50 },
      { type: 'finished', exitCode: 1 },
    ]);
    expect(world.asked[0]?.params).toMatchObject({ runId: 'r-1', attempt: 2, token: 'tok' });
  });

  test('without a daemon it fails and starts none', async () => {
    expect(await world.run('signal', 'started', '--run', 'r')).toMatchObject({ exitCode: 6 });
  });
});

describe('settings', () => {
  test('path, set, get, check and unset', async () => {
    const path = (await world.run('config', 'path')).out.trim();
    expect(path).toBe(join(world.home, '.config/agentile/config.toml'));
    expect((await world.run('config', 'set', 'keys.prefix', 'ctrl+b')).exitCode).toBe(0);
    expect((await world.run('config', 'set', 'shell.command', 'zsh', 'login')).exitCode).toBe(0);
    expect((await world.run('config', 'get', 'keys.prefix')).out).toBe('ctrl+b\n');
    expect(JSON.parse((await world.run('config', 'get', '--json')).out)).toMatchObject({
      'shell.command': ['zsh', 'login'],
    });
    expect((await world.run('config', 'check')).out).toContain('2 set, no faults');
    await world.run('config', 'set', 'keys.prefix', '--unset');
    expect((await world.run('config', 'get', 'keys.prefix')).out).toBe('ctrl+]\n');
    expect(readFileSync(path, 'utf8')).not.toContain('prefix');
  });

  test('a secret is shown only when it is asked for by name', async () => {
    await world.run('config', 'set', 'gateway.api_key', 'hush');
    expect((await world.run('config', 'get')).out).not.toContain('hush');
    expect((await world.run('config', 'get', 'gateway.api_key')).out).toBe('hush\n');
  });

  test('a broken file: check ends with 9 and the place, set leaves it alone', async () => {
    mkdirSync(join(world.home, '.config/agentile'), { recursive: true });
    const file = join(world.home, '.config/agentile/config.toml');
    writeFileSync(file, '[screen\n');
    expect(await world.run('config', 'check')).toMatchObject({
      exitCode: 9,
      err: expect.stringMatching(/config\.toml:1:\d+/),
    });
    expect(await world.run('config', 'set', 'screen.mouse', 'off')).toMatchObject({ exitCode: 9 });
    expect(readFileSync(file, 'utf8')).toBe('[screen\n');
  });
});

describe('the daemon', () => {
  test('status tells version, keeper and log', async () => {
    await world.serve({
      'daemon/status': () => ({
        pid: 5,
        version: '1',
        startedAt: Date.now() - 61_000,
        keeper: { pid: 6, version: '1', startedAt: Date.now(), children: 2 },
        clients: 1,
        sessions: 3,
        log: { path: '/l', state: 'locked', detail: 'by x' },
        socket: '/s',
      }),
    });
    const { out, exitCode } = await world.run('daemon', 'status');
    expect(exitCode).toBe(0);
    expect(out).toContain('daemon    pid 5, version 1, up 1m');
    expect(out).toContain('holds 2');
    expect(out).toContain('/l (locked: by x)');
  });

  test('another version that works with us is told beside the answer', async () => {
    world.hello = { ...world.hello, version: '0.0.9' } as never;
    await world.serve({ 'workspace/get': () => ({ sessions: [] }) });
    const { exitCode, out, err } = await world.run('daemon', 'start');
    expect([exitCode, out]).toEqual([0, `The daemon runs (pid ${process.pid}).\n`]);
    expect(err).toContain('version 0.0.9');
  });

  test('another protocol ends with 8 and the way out', async () => {
    world.hello = { ...world.hello, protocol: 99 } as never;
    await world.serve({});
    expect(await world.run('new', 'x')).toMatchObject({
      exitCode: 8,
      err: expect.stringContaining('agentile daemon restart'),
    });
  });
});
