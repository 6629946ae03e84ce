// Why something went wrong, as a value: typed cause, words, next step. Never an exception.

export const FAILURE_KINDS = [
  'spawn',
  'auth',
  'rate-limit',
  'overloaded',
  'usage-limit',
  'context',
  'output-limit',
  'max-turns',
  'request',
  'network',
  'protocol',
  'crash',
  'killed',
  'timeout',
  'no-output',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export interface Failure {
  kind: FailureKind;
  /** What happened, in words; one line. */
  message: string;
  /** The next step; one line. */
  hint?: string;
  /** When the limit lifts, milliseconds since the epoch. */
  resetsAt?: number;
  /** The last lines of stderr (at most 40), oldest first. */
  stderrTail?: string[];
  /** The native id that the provider refused to resume: it is dead and is never tried again. */
  deadNativeId?: string;
}

/** One or two words for a title row. */
export const FAILURE_LABELS: Record<FailureKind, string> = {
  spawn: 'could not start',
  auth: 'not signed in',
  'rate-limit': 'rate limited',
  overloaded: 'overloaded',
  'usage-limit': 'usage limit',
  context: 'context full',
  'output-limit': 'answer cut',
  'max-turns': 'turn limit',
  request: 'refused',
  network: 'network',
  protocol: 'protocol error',
  crash: 'crashed',
  killed: 'killed',
  timeout: 'timed out',
  'no-output': 'no output',
};
