// `agentile daemon status|start|stop|restart`. Stopping and restarting leave the children with the keeper.
import { AgentileError, errnoOf } from '../base/errors.js';
import type { DaemonStatus } from '../wire/messages.js';
import type { CommandContext, CommandRun } from './context.js';
import { alignColumns, duration } from './text.js';

/** The daemon writes its log out before it goes. */
const STOP_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 50;

export const runDaemonStatus: CommandRun = async (context, { options }) => {
  const status = await context.withRunningDaemon((client) => client.request('daemon/status', {}));
  if (options['json']) context.printJson(status ?? null);
  else if (status) context.print(alignColumns(statusRows(status, Date.now())));
  if (status) return 0;
  throw new AgentileError('DAEMON_UNREACHABLE', 'No daemon is running.', {
    hint: 'Start it with "agentile daemon start", or just run "agentile".',
  });
};

function statusRows(status: DaemonStatus, now: number): string[][] {
  const { keeper, log } = status;
  const holder = keeper
    ? `pid ${keeper.pid}, version ${keeper.version}, holds ${keeper.children}, up ${duration(now - keeper.startedAt)}`
    : 'none';
  return [
    ['daemon', `pid ${status.pid}, version ${status.version}, up ${duration(now - status.startedAt)}`],
    ['keeper', holder],
    ['sessions', String(status.sessions)],
    ['clients', String(status.clients)],
    ['log', `${log.path} (${log.state}${log.detail ? `: ${log.detail}` : ''})`],
    ['socket', status.socket],
  ];
}

export const runDaemonStart: CommandRun = async (context) => {
  const pid = await context.withDaemon(async (client) => client.daemon.pid);
  context.print(`The daemon runs (pid ${pid}).`);
};

export const runDaemonStop: CommandRun = async (context, { options }) => {
  const all = options['all'] === true;
  const stopped = await stopDaemon(context, all ? 'stop' : 'keep', 'stop');
  if (!stopped) context.print('No daemon was running.');
  else
    context.print(
      all
        ? 'Stopped, with all agents and programs.'
        : 'Stopped. Agents and programs go on; "agentile" brings them back.',
    );
};

export const runDaemonRestart: CommandRun = async (context) => {
  const was = await stopDaemon(context, 'keep', 'restart');
  const pid = await context.withDaemon(async (client) => client.daemon.pid);
  context.print(
    was ? `The daemon was changed (pid ${was} → ${pid}); agents go on.` : `The daemon runs (pid ${pid}).`,
  );
};

/** Ends the daemon and waits until it has gone; resolves with its pid, undefined when none ran. */
async function stopDaemon(
  context: CommandContext,
  children: 'keep' | 'stop',
  reason: 'restart' | 'stop',
): Promise<number | undefined> {
  const { DaemonClient, mismatchedPid, isNotRunning, isStuck } = await import('../wire/client.js');
  let pid: number;
  try {
    const client = await DaemonClient.connect(context.paths, 'cli', context.ownSession);
    pid = client.daemon.pid;
    const closed = new Promise<void>((resolve) => client.onClose(() => resolve()));
    // The connection may end before the answer to this comes: the end is the answer.
    await Promise.race([client.request('daemon/stop', { children, reason }), closed]).catch(ignoreClosed);
    client.dispose();
  } catch (error) {
    // One that hangs loses its place to the next that is started.
    if (isNotRunning(error) || (isStuck(error) && reason === 'restart')) return undefined;
    const old = mismatchedPid(error);
    if (old === undefined || children === 'stop') throw error;
    // Another protocol: SIGTERM is understood by every version, and leaves the children with the keeper.
    process.kill(old, 'SIGTERM');
    pid = old;
  }
  await awaitEnd(pid);
  return pid;
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof AgentileError) || error.code !== 'CONNECTION_CLOSED') throw error;
}

async function awaitEnd(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) {
      throw new AgentileError(
        'TIMED_OUT',
        `The daemon (pid ${pid}) has not ended after ${STOP_TIMEOUT_MS / 1000} s.`,
        {
          hint: `kill -9 ${pid} costs nothing: agents are with the keeper.`,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
