// The event log's SQLite file: schema, append-only triggers, projections. The only place that speaks SQL.
// Called by the event log; throws the database's own errors, which the event log sorts.
import type Database from 'better-sqlite3';
import type { RunId, SessionId } from '../model/ids.js';
import type { LogRecord, LogRecordBody } from '../model/log-record.js';
import type { Run, Turn } from '../model/session.js';
import {
  projectionOf,
  typeOf,
  type SavedReply,
  type SavedSession,
  type SavedWorkspace,
} from './log-names.js';
import type { RecordStore, SavedState } from './log-store.js';

/** What loading better-sqlite3 gives. */
export type SqliteModule = new (file: string, options?: { timeout?: number }) => Database.Database;

const SCHEMA_VERSION = 1;
/** A writer that holds the file longer than this is not waited for: events wait in memory instead. */
const BUSY_MS = 20;
const REBUILD_PAGE = 1000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, session_id TEXT NOT NULL, run_id TEXT, attempt INTEGER,
  kind TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL,
  mark_run TEXT, mark_stream TEXT, mark_offset INTEGER
);
CREATE INDEX IF NOT EXISTS records_session ON records (session_id, seq);
CREATE INDEX IF NOT EXISTS records_type ON records (session_id, type, seq);
CREATE TRIGGER IF NOT EXISTS records_no_update BEFORE UPDATE ON records
  BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER IF NOT EXISTS records_no_delete BEFORE DELETE ON records
  BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER IF NOT EXISTS records_no_replace BEFORE INSERT ON records
  WHEN EXISTS (SELECT 1 FROM records WHERE seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, closed INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, attempt INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_session ON runs (session_id, attempt);
CREATE TABLE IF NOT EXISTS turns (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, state TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_session ON turns (session_id, created);
CREATE TABLE IF NOT EXISTS workspace (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS commands (id TEXT PRIMARY KEY, reply TEXT);
CREATE TABLE IF NOT EXISTS marks (
  run_id TEXT NOT NULL, stream TEXT NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (run_id, stream)
);
`;

interface Row {
  seq: number;
  at: number;
  session_id: string;
  run_id: string | null;
  attempt: number | null;
  body: string;
  mark_run: string | null;
  mark_stream: string | null;
  mark_offset: number | null;
}

export class SqliteStore implements RecordStore {
  #db: Database.Database;
  #statements: Statements;

  /** Opens or makes the file. Throws when it is locked, corrupt, of a newer version or cannot be made. */
  constructor(Sqlite: SqliteModule, file: string) {
    this.#db = new Sqlite(file, { timeout: BUSY_MS });
    try {
      this.#db.pragma('journal_mode = WAL');
      // In WAL mode NORMAL loses nothing when a process dies; only a power cut can cost the last moments.
      this.#db.pragma('synchronous = NORMAL');
      const version = this.#db.pragma('user_version', { simple: true }) as number;
      if (version > SCHEMA_VERSION)
        throw new Error(`The log was written by a newer agentile (schema ${version}).`);
      this.#db.exec(SCHEMA);
      if (version === 0) this.#db.pragma(`user_version = ${SCHEMA_VERSION}`);
      this.#db.prepare('SELECT seq FROM records ORDER BY seq DESC LIMIT 1').get();
      this.#statements = prepare(this.#db);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  write(records: readonly LogRecord[]): void {
    this.#db
      .transaction(() => {
        for (const record of records) {
          this.#statements.insert.run(...columns(record));
          this.#project(record);
        }
      })
      .immediate();
  }

  maxSeq(): number {
    return (this.#statements.max.get() as { seq: number | null }).seq ?? 0;
  }

  read(sessionId: SessionId, after: number, limit: number): LogRecord[] {
    return (this.#statements.read.all(sessionId, after, limit) as Row[]).map(toRecord);
  }

  readTypes(sessionId: SessionId, types: readonly string[], limit: number): LogRecord[] {
    const rows = this.#statements.readTypes.all(sessionId, JSON.stringify(types), limit) as Row[];
    return rows.reverse().map(toRecord);
  }

  readAll(after: number, limit: number): LogRecord[] {
    return (this.#statements.readAll.all(after, limit) as Row[]).map(toRecord);
  }

  reply(commandId: string): SavedReply | null | undefined {
    const row = this.#statements.reply.get(commandId) as { reply: string | null } | undefined;
    if (!row) return undefined;
    return row.reply === null ? null : (JSON.parse(row.reply) as SavedReply);
  }

  marks(runId: RunId): { stdout: number; stderr: number } {
    const marks = { stdout: 0, stderr: 0 };
    for (const row of this.#statements.marks.all(runId) as { stream: 'stdout' | 'stderr'; offset: number }[])
      marks[row.stream] = row.offset;
    return marks;
  }

  state(): SavedState {
    const bodies = <T>(sql: string): T[] =>
      (this.#db.prepare(sql).all() as { body: string }[]).map((row) => JSON.parse(row.body) as T);
    const workspace = bodies<SavedWorkspace>('SELECT body FROM workspace')[0];
    const last = this.#db.prepare('SELECT at FROM records ORDER BY seq DESC LIMIT 1').get();
    return {
      sessions: bodies<SavedSession>('SELECT body FROM sessions WHERE closed = 0'),
      runs: bodies<Run>(
        `SELECT body FROM runs r WHERE attempt = (SELECT max(attempt) FROM runs WHERE session_id = r.session_id)
         AND session_id IN (SELECT id FROM sessions WHERE closed = 0)`,
      ),
      turns: bodies<Turn>(
        `SELECT body FROM turns t WHERE session_id IN (SELECT id FROM sessions WHERE closed = 0) AND
         (state IN ('queued', 'running') OR created = (SELECT max(created) FROM turns WHERE session_id = t.session_id))
         ORDER BY created, rowid`,
      ),
      ...(workspace ? { workspace } : {}),
      lastAt: (last as { at: number } | undefined)?.at ?? 0,
    };
  }

  rebuild(): void {
    this.#db
      .transaction(() => {
        for (const table of ['sessions', 'runs', 'turns', 'workspace', 'commands', 'marks'])
          this.#db.exec(`DELETE FROM ${table}`);
        let after = 0;
        for (;;) {
          const page = this.readAll(after, REBUILD_PAGE);
          if (page.length === 0) return;
          for (const record of page) this.#project(record);
          after = page.at(-1)!.seq;
        }
      })
      .immediate();
  }

  close(): void {
    this.#db.close();
  }

  #project(record: LogRecord): void {
    const { mark } = record;
    if (mark) this.#statements.mark.run(mark.runId, mark.stream, mark.offset);
    const change = projectionOf(record);
    switch (change?.table) {
      case undefined:
        return;
      case 'sessions': {
        const closed = change.value.session.closedAt === undefined ? 0 : 1;
        this.#statements.session.run(change.id, closed, JSON.stringify(change.value));
        return;
      }
      case 'runs': {
        const run = change.value;
        this.#statements.run.run(run.id, run.sessionId, run.attempt, JSON.stringify(run));
        return;
      }
      case 'turns': {
        const turn = change.value;
        this.#statements.turn.run(turn.id, turn.sessionId, turn.state, turn.createdAt, JSON.stringify(turn));
        return;
      }
      case 'workspace':
        this.#statements.workspace.run(JSON.stringify(change.value));
        return;
      case 'commands':
        this.#statements.command.run(change.id, change.reply ? JSON.stringify(change.reply) : null);
        return;
    }
  }
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: Database.Database) {
  const all = 'seq, at, session_id, run_id, attempt, body, mark_run, mark_stream, mark_offset';
  return {
    insert: db.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    max: db.prepare('SELECT max(seq) AS seq FROM records'),
    read: db.prepare(`SELECT ${all} FROM records WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`),
    readTypes: db.prepare(
      `SELECT ${all} FROM records WHERE session_id = ? AND type IN (SELECT value FROM json_each(?))
       ORDER BY seq DESC LIMIT ?`,
    ),
    readAll: db.prepare(`SELECT ${all} FROM records WHERE seq > ? ORDER BY seq LIMIT ?`),
    reply: db.prepare('SELECT reply FROM commands WHERE id = ?'),
    marks: db.prepare('SELECT stream, offset FROM marks WHERE run_id = ?'),
    mark: db.prepare(
      'INSERT INTO marks VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET offset = max(offset, excluded.offset)',
    ),
    session: db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)'),
    run: db.prepare('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)'),
    // Not "OR REPLACE": the row keeps its rowid, so turns of one millisecond stay in their order.
    turn: db.prepare(
      'INSERT INTO turns VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, body = excluded.body',
    ),
    workspace: db.prepare('INSERT OR REPLACE INTO workspace VALUES (1, ?)'),
    command: db.prepare(
      'INSERT INTO commands VALUES (?, ?) ON CONFLICT DO UPDATE SET reply = coalesce(excluded.reply, reply)',
    ),
  };
}

function columns(record: LogRecord): unknown[] {
  const { seq, at, sessionId, runId, attempt, body, mark } = record;
  return [
    seq,
    at,
    sessionId,
    runId ?? null,
    attempt ?? null,
    body.kind,
    typeOf(body),
    JSON.stringify(body),
    mark?.runId ?? null,
    mark?.stream ?? null,
    mark?.offset ?? null,
  ];
}

function toRecord(row: Row): LogRecord {
  return {
    seq: row.seq,
    at: row.at,
    sessionId: row.session_id as SessionId,
    ...(row.run_id === null ? {} : { runId: row.run_id as RunId }),
    ...(row.attempt === null ? {} : { attempt: row.attempt }),
    body: JSON.parse(row.body) as LogRecordBody,
    ...(row.mark_run === null
      ? {}
      : {
          mark: {
            runId: row.mark_run as RunId,
            stream: row.mark_stream as 'stdout' | 'stderr',
            offset: row.mark_offset!,
          },
        }),
  };
}
