// The records that carry state, and the projections they become. Shared by both stores and by the rebuild. Pure.
import type { RunId, SessionId, TurnId } from '../model/ids.js';
import type { Pane, Tab } from '../model/layout.js';
import type { LogRecord, LogRecordBody } from '../model/log-record.js';
import type { Usage } from '../model/event.js';
import type { Run, Session, Turn } from '../model/session.js';
import type { Confidence } from '../model/signal.js';

/** The session id of records that belong to no session: tiles, tabs. */
export const WORKSPACE = 'workspace' as SessionId;

/** Names of command records that save a whole object; the newest of an id wins. */
export const SAVE_SESSION = 'save/session';
export const SAVE_RUN = 'save/run';
export const SAVE_TURN = 'save/turn';
export const SAVE_WORKSPACE = 'save/workspace';
/** The reply to a command, so that a repeated command gets it again. */
export const REPLY = 'reply';

/** A session as it is saved: itself and what the daemon must know of it after a restart. */
export interface SavedSession {
  session: Session;
  number: number;
  seen: boolean;
  usage?: Usage;
  reportedUsage?: Usage;
  model?: string;
  mode?: string;
  taskDone?: Confidence;
}

export interface SavedWorkspace {
  panes: Pane[];
  tabs: Tab[];
}

export interface SavedReply {
  ok: boolean;
  result?: unknown;
  error?: { code: string; message: string; hint?: string };
}

export type Projection =
  | { table: 'sessions'; id: SessionId; value: SavedSession }
  | { table: 'runs'; id: RunId; value: Run }
  | { table: 'turns'; id: TurnId; value: Turn }
  | { table: 'workspace'; value: SavedWorkspace }
  /** A command was taken; `reply` follows when it has run. */
  | { table: 'commands'; id: string; reply?: SavedReply };

/** What a record changes in the projections, or null. */
export function projectionOf(record: LogRecord): Projection | null {
  const { body } = record;
  if (body.kind !== 'command') return null;
  switch (body.name) {
    case SAVE_SESSION: {
      const value = body.body as SavedSession;
      return { table: 'sessions', id: value.session.id, value };
    }
    case SAVE_RUN: {
      const value = body.body as Run;
      return { table: 'runs', id: value.id, value };
    }
    case SAVE_TURN: {
      const value = body.body as Turn;
      return { table: 'turns', id: value.id, value };
    }
    case SAVE_WORKSPACE:
      return { table: 'workspace', value: body.body as SavedWorkspace };
    case REPLY:
      return body.commandId
        ? { table: 'commands', id: body.commandId, reply: body.body as SavedReply }
        : null;
    default:
      return body.commandId ? { table: 'commands', id: body.commandId } : null;
  }
}

/** The event's, signal's or command's own name: what an index and a reader look for. */
export function typeOf(body: LogRecordBody): string {
  switch (body.kind) {
    case 'event':
      return body.event.type;
    case 'signal':
      return body.signal.type;
    case 'command':
      return body.name;
  }
}
