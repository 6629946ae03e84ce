// The ACP controller against our own demo agent, which misbehaves on demand. Real processes and pipes through the local child host.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { FailureError } from '../../src/controllers/controller.js';
import type { Provider } from '../../src/model/provider.js';
import type { PermissionOptionKind, PermissionRequest } from '../../src/model/permission.js';
import { builtEntry } from '../helpers/build.js';
import { Bench, type BenchOptions } from '../helpers/controller-bench.js';

let agent: string;
let benches: Bench[] = [];
beforeAll(async () => {
  agent = await builtEntry('demo-agent');
}, 60_000);
afterEach(async () => {
  for (const bench of benches.reverse()) await bench.dispose();
  benches = [];
});

function made(faults: string[] = [], options: Partial<BenchOptions> = {}): Bench {
  const argv = () => faults.flatMap((name) => ['--fault', name]);
  const bench = new Bench({ kind: 'acp', agent, format: 'acp', argv, ...options });
  benches.push(bench);
  return bench;
}

async function started(faults: string[] = [], options: Partial<BenchOptions> = {}): Promise<Bench> {
  const bench = made(faults, options);
  await bench.start();
  return bench;
}

/** A bench with the agent of the first one's memory. */
const after = (bench: Bench, resumeId: string, faults: string[] = []) =>
  made(faults, { env: { HOME: bench.folder }, resumeId });

const nativeId = (bench: Bench) => bench.all('session.opened')[0]!.nativeId!;

function choose(bench: Bench, request: PermissionRequest, kind: PermissionOptionKind): void {
  const option = request.options.find((candidate) => candidate.kind === kind)!;
  bench.controller.answer(request.id, { outcome: 'selected', optionId: option.optionId });
}

async function refused(bench: Bench) {
  const error = await bench.start().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FailureError);
  return (error as FailureError).failure;
}

const toolEnd = (bench: Bench) => bench.all('tool.finished').map(({ status }) => status);

describe('turns', () => {
  it('says, thinks and plans in one process, with options and commands', async () => {
    const bench = await started();
    expect(await bench.ask('say hello there')).toMatchObject({ stopReason: 'end_turn' });
    expect(await bench.ask('think')).toMatchObject({ stopReason: 'end_turn' });
    expect(await bench.ask('plan')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts[0]).toBe('hello there');
    expect(bench.all('thought').map((event) => event.delta)).toContain('think ');
    expect(
      bench
        .all('plan')
        .at(-1)
        ?.entries.map((entry) => entry.status),
    ).toEqual(Array(3).fill('completed'));
    const updates = bench.all('session.updated');
    expect(updates.find((event) => event.options)?.options).toMatchObject([{ id: 'mode', value: 'ask' }]);
    await bench.until(() => bench.all('session.updated').some((event) => event.slashCommands));
    expect(bench.all('usage')).toHaveLength(3);
    expect(bench.signals.map((signal) => signal.type)).toEqual(['started']);
  });

  it('tells a failure with its words', async () => {
    const bench = await started();
    expect(await bench.ask('fail no more credit')).toMatchObject({
      stopReason: 'error',
      failure: { message: expect.stringContaining('no more credit') as string },
    });
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('a turn that ends with nothing at all is suspicious', async () => {
    const bench = await started();
    expect(await bench.ask('fault silent')).toMatchObject({ stopReason: 'end_turn', suspicious: true });
  });

  it('sets the mode while it runs; the agent then asks nothing', async () => {
    const bench = await started();
    expect(await bench.controller.configure!({ mode: 'auto' })).toBe(true);
    await bench.ask('run echo no question');
    expect(bench.all('permission.asked')).toEqual([]);
    expect(await bench.controller.configure!({ mode: 'nonsense' })).toBe(false);
    expect(bench.all('notice').at(-1)).toMatchObject({ kind: 'mode', level: 'warning' });
  });
});

describe('permissions', () => {
  const permission: Provider['permission'] = {
    values: ['ask', 'auto'],
    default: 'auto',
    args: [],
    strip: [],
    protocol: 'mode',
  };

  it("the catalogue's mode is in force before a first prompt is sent, also one that came early", async () => {
    const bench = made([], { entry: { permission } });
    const start = bench.start();
    await bench.until(() => bench.signals.length > 0);
    const turn = bench.turn('run echo in auto');
    await bench.controller.prompt(turn);
    await start;
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('permission.asked')).toEqual([]);
  });

  it('what the person chose comes before it; a mode that the agent does not have is told', async () => {
    const asking = await started([], { entry: { permission }, choices: { permission: 'ask' } });
    await asking.controller.prompt(asking.turn('run echo asked'));
    await asking.seen('permission.asked');
    const strange = await started([], { entry: { permission }, choices: { permission: 'yolo' } });
    expect(strange.all('notice')).toMatchObject([{ kind: 'mode', level: 'warning' }]);
  });

  it('D12: a question stays open as long as nobody answers', async () => {
    const clock = new ManualClock(1_000_000);
    const bench = await started([], { clock });
    const turn = bench.turn('run echo patient');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    clock.advance(24 * 60 * 60_000);
    expect(bench.all('permission.answered')).toEqual([]);
    choose(bench, request, 'allow_once');
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
  });

  it('a command that is allowed once runs', async () => {
    const bench = await started();
    const turn = bench.turn('run echo it-ran > ran.txt; cat ran.txt');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    expect(request).toMatchObject({ kind: 'permission', toolKind: 'execute', turnId: turn.id });
    expect(request.command).toContain('echo it-ran');
    expect(existsSync(join(bench.folder, 'ran.txt'))).toBe(false);
    choose(bench, request, 'allow_once');
    choose(bench, request, 'reject_once');
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('permission.answered')).toHaveLength(1);
    expect(toolEnd(bench)).toEqual(['completed']);
    expect(JSON.stringify(bench.all('tool.finished')[0]?.content)).toContain('it-ran');
  });

  it('a command that is rejected does not run', async () => {
    const bench = await started();
    const turn = bench.turn('run touch ran.txt');
    await bench.controller.prompt(turn);
    choose(bench, (await bench.seen('permission.asked')).request, 'reject_once');
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(toolEnd(bench)).toEqual(['failed']);
    expect(existsSync(join(bench.folder, 'ran.txt'))).toBe(false);
  });

  it('an edit shows its diff before it is allowed', async () => {
    const bench = await started();
    writeFileSync(join(bench.folder, 'demo.txt'), 'before\n');
    const turn = bench.turn('edit after');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    expect(request.diffs).toMatchObject([{ oldText: 'before\n', newText: 'before\nafter\n' }]);
    choose(bench, request, 'allow_always');
    await bench.ended(turn);
    expect(readFileSync(join(bench.folder, 'demo.txt'), 'utf8')).toBe('before\nafter\n');
    await bench.ask('edit again');
    expect(bench.all('permission.asked')).toHaveLength(1);
  });
});

