// Why a turn or a process failed: evidence in, a Failure out. Used by translators and controllers. Typed fields come
// first, then stderr, then how the process ended; what the model said is never looked at. Pure.
import { FAILURE_LABELS, type Failure, type FailureKind } from './failure.js';
import { parseResetsAt } from './failure-reset.js';

export interface FailureEvidence {
  /** HTTP status from a typed field. */
  status?: number;
  /** Error code from a typed field ("authentication_failed", "rate_limit", "max_turns"). */
  code?: string;
  /** Text of a typed error field; never assistant text. */
  message?: string;
  /** When a limit lifts, from a typed field; milliseconds since the epoch. */
  resetsAt?: number;
  stderrTail?: readonly string[];
  exitCode?: number;
  signal?: string;
  /** True when the process printed anything for this turn. */
  hadOutput?: boolean;
  now?: number;
}

/** Lines of stderr kept with a failure. */
export const STDERR_TAIL_LINES = 40;

const HINTS: Partial<Record<FailureKind, string>> = {
  auth: 'Sign in with the provider: agentile provider login <name>, or set its API key.',
  'rate-limit': 'Wait a little and send the prompt again.',
  'usage-limit': 'Wait for the reset or choose another provider.',
  overloaded: 'The service is busy or failing: send the prompt again later.',
  network: 'Check the connection and the proxy settings, then send the prompt again.',
  context: 'Start a fresh session, or ask the agent to compact its context.',
  'output-limit': 'Ask the agent to go on, or to answer in smaller parts.',
  'max-turns': 'Send a prompt to go on.',
  request: 'Check the model, the options and the session, then try again.',
  crash: 'See the last lines of stderr; restart the session.',
  killed: 'Restart or resume the session.',
  protocol: 'Look at the raw view; restart the session.',
  'no-output': 'See the last lines of stderr; start the CLI once by hand.',
};

const BY_CODE: [RegExp, FailureKind][] = [
  [/^(authentication|invalid_api_key|unauthenticated|oauth|permission_error|not_logged_in)/i, 'auth'],
  [/^(billing|credit|insufficient_quota|usage_limit|quota)/i, 'usage-limit'],
  [/^(rate_limit|resource_exhausted|too_many_requests)/i, 'rate-limit'],
  [/^(overloaded|server_error|api_error|internal|unavailable)/i, 'overloaded'],
  [/^(connection|network|timeout)/i, 'network'],
  [/^(context|prompt_too_long|request_too_large)/i, 'context'],
  [/^(max_output_tokens|max_tokens|length)/i, 'output-limit'],
  [/(^|_)max_turns/i, 'max-turns'],
  [/^(model_not_found|not_found|invalid_request|invalid_argument|session_not_found)/i, 'request'],
];

/** In this order: a usage limit is told with 429 as well, and a missing model with "not found". */
const BY_TEXT: [RegExp, FailureKind][] = [
  [
    /usage limit|(?<!rate[ _-])limit reached|out of (extra )?(usage|credits)|quota[^.]{0,40}(exceeded|exhausted)/i,
    'usage-limit',
  ],
  [
    /(exceeded|exhausted)[^.]{0,40}quota|insufficient[_ ](balance|quota)|credit balance|\b402\b/i,
    'usage-limit',
  ],
  [/\b429\b|rate.?limit|too many requests|RESOURCE_EXHAUSTED/i, 'rate-limit'],
  [/\b401\b|unauthori[sz]ed|unauthenticated|invalid[^.]{0,24}api.?key|not (logged|signed) in/i, 'auth'],
  [
    /\/login\b|missing (an? )?api key|missing environment variable|auth(entication)? (failed|method|type|error)/i,
    'auth',
  ],
  [/must specify the \w*_API_KEY|\b403\b|permission_denied|token (has )?expired/i, 'auth'],
  [
    /context (window|length)|prompt is too long|maximum context|too many (input )?tokens|input is too long/i,
    'context',
  ],
  [/max_output_tokens|output token limit|maximum output/i, 'output-limit'],
  [/max(imum)?[ _](number of )?(session[ _])?turns/i, 'max-turns'],
  [
    /\b(503|529)\b|overloaded|at capacity|high demand|\b50[0-9]\b|internal server error|UNAVAILABLE/i,
    'overloaded',
  ],
  [
    /ECONN\w+|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE|socket hang up|fetch failed|getaddrinfo|\bDNS\b/i,
    'network',
  ],
  [
    /network|connection[^.]{0,40}(lost|refused|reset|closed|error)|stream (disconnected|closed|ended)/i,
    'network',
  ],
  [/\bterminated\b|without a finish reason|timed? ?out/i, 'network'],
  [
    /\b(400|404|422)\b|not found|does not exist|no conversation found|invalid|unknown (option|argument)s?/i,
    'request',
  ],
  [
    /trusted (directory|folder)|cannot be used|requires --|no input provided|no rollout found|no saved session/i,
    'request',
  ],
  [
    /session identifier|requires a valid session|unexpected argument|unrecognized|already in use|already exists|is not supported/i,
    'request',
  ],
];

const CRASH_SIGNALS = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP']);
const EXIT_NOT_EXECUTABLE = 126;
const EXIT_NOT_FOUND = 127;
/** A shell, and some CLIs, tell a death by signal as 128 plus its number. */
const EXIT_BY_SIGNAL = 128;
const SIGNAL_NUMBERS: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};

