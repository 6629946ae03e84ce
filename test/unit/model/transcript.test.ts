import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentEventBody } from '../../../src/model/event.js';
import type { PermissionId, RunId, SessionId, TurnId } from '../../../src/model/ids.js';
import { foldTranscript, Transcript, type TranscriptItem } from '../../../src/model/transcript.js';
import { RECORDED, recordingsOf, textsOf, translateRecording } from '../../helpers/recordings.js';

let clock = 0;
function stamp(body: AgentEventBody, turn: string | undefined = 't1', run = 'r1'): AgentEvent {
  clock += 10;
  return {
    ...body,
    sessionId: 's' as SessionId,
    runId: run as RunId,
    at: clock,
    ...(turn ? { turnId: turn as TurnId } : {}),
  };
}

function fold(bodies: AgentEventBody[]): readonly TranscriptItem[] {
  return foldTranscript(bodies.map((b) => stamp(b))).items;
}

const started = (toolCallId: string, more = {}): AgentEventBody => ({
  type: 'tool.started',
  call: { toolCallId, name: 'Bash', kind: 'execute', title: 'ls', status: 'running', ...more },
});
const finished = (
  toolCallId: string,
  status: 'completed' | 'failed' = 'completed',
  more = {},
): AgentEventBody => ({ type: 'tool.finished', toolCallId, status, ...more });
const text = (
  messageId: string,
  part: { delta?: string; final?: string },
  parentId?: string,
): AgentEventBody => ({ type: 'text', messageId, ...part, ...(parentId ? { parentId } : {}) });

