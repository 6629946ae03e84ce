// Entry of the daemon process: one per user and profile. Started detached by src/wire/launch.ts; ends with exit code 0 when
// another one answers already. What goes wrong in it is logged and survived; its children live in the keeper anyway.
import type { Socket } from 'node:net';
import { messageOf } from '../base/errors.js';
import { openFileLog, type Log } from '../base/log.js';
import { ensureDir, resolvePaths, type Paths } from '../base/paths.js';
import { VERSION } from '../base/version.js';
import { loadSettings } from '../config.js';
import { composeDaemon, type Composed } from './compose.js';
import { claimSocket, socketIdentity, watchSocket } from './own-socket.js';

async function main(): Promise<void> {
  const paths = resolvePaths();
  for (const dir of [paths.runtimeDir, paths.stateDir, paths.dataDir]) ensureDir(dir);
  const level = loadSettings(paths.configFile).settings['log.level'];
  const diagnostics = openFileLog(paths.daemonLogFile, level);
  surviveFaults(diagnostics);
  const waiting: Socket[] = [];
  let accept = (socket: Socket): void => void waiting.push(socket);
  const listening = await claimSocket(paths.daemonSocket, (socket) => accept(socket));
  if (!listening) {
    diagnostics.info('another daemon answers already');
    process.exit(0);
  }
  diagnostics.info('daemon started', { version: VERSION, socket: paths.daemonSocket });
  const composed = composeDaemon({
    paths,
    env: process.env,
    diagnostics,
    onStopped: () => {
      // Closing the socket removes its file, so only its owner may.
      if (socketIdentity(paths.daemonSocket) === mine) listening.dispose();
      diagnostics.info('daemon stopped');
      process.exit(0);
    },
  });
  const mine = socketIdentity(paths.daemonSocket);
  leaveWhenReplaced(paths, diagnostics, composed, mine);
  obeySignals(composed);
  accept = (socket) => composed.daemon.server.accept(socket);
  for (const socket of waiting) accept(socket);
  await composed.start();
  diagnostics.info('daemon ready');
}

function surviveFaults(diagnostics: Log): void {
  process.on('uncaughtException', (error) =>
    diagnostics.error('uncaught', { error, stack: error instanceof Error ? error.stack : undefined }),
  );
  process.on('unhandledRejection', (reason) =>
    diagnostics.error('unhandled rejection', {
      error: reason,
      stack: reason instanceof Error ? reason.stack : undefined,
    }),
  );
}

/** The terminal we were started from is none of our business any more; SIGTERM ends us in order, children live on. */
function obeySignals({ daemon }: Composed): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE'] as const) {
    process.on(signal, () => {
      // Ignored on purpose: a hang-up or Ctrl-C of the starting terminal must not end the agents' daemon.
    });
  }
  process.on('SIGTERM', () => void daemon.stop({ children: 'keep' }));
}

/** Another daemon has our place (we slept, or our socket was deleted): go, and let the clients find it. */
function leaveWhenReplaced(
  paths: Paths,
  diagnostics: Log,
  { daemon, host }: Composed,
  mine: string | undefined,
): void {
  const leave = (): void => {
    diagnostics.warn('the socket is not ours any more', { socket: paths.daemonSocket });
    void daemon.stop({ children: 'keep', reason: 'restart' });
  };
  watchSocket(paths.daemonSocket, leave);
  host.onLost(() => {
    if (socketIdentity(paths.daemonSocket) !== mine) leave();
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`agentile daemon: ${messageOf(error)}\n`);
  process.exit(1);
});
