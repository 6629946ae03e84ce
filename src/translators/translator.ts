// The contract of a translator: one wire format, frames in, events out.
import type { AgentEventBody, Usage } from '../model/event.js';
import type { WireFormat } from '../model/provider.js';

/** One JSON value from one line of stdout (or one ACP message). */
export type Frame = Record<string, unknown>;

/**
 * Pure over its own state; never throws and never waits. An unknown frame becomes an `unknown` event. `translate` sees
 * every frame of a run in order; `turnStarted` tells it that we began a turn; `end` closes what the wire left open when
 * the process ended (open tool calls, a turn without an end), given what the exit and stderr say.
 */
export interface Translator {
  readonly format: WireFormat;
  turnStarted(): void;
  translate(frame: Frame): AgentEventBody[];
  /** True between turnStarted and the event turn.done. */
  readonly turnOpen: boolean;
  end(context: EndContext): AgentEventBody[];
  /** Ends the turn on our side as cancelled; frames that still come of it end nothing. */
  abandonTurn?(): AgentEventBody[];
  /** The state as JSON, and back: a new daemon goes on in the middle of a turn. */
  save?(): unknown;
  load?(state: unknown): void;
}

/** What a translator is made with; one is made for each process. */
export interface TranslatorOptions {
  /** Put before message ids that are not unique beyond one process. */
  idPrefix: string;
  /** The thread's totals before this process, where the wire counts whole threads. */
  usageBaseline?: Usage;
  /** The process goes on with an older conversation. */
  resumed?: boolean;
  /** Now, milliseconds since the epoch; for "resets 7pm". */
  now?: () => number;
}

export interface EndContext {
  exitCode?: number;
  signal?: string;
  /** We asked for the end (stop key); the open turn is cancelled, not failed. */
  stopped: boolean;
  stderrTail: string[];
}
