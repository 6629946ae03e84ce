// One table of error codes: what each means, and the exit code a command ends with. Everything that throws on purpose
// throws an AgentileError; docs/exit-codes.md is generated from this table.

/** Exit codes of the commands. 0 is success; 1 is any failure without a code of its own. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  turnFailed: 4,
  needsYou: 5,
  daemonUnreachable: 6,
  notInstalled: 7,
  conflict: 8,
  configInvalid: 9,
  timedOut: 124,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** Every code an AgentileError can carry, with the exit a command ends with and what it means. */
export const ERROR_CODES = {
  USAGE: { exit: 'usage', meaning: 'The command line was not understood.' },
  SESSION_NOT_FOUND: { exit: 'notFound', meaning: 'No session has that number, name or id.' },
  PROVIDER_NOT_FOUND: { exit: 'notFound', meaning: 'The catalogue has no such provider.' },
  PROVIDER_NOT_INSTALLED: { exit: 'notInstalled', meaning: 'The CLI of the provider was not found.' },
  DAEMON_UNREACHABLE: { exit: 'daemonUnreachable', meaning: 'The daemon did not answer.' },
  KEEPER_UNREACHABLE: { exit: 'daemonUnreachable', meaning: 'The keeper did not answer.' },
  VERSION_MISMATCH: { exit: 'conflict', meaning: 'The two sides speak different protocol versions.' },
  SPAWN_FAILED: { exit: 'failure', meaning: 'A program could not be started.' },
  NATIVE_MISSING: {
    exit: 'failure',
    meaning: 'A native part (node-pty, better-sqlite3) could not be loaded.',
  },
  SOCKET_PATH_TOO_LONG: { exit: 'failure', meaning: 'The socket path is longer than the system allows.' },
  CONFIG_INVALID: { exit: 'configInvalid', meaning: 'A configuration file could not be read.' },
  CATALOGUE_INVALID: { exit: 'configInvalid', meaning: 'A providers.toml could not be read.' },
  LIMIT_REACHED: { exit: 'conflict', meaning: 'A hard limit was reached.' },
  NOT_RUNNING: { exit: 'conflict', meaning: 'The session has no running process.' },
  ALREADY_RUNNING: { exit: 'conflict', meaning: 'The session is running already.' },
  NOT_SUPPORTED: { exit: 'usage', meaning: 'This kind of session cannot do that.' },
  PROTOCOL: { exit: 'failure', meaning: 'The other side sent something that is not in the protocol.' },
  CONNECTION_CLOSED: { exit: 'daemonUnreachable', meaning: 'The connection ended before the answer came.' },
  LOG_UNAVAILABLE: { exit: 'failure', meaning: 'The event log cannot be written.' },
  TIMED_OUT: { exit: 'timedOut', meaning: 'The time limit passed.' },
  TURN_FAILED: { exit: 'turnFailed', meaning: 'The turn ended with a failure.' },
  NEEDS_YOU: { exit: 'needsYou', meaning: 'A permission or a question is open.' },
  INTERNAL: { exit: 'failure', meaning: 'A fault of agentile itself.' },
} as const satisfies Record<string, { exit: ExitName; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An error with a code, a message in words, and what to do next. */
export class AgentileError extends Error {
  override readonly name = 'AgentileError';
  readonly code: ErrorCode;
  /** What the person can do about it; one sentence. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The exit code a command ends with when this reaches it. */
  get exitCode(): number {
    return EXIT_CODES[ERROR_CODES[this.code].exit];
  }

  toJSON(): { code: ErrorCode; message: string; hint?: string } {
    return { code: this.code, message: this.message, ...(this.hint ? { hint: this.hint } : {}) };
  }

  /** Rebuilds an error that crossed a socket; unknown codes become INTERNAL. */
  static fromJSON(json: { code?: string; message?: string; hint?: string }): AgentileError {
    const code = json.code && json.code in ERROR_CODES ? (json.code as ErrorCode) : 'INTERNAL';
    return new AgentileError(code, json.message ?? 'unknown error', json.hint ? { hint: json.hint } : {});
  }
}

/** The words of any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** The errno name of a thrown value ("ENOENT"), or undefined. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
