// The terminal controller over real programs in real PTYs, held in this process: what it promises its daemon.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { FailureError, type RunEnd, type StartContext } from '../../src/controllers/controller.js';
import {
  createController,
  Pump,
  type ControllerDeps,
  type TerminalController,
} from '../../src/controllers/index.js';
import type { ChildHost } from '../../src/keeper/child-handle.js';
import { LocalChildHost } from '../../src/keeper/local-host.js';
import type { AgentEvent } from '../../src/model/event.js';
import { newRunId, newSessionId, newTurnId, type RunId } from '../../src/model/ids.js';
import type { Key } from '../../src/model/key.js';
import type { Provider } from '../../src/model/provider.js';
import type { Turn } from '../../src/model/session.js';
import type { RunSignal } from '../../src/model/signal.js';
import { until } from '../helpers/until.js';

let dir: string;
let host: LocalChildHost;
let pump: Pump;
let panes: Pane[] = [];

beforeEach(() => {
  dir = mkdtempSync('/tmp/agentile-terminal-');
  host = new LocalChildHost();
  pump = new Pump();
});

afterEach(() => {
  for (const pane of panes) pane.controller.dispose();
  panes = [];
  host.dispose();
  rmSync(dir, { recursive: true, force: true });
});

interface Pane {
  controller: TerminalController;
  context: StartContext;
  signals: RunSignal[];
  events: AgentEvent[];
  ends: RunEnd[];
  text(): string;
}

function makePane(
  command: string[],
  options: { vendors?: string[]; runId?: RunId; host?: ChildHost } = {},
): Pane {
  const [file, ...args] = command as [string, ...string[]];
  const deps: ControllerDeps = {
    host: options.host ?? host,
    clock: systemClock,
    log: silentLog,
    pump,
    scrollbackLines: 1000,
    launch: async () => ({
      file,
      args,
      cwd: dir,
      env: { PATH: process.env['PATH']!, HOME: dir, TERM: 'xterm-256color', LANG: 'C.UTF-8', PS1: '$ ' },
    }),
  };
  const controller = createController('terminal', deps);
  const sessionId = newSessionId();
  const runId = options.runId ?? newRunId();
  const context: StartContext = {
    session: { id: sessionId, name: 'pane', providerId: 'x', cwd: dir, launch: {}, createdAt: 0 },
    run: { id: runId, sessionId, attempt: 1, status: 'starting', startedAt: 0 },
    provider: { vendors: options.vendors ?? [] } as unknown as Provider,
    cols: 80,
    rows: 24,
  };
  const pane: Pane = {
    controller,
    context,
    signals: [],
    events: [],
    ends: [],
    text: () => controller.screen.text(0).join('\n').trimEnd(),
  };
  controller.onSignal((signal) => pane.signals.push(signal));
  controller.onEvent(({ event }) => pane.events.push(event));
  controller.onEnd((end) => pane.ends.push(end));
  panes.push(pane);
  return pane;
}

async function startPane(command: string[], options: Parameters<typeof makePane>[1] = {}): Promise<Pane> {
  const pane = makePane(command, options);
  await pane.controller.start(pane.context);
  return pane;
}

const shows = (pane: Pane, text: string | RegExp, timeoutMs?: number) =>
  until(
    `the screen shows ${String(text)}; it is:\n${pane.text()}`,
    () => (typeof text === 'string' ? pane.text().includes(text) : text.test(pane.text())),
    timeoutMs,
  );

const ended = (pane: Pane) => until('the end of the run', () => pane.ends[0]);

function key(name: string, more: Partial<Key> = {}): Key {
  const text = name.length === 1 ? name : '';
  return {
    name,
    text,
    ctrl: false,
    alt: false,
    shift: false,
    meta: false,
    action: 'press',
    raw: text,
    ...more,
  };
}
const typed = (text: string) => [...text].map((char) => key(char));
const ENTER = key('enter', { raw: '\r' });
const CTRL_C = key('c', { ctrl: true, text: '', raw: '\u0003' });

function turnOf(pane: Pane, prompt: string): Turn {
  return { id: newTurnId(), sessionId: pane.context.session.id, prompt, state: 'running', createdAt: 0 };
}

