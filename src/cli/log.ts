// `agentile log export`: the event log as JSON lines. Reads the log file itself, so it needs no daemon.
import { existsSync } from 'node:fs';
import { AgentileError } from '../base/errors.js';
import type { SessionId } from '../model/ids.js';
import type { CommandContext, CommandInput, CommandRun } from './context.js';

export const runLogExport: CommandRun = async (context, input) => {
  const file = context.paths.logDatabase;
  const sessionId = await sessionIdOf(context, input);
  if (!existsSync(file)) {
    if (sessionId) throw new AgentileError('SESSION_NOT_FOUND', `There is no log at ${file}.`);
    return;
  }
  const { exportLines, openLogFile } = await import('../daemon/log-export.js');
  const source = openLogFile(file);
  try {
    for (const line of exportLines(source, sessionId)) await write(line);
  } finally {
    source.close();
  }
};

/** An id is taken as it is (also of a closed session); a number or a name is asked of the daemon. */
async function sessionIdOf(context: CommandContext, input: CommandInput): Promise<SessionId | undefined> {
  const session = input.args[0] as string | undefined;
  if (session === undefined) return undefined;
  if (/^s-[0-9a-z]{10}$/.test(session)) return session as SessionId;
  const view = await context.withDaemon((client) => client.request('session/get', { session }));
  return view.session.id;
}

/** Waits when the reader is slower than the log. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once('drain', resolve);
  });
}
