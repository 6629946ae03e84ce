// What a transcript is made of: items that are shown from top to bottom. Read by the transcript view and by `read`.
import type { PlanEntry, NoticeKind, NoticeLevel, ToolCall, Usage } from './event.js';
import type { Failure } from './failure.js';
import type { RunId, TurnId } from './ids.js';
import type { AnswerSource, PermissionAnswer, PermissionRequest } from './permission.js';
import type { StopReason } from './session.js';

interface ItemBase {
  /** Stable for the life of the transcript, also after it was folded again from the log. */
  id: string;
  /** Rises with each change of this item: rows painted for an older version are stale. */
  version: number;
  /** When it first came, milliseconds since the epoch. */
  at: number;
  turnId?: TurnId;
  runId?: RunId;
  /** The tool call of the sub-agent it belongs to. */
  parentId?: string;
  /** 0 at the top, 1 within a sub-agent, and so on. */
  depth: number;
}

export type PromptItem = ItemBase & { kind: 'prompt'; text: string; origin: 'user' | 'replay' | 'injected' };
/** `open`: more of it is to come. */
export type TextItem = ItemBase & { kind: 'text'; messageId: string; text: string; open: boolean };
export type ThoughtItem = ItemBase & { kind: 'thought'; messageId: string; text: string; open: boolean };
export type ToolItem = ItemBase & {
  kind: 'tool';
  call: ToolCall;
  /** Output that came in pieces, on top of `call.content`. */
  output: string;
  endedAt?: number;
  /** Tool calls that follow each other without text between them have the id of the first as their group. */
  groupId: string;
};
export type PlanItem = ItemBase & { kind: 'plan'; entries: PlanEntry[] };
export type NoticeItem = ItemBase & {
  kind: 'notice';
  notice: NoticeKind;
  level: NoticeLevel;
  text: string;
  retry?: { attempt: number; max?: number; delayMs?: number };
};
export type PermissionItem = ItemBase & {
  kind: 'permission';
  request: PermissionRequest;
  answer?: PermissionAnswer;
  source?: AnswerSource;
};
/** The end of a turn, with what it cost. */
export type TurnEndItem = ItemBase & {
  kind: 'turn-end';
  stopReason: StopReason;
  failure?: Failure;
  suspicious?: boolean;
  usage?: Usage;
  /** From the first event of the turn, ms. */
  durationMs: number;
};
export type FailureItem = ItemBase & { kind: 'failure'; failure: Failure };
/** Frames nobody knows; the same type in a row is counted. */
export type UnknownItem = ItemBase & { kind: 'unknown'; frameType: string; count: number; raw: unknown };

export type TranscriptItem =
  | PromptItem
  | TextItem
  | ThoughtItem
  | ToolItem
  | PlanItem
  | NoticeItem
  | PermissionItem
  | TurnEndItem
  | FailureItem
  | UnknownItem;