describe('a program and its end', () => {
  test('C07: the last output of a program that ends at once is on the screen before the end is told', async () => {
    const pane = makePane([
      '/bin/sh',
      '-c',
      'i=0; while [ $i -lt 400 ]; do echo "line $i of the flood"; i=$((i+1)); done; echo LAST',
    ]);
    let atEnd = '';
    pane.controller.onEnd(() => (atEnd = pane.text()));
    await pane.controller.start(pane.context);
    expect(await ended(pane)).toEqual({ status: 'exited', exitCode: 0 });
    expect(atEnd).toContain('line 399 of the flood\nLAST');
    expect(pane.signals.map((signal) => signal.type)).toEqual(['started', 'finished']);
    expect(pane.signals[0]).toMatchObject({ attempt: 1, runId: pane.context.run.id, source: 'wrapper' });
  });

  test('an exit code of a plain program is told, of an agent it is a failure with its last lines', async () => {
    const plain = await startPane(['/bin/sh', '-c', 'exit 7']);
    const agent = await startPane(['/bin/sh', '-c', 'echo no key found; exit 7'], { vendors: ['someone'] });
    expect(await ended(plain)).toEqual({ status: 'exited', exitCode: 7 });
    expect(await ended(agent)).toMatchObject({
      status: 'failed',
      exitCode: 7,
      failure: { kind: 'crash', stderrTail: ['no key found'] },
    });
  });

  test('a program that is not there rejects the start with a failure in words', async () => {
    const pane = makePane([join(dir, 'nothing-here')]);
    const error = await pane.controller.start(pane.context).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FailureError);
    expect((error as FailureError).failure.kind).toBe('spawn');
    expect((error as FailureError).failure.message).toContain('nothing-here');
  });

  test('a kill from outside is a failure; keys to the dead are dropped (C12)', async () => {
    const pane = await startPane(['/bin/cat']);
    const pid = (pane.signals[0] as { pid: number }).pid;
    process.kill(pid, 'SIGKILL');
    expect(await ended(pane)).toMatchObject({
      status: 'failed',
      signal: 'SIGKILL',
      failure: { kind: 'killed' },
    });
    pane.controller.key(typed('hello'));
    pane.controller.paste('x'.repeat(10_000));
    pane.controller.resize(100, 30);
    await pane.controller.stop();
    expect(pane.ends).toHaveLength(1);
  });
});

describe('stop', () => {
  test('an interactive shell, which ignores SIGTERM, ends and the run counts as stopped', async () => {
    const pane = await startPane(['/bin/bash', '--norc', '-i']);
    await shows(pane, '$');
    await pane.controller.stop();
    expect(pane.ends[0]?.status).toBe('stopped');
  });

  test('a second stop kills a program that ignores everything', async () => {
    const pane = await startPane([
      '/bin/sh',
      '-c',
      'trap "" HUP INT TERM; echo ready; while :; do sleep 0.05; done',
    ]);
    await shows(pane, 'ready');
    const first = pane.controller.stop();
    await pane.controller.stop();
    await first;
    expect(pane.ends).toEqual([expect.objectContaining({ status: 'stopped', signal: 'SIGKILL' })]);
  });
});

describe('typing', () => {
  test('keys reach the program and their echo is on the screen', async () => {
    const pane = await startPane(['/bin/cat']);
    pane.controller.key([...typed('hello'), ENTER]);
    await shows(pane, 'hello\nhello');
  });

  test('B11: a large paste arrives byte for byte', async () => {
    const file = join(dir, 'pasted');
    const pane = await startPane([
      '/bin/sh',
      '-c',
      `stty raw -echo; echo ready; head -c 300000 > '${file}'; echo saved`,
    ]);
    await shows(pane, 'ready');
    const text = Array.from({ length: 30_000 }, (_, i) => String(i).padStart(9, '.'))
      .join('_')
      .slice(0, 300_000);
    pane.controller.paste(text.padEnd(300_000, '#'));
    await shows(pane, 'saved');
    expect(readFileSync(file, 'latin1') === text.padEnd(300_000, '#')).toBe(true);
  });

  test('A24: a prompt is typed as one paste, Enter comes apart, and the turn ends as "unknown"', async () => {
    const file = join(dir, 'reads.txt');
    const script = `
      process.stdin.setRawMode(true);
      process.stdout.write('\\x1b[?2004hready');
      process.stdin.on('data', (d) => {
        require('fs').appendFileSync(${JSON.stringify(file)}, JSON.stringify(d.toString()) + '\\n');
        process.stdout.write('got');
      });`;
    const pane = await startPane([process.execPath, '-e', script]);
    await shows(pane, 'ready');
    const turn = turnOf(pane, 'fix\nthe login');
    await pane.controller.prompt(turn);
    await until(
      'Enter was read',
      () => existsSync(file) && readFileSync(file, 'utf8').trim().split('\n').length === 2,
    );
    const reads = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string);
    expect(reads).toEqual(['\u001b[200~fix\rthe login\u001b[201~', '\r']);
    expect(pane.events.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn.started', turn.id],
      ['turn.done', turn.id],
    ]);
    expect(pane.events[1]).toMatchObject({ stopReason: 'unknown' });
  });

  test('C08: a program that stops reading is told, and costs no processor time', async () => {
    const pane = await startPane(['/bin/sh', '-c', 'stty raw -echo; echo ready; exec sleep 60']);
    await shows(pane, 'ready');
    const blocked: number[] = [];
    pane.controller.onInputBlocked((bytes) => blocked.push(bytes));
    pane.controller.paste('x'.repeat(1_000_000));
    await until('input is blocked', () => (blocked.at(-1) ?? 0) > 0);
    const other = await startPane(['/bin/cat']);
    const before = process.cpuUsage();
    const begin = performance.now();
    other.controller.key([...typed('alive'), ENTER]);
    await shows(other, 'alive\nalive');
    await until('half a second has passed', () => performance.now() - begin > 500);
    const used = process.cpuUsage(before);
    expect((used.user + used.system) / 1000).toBeLessThan(400);
  });
});

