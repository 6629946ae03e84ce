import { describe, expect, it } from 'vitest';
import type { AgentEventBody } from '../../../src/model/event.js';
import { createTranslator } from '../../../src/translators/index.js';
import type { EndContext, Frame, Translator } from '../../../src/translators/translator.js';
import { decodeAll, readRecording, textsOf, translateRecording } from '../../helpers/recordings.js';

const NOW = Date.parse('2026-12-01T12:00:00Z');

function open(format: string, options = {}): Translator {
  const translator = createTranslator(format, { idPrefix: 'p:', now: () => NOW, ...options });
  translator.turnStarted();
  return translator;
}

function run(
  format: string,
  frames: Frame[],
  end: Partial<EndContext> = { exitCode: 0 },
  options = {},
): AgentEventBody[] {
  const t = open(format, options);
  return [
    ...frames.flatMap((frame) => t.translate(frame)),
    ...t.end({ stopped: false, stderrTail: [], ...end }),
  ];
}

function endsOf(events: AgentEventBody[]) {
  return events.filter((e) => e.type === 'turn.done');
}

const assistant = (id: string, block: Frame, more: Frame = {}): Frame => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'm', content: [block] },
  parent_tool_use_id: null,
  ...more,
});
const stream = (event: Frame, parent: string | null = null): Frame => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: parent,
});
const result = (more: Frame = {}): Frame => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'ok',
  ...more,
});

describe('the table of translators', () => {
  it('refuses an unknown format and names the known ones', () => {
    expect(() => createTranslator('nonesuch', { idPrefix: '' })).toThrow(
      /no translator for the format "nonesuch"/,
    );
    expect(() => createTranslator(undefined, { idPrefix: '' })).toThrow(/\(none\)/);
    expect(() => createTranslator('toString', { idPrefix: '' })).toThrow();
  });
});

