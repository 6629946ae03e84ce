// What the person should hear of while they look elsewhere: a session that began to need them, ended a turn or failed. Pure.
import { STATUS_TABLE, type StatusWord } from '../model/status.js';
import type { WorkspaceState } from '../wire/messages.js';

const NEWS: readonly StatusWord[] = ['needs-you', 'done', 'failed'];

export interface News {
  sessionId: string;
  title: string;
  body: string;
}

/** Sessions whose status became one of those; a session that is new to us is no news. */
export function newsOf(before: WorkspaceState | null, after: WorkspaceState | null): News[] {
  if (!before || !after || before.sessions === after.sessions) return [];
  const old = new Map(before.sessions.map((view) => [view.session.id, view.status]));
  return after.sessions.flatMap((view) => {
    const was = old.get(view.session.id);
    if (was === undefined || was === view.status || !NEWS.includes(view.status)) return [];
    const words = STATUS_TABLE[view.status].label;
    return [{ sessionId: view.session.id, title: view.session.name, body: `${view.session.name}: ${words}` }];
  });
}
