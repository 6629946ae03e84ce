import { describe, expect, test } from 'vitest';
import { type AgentileError } from '../../../src/base/errors.js';
import { parseRequest, parseToDaemon } from '../../../src/wire/validate.js';

function failure(act: () => unknown): AgentileError {
  try {
    act();
  } catch (error) {
    return error as AgentileError;
  }
  throw new Error('nothing was thrown');
}

describe('requests', () => {
  test('a good one passes and unknown fields are dropped', () => {
    const params = { session: '1', text: 'hi', extra: true };
    expect(parseRequest('session/prompt', params)).toEqual({ session: '1', text: 'hi' });
    expect(parseRequest('daemon/status', undefined)).toEqual({});
  });

  test.each([
    ['session/prompt', { session: '1', text: '' }, 'text'],
    ['session/prompt', { session: 3, text: 'x' }, 'session'],
    ['session/new', { providerId: 'x', cwd: 'relative' }, 'cwd'],
    ['session/new', { providerId: 'x', cwd: '/', launch: { command: ['a\0b'] } }, 'launch.command.0'],
    ['session/new', { providerId: 'x', cwd: '/', name: ' blank' }, 'name'],
    ['session/mark', { session: '1', confidence: 'maybe' }, 'confidence'],
    ['session/answer', { session: '1', permissionId: 'q', answer: { outcome: 'yes' } }, 'answer.outcome'],
    ['layout/apply', { op: 'ratio', tabId: 't', path: [0, 2], ratio: 0.5 }, 'path.1'],
    ['layout/apply', { op: 'explode' }, 'op'],
    ['daemon/stop', {}, 'children'],
    [
      'session/signal',
      { runId: 'r', attempt: 1, signal: { type: 'progress', seq: -1, message: '' } },
      'signal.seq',
    ],
  ] as const)('%s with %j names the field', (method, params, path) => {
    const error = failure(() => parseRequest(method, params));
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain(`${method} ${path}:`);
  });

  test('an unknown method is refused, also one that every object has', () => {
    expect(failure(() => parseRequest('toString' as never, {})).code).toBe('USAGE');
  });
});

describe('client messages', () => {
  test('good ones pass', () => {
    expect(parseToDaemon({ t: 'ack', batch: 3 })).toEqual({ t: 'ack', batch: 3 });
    const request = { t: 'request', id: 1, method: 'workspace/get', params: { any: 'thing' } };
    expect(parseToDaemon(request)).toEqual(request);
  });

  test.each([
    { t: 'area', cols: 0, rows: 24 },
    { t: 'area', cols: 1e9, rows: 24 },
    { t: 'keys', paneId: 'p', keys: [{ name: 'a' }] },
    { t: 'unknown' },
    null,
    'text',
  ])('%j is a breach of the protocol', (message) => {
    expect(failure(() => parseToDaemon(message)).code).toBe('PROTOCOL');
  });
});
