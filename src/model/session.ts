// Sessions, runs and turns: what lives in the daemon and in the log.
import type { Failure } from './failure.js';
import type { CommandId, RunId, SessionId, TurnId } from './ids.js';

/** A durable conversation (or terminal) in one folder. */
export interface Session {
  id: SessionId;
  /** Short name, unique among open sessions; shown in the title row and usable in every command. */
  name: string;
  providerId: string;
  cwd: string;
  title?: string;
  /** The provider's own id of the conversation, exactly as it gave it. */
  nativeId?: string;
  /** Native ids that the provider refused; never tried again. */
  deadNativeIds?: string[];
  /** What the user wants done; `mark` speaks about it. */
  task?: string;
  launch: LaunchOptions;
  /** The session whose agent started this one; such a child session may not start or resume others. */
  parent?: SessionId;
  createdAt: number;
  closedAt?: number;
}

export const PERMISSION_POLICIES = ['ask', 'allow-once', 'allow-reads', 'reject', 'allow'] as const;
export type PermissionPolicy = (typeof PERMISSION_POLICIES)[number];

/** What the user chose when the session was made; a resume uses the same. */
export interface LaunchOptions {
  /** Show the provider's own screen in a terminal pane instead of the structured transcript. */
  terminal?: boolean;
  /** A command line of the user's own (terminal panes): file and arguments. */
  command?: string[];
  /** Extra arguments for the provider's CLI. */
  args?: string[];
  model?: string;
  effort?: string;
  mode?: string;
  permission?: string;
  policy?: PermissionPolicy;
  env?: Record<string, string>;
}

export type RunStatus = 'starting' | 'running' | 'exited' | 'failed' | 'stopped' | 'lost';

/** One supervised life of a provider process. "lost": its keeper is gone too (reboot), nobody saw the end. */
export interface Run {
  id: RunId;
  sessionId: SessionId;
  /** 1 for the first run of a session; rises with each restart. */
  attempt: number;
  status: RunStatus;
  pid?: number;
  exitCode?: number;
  exitSignal?: string;
  failure?: Failure;
  startedAt: number;
  endedAt?: number;
}

export type TurnState = 'queued' | 'running' | 'done' | 'cancelled' | 'failed';
export const STOP_REASONS = [
  'end_turn',
  'max_tokens',
  'max_turns',
  'refusal',
  'cancelled',
  'error',
  'unknown',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export interface Turn {
  id: TurnId;
  sessionId: SessionId;
  /** Missing while the turn is queued. */
  runId?: RunId;
  /** The command that asked for it. */
  commandId?: CommandId;
  prompt: string;
  state: TurnState;
  stopReason?: StopReason;
  failure?: Failure;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
}
