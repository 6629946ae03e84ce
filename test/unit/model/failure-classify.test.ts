import { describe, expect, it } from 'vitest';
import { classifyFailure, isUnknownSession } from '../../../src/model/failure-classify.js';
import { parseResetsAt } from '../../../src/model/failure-reset.js';
import { retryOfStderr } from '../../../src/model/failure-retry.js';

const NOW = new Date(2026, 11, 1, 12, 0, 0).getTime();
const at = (hour: number, minute = 0, day = 1) => new Date(2026, 11, day, hour, minute, 0).getTime();

describe('parseResetsAt', () => {
  it.each([
    ['Usage limit reached, resets 7pm', at(19)],
    ['limit resets at 19:30', at(19, 30)],
    ['resets 9am', at(9, 0, 2)],
    ['Claude AI usage limit reached|1764601200', 1_764_601_200_000],
    ['try again in 5 minutes', NOW + 300_000],
    ['Try again in 2 hours 5 minutes.', NOW + 7_500_000],
    ['retry-after: 30s', NOW + 30_000],
    ['reset after 18h22m31s', NOW + ((18 * 60 + 22) * 60 + 31) * 1000],
    ['try again until 2026-12-01T20:00:00Z', Date.parse('2026-12-01T20:00:00Z')],
  ])('%s', (text, expected) => {
    expect(parseResetsAt(text, NOW)).toBe(expected);
  });

  it.each(['rate limited', 'resets soon', 'limit 7', 'error 429 at line 30'])('%s names no time', (text) => {
    expect(parseResetsAt(text, NOW)).toBeUndefined();
  });
});

describe('classifyFailure', () => {
  it('typed fields win over stderr, stderr over the exit code', () => {
    const stderrTail = ['rate limited (429)'];
    expect(classifyFailure({ status: 401, message: 'no', stderrTail, exitCode: 1 }).kind).toBe('auth');
    expect(classifyFailure({ stderrTail, exitCode: 1 }).kind).toBe('rate-limit');
    expect(classifyFailure({ stderrTail: ['boom'], exitCode: 1 })).toMatchObject({
      kind: 'crash',
      message: 'The process ended with exit 1: boom',
    });
  });

  it.each([
    [{ signal: 'SIGKILL' }, 'killed'],
    [{ exitCode: 143 }, 'killed'],
    [{ signal: 'SIGSEGV' }, 'crash'],
    [{ exitCode: 127 }, 'spawn'],
    [{ exitCode: 0 }, 'no-output'],
    [{ exitCode: 0, hadOutput: true }, 'protocol'],
    [{ message: 'prompt is too long: 300000 tokens > 200000 maximum' }, 'context'],
    [{ code: 'error_max_turns' }, 'max-turns'],
    [{ message: 'getaddrinfo ENOTFOUND api.example.com' }, 'network'],
    [{ status: 529, code: 'overloaded_error' }, 'overloaded'],
    [{ message: 'rate limit reached' }, 'rate-limit'],
    [{ message: 'Your credit balance is too low' }, 'usage-limit'],
    [{ code: 'rate_limit', status: 429, message: "You've hit your usage limit" }, 'usage-limit'],
  ] as const)('%j is %s', (evidence, kind) => {
    expect(classifyFailure(evidence).kind).toBe(kind);
  });

  it('does not take stderr of a process that ended well for a cause', () => {
    expect(
      classifyFailure({ exitCode: 0, hadOutput: true, stderrTail: ['Attempt 1 failed with status 429'] })
        .kind,
    ).toBe('protocol');
  });

  it('keeps 40 lines of stderr', () => {
    const stderrTail = Array.from({ length: 60 }, (_, i) => `line ${i}`);
    expect(classifyFailure({ exitCode: 1, stderrTail }).stderrTail).toEqual(stderrTail.slice(20));
  });
});

describe('dead sessions and retries', () => {
  it.each([
    'No conversation found with session ID: 0',
    'Error: thread/resume: thread/resume failed: no rollout found for thread id 0 (code -32600)',
    'Error resuming session: Invalid session identifier "0".',
    'No saved session found with ID 0. Run `qwen --resume` without an ID',
    'Error: --resume requires a valid session ID or session title when used with --print.',
  ])('A16: %s', (text) => expect(isUnknownSession(text)).toBe(true));

  it('reads retries of stderr', () => {
    expect(
      retryOfStderr('Attempt 2 failed with status 429. Retrying with backoff... _ApiError: {}'),
    ).toMatchObject({ attempt: 2, status: 429 });
    expect(retryOfStderr('Ripgrep is not available. Falling back to GrepTool.')).toBeUndefined();
  });
});