describe('cancel', () => {
  it('in the stream: the turn is cancelled and the next one runs', async () => {
    const bench = await started();
    const turn = bench.turn('slow 60');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('D11: an open request is answered cancelled, and the next prompt is accepted', async () => {
    const bench = await started();
    const turn = bench.turn('run echo x');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.all('permission.answered')).toMatchObject([
      { permissionId: request.id, answer: { outcome: 'cancelled' }, source: 'cancel' },
    ]);
    expect(toolEnd(bench)).toEqual(['cancelled']);
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('a turn that is never answered is released by the user, on the second cancel', async () => {
    const bench = await started();
    const turn = bench.turn('fault never');
    await bench.controller.prompt(turn);
    await bench.until(() => bench.texts.join('').includes('no answer'));
    await bench.controller.cancel();
    expect(bench.all('turn.done')).toEqual([]);
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('turn.done')).toHaveLength(2);
  });
});

describe('sessions', () => {
  it('D04: a new process remembers, and what the agent replays is not said twice', async () => {
    const first = await started();
    await first.ask('remember the blue door');
    await first.controller.stop();
    expect(first.end).toMatchObject({ status: 'stopped' });
    const second = after(first, nativeId(first), ['replay-on-resume']);
    await second.start();
    expect(second.all('text')).toEqual([]);
    expect(second.all('user.text')).toEqual([]);
    expect(await second.ask('recall')).toMatchObject({ stopReason: 'end_turn' });
    expect(second.texts.join('')).toBe('You told me:\n- the blue door');
    expect(second.all('notice')).toEqual([]);
  });

  it('D07 D08: a session that the agent does not know is told as dead, and no process stays', async () => {
    const first = await started();
    const id = nativeId(first);
    const second = after(first, id, ['refuse-load']);
    expect(await refused(second)).toMatchObject({ kind: 'request', deadNativeId: id });
    expect(second.end).toMatchObject({ status: 'failed', failure: { deadNativeId: id } });
    expect((await second.host.list()).filter((child) => child.exit === undefined)).toEqual([]);
  });

  it('an agent that wants a login says how', async () => {
    const failure = await refused(made(['needs-login']));
    expect(failure).toMatchObject({
      kind: 'auth',
      hint: expect.stringContaining('https://example.invalid/login') as string,
    });
  });

  it('D19: a slow start is told, has no limit, holds the prompt, and can be given up', async () => {
    const clock = new ManualClock(1_000_000);
    const bench = made(['no-initialize'], { clock });
    const start = refused(bench);
    await bench.until(() => bench.signals.some((signal) => signal.type === 'started'));
    const turn = bench.turn('say x');
    await bench.controller.prompt(turn);
    clock.advance(14_000);
    expect(bench.all('notice')).toEqual([]);
    clock.advance(40 * 60_000);
    expect(bench.all('notice')[0]?.text).toContain('still starting');
    expect(bench.end).toBeUndefined();
    await bench.controller.stop();
    await start;
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.end).toMatchObject({ status: 'stopped' });
  });

  it('a prompt that comes while the session opens is sent when it is open', async () => {
    const bench = made(['slow-initialize']);
    const start = bench.start();
    await bench.until(() => bench.signals.length > 0);
    const turn = bench.turn('say patience');
    await bench.controller.prompt(turn);
    await start;
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual(['patience']);
  });
});

describe('faults', () => {
  it('D01 D02: lines that are no messages are kept aside and cost nothing', async () => {
    const bench = await started(['junk-lines']);
    expect(await bench.ask('fault junk')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts.join('')).toContain('junk lines were printed');
    expect(bench.all('unknown')).toEqual([]);
  });

  it('an update of 5 MB arrives whole', async () => {
    const bench = await started();
    expect(await bench.ask('fault big')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts[0]?.length).toBe(5 * 1024 * 1024);
  });

  it('a call that is announced twice is one call', async () => {
    const bench = await started();
    await bench.ask('fault duplicate');
    expect(bench.all('tool.started')).toHaveLength(1);
    expect(toolEnd(bench)).toEqual(['completed']);
  });

  it('an unknown kind of update is kept', async () => {
    const bench = await started();
    expect(await bench.ask('fault unknown-update')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('unknown')).toMatchObject([{ frameType: 'brand_new_update' }]);
  });

  it('an exit in the middle of a turn ends the turn and the run with the cause', async () => {
    const bench = await started();
    const done = await bench.ask('fault exit');
    expect(done).toMatchObject({ stopReason: 'error', failure: { kind: 'crash' } });
    await bench.until(() => bench.end !== undefined);
    expect(bench.end).toMatchObject({ status: 'failed', exitCode: 7 });
    expect(bench.end?.failure?.stderrTail).toContain('demo-agent: fault exit');
    expect(bench.all('turn.done')).toHaveLength(1);
  });

  it('text after the answer is shown and opens no turn', async () => {
    const bench = await started();
    await bench.ask('fault late');
    await bench.seen('text');
    expect(bench.texts).toEqual(['late text']);
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('D14: an agent that ignores EOF and SIGTERM ends, and so does the child it left', async () => {
    const bench = await started(['ignore-eof', 'outliving-child'], { quirks: ['ignores-sigterm'] });
    const [child] = await bench.host.list();
    const group = () => groupMembers(child!.pid);
    expect(group().length).toBeGreaterThan(1);
    await bench.controller.stop();
    expect(bench.end).toMatchObject({ status: 'stopped', signal: 'SIGKILL' });
    await bench.until(() => group().length === 0, 'the end of the group');
  }, 20_000);
});

describe('a new daemon', () => {
  it('goes on in the middle of a turn: nothing lost, nothing doubled, one end', async () => {
    const bench = await started();
    const turn = bench.turn('slow 2');
    await bench.controller.prompt(turn);
    for (const tick of [2, 5]) {
      await bench.until(() => bench.texts.join('').includes(`tick ${tick}`));
      bench.die();
      await bench.printedMore();
      await bench.handOver(turn);
    }
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual([Array.from({ length: 10 }, (_, i) => `tick ${i} `).join('')]);
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('turn.done')).toHaveLength(2);
  });

  it('finds the open request, and its answer reaches the agent', async () => {
    const bench = await started();
    const turn = bench.turn('run echo adopted');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    bench.die();
    await bench.handOver(turn);
    choose(bench, request, 'allow_once');
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('permission.asked')).toHaveLength(1);
    expect(bench.all('permission.answered')).toHaveLength(1);
    expect(toolEnd(bench)).toEqual(['completed']);
    expect(bench.all('tool.started')).toHaveLength(1);
  });

  it('a request that was asked while no daemon was there is asked then', async () => {
    const bench = await started();
    const turn = bench.turn('run echo late');
    await bench.controller.prompt(turn);
    bench.die();
    await bench.printedMore();
    await bench.handOver(turn);
    choose(bench, (await bench.seen('permission.asked')).request, 'allow_once');
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
  });

  it('an agent that was still starting cannot be taken over', async () => {
    const bench = made(['no-initialize']);
    void bench.start().catch(() => undefined);
    await bench.until(() => bench.signals.length > 0);
    const { pid } = (await bench.host.list())[0]!;
    bench.die();
    await expect(bench.handOver(undefined)).rejects.toThrow(/still starting/);
    await bench.until(() => groupMembers(pid).length === 0, 'the end of the agent');
  });
});

/** Living processes of a process group. */
function groupMembers(group: number): string[] {
  return readdirSync('/proc').filter((pid) => {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : '';
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && Number(pgrp) === group;
  });
}

/** '' for a process that has gone meanwhile. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