/** The failure that the evidence tells. There always is one: call it only when something failed. */
export function classifyFailure(evidence: FailureEvidence): Failure {
  return finish(
    fromTyped(evidence) ?? fromSignal(evidence) ?? fromStderr(evidence) ?? fromExit(evidence),
    evidence,
  );
}

/** The kind that a text of a typed error field tells, or undefined. */
export function kindOfText(text: string): FailureKind | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}

/** True when an error text says that the native session to be resumed does not exist. */
export function isUnknownSession(text: string): boolean {
  return /no conversation found|no rollout found|invalid session identifier|no saved session found|session[^.\n]{0,60}not found|does not match any session|requires a valid session/i.test(
    text,
  );
}

type Verdict = Pick<Failure, 'kind' | 'message'>;

function fromTyped(evidence: FailureEvidence): Verdict | undefined {
  const { status, code, message } = evidence;
  if (status === undefined && code === undefined && message === undefined) return undefined;
  const kind =
    limitKind(message) ??
    kindOfCode(code) ??
    kindOfStatus(status) ??
    (message === undefined ? undefined : kindOfText(message)) ??
    'protocol';
  return { kind, message: firstLine(message) ?? code ?? `HTTP ${status}` };
}

/** A limit that lifts at a time is worth more than the code it came with. */
function limitKind(message: string | undefined): FailureKind | undefined {
  return message !== undefined && kindOfText(message) === 'usage-limit' ? 'usage-limit' : undefined;
}

function kindOfCode(code: string | undefined): FailureKind | undefined {
  return code === undefined ? undefined : BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

function kindOfStatus(status: number | undefined): FailureKind | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'usage-limit';
  if (status === 413) return 'context';
  if (status === 429) return 'rate-limit';
  if (status === 408) return 'network';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'request' : undefined;
}

function fromSignal(evidence: FailureEvidence): Verdict | undefined {
  const { signal, exitCode } = evidence;
  const name =
    signal ??
    (exitCode !== undefined && exitCode > EXIT_BY_SIGNAL
      ? SIGNAL_NUMBERS[exitCode - EXIT_BY_SIGNAL]
      : undefined);
  if (!name) return undefined;
  if (CRASH_SIGNALS.has(name)) return { kind: 'crash', message: `The process crashed (${name}).` };
  return { kind: 'killed', message: `The process was killed (${name}).` };
}

/** Stack frames, diagnostics below an error, and the list of options that a usage error prints. */
const IDLE_LINE = /^\s*(at |warning\b|debug\b|info\b|options:|$|(-{1,2}[\w-]+,? )*-{1,2}[\w-]+\s{2})/i;

/** The last line that names a cause wins: what came before it may have been retried. */
function fromStderr(evidence: FailureEvidence): Verdict | undefined {
  if (evidence.exitCode === 0) return undefined;
  for (const line of [...(evidence.stderrTail ?? [])].reverse()) {
    if (IDLE_LINE.test(line)) continue;
    const kind = kindOfText(line);
    if (kind) return { kind, message: firstLine(line) ?? line };
  }
  return undefined;
}

/** What comes after an error line only says where to read more. */
function tellingLine(lines: readonly string[]): string | undefined {
  return (
    lines.findLast((line) => /^\s*(fatal|error)\b/i.test(line)) ??
    lines.findLast((line) => !IDLE_LINE.test(line))
  );
}

function fromExit(evidence: FailureEvidence): Verdict {
  const { exitCode, hadOutput } = evidence;
  if (exitCode === EXIT_NOT_FOUND || exitCode === EXIT_NOT_EXECUTABLE) {
    return { kind: 'spawn', message: `The program could not be started (exit ${exitCode}).` };
  }
  const last = tellingLine(evidence.stderrTail ?? []);
  const words = last ? `: ${firstLine(last)}` : '.';
  if (exitCode !== undefined && exitCode !== 0)
    return { kind: 'crash', message: `The process ended with exit ${exitCode}${words}` };
  if (hadOutput) return { kind: 'protocol', message: 'The process ended without result.' };
  return { kind: 'no-output', message: 'The process ended without output.' };
}

function finish(verdict: Verdict, evidence: FailureEvidence): Failure {
  const limited = verdict.kind === 'usage-limit' || verdict.kind === 'rate-limit';
  const resetsAt = limited
    ? (evidence.resetsAt ?? parseResetsAt(evidence.message ?? verdict.message, evidence.now ?? Date.now()))
    : undefined;
  const tail = evidence.stderrTail?.slice(-STDERR_TAIL_LINES);
  const hint = HINTS[verdict.kind];
  return {
    kind: verdict.kind,
    message: verdict.message || FAILURE_LABELS[verdict.kind],
    ...(hint ? { hint } : {}),
    ...(resetsAt === undefined ? {} : { resetsAt }),
    ...(tail && tail.length > 0 ? { stderrTail: [...tail] } : {}),
  };
}

/** Longer than a title row and its wrap needs; the rest is in the raw view. */
const MESSAGE_CHARS = 300;

function firstLine(text: string | undefined): string | undefined {
  const line = text
    ?.split('\n')
    .map((l) => l.trim())
    .find((l) => l !== '');
  return line && line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS - 1)}…` : line;
}
