// The log as text for `log export`: JSON lines of every record, page by page, so that a large log never sits in memory.
// Called by the command and the daemon; reads only.
import type { SessionId } from '../model/ids.js';
import type { LogRecord } from '../model/log-record.js';
import { loadSqlite } from './log-open.js';
import { SqliteStore } from './log-sqlite.js';

const PAGE = 500;

export interface RecordSource {
  readAll(after: number, limit: number): LogRecord[];
  read(sessionId: SessionId, after: number, limit: number): LogRecord[];
}

/** Records oldest first, of one session or of all. */
export function* eachRecord(source: RecordSource, sessionId?: SessionId): Generator<LogRecord> {
  let after = 0;
  for (;;) {
    const page = sessionId ? source.read(sessionId, after, PAGE) : source.readAll(after, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}

/** One JSON object a line. */
export function* exportLines(source: RecordSource, sessionId?: SessionId): Generator<string> {
  for (const record of eachRecord(source, sessionId)) yield `${JSON.stringify(record)}\n`;
}

/** Opens a log file to read it without the daemon. Throws what SQLite throws; the caller closes it. */
export function openLogFile(file: string): RecordSource & { close(): void } {
  return new SqliteStore(loadSqlite(), file);
}
