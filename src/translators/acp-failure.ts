// Failures of ACP calls: by code first, then by the error's own data, then by its message; never by the agent's prose.
import type { Failure, FailureKind } from '../model/failure.js';
import { classifyFailure, kindOfText } from '../model/failure-classify.js';
import type { EndContext } from './translator.js';
import { asObject, asString } from './acp-content.js';

const AUTH_REQUIRED = -32000;

/** Some agents put the HTTP status of the model API into the code (facts: Gemini), or into the data. */
const BY_HTTP_STATUS: [test: (status: number) => boolean, kind: FailureKind, hint: string][] = [
  [(s) => s === 401 || s === 403, 'auth', 'Sign in with the provider, then send the prompt again.'],
  [(s) => s === 429, 'rate-limit', 'Wait a while, then send the prompt again.'],
  [(s) => s === 413, 'context', 'Start a fresh session or compact this one.'],
  [(s) => s >= 500 && s < 600, 'overloaded', 'Send the prompt again later.'],
  [(s) => s >= 400 && s < 500, 'request', 'Look at the message; the request was refused.'],
];

export function failureFromRpc(error: { code: number; message: string; data?: unknown }): Failure {
  const details = detailOf(error.data);
  const message =
    details && !error.message.includes(details) ? `${error.message}: ${details}` : error.message;
  if (error.code === AUTH_REQUIRED) {
    return { kind: 'auth', message, hint: 'Sign in with the provider, then send the prompt again.' };
  }
  const status =
    httpStatus(error.code) ??
    httpStatus(asObject(error.data)['status']) ??
    httpStatus(asObject(error.data)['statusCode']);
  const row = status === undefined ? undefined : BY_HTTP_STATUS.find(([test]) => test(status));
  if (row) return { kind: row[1], message, hint: row[2] };
  // "Internal error" with the words of the model API in its details (facts: Qwen).
  return kindOfText(message) ? { ...classifyFailure({ message }), message } : { kind: 'protocol', message };
}

export function failureFromExit(context: EndContext): Failure {
  const how = context.signal
    ? `was ended by ${context.signal}`
    : `ended with code ${context.exitCode ?? '?'}`;
  return {
    kind: context.signal === 'SIGKILL' ? 'killed' : 'crash',
    message: `The agent ${how} in the middle of a turn.`,
    hint: 'Resume it to go on.',
    ...(context.stderrTail.length > 0 ? { stderrTail: context.stderrTail } : {}),
  };
}

function detailOf(data: unknown): string | undefined {
  const item = asObject(data);
  return asString(item['details']) ?? asString(item['message']);
}

function httpStatus(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined;
}
