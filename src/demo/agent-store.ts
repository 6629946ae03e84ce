// The demo agent's memory: one JSON file a session, so that a later process can load it.
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { resolvePaths } from '../base/paths.js';
import { errnoOf } from '../base/errors.js';

export interface StoredSession {
  sessionId: string;
  cwd: string;
  title: string;
  updatedAt: string;
  mode: 'ask' | 'auto';
  /** session/update bodies in order, as they were sent; replayed on load. */
  updates: Record<string, unknown>[];
  /** What `remember` was told. */
  facts: string[];
  alwaysAllowed: string[];
}

function folder(): string {
  return join(resolvePaths().dataDir, 'demo-agent');
}

export function newSession(cwd: string): StoredSession {
  return {
    sessionId: `demo-${randomUUID()}`,
    cwd,
    title: 'demo',
    updatedAt: new Date().toISOString(),
    mode: 'ask',
    updates: [],
    facts: [],
    alwaysAllowed: [],
  };
}

/** Undefined for an unknown id. Throws on a file that cannot be read. */
export function loadSession(sessionId: string): StoredSession | undefined {
  if (!/^demo-[0-9a-f-]{36}$/.test(sessionId)) return undefined;
  try {
    return JSON.parse(readFileSync(join(folder(), `${sessionId}.json`), 'utf8')) as StoredSession;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export function saveSession(session: StoredSession): void {
  session.updatedAt = new Date().toISOString();
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const file = join(folder(), `${session.sessionId}.json`);
  writeFileSync(`${file}.tmp`, JSON.stringify(session), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

export function listSessions(): StoredSession[] {
  let names: string[];
  try {
    names = readdirSync(folder());
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => loadSession(name.slice(0, -5)) ?? []);
}