describe('faults', () => {
  it('A21: a 401 dressed as an answer fails the turn, whatever the result says', () => {
    const events = run('claude-stream-json', [
      assistant(
        'e',
        { type: 'text', text: 'Invalid API key · Please run /login' },
        { error: 'authentication_failed', is_api_error_message: true },
      ),
      result({ result: 'Invalid API key · Please run /login' }),
    ]);
    expect(endsOf(events)).toMatchObject([{ stopReason: 'error', failure: { kind: 'auth' } }]);
    expect(endsOf(events)[0]?.failure?.hint).toMatch(/login/);
    expect(textsOf(events)).toEqual([]);
  });

  it('A21: an API error that the CLI got over does not fail the turn', () => {
    const events = run('claude-stream-json', [
      assistant(
        'e',
        { type: 'text', text: 'Overloaded' },
        { error: 'overloaded', is_api_error_message: true },
      ),
      assistant('a', { type: 'text', text: 'ok' }),
      result(),
    ]);
    expect(endsOf(events)).toMatchObject([{ stopReason: 'end_turn' }]);
  });

  it('A22: the cause in stderr is told, with its lines', () => {
    const events = run('claude-stream-json', [], {
      exitCode: 1,
      stderrTail: ['starting', 'rate limited: too many requests, resets 7pm'],
    });
    const [end] = endsOf(events);
    expect(end?.failure).toMatchObject({
      kind: 'rate-limit',
      message: 'rate limited: too many requests, resets 7pm',
    });
    expect(end?.failure?.stderrTail).toHaveLength(2);
    expect(new Date(end?.failure?.resetsAt ?? 0).getHours()).toBe(19);
  });

  it('E01: unknown frames are kept and nothing else changes; an allowed limit is no event', () => {
    const frames = [
      { type: 'brand_new', x: 1 },
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 1 } },
      assistant('a', { type: 'text', text: 'hi' }),
      result({ result: 'hi' }),
    ];
    const events = run('claude-stream-json', frames);
    expect(events.map((e) => e.type)).toEqual(['unknown', 'text', 'turn.done']);
    expect(events[0]).toEqual({ type: 'unknown', frameType: 'brand_new', raw: { type: 'brand_new', x: 1 } });
  });

  it.each([
    'claude-stream-json',
    'qwen-stream-json',
    'codex-json',
    'gemini-json',
    'kimi-stream-json',
    'agy-stream-json',
  ])('E01: %s takes frames of any shape', (format) => {
    const odd: Frame[] = [
      {},
      { type: null },
      { type: 7 },
      { type: 'assistant' },
      { type: 'assistant', message: 'x' },
      { type: 'user', message: { content: [null, 3, { type: 'tool_result' }] } },
    ];
    odd.push(
      { type: 'stream_event' },
      { type: 'stream_event', event: { type: 'content_block_delta' } },
      { type: 'item.completed' },
      { type: 'tool_use' },
      { type: 'tool_result' },
    );
    odd.push(
      { type: 'system', subtype: 'new' },
      { type: 'message', role: 'assistant' },
      { role: 'assistant', tool_calls: [null, {}] },
      { role: 'tool' },
      { event: 'step_update', step_update: { step_type: 'new' } },
    );
    odd.push(
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected' } },
      { type: 'error' },
      { type: 'turn.failed' },
      { type: 'result' },
      { event: 'result', result: {} },
    );
    const events = run(format, odd);
    expect(endsOf(events)).toHaveLength(1);
    expect(events.some((e) => e.type === 'unknown')).toBe(true);
  });

  it('E02: text of a frame that was broken on the wire comes from the result', () => {
    const bad = decodeAll(
      Buffer.from(
        '{"type":"assistant","message":{"content":[{"type":"text","text":"te{"type":"rate_limit_event"}\n xt"}]}}\n',
      ),
    );
    expect(bad.map((item) => item.type)).toEqual(['bad', 'side']);
    const events = run('claude-stream-json', [result({ result: 'te xt' })]);
    expect(textsOf(events)).toEqual(['te xt']);
    expect(endsOf(events)).toMatchObject([{ stopReason: 'end_turn' }]);
    expect(endsOf(events)[0]?.suspicious).toBeUndefined();
  });

  it('E06: a process that ends without a result keeps its text and is no success', () => {
    const events = run('claude-stream-json', [assistant('a', { type: 'text', text: 'half' })], {
      exitCode: 0,
    });
    expect(textsOf(events)).toEqual(['half']);
    expect(endsOf(events)).toMatchObject([
      { stopReason: 'error', failure: { message: 'The process ended without result.' } },
    ]);
  });

  it('E06: stopped by us is cancelled, not failed', () => {
    const events = run(
      'codex-json',
      [
        {
          type: 'item.started',
          item: { id: 'item_0', type: 'command_execution', command: 'x', status: 'in_progress' },
        },
      ],
      { signal: 'SIGTERM', stopped: true },
    );
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool.finished', status: 'cancelled' },
      { type: 'turn.done', stopReason: 'cancelled' },
    ]);
  });

  it.each([0, 1])('E14: turn.failed on stdout fails the turn, exit %i', (exitCode) => {
    const events = run(
      'codex-json',
      [
        {
          type: 'turn.failed',
          error: { message: 'You have hit your usage limit. Try again in 2 hours 5 minutes.' },
        },
      ],
      { exitCode },
    );
    expect(endsOf(events)).toMatchObject([
      { stopReason: 'error', failure: { kind: 'usage-limit', resetsAt: expect.any(Number) } },
    ]);
  });

  it('E16: a Gemini result with status error fails the turn', () => {
    const events = run('gemini-json', [
      { type: 'result', status: 'error', error: { type: 'x', message: '[API Error: quota exceeded]' } },
    ]);
    expect(endsOf(events)).toMatchObject([{ stopReason: 'error', failure: { kind: 'usage-limit' } }]);
  });

  it('E21: what the model says about errors is not an error', () => {
    const text = '429 quota exhausted, usage limit reached, not logged in, ECONNRESET';
    for (const [format, frames] of [
      ['claude-stream-json', [assistant('a', { type: 'text', text }), result({ result: text })]],
      [
        'codex-json',
        [
          { type: 'item.completed', item: { id: 'i', type: 'agent_message', text } },
          { type: 'turn.completed', usage: {} },
        ],
      ],
      [
        'gemini-json',
        [
          { type: 'message', role: 'assistant', content: text, delta: true },
          { type: 'result', status: 'success' },
        ],
      ],
    ] as [string, Frame[]][]) {
      expect(endsOf(run(format, frames))).toMatchObject([{ stopReason: 'end_turn' }]);
    }
  });

  it('E21: nor when the process then dies', () => {
    const events = run(
      'claude-stream-json',
      [assistant('a', { type: 'text', text: '429 quota exhausted' })],
      { exitCode: 3 },
    );
    expect(endsOf(events)).toMatchObject([{ failure: { kind: 'crash' } }]);
  });
});