describe('the screen', () => {
  test('a resize reaches the program and the screen; random sizes converge (B08)', async () => {
    const pane = await startPane([
      '/bin/sh',
      '-c',
      'trap "stty size" WINCH; stty size; while :; do sleep 0.02; done',
    ]);
    await shows(pane, '24 80');
    for (let i = 0; i < 200; i++) pane.controller.resize(1 + ((i * 37) % 200), 1 + ((i * 17) % 60));
    pane.controller.resize(97, 31);
    await shows(pane, '31 97');
    expect([pane.controller.screen.cols, pane.controller.screen.rows]).toEqual([97, 31]);
  });

  test('what the program asks its terminal is answered', async () => {
    const script = `
      process.stdin.setRawMode(true);
      let got = '';
      process.stdin.on('data', (d) => { got += d; if (/\\x1b\\[\\?[0-9;]*c$/.test(got)) console.log('answer ' + JSON.stringify(got)); });
      process.stdout.write('\\x1b[6n\\x1b[c');`;
    const pane = await startPane([process.execPath, '-e', script]);
    await shows(pane, /answer "\\u001b\[1;1R\\u001b\[\?[0-9;]*c"/);
  });

  test('its own status, title, bell and clipboard come out as events', async () => {
    const pane = makePane([
      '/bin/sh',
      '-c',
      `printf '\\033]7501;state=blocked:kind=permission:msg=%s\\033\\\\' "$(printf 'approve it' | base64)"
       printf '\\033]0;my title\\007\\007\\033]52;c;%s\\007' "$(printf copied | base64)"; sleep 60`,
    ]);
    const told: string[] = [];
    pane.controller.onTitle((title) => told.push(`title ${title}`));
    pane.controller.onBell(() => told.push('bell'));
    pane.controller.onClipboard((text) => told.push(`clipboard ${text}`));
    await pane.controller.start(pane.context);
    await until('all events', () => told.length === 3);
    expect(told).toEqual(['title my title', 'bell', 'clipboard copied']);
    expect(pane.signals[1]).toMatchObject({
      type: 'state',
      state: 'blocked',
      kind: 'permission',
      message: 'approve it',
      source: 'protocol',
    });
  });

  test('A01: emoji families, flags and decomposed accents neither break the pane nor its neighbours', async () => {
    writeFileSync(join(dir, 'text'), '👨‍👩‍👧‍👦 🏳️‍🌈 cafe\u0301 漢字 END\n'.repeat(50));
    const pane = await startPane(['/bin/sh', '-c', 'cat text; echo after; sleep 60']);
    await shows(pane, 'after');
    expect(pane.controller.screen.fault).toBeUndefined();
    expect(pane.text()).toContain('漢字');
  });
});

