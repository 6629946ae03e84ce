// Opens the log's file and sorts what can go wrong: a missing native part, a corrupt file (moved aside, its path told),
// a file that cannot be written now. Called by the event log; never throws.
import { existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { errnoOf, messageOf } from '../base/errors.js';
import { ensureDir } from '../base/paths.js';
import { SqliteStore, type SqliteModule } from './log-sqlite.js';
import { MemoryStore, type RecordStore } from './log-store.js';

export type OpenResult =
  | { state: 'ok'; store: RecordStore }
  /** Not now: locked, no room, no permission. Try again later. */
  | { state: 'locked'; detail: string }
  | { state: 'moved-aside'; store: RecordStore; detail: string }
  | { state: 'missing'; store: RecordStore; detail: string };

/** A fault of the file itself: nothing can be read from it, waiting does not help. */
export function isCorrupt(error: unknown): boolean {
  const code = errnoOf(error) ?? '';
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

/** Why the file cannot be written now, in words. */
export function whyNotNow(error: unknown): string {
  const code = errnoOf(error) ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'another program holds it';
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return 'the disk is full';
  return messageOf(error);
}

/** Loads better-sqlite3; throws what Node throws when it is not there or was built for another Node. */
export function loadSqlite(): SqliteModule {
  return createRequire(import.meta.url)('better-sqlite3') as SqliteModule;
}

export function openStore(file: string, load: () => SqliteModule = loadSqlite): OpenResult {
  let Sqlite: SqliteModule;
  try {
    Sqlite = load();
    new Sqlite(':memory:').close();
  } catch (error) {
    const detail = `better-sqlite3 could not be loaded (${firstLine(error)})`;
    return { state: 'missing', store: new MemoryStore(), detail };
  }
  try {
    ensureDir(dirname(file));
    return { state: 'ok', store: new SqliteStore(Sqlite, file) };
  } catch (error) {
    return isCorrupt(error) ? replaceCorrupt(Sqlite, file) : { state: 'locked', detail: whyNotNow(error) };
  }
}

function replaceCorrupt(Sqlite: SqliteModule, file: string): OpenResult {
  try {
    const aside = moveAside(file);
    return { state: 'moved-aside', store: new SqliteStore(Sqlite, file), detail: aside };
  } catch (error) {
    return { state: 'locked', detail: whyNotNow(error) };
  }
}

/** Renames the database and its side files; returns the new path. */
export function moveAside(file: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const aside = `${file}.corrupt-${stamp}`;
  renameSync(file, aside);
  for (const side of ['-wal', '-shm']) {
    if (existsSync(file + side)) renameSync(file + side, aside + side);
  }
  return aside;
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