describe('Claude', () => {
  it('nests the frames of sub-agents under their tool call', () => {
    const events = run('claude-stream-json', [
      assistant('a', { type: 'tool_use', id: 't1', name: 'Task', input: { description: 'look' } }),
      { ...assistant('b', { type: 'text', text: 'inner' }), parent_tool_use_id: 't1' },
      {
        ...assistant('c', { type: 'tool_use', id: 't2', name: 'Read', input: { file_path: 'x' } }),
        parent_tool_use_id: 't1',
      },
      {
        type: 'user',
        parent_tool_use_id: 't1',
        message: { content: [{ type: 'tool_result', tool_use_id: 't2', content: 'y' }] },
      },
      {
        type: 'user',
        parent_tool_use_id: null,
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
      },
      assistant('d', { type: 'text', text: 'outer' }),
      result({ result: 'outer' }),
    ]);
    const calls = events.flatMap((e) => (e.type === 'tool.started' ? [e.call] : []));
    expect(calls).toMatchObject([
      { toolCallId: 't1', kind: 'task' },
      { toolCallId: 't2', parentId: 't1' },
    ]);
    expect(calls[0]).not.toHaveProperty('parentId');
    const texts = events.flatMap((e) => (e.type === 'text' ? [[e.final, e.parentId]] : []));
    expect(texts).toEqual([
      ['inner', 't1'],
      ['outer', undefined],
    ]);
  });

  it('keeps interleaved streams of sub-agents apart', () => {
    const start = (id: string, parent: string | null) => [
      stream({ type: 'message_start', message: { id } }, parent),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, parent),
    ];
    const delta = (text: string, parent: string | null) =>
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent);
    const events = run('claude-stream-json', [
      ...start('a', null),
      ...start('b', 't1'),
      delta('A1', null),
      delta('B1', 't1'),
      delta('A2', null),
      delta('B2', 't1'),
      result({ result: 'A1A2' }),
    ]);
    expect(textsOf(events)).toEqual(['A1A2', 'B1B2']);
  });

  it('Mux Code: whole blocks after the message ended replace their deltas', () => {
    const events = run('claude-stream-json', [
      stream({ type: 'message_start', message: { id: 'm' } }),
      stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } }),
      stream({ type: 'content_block_stop', index: 0 }),
      stream({
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'Bash', input: {} },
      }),
      stream({ type: 'content_block_stop', index: 1 }),
      stream({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      stream({ type: 'message_stop' }),
      assistant('m', { type: 'text', text: 'hello' }),
      assistant('m', { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }),
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x', is_error: false }] },
      },
      result({ result: 'hello' }),
    ]);
    expect(textsOf(events)).toEqual(['hello']);
    expect(events.filter((e) => e.type === 'tool.started')).toHaveLength(1);
  });

  it('tells the session once, and later only what changed', () => {
    const init = (more: Frame) => ({
      type: 'system',
      subtype: 'init',
      session_id: 's',
      model: 'm1',
      permissionMode: 'default',
      ...more,
    });
    const events = run('claude-stream-json', [init({}), init({}), init({ model: 'm2' }), result()]);
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'session.opened', nativeId: 's', model: 'm1', mode: 'default' },
      { type: 'session.updated', model: 'm2' },
    ]);
    expect(events.filter((e) => e.type.startsWith('session.'))).toHaveLength(2);
  });

  it('usage and cost are those of the turn', () => {
    const t = open('claude-stream-json');
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 };
    const first = t.translate(result({ usage, total_cost_usd: 0.5 }));
    t.turnStarted();
    const second = t.translate(result({ usage, total_cost_usd: 0.75 }));
    expect(first[0]).toMatchObject({
      usage: { scope: 'turn', inputTokens: 110, cachedTokens: 100, totalTokens: 115, costUsd: 0.5 },
    });
    expect(second[0]).toMatchObject({ usage: { costUsd: 0.25 } });
  });

  it('the end of an abandoned turn does not end the next one', () => {
    const t = open('claude-stream-json');
    expect(t.abandonTurn?.()).toEqual([{ type: 'turn.done', stopReason: 'cancelled' }]);
    t.turnStarted();
    expect(t.translate(assistant('old', { type: 'text', text: 'late' }))).toEqual([]);
    expect(t.translate(result())).toEqual([]);
    expect(t.turnOpen).toBe(true);
    t.translate({ type: 'system', subtype: 'init', session_id: 's' });
    expect(endsOf(t.translate(result()))).toHaveLength(1);
  });

  it('a refused usage limit tells when it lifts', () => {
    const events = run('claude-stream-json', [
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: NOW / 1000 + 3600 } },
      result({ is_error: true, result: "You've hit your usage limit" }),
    ]);
    expect(endsOf(events)).toMatchObject([{ failure: { kind: 'usage-limit', resetsAt: NOW + 3_600_000 } }]);
  });

  it('a todo list is a plan', () => {
    const todos = [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'in_progress' },
    ];
    const events = run('claude-stream-json', [
      assistant('a', { type: 'tool_use', id: 't', name: 'TodoWrite', input: { todos } }),
      result(),
    ]);
    expect(events.find((e) => e.type === 'plan')).toEqual({
      type: 'plan',
      entries: [
        { text: 'a', status: 'completed' },
        { text: 'b', status: 'in_progress' },
      ],
    });
  });
});

