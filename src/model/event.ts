// What happens in a session, in one vocabulary for every provider. Modelled on ACP v2: messages have ids, tool calls are
// upserts by id whose status never goes back, and the end of a turn is an event with a stop reason.
import type { DiffContent } from './diff.js';
import type { Failure } from './failure.js';
import type { PermissionId, RunId, SessionId, TurnId } from './ids.js';
import type { AnswerSource, PermissionAnswer, PermissionRequest } from './permission.js';
import type { StopReason } from './session.js';

/** Where and when; the controller stamps these on what its translator returns. */
export interface EventStamp {
  sessionId: SessionId;
  runId: RunId;
  turnId?: TurnId;
  /** Milliseconds since the epoch, when our process read it. */
  at: number;
}

export type ToolContent =
  | { type: 'text'; text: string }
  | DiffContent
  | { type: 'terminal'; terminalId: string; output: string; exitCode?: number }
  | { type: 'image'; mimeType: string };

export type ToolStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'unknown';
export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'task',
  'question',
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export interface ToolCall {
  toolCallId: string;
  /** The provider's own name of the tool. */
  name: string;
  kind: ToolKind;
  /** One line for people: "Read src/auth.ts", "npm test". */
  title: string;
  status: ToolStatus;
  input?: unknown;
  content?: ToolContent[];
  exitCode?: number;
  /** The tool call (of a sub-agent) that this one belongs to. */
  parentId?: string;
}

export interface PlanEntry {
  text: string;
  status: 'pending' | 'in_progress' | 'completed';
  priority?: string;
}

/** Token counts and cost. Every number is for the scope named, and never a guess. */
export interface Usage {
  scope: 'turn' | 'session';
  inputTokens?: number;
  outputTokens?: number;
  cachedTokens?: number;
  totalTokens?: number;
  /** US dollars, for the same scope. */
  costUsd?: number;
  /** Context window, tokens. */
  contextUsed?: number;
  contextSize?: number;
  model?: string;
}

export type NoticeLevel = 'info' | 'warning' | 'error';
/** Notices that the screen treats apart: retries count down, "context-reset" draws a line across the transcript. */
export type NoticeKind =
  'retry' | 'context-reset' | 'parse' | 'mode' | 'model' | 'compaction' | 'replay' | 'limit' | 'other';

/** A choice the session offers (model, mode, effort …): ACP config options, or our own from the catalogue. */
export interface ConfigOption {
  id: string;
  name: string;
  category: 'mode' | 'model' | 'effort' | 'other';
  value: string;
  choices: { value: string; name: string; description?: string }[];
}

export type AgentEventBody =
  /** The process told us who it is. `nativeId` is written through at once. */
  | {
      type: 'session.opened';
      nativeId?: string;
      model?: string;
      mode?: string;
      cwd?: string;
      version?: string;
      slashCommands?: string[];
      tools?: string[];
    }
  /** The session's title, mode, commands or options changed. */
  | {
      type: 'session.updated';
      title?: string;
      model?: string;
      mode?: string;
      slashCommands?: { name: string; description?: string }[];
      options?: ConfigOption[];
    }
  | { type: 'turn.started'; prompt?: string }
  /** Text of the user's that the provider itself put into the conversation (replay, injected text). */
  | { type: 'user.text'; messageId: string; text: string; origin: 'replay' | 'injected' }
  /** Assistant text. `delta` appends to the message; `final` replaces all of it; neither repeats. */
  | { type: 'text'; messageId: string; delta?: string; final?: string; parentId?: string }
  | { type: 'thought'; messageId: string; delta?: string; final?: string; parentId?: string }
  /** An unfinished message is void (a cut stream starts again). */
  | { type: 'text.dropped'; messageId: string }
  | { type: 'tool.started'; call: ToolCall }
  /** Fields that are present replace; `content` replaces all content; `outputDelta` appends to the terminal/text output. */
  | {
      type: 'tool.updated';
      toolCallId: string;
      patch: Partial<Omit<ToolCall, 'toolCallId'>>;
      outputDelta?: string;
    }
  | {
      type: 'tool.finished';
      toolCallId: string;
      status: Exclude<ToolStatus, 'pending' | 'running'>;
      content?: ToolContent[];
      exitCode?: number;
    }
  | { type: 'permission.asked'; request: PermissionRequest }
  | {
      type: 'permission.answered';
      permissionId: PermissionId;
      answer: PermissionAnswer;
      source: AnswerSource;
    }
  | { type: 'plan'; entries: PlanEntry[] }
  | { type: 'usage'; usage: Usage }
  | {
      type: 'notice';
      kind: NoticeKind;
      level: NoticeLevel;
      text: string;
      retry?: { attempt: number; max?: number; delayMs?: number };
    }
  /** Exactly one per turn, also for cancelled and failed turns. `suspicious`: it ended with no text, thought or tool. */
  | { type: 'turn.done'; stopReason: StopReason; failure?: Failure; suspicious?: boolean; result?: string }
  /** The process or the session failed outside a turn. */
  | { type: 'failed'; failure: Failure }
  /** A frame we do not know, kept whole. */
  | { type: 'unknown'; frameType: string; raw: unknown };

export type AgentEvent = AgentEventBody & EventStamp;
export type AgentEventType = AgentEventBody['type'];

/** What is left to stamp is what a translator returns. */
export function stampEvent(body: AgentEventBody, stamp: EventStamp): AgentEvent {
  return { ...body, ...stamp };
}
