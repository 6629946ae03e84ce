// One record of the append-only event log.
import type { AgentEventBody } from './event.js';
import type { RunId, SessionId, TurnId } from './ids.js';
import type { RunSignal } from './signal.js';

/** How far into a child's stdout the log has come: a new daemon goes on exactly there. */
export interface ByteMark {
  runId: RunId;
  stream: 'stdout' | 'stderr';
  offset: number;
}

export type LogRecordBody =
  | { kind: 'event'; event: AgentEventBody; turnId?: TurnId }
  | { kind: 'signal'; signal: RunSignal }
  | { kind: 'command'; name: string; commandId?: string; body: unknown };

export interface LogRecord {
  /** Rises by one for each record of this log; never reused. */
  seq: number;
  at: number;
  sessionId: SessionId;
  runId?: RunId;
  attempt?: number;
  body: LogRecordBody;
  mark?: ByteMark;
}