describe('flood', () => {
  test('C13: Ctrl-C ends a flood within a second, and a neighbour answers meanwhile', async () => {
    const flood = await startPane([
      '/bin/sh',
      '-c',
      'yes "the quick brown fox jumps over the lazy dog"; echo over',
    ]);
    const neighbour = await startPane(['/bin/cat']);
    await shows(flood, 'lazy dog');
    for (const word of ['one', 'two', 'three']) {
      const begin = performance.now();
      neighbour.controller.key([...typed(word), ENTER]);
      await shows(neighbour, `${word}\n${word}`, 1000);
      expect(performance.now() - begin).toBeLessThan(1000);
    }
    const before = process.memoryUsage.rss();
    const begin = performance.now();
    flood.controller.key([CTRL_C]);
    await ended(flood);
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('cancel is Ctrl-C', async () => {
    const pane = await startPane([
      '/bin/sh',
      '-c',
      'trap "echo interrupted; exit 3" INT; echo ready; while :; do sleep 0.02; done',
    ]);
    await shows(pane, 'ready');
    await pane.controller.cancel();
    await shows(pane, 'interrupted');
    expect((await ended(pane)).exitCode).toBe(3);
  });
});

describe('taking over', () => {
  /** The next daemon: the same run, a new controller, the same host. */
  async function takeOver(old: Pane): Promise<Pane> {
    const pane = makePane(['unused'], { runId: old.context.run.id });
    await pane.controller.adopt({ ...pane.context, from: { stdout: 0, stderr: 0 }, openPermissions: [] });
    return pane;
  }

  test('A02: the screen comes back and the program goes on', async () => {
    const old = await startPane(['/bin/bash', '--norc', '-i']);
    await shows(old, '$');
    old.controller.key([...typed('echo $((40+2)) > x; cat x'), ENTER]);
    await shows(old, /\n42\n/);
    const before = old.text();
    old.controller.dispose();
    const pane = await takeOver(old);
    await until('the screen is rebuilt', () => pane.text() === before);
    pane.controller.key([...typed('echo again'), ENTER]);
    await shows(pane, /\nagain\n/);
  });

  test('what was asked and answered before is not answered twice', async () => {
    const file = join(dir, 'input');
    const script = `stty raw -echo; printf 'begin\\033[c'; head -c 5 > /dev/null; echo ready; cat > '${file}'`;
    const old = await startPane(['/bin/sh', '-c', script]);
    await shows(old, 'ready');
    await until('output is acknowledged', async () => {
      const [state] = await host.list();
      return state?.streams.stdout?.acked === state?.streams.stdout?.end;
    });
    const seen = existsSync(file) ? readFileSync(file, 'latin1') : '';
    old.controller.dispose();
    const pane = await takeOver(old);
    await shows(pane, 'ready');
    pane.controller.key(typed('END'));
    await until('the program read the keys', () => readFileSync(file, 'latin1').endsWith('END'));
    expect(readFileSync(file, 'latin1')).toBe(`${seen}END`);
  });

  test('a long history: the screen is rebuilt from the checkpoint and what came since', async () => {
    const old = await startPane(['/bin/sh', '-c', 'seq 1 200000; echo done; cat']);
    await shows(old, 'done');
    const before = old.text();
    old.controller.dispose();
    const pane = await takeOver(old);
    await until('the screen is rebuilt', () => pane.text() === before);
    pane.controller.key([...typed('go on'), ENTER]);
    await shows(pane, 'go on\ngo on');
  });

  test('a program that ended meanwhile is told with its end', async () => {
    const old = await startPane(['/bin/sh', '-c', 'echo bye; exit 4']);
    const { childId } = (await host.list())[0]!;
    old.controller.dispose();
    await until(
      'the program has ended',
      async () => (await host.list()).find((state) => state.childId === childId)?.exit,
    );
    const pane = await takeOver(old);
    expect(await ended(pane)).toEqual({ status: 'exited', exitCode: 4 });
    expect(pane.text()).toContain('bye');
  });

  test('a run whose process is gone rejects with a failure', async () => {
    const pane = makePane(['unused']);
    const adopting = pane.controller.adopt({
      ...pane.context,
      from: { stdout: 0, stderr: 0 },
      openPermissions: [],
    });
    await expect(adopting).rejects.toBeInstanceOf(FailureError);
  });
});

describe.runIf(existsSync('/usr/bin/less'))('less', () => {
  test('runs on the alternate screen, scrolls, and leaves the first screen as it was', async () => {
    writeFileSync(join(dir, 'text'), Array.from({ length: 300 }, (_, i) => `row ${i + 1}`).join('\n'));
    const pane = await startPane(['/bin/sh', '-c', 'echo before; /usr/bin/less text; echo after; sleep 60']);
    await shows(pane, 'row 23');
    expect(pane.controller.screen.modes.altScreen).toBe(true);
    expect(pane.controller.screen.historyLines).toBe(0);
    pane.controller.key(typed('G'));
    await shows(pane, 'row 300');
    pane.controller.key(typed('q'));
    await shows(pane, /before\nafter/);
    expect(pane.controller.screen.modes.altScreen).toBe(false);
  });
});