describe('Transcript', () => {
  it('folds a turn: prompt, thought, text, tool, end with its usage', () => {
    const items = fold([
      { type: 'turn.started', prompt: 'hi' },
      { type: 'thought', messageId: 'a', delta: 'hm' },
      text('b', { delta: 'Hel' }),
      text('b', { delta: 'lo' }),
      text('b', { final: 'Hello' }),
      started('x'),
      finished('x', 'completed', { content: [{ type: 'text', text: 'out' }], exitCode: 0 }),
      { type: 'usage', usage: { scope: 'turn', inputTokens: 5, outputTokens: 2 } },
      { type: 'turn.done', stopReason: 'end_turn' },
    ]);
    expect(items.map((i) => i.kind)).toEqual(['prompt', 'thought', 'text', 'tool', 'turn-end']);
    expect(items[2]).toMatchObject({ text: 'Hello', open: false, version: 3 });
    expect(items[1]).toMatchObject({ open: false });
    expect(items[3]).toMatchObject({
      call: { status: 'completed', exitCode: 0, content: [{ text: 'out' }] },
    });
    expect(items[4]).toMatchObject({ stopReason: 'end_turn', usage: { inputTokens: 5 }, durationMs: 80 });
  });

  it('a final replaces the deltas and is not added to them; saying it again changes nothing', () => {
    const transcript = foldTranscript([
      stamp(text('b', { delta: 'Hello' })),
      stamp(text('b', { final: 'Hello' })),
    ]);
    const before = transcript.version;
    expect(transcript.apply(stamp(text('b', { final: 'Hello' })))).toBe(false);
    expect(transcript.version).toBe(before);
    expect(transcript.items).toMatchObject([{ text: 'Hello' }]);
  });

  it('a dropped message is gone, and its id may be used again', () => {
    const items = fold([
      text('a', { delta: 'void' }),
      { type: 'text.dropped', messageId: 'a' },
      text('b', { delta: 'x' }),
      text('a', { delta: 'new' }),
    ]);
    expect(items).toMatchObject([{ text: 'x' }, { text: 'new' }]);
  });

  it("a tool's status never goes back, and it ends once", () => {
    const items = fold([
      started('x'),
      { type: 'tool.updated', toolCallId: 'x', patch: { status: 'pending', title: 'ls -la' } },
      finished('x', 'failed', { exitCode: 2 }),
      { type: 'tool.updated', toolCallId: 'x', patch: { status: 'running', title: 'late' } },
      finished('x', 'completed'),
    ]);
    expect(items).toMatchObject([{ call: { status: 'failed', exitCode: 2, title: 'ls -la' } }]);
  });

  it('pieces of output are appended; the diff of the input stays when the result has none', () => {
    const diff = { type: 'diff' as const, path: 'f', oldText: 'a', newText: 'b' };
    const items = fold([
      started('x', { content: [diff] }),
      { type: 'tool.updated', toolCallId: 'x', patch: {}, outputDelta: 'one ' },
      { type: 'tool.updated', toolCallId: 'x', patch: {}, outputDelta: 'two' },
      finished('x', 'completed', { content: [{ type: 'text', text: 'done' }] }),
    ]);
    expect(items).toMatchObject([
      { output: 'one two', call: { content: [diff, { type: 'text', text: 'done' }] } },
    ]);
  });

  it('a tool id that a later turn uses again is another call', () => {
    const transcript = new Transcript();
    transcript.applyAll([stamp(started('x'), 't1'), stamp(finished('x'), 't1'), stamp(started('x'), 't2')]);
    expect(transcript.items).toMatchObject([
      { call: { status: 'completed' } },
      { call: { status: 'running' } },
    ]);
    expect(new Set(transcript.items.map((i) => i.id)).size).toBe(2);
  });

  it('groups tool calls that follow each other', () => {
    const items = fold([started('a'), started('b'), text('m', { final: 'x' }), started('c')]);
    const groups = items.flatMap((i) => (i.kind === 'tool' ? [i.groupId] : []));
    expect(groups).toEqual(['tool:a', 'tool:a', 'tool:c']);
  });

  it('nests what belongs to a sub-agent', () => {
    const items = fold([
      started('task'),
      text('m', { final: 'in' }, 'task'),
      started('inner', { parentId: 'task' }),
      text('n', { final: 'deep' }, 'inner'),
    ]);
    expect(items.map((i) => i.depth)).toEqual([0, 1, 1, 2]);
  });

  it('shows one plan a turn, and permissions with their answer', () => {
    const id = 'q-1' as PermissionId;
    const request = { id, kind: 'permission', title: 'Bash', options: [], raw: null, askedAt: 0 } as never;
    const items = fold([
      { type: 'plan', entries: [{ text: 'a', status: 'pending' }] },
      { type: 'permission.asked', request },
      { type: 'permission.answered', permissionId: id, answer: { outcome: 'cancelled' }, source: 'cancel' },
      {
        type: 'permission.answered',
        permissionId: id,
        answer: { outcome: 'selected', optionId: 'x' },
        source: 'user',
      },
      { type: 'plan', entries: [{ text: 'a', status: 'completed' }] },
    ]);
    expect(items).toMatchObject([
      { kind: 'plan', entries: [{ status: 'completed' }] },
      { kind: 'permission', answer: { outcome: 'cancelled' }, source: 'cancel' },
    ]);
  });

  it('counts retries and unknown frames in a row in one line', () => {
    const retry = (attempt: number): AgentEventBody => ({
      type: 'notice',
      kind: 'retry',
      level: 'warning',
      text: `Retry ${attempt}`,
      retry: { attempt },
    });
    const unknown: AgentEventBody = { type: 'unknown', frameType: 'new', raw: {} };
    const items = fold([retry(1), retry(2), unknown, unknown, unknown]);
    expect(items).toMatchObject([
      { kind: 'notice', text: 'Retry 2' },
      { kind: 'unknown', count: 3 },
    ]);
  });

  it('does not repeat a prompt that the CLI echoes', () => {
    const items = fold([
      { type: 'turn.started', prompt: 'hi' },
      { type: 'user.text', messageId: 'u', text: 'hi', origin: 'replay' },
      { type: 'user.text', messageId: 'v', text: '[Request interrupted by user]', origin: 'injected' },
    ]);
    expect(items).toMatchObject([{ text: 'hi' }, { text: '[Request interrupted by user]' }]);
  });

  it('sums turns; a report of the session replaces the sum', () => {
    const usage = (scope: 'turn' | 'session', inputTokens: number, costUsd?: number): AgentEvent =>
      stamp({ type: 'usage', usage: { scope, inputTokens, ...(costUsd ? { costUsd } : {}) } });
    const transcript = foldTranscript([usage('turn', 5, 0.1), usage('turn', 7, 0.2)]);
    expect(transcript.totalUsage).toMatchObject({ scope: 'session', inputTokens: 12 });
    expect(transcript.totalUsage?.costUsd).toBeCloseTo(0.3);
    transcript.apply(usage('session', 100));
    expect(transcript.totalUsage).toMatchObject({ inputTokens: 100 });
  });

  it('keeps items that did not change as they are, so that painted rows stay valid', () => {
    const transcript = foldTranscript([stamp(text('a', { final: 'A' })), stamp(text('b', { delta: 'B' }))]);
    const [first, second] = transcript.items;
    transcript.apply(stamp(text('b', { delta: '!' })));
    expect(transcript.items[0]).toBe(first);
    expect(transcript.items[1]).not.toBe(second);
    expect(transcript.items[1]?.version).toBe(2);
  });

  it('folds 10,000 items in well under a second', () => {
    const events: AgentEvent[] = [];
    for (let i = 0; i < 2500; i++) {
      const turn = `t${i}`;
      events.push(
        stamp({ type: 'turn.started', prompt: `p${i}` }, turn),
        stamp(text(`m${i}`, { delta: 'a' }), turn),
        stamp(text(`m${i}`, { delta: 'b' }), turn),
      );
      events.push(
        stamp(started(`x${i}`), turn),
        stamp(finished(`x${i}`), turn),
        stamp({ type: 'turn.done', stopReason: 'end_turn' }, turn),
      );
    }
    const before = performance.now();
    const transcript = foldTranscript(events);
    expect(transcript.items).toHaveLength(10_000);
    expect(performance.now() - before).toBeLessThan(1000);
    expect(transcript.indexOf(transcript.items[9999]!.id)).toBe(9999);
  });

  it('is the same from the live stream and from the log, for every recording', () => {
    for (const folder of Object.keys(RECORDED) as (keyof typeof RECORDED)[]) {
      for (const recording of recordingsOf(folder)) {
        const bodies = translateRecording(recording);
        const events = bodies.map((b) => stamp(b));
        const live = new Transcript();
        let last = 0;
        for (const event of events) {
          live.apply(event);
          expect(live.version).toBeGreaterThanOrEqual(last);
          last = live.version;
        }
        expect(foldTranscript(events).items).toEqual(live.items);
        const shown = live.items.flatMap((i) => (i.kind === 'text' ? [i.text] : []));
        expect(shown).toEqual(textsOf(bodies));
        expect(new Set(live.items.map((i) => i.id)).size).toBe(live.items.length);
      }
    }
  });
});