describe('usage scope', () => {
  it('Codex: the turn is the thread minus what was before; unknown before is not guessed', () => {
    const recording = readRecording('codex-0.171.0', 'resume-2');
    const usages = (options: object) =>
      translateRecording(recording, createTranslator('codex-json', { idPrefix: '', ...options })).flatMap(
        (e) => (e.type === 'usage' ? [[e.usage.scope, e.usage.inputTokens]] : []),
      );
    expect(
      usages({ resumed: true, usageBaseline: { scope: 'session', inputTokens: 15354, outputTokens: 6 } }),
    ).toEqual([
      ['turn', 15437],
      ['session', 30791],
    ]);
    expect(usages({ resumed: true })).toEqual([['session', 30791]]);
  });

  it('Qwen: usage of a persistent process is cumulative', () => {
    const events = translateRecording(readRecording('qwen-0.24.4', 'persistent-init'));
    expect(events.flatMap((e) => (e.type === 'usage' ? [e.usage.totalTokens] : []))).toEqual([18496, 18523]);
  });
});

describe('Kimi (from its documentation)', () => {
  const call = {
    role: 'assistant',
    content: [
      { type: 'think', think: 'hm' },
      { type: 'text', text: 'Let me look.' },
    ],
    tool_calls: [
      { type: 'function', id: 'tc_1', function: { name: 'Shell', arguments: '{"command":"ls"}' } },
    ],
  };
  const tool = { role: 'tool', tool_call_id: 'tc_1', content: 'a.py' };
  const answer = { role: 'assistant', content: 'One file.' };
  const hint = { role: 'meta', type: 'session.resume_hint', session_id: 's1', content: 'To resume …' };

  it('reads messages, calls and the session id; the turn ends with the process', () => {
    const events = run('kimi-stream-json', [call, tool, answer, hint]);
    expect(textsOf(events)).toEqual(['Let me look.', 'One file.']);
    expect(textsOf(events, 'thought')).toEqual(['hm']);
    expect(events.find((e) => e.type === 'tool.started')).toMatchObject({
      call: { kind: 'execute', title: 'ls' },
    });
    expect(events.find((e) => e.type === 'session.opened')).toEqual({
      type: 'session.opened',
      nativeId: 's1',
    });
    expect(endsOf(events)).toEqual([{ type: 'turn.done', stopReason: 'end_turn' }]);
  });

  it('no answer or a bad exit is no success', () => {
    expect(
      endsOf(run('kimi-stream-json', [call, tool], { exitCode: 1, stderrTail: ['LLM not set'] })),
    ).toMatchObject([{ stopReason: 'error' }]);
    expect(endsOf(run('kimi-stream-json', []))).toMatchObject([{ failure: { kind: 'no-output' } }]);
  });
});

describe('Antigravity (from public descriptions)', () => {
  const step = (index: number, type: string, state: string, more: Frame = {}) => ({
    event: 'step_update',
    step_update: { conversation_id: 'c1', step_index: index, step_type: type, state, ...more },
  });

  it('reads steps, tools and the result', () => {
    const events = run('agy-stream-json', [
      { event: 'init', init: { conversation_id: 'c1', cwd: '/p', model: 'gemini', tools: [] } },
      step(0, 'user_input', 'DONE'),
      step(1, 'agent_response', 'ACTIVE', { text_delta: 'Hel' }),
      step(1, 'agent_response', 'DONE', { text_delta: 'lo' }),
      step(2, 'tool', 'ACTIVE', {
        tool_name: 'run_command',
        tool_info: { name: 'run_command', parameters: { CommandLine: 'ls -la' } },
      }),
      step(2, 'tool', 'DONE', { tool_name: 'run_command', tool_info: { name: 'run_command', output: 'x' } }),
      step(3, 'tool', 'ERROR', {
        tool_name: 'view_file',
        tool_info: { error: { message: 'permission check failed' } },
      }),
      {
        event: 'result',
        result: {
          conversation_id: 'c1',
          status: 'SUCCESS',
          response: 'Hello',
          usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
        },
      },
    ]);
    expect(textsOf(events)).toEqual(['Hello']);
    expect(events.filter((e) => e.type === 'session.opened')).toHaveLength(1);
    expect(events.flatMap((e) => (e.type === 'tool.finished' ? [e.status] : []))).toEqual([
      'completed',
      'failed',
    ]);
    expect(events.find((e) => e.type === 'tool.started')).toMatchObject({
      call: { title: 'ls -la', kind: 'execute' },
    });
    expect(endsOf(events)).toMatchObject([{ stopReason: 'end_turn', result: 'Hello' }]);
  });

  it('a result that is not SUCCESS is a failure', () => {
    const events = run('agy-stream-json', [
      { event: 'result', result: { status: 'ERROR', error: 'quota exhausted', response: '' } },
    ]);
    expect(endsOf(events)).toMatchObject([
      { stopReason: 'error', failure: { kind: 'usage-limit', message: 'quota exhausted' } },
    ]);
  });
});
