// `agentile ls`: the sessions, one a line. Starts the daemon only when there is something to bring back.
import { existsSync } from 'node:fs';
import { STATUS_TABLE } from '../model/status.js';
import type { SessionView } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';
import type { CommandRun } from './context.js';
import { alignColumns, duration, shortPath } from './text.js';

export const runLs: CommandRun = async (context, { options }) => {
  const list = (client: DaemonClient) => client.request('workspace/get', {});
  const state = await (existsSync(context.paths.logDatabase)
    ? context.withDaemon(list)
    : context.withRunningDaemon(list));
  const sessions = state?.sessions ?? [];
  if (options['json']) context.printJson(sessions);
  else if (sessions.length === 0) context.note('No sessions. "agentile new <provider>" starts one.');
  else context.print(alignColumns(sessions.map((view) => row(view, context.env['HOME'], Date.now()))));
};

function row(view: SessionView, home: string | undefined, now: number): string[] {
  const { label, glyph } = STATUS_TABLE[view.status];
  const failure = view.run?.failure ?? view.turn?.failure;
  const why = view.status === 'failed' && failure ? failure.message : (view.session.title ?? '');
  return [
    String(view.number),
    view.session.name,
    view.providerName,
    `${glyph} ${label}`,
    duration(now - view.statusSince),
    shortPath(view.session.cwd, home),
    why,
  ];
}
