// The persistent and the subprocess controller against small fake CLIs that misbehave on demand. Real processes, pipes and
// groups through the local child host.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FailureError } from '../../src/controllers/controller.js';
import type { TurnId } from '../../src/model/ids.js';
import { Bench, type BenchOptions } from '../helpers/controller-bench.js';

let bench: Bench;
afterEach(() => bench.dispose());

async function persistent(options: Partial<BenchOptions> = {}): Promise<Bench> {
  bench = new Bench({
    kind: 'persistent',
    agent: 'fake-claude.mjs',
    format: 'claude-stream-json',
    ...options,
  });
  await bench.start();
  return bench;
}

const codexArgv = (resumeId: string | undefined) =>
  resumeId === undefined ? ['exec', '--json', '-'] : ['exec', 'resume', resumeId, '--json', '-'];

async function subprocess(options: Partial<BenchOptions> = {}): Promise<Bench> {
  bench = new Bench({
    kind: 'subprocess',
    agent: 'fake-codex.mjs',
    format: 'codex-json',
    argv: codexArgv,
    ...options,
  });
  await bench.start();
  return bench;
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/status`);
}

describe('persistent', () => {
  it('runs several turns in one process and tells what the CLI offers', async () => {
    await persistent();
    expect(await bench.ask('say hello there')).toMatchObject({
      stopReason: 'end_turn',
      result: 'hello there',
    });
    expect(await bench.ask('say again')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual(['hello there', 'again']);
    expect(bench.fakeLog.filter((entry) => entry.argv)).toHaveLength(1);
    expect(bench.all('session.updated')[0]).toMatchObject({ slashCommands: [{ name: 'compact' }] });
    expect(bench.all('session.updated')[0]?.options?.map((o) => o.id)).toEqual(['model', 'permission']);
    expect(bench.all('session.opened')).toHaveLength(1);
    expect(bench.all('usage').map((e) => e.usage.costUsd)).toEqual([0.01, 0.01]);
    expect(bench.signals.map((s) => s.type)).toEqual(['started']);
  });

  it('interrupts a turn and goes on', async () => {
    await persistent();
    const turn = bench.turn('slow 500');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.all('turn.done')[0]).not.toHaveProperty('failure');
    expect(await bench.ask('say on')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('a second cancel ends the turn here; what the CLI says of it later ends nothing', async () => {
    await persistent();
    const turn = bench.turn('deaf');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    await bench.controller.cancel();
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.all('turn.done')).toHaveLength(1);
  });

  it('asks for permission; allow runs it, and the answer is the one the CLI waits for', async () => {
    await persistent();
    const turn = bench.turn('bash ls');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    expect(request).toMatchObject({
      kind: 'permission',
      command: 'ls',
      toolKind: 'execute',
      turnId: turn.id,
    });
    expect(request.options.map((o) => o.kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    expect(request.options[1]?.effect).toBe('allow Bash(ls) in .claude/settings.local.json');
    bench.controller.answer(request.id, { outcome: 'selected', optionId: 'always' });
    bench.controller.answer(request.id, { outcome: 'selected', optionId: 'deny' });
    expect(await bench.ended(turn)).toMatchObject({ result: 'done: allow' });
    expect(bench.all('permission.answered')).toHaveLength(1);
    const reply = bench.fakeLog
      .map((entry) => entry.stdin ?? '')
      .find((line) => line.includes('control_response'))!;
    expect(JSON.parse(reply)).toMatchObject({
      response: {
        response: {
          behavior: 'allow',
          updatedInput: { command: 'ls' },
          updatedPermissions: [{ type: 'addRules' }],
        },
      },
    });
    expect(reply).not.toContain('setMode');
  });

  it('rejects with a reason', async () => {
    await persistent();
    const turn = bench.turn('bash rm');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    bench.controller.answer(request.id, { outcome: 'selected', optionId: 'deny', message: 'not that' });
    await bench.ended(turn);
    expect(bench.all('tool.finished')).toMatchObject([{ status: 'failed', content: [{ text: 'not that' }] }]);
  });

  it('A12: a question is a request of its own, with its choices; the answer reaches the agent', async () => {
    await persistent();
    const turn = bench.turn('question');
    await bench.controller.prompt(turn);
    const { request } = await bench.seen('permission.asked');
    expect(request).toMatchObject({
      kind: 'question',
      title: 'Which colour?',
      questions: [{ choices: [{ label: 'Red' }, { label: 'Blue' }] }],
    });
    bench.controller.answer(request.id, { outcome: 'answers', answers: { 'Which colour?': 'Blue' } });
    await bench.ended(turn);
    expect(bench.texts).toEqual(['Blue']);
  });

  it('an interrupt answers all open requests', async () => {
    await persistent();
    const turn = bench.turn('bash ls');
    await bench.controller.prompt(turn);
    await bench.seen('permission.asked');
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.all('permission.answered')).toMatchObject([
      { answer: { outcome: 'cancelled' }, source: 'cancel' },
    ]);
  });

  it('D25: a change of model in the middle of a turn waits for its end', async () => {
    await persistent();
    const turn = bench.turn('slow 20');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    const changed = bench.controller.configure!({ model: 'small' });
    await bench.ended(turn);
    expect(await changed).toBe(true);
    expect(bench.all('session.updated').at(-1)).toMatchObject({ model: 'resolved-small' });
    const sent = bench.fakeLog.flatMap((entry) =>
      entry.stdin ? [JSON.parse(entry.stdin) as { type: string; request?: { subtype: string } }] : [],
    );
    expect(sent.map((frame) => frame.request?.subtype ?? frame.type)).toEqual([
      'initialize',
      'user',
      'set_model',
    ]);
    expect(await bench.controller.configure!({ effort: 'high' })).toBe(false);
  });

  it('A21: an API error dressed as an answer fails the turn', async () => {
    await persistent();
    expect(await bench.ask('401')).toMatchObject({ stopReason: 'error', failure: { kind: 'auth' } });
    expect(await bench.ask('say fine')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('E01: unknown frames are kept and are never fatal', async () => {
    await persistent();
    expect(await bench.ask('unknown')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('unknown')).toMatchObject([{ frameType: 'brand_new' }]);
  });

  it('E02: a broken frame is told, its text comes from the result', async () => {
    await persistent();
    expect(await bench.ask('broken')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual(['te xt']);
    expect(bench.all('notice')).toMatchObject([{ kind: 'parse' }]);
    expect(bench.controller).toHaveProperty('sideLines', expect.arrayContaining(['a banner between frames']));
  });

  it('E03: characters that arrive byte by byte are the same text', async () => {
    await persistent();
    await bench.ask('bytes 世界🌍 é');
    expect(bench.texts).toEqual(['世界🌍 é']);
  });

  it('E04: a frame of 3 MB passes, with what comes after it', async () => {
    await persistent();
    expect(await bench.ask(`huge ${3 * 1024 * 1024}`)).toMatchObject({ stopReason: 'end_turn' });
    const [finished] = bench.all('tool.finished');
    expect(finished?.content?.[0]).toMatchObject({ type: 'text' });
    expect((finished?.content?.[0] as { text: string }).text).toHaveLength(3 * 1024 * 1024);
    expect(bench.texts).toEqual(['after']);
  });

  it('E04, D18: a frame above the cap is skipped with a notice, and the next line is read', async () => {
    await persistent();
    expect(await bench.ask(`huge ${40 * 1024 * 1024}`)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('notice')).toMatchObject([
      { kind: 'parse', text: expect.stringContaining('size limit') },
    ]);
    expect(bench.texts).toEqual(['after']);
  });

  it('E06: a process that ends without a result keeps the text and fails the turn', async () => {
    await persistent();
    expect(await bench.ask('half')).toMatchObject({ stopReason: 'error', failure: { kind: 'protocol' } });
    await bench.until(() => bench.end !== undefined, 'the end');
    expect(bench.texts).toEqual(['half an answer']);
    expect(bench.end).toMatchObject({ status: 'failed', exitCode: 0 });
  });

  it('E10: stderr that looks like frames is only stderr', async () => {
    await persistent();
    expect(await bench.ask('evil')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('session.opened').map((e) => e.nativeId)).not.toContain('evil');
  });

  it('A22: the cause of a death is told with the last lines of stderr', async () => {
    await persistent();
    const end = await bench.ask('stderr rate limited: resets 7pm');
    expect(end.failure).toMatchObject({
      kind: 'rate-limit',
      stderrTail: ['rate limited: resets 7pm'],
      resetsAt: expect.any(Number),
    });
  });

  it('a kill from outside is told as such', async () => {
    await persistent();
    expect((await bench.ask('kill')).failure).toMatchObject({ kind: 'killed' });
    await bench.until(() => bench.end !== undefined, 'the end');
    expect(bench.end).toMatchObject({ status: 'failed', signal: 'SIGKILL' });
  });

  it('A16: a dead session id fails the start, is told dead, and is not adopted from the echo', async () => {
    bench = new Bench({
      kind: 'persistent',
      agent: 'fake-claude.mjs',
      format: 'claude-stream-json',
      resumeId: 'dead-1',
    });
    const error = await bench.start().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FailureError);
    expect((error as FailureError).failure).toMatchObject({ kind: 'request', deadNativeId: 'dead-1' });
    expect(bench.end).toMatchObject({ status: 'failed', failure: { deadNativeId: 'dead-1' } });
  });

  it('a refused option is a failed start with its words', async () => {
    bench = new Bench({
      kind: 'persistent',
      agent: 'fake-claude.mjs',
      format: 'claude-stream-json',
      args: ['--bad-flag'],
    });
    const error = (await bench.start().catch((e: unknown) => e)) as FailureError;
    expect(error.failure).toMatchObject({ kind: 'request', message: expect.stringContaining('--bad-flag') });
  });

  it('a program that is not there is a failed start', async () => {
    bench = new Bench({ kind: 'persistent', agent: 'no-such-file.mjs', format: 'claude-stream-json' });
    const error = (await bench.start().catch((e: unknown) => e)) as FailureError;
    expect(error).toBeInstanceOf(FailureError);
    expect(error.failure.stderrTail?.join('\n')).toContain('Cannot find module');
  });

  it('a format without a translator is refused', async () => {
    bench = new Bench({ kind: 'persistent', agent: 'fake-claude.mjs', format: 'nonesuch' });
    expect(((await bench.start().catch((e: unknown) => e)) as FailureError).failure.message).toContain(
      'nonesuch',
    );
  });

  it('stop ends an idle process by EOF and a busy one after an interrupt, and takes its children along', async () => {
    await persistent();
    await bench.ask('child');
    const { pid } = bench.fakeLog.find((entry) => entry.pid)!;
    const turn = bench.turn('slow 5000');
    await bench.controller.prompt(turn);
    await bench.until(() => bench.all('text').some((e) => e.delta?.startsWith('tick')), 'ticks');
    await bench.controller.stop();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.end).toMatchObject({ status: 'stopped' });
    expect(isAlive(pid!)).toBe(false);
    expect(bench.signals.map((s) => s.type)).toEqual(['started', 'finished']);
  });

  describe('a new daemon', () => {
    it('goes on in the middle of a turn: nothing lost, nothing doubled', async () => {
      await persistent();
      await bench.ask('say first');
      const turn = bench.turn('slow 60');
      await bench.controller.prompt(turn);
      await bench.until(() => bench.all('text').length > 15, 'some ticks');
      bench.die();
      await bench.printedMore();
      await bench.handOver(turn);
      expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
      const ticks = Array.from({ length: 60 }, (_, i) => `tick ${i + 1} `).join('');
      expect(bench.texts).toEqual(['first', ticks]);
      expect(bench.all('turn.done')).toHaveLength(2);
      expect(await bench.ask('say after')).toMatchObject({ stopReason: 'end_turn' });
      expect(bench.texts.at(-1)).toBe('after');
    });

    it('finds an open request open, and its answer reaches the CLI', async () => {
      await persistent();
      const turn = bench.turn('bash ls');
      await bench.controller.prompt(turn);
      const { request } = await bench.seen('permission.asked');
      await bench.handOver(turn);
      bench.controller.answer(request.id, { outcome: 'selected', optionId: 'allow' });
      expect(await bench.ended(turn)).toMatchObject({ result: 'done: allow' });
      expect(bench.all('permission.asked')).toHaveLength(1);
    });

    it('hears of a request that came while nobody was there', async () => {
      await persistent();
      const turn = bench.turn('bash ls');
      bench.logging = false;
      await bench.controller.prompt(turn);
      await bench.printedMore();
      bench.die();
      await bench.handOver(turn);
      const { request } = await bench.seen('permission.asked');
      bench.controller.answer(request.id, { outcome: 'selected', optionId: 'allow' });
      expect(await bench.ended(turn)).toMatchObject({ result: 'done: allow' });
    });

    it('tells the end of a process that died meanwhile', async () => {
      await persistent();
      const turn = bench.turn('kill');
      bench.logging = false;
      await bench.controller.prompt(turn);
      await bench.until(() => bench.end !== undefined, 'the end');
      bench.end = undefined;
      await bench.handOver(turn);
      expect(await bench.ended(turn)).toMatchObject({ failure: { kind: 'killed' } });
      await bench.until(() => bench.end !== undefined, 'the end told again');
    });
  });
});

describe('subprocess', () => {
  it('E09, E12: a fresh process a turn, the prompt on stdin and stdin closed, resumed by the exact id', async () => {
    await subprocess({ quirks: ['native-id-uuid-only', 'usage-thread-totals'] });
    expect(await bench.ask('hello')).toMatchObject({ stopReason: 'end_turn' });
    expect(await bench.ask('more')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual(['you said: hello', 'you said: more']);
    const id = '01a22e8c-0000-7000-8000-000000000001';
    expect(bench.fakeLog.map((entry) => [entry.argv, entry.prompt])).toEqual([
      [['exec', '--json', '-'], 'hello'],
      [['exec', 'resume', id, '--json', '-'], 'more'],
    ]);
    const usages = bench.all('usage').map((e) => [e.usage.scope, e.usage.inputTokens]);
    expect(usages).toEqual([
      ['turn', 100],
      ['session', 100],
      ['turn', 200],
      ['session', 300],
    ]);
    expect(new Set(bench.all('text').map((e) => e.messageId)).size).toBe(2);
  });

  it.each(['0', '1'])('E14: turn.failed fails the turn at exit %s; the next turn works', async (code) => {
    await subprocess();
    expect(await bench.ask(`fail ${code}`)).toMatchObject({
      stopReason: 'error',
      failure: { kind: 'rate-limit' },
    });
    expect(bench.all('notice')).toMatchObject([{ kind: 'retry', retry: { attempt: 1, max: 5 } }]);
    expect(await bench.ask('ok')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('E05: a result with a process that never ends is the end of the turn; its group is ended', async () => {
    await subprocess();
    expect(await bench.ask('linger')).toMatchObject({ stopReason: 'end_turn' });
    const { pid } = bench.fakeLog[0]!;
    expect(await bench.ask('next')).toMatchObject({ stopReason: 'end_turn' });
    expect(isAlive(pid!)).toBe(false);
  });

  it('C07: the last line is never lost when the process ends at once', async () => {
    await subprocess();
    for (let i = 0; i < 10; i++) {
      expect(await bench.ask('last')).toMatchObject({ stopReason: 'end_turn' });
    }
    expect(bench.texts.map((text) => text.length)).toEqual(Array.from({ length: 10 }, () => 20_000));
  });

  it('E10: frames on stderr are not read', async () => {
    await subprocess();
    expect(await bench.ask('evil')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.all('session.opened').map((e) => e.nativeId)).not.toContain('evil');
  });

  it('retries that only stderr tells are notices', async () => {
    await subprocess();
    await bench.ask('attempt');
    expect(bench.all('notice')).toMatchObject([{ kind: 'retry', retry: { attempt: 1 } }]);
  });

  it('cancel ends the process and the turn; the conversation goes on', async () => {
    await subprocess();
    const turn = bench.turn('hang');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    await bench.ask('more');
    expect(bench.fakeLog[1]?.argv).toContain('resume');
  });

  it('a second cancel does not wait for a process that does not end', async () => {
    await subprocess();
    const turn = bench.turn('stubborn');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    await bench.controller.cancel();
    await bench.controller.cancel();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(await bench.ask('ok')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('A16: a dead id is told once and never tried again; the next prompt begins anew and says so', async () => {
    const dead = '00000000-0000-4000-8000-000000000000';
    await subprocess({ resumeId: dead });
    const end = await bench.ask('hello');
    expect(end.failure).toMatchObject({ kind: 'request', deadNativeId: dead });
    expect(await bench.ask('again')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.fakeLog.map((entry) => entry.argv?.includes('resume'))).toEqual([true, false]);
    expect(bench.all('notice')).toMatchObject([{ kind: 'context-reset' }]);
  });

  it('A15: an id that the CLI would take for a new conversation is not tried', async () => {
    await subprocess({ resumeId: 'latest', quirks: ['native-id-uuid-only'] });
    expect((await bench.ask('hello')).failure).toMatchObject({ kind: 'request', deadNativeId: 'latest' });
    expect(existsSync(bench.logFile)).toBe(false);
  });

  it('D08: a CLI that begins a new conversation instead of resuming is caught', async () => {
    await subprocess({ resumeId: '01a22e8c-0000-7000-8000-0000000000aa' });
    await bench.ask('other');
    expect(bench.all('notice')).toMatchObject([{ kind: 'context-reset' }]);
  });

  it('a change of model is in the argv of the next turn', async () => {
    await subprocess();
    expect(await bench.controller.configure!({ model: 'x' })).toBe(true);
  });

  it('stop in the middle of a turn ends the group and the run', async () => {
    await subprocess({ quirks: ['ignores-sigterm'] });
    const turn = bench.turn('stubborn');
    await bench.controller.prompt(turn);
    await bench.seen('text');
    const { pid } = bench.fakeLog[0]!;
    await bench.controller.stop();
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'cancelled' });
    expect(bench.end).toMatchObject({ status: 'stopped' });
    expect(isAlive(pid!)).toBe(false);
  });

  it('a new daemon goes on in the middle of a later turn', async () => {
    await subprocess();
    await bench.ask('one');
    const flag = join(bench.folder, 'go');
    const turn = bench.turn(`wait ${flag}`);
    await bench.controller.prompt(turn);
    await bench.seen('text', (e) => e.final === 'first');
    bench.die();
    writeFileSync(flag, '');
    await bench.until(() => !isAlive(bench.fakeLog[1]!.pid!), 'the end of the process');
    await bench.handOver(turn);
    expect(await bench.ended(turn)).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.texts).toEqual(['you said: one', 'first', 'second']);
    expect(await bench.ask('three')).toMatchObject({ stopReason: 'end_turn' });
    expect(bench.fakeLog[2]?.argv).toContain('resume');
  });

  it('turns of one run have rising marks', async () => {
    await subprocess();
    await bench.ask('one');
    const first = bench.loggedOffset;
    await bench.ask('two');
    expect(bench.loggedOffset).toBeGreaterThan(first);
    expect(bench.all('turn.done').map((e) => e.turnId as TurnId)).toHaveLength(2);
  });
});
