// Where records rest: the contract of a store, and the one in memory that stands in when SQLite cannot be loaded.
// Called by the event log only.
import type { RunId, SessionId } from '../model/ids.js';
import type { LogRecord } from '../model/log-record.js';
import type { Run, Turn } from '../model/session.js';
import {
  projectionOf,
  typeOf,
  type SavedReply,
  type SavedSession,
  type SavedWorkspace,
} from './log-names.js';

/** All that a daemon must know to go on where the last one stopped. */
export interface SavedState {
  sessions: SavedSession[];
  /** The latest run of each session. */
  runs: Run[];
  /** Queued and running turns, and the last ended one of each session; oldest first. */
  turns: Turn[];
  workspace?: SavedWorkspace;
  /** When the last record was written, ms since the epoch; 0 for an empty log. */
  lastAt: number;
}

export interface RecordStore {
  /** All or none, in one transaction, with the projections. Throws the database's own error. */
  write(records: readonly LogRecord[]): void;
  maxSeq(): number;
  /** Records of a session after `after`, oldest first. */
  read(sessionId: SessionId, after: number, limit: number): LogRecord[];
  /** Records of a session whose type is one of `types`, the newest `limit`, oldest first. */
  readTypes(sessionId: SessionId, types: readonly string[], limit: number): LogRecord[];
  /** The records of all sessions after `after`, oldest first. */
  readAll(after: number, limit: number): LogRecord[];
  /** Undefined: never seen. Null: taken, and its outcome was never written. */
  reply(commandId: string): SavedReply | null | undefined;
  /** How far the log has come in a run's output. */
  marks(runId: RunId): { stdout: number; stderr: number };
  state(): SavedState;
  /** Makes the projections anew from the records. */
  rebuild(): void;
  close(): void;
}

export class MemoryStore implements RecordStore {
  #records: LogRecord[] = [];

  write(records: readonly LogRecord[]): void {
    this.#records.push(...records);
  }

  maxSeq(): number {
    return this.#records.at(-1)?.seq ?? 0;
  }

  read(sessionId: SessionId, after: number, limit: number): LogRecord[] {
    return this.#records.filter((r) => r.sessionId === sessionId && r.seq > after).slice(0, limit);
  }

  readTypes(sessionId: SessionId, types: readonly string[], limit: number): LogRecord[] {
    return this.#records
      .filter((r) => r.sessionId === sessionId && types.includes(typeOf(r.body)))
      .slice(-limit);
  }

  readAll(after: number, limit: number): LogRecord[] {
    return this.#records.filter((r) => r.seq > after).slice(0, limit);
  }

  reply(commandId: string): SavedReply | null | undefined {
    let found: SavedReply | null | undefined;
    for (const record of this.#records) {
      const projection = projectionOf(record);
      if (projection?.table === 'commands' && projection.id === commandId) found = projection.reply ?? null;
    }
    return found;
  }

  marks(runId: RunId): { stdout: number; stderr: number } {
    const marks = { stdout: 0, stderr: 0 };
    for (const { mark } of this.#records) {
      if (mark?.runId === runId) marks[mark.stream] = Math.max(marks[mark.stream], mark.offset);
    }
    return marks;
  }

  state(): SavedState {
    const tables = { sessions: new Map<string, SavedSession>(), runs: new Map<string, Run>() };
    const turns = new Map<string, Turn>();
    let workspace: SavedWorkspace | undefined;
    for (const record of this.#records) {
      const projection = projectionOf(record);
      if (projection?.table === 'sessions') tables.sessions.set(projection.id, projection.value);
      if (projection?.table === 'runs') tables.runs.set(projection.value.sessionId, projection.value);
      if (projection?.table === 'turns') turns.set(projection.id, projection.value);
      if (projection?.table === 'workspace') workspace = projection.value;
    }
    return {
      sessions: [...tables.sessions.values()].filter((s) => s.session.closedAt === undefined),
      runs: [...tables.runs.values()],
      turns: [...turns.values()],
      ...(workspace ? { workspace } : {}),
      lastAt: this.#records.at(-1)?.at ?? 0,
    };
  }

  rebuild(): void {
    // Nothing to make anew: every answer is computed from the records.
  }

  close(): void {
    this.#records = [];
  }
}
