// Connects to the daemon and starts it when none answers; connects again after it went. Used by the TUI and by commands.
// However many start at once, one daemon stays: the socket decides (src/io/unix-socket.ts), not this file.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AgentileError } from '../base/errors.js';
import type { Paths } from '../base/paths.js';
import { launchDetached, type Detached } from '../io/detached.js';
import type { SessionId } from '../model/ids.js';
import { DaemonClient, isNotRunning, isStuck, type ClientRole } from './client.js';

export interface LaunchOptions {
  role?: ClientRole;
  /** The session this process runs inside of (AGENTILE_SESSION_ID). */
  sessionId?: SessionId;
  /** Environment the daemon is started in; the process's own by default. */
  env?: NodeJS.ProcessEnv;
  /** The daemon's program; by default the one that was built together with this file. */
  entry?: string;
  /** Called once, before a daemon is started: for a line of words. */
  onStart?: () => void;
}

/** A cold start takes about 150 ms; a machine that swaps takes longer. */
const START_TIMEOUT_MS = 15_000;
const POLL_FIRST_MS = 10;
const POLL_MOST_MS = 100;
const TAIL_LINES = 5;
/** Belongs to the pane this command may run in, not to the daemon and all its children. */
const PANE_VARIABLES = [
  'AGENTILE_LOCAL_URL',
  'AGENTILE_PANE_ID',
  'AGENTILE_AGENT_ID',
  'AGENTILE_SESSION_ID',
  'AGENTILE_RUN_ID',
  'AGENTILE_ATTEMPT',
  'AGENTILE_TOKEN',
];

/**
 * A connection to the daemon, which is started when none answers. Rejects with VERSION_MISMATCH when a daemon of another
 * protocol runs, DAEMON_UNREACHABLE when it cannot be started or does not answer.
 */
export async function connectOrStart(paths: Paths, options: LaunchOptions = {}): Promise<DaemonClient> {
  const first = await tryConnect(paths, options).catch(isStuckOrThrow);
  if (first) return first;
  options.onStart?.();
  return awaitDaemon(paths, options, await startDaemon(paths, options));
}

/** A connection when a daemon runs, undefined when none does. Other failures reject as in `connectOrStart`. */
export async function tryConnect(
  paths: Paths,
  options: Pick<LaunchOptions, 'role' | 'sessionId'> = {},
): Promise<DaemonClient | undefined> {
  try {
    return await DaemonClient.connect(paths, options.role ?? 'tui', options.sessionId);
  } catch (error) {
    if (isNotRunning(error)) return undefined;
    throw error;
  }
}

/** How long to wait before the next attempt to connect again: soon at first, then every two seconds. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(2000, 100 * 2 ** Math.max(0, attempt));
}

/**
 * Connects again after a daemon went (restart, crash), starting it when nobody else does. Tries until it succeeds or
 * `signal` is aborted; then it resolves with undefined. `onFailure` hears of each failed attempt.
 */
export async function reconnect(
  paths: Paths,
  options: LaunchOptions & { signal: AbortSignal; onFailure?: (error: unknown, attempt: number) => void },
): Promise<DaemonClient | undefined> {
  for (let attempt = 0; !options.signal.aborted; attempt++) {
    try {
      const client = await connectOrStart(paths, options);
      if (!options.signal.aborted) return client;
      client.dispose();
    } catch (error) {
      options.onFailure?.(error, attempt);
      await pause(reconnectDelayMs(attempt), options.signal);
    }
  }
  return undefined;
}

/** The daemon's environment: ours without what belongs to the pane this process may run in. */
export function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PANE_VARIABLES.includes(name)));
}

function startDaemon(paths: Paths, options: LaunchOptions): Promise<Detached> {
  const entry = options.entry ?? builtEntry();
  return launchDetached({
    file: process.execPath,
    args: [entry],
    env: daemonEnvironment(options.env ?? process.env),
    outputFile: paths.daemonLogFile,
    description: 'agentile daemon',
  });
}

/** Bundles lie side by side in dist/; from source, the built one is used. */
function builtEntry(): string {
  for (const place of ['./daemon.js', '../../dist/daemon.js']) {
    const file = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(file)) return file;
  }
  throw new AgentileError('DAEMON_UNREACHABLE', 'The daemon is not built.', {
    hint: 'Run "npm run build" in the agentile folder.',
  });
}

async function awaitDaemon(paths: Paths, options: LaunchOptions, started: Detached): Promise<DaemonClient> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let failed: string | undefined;
  void started.ended.then(({ exitCode, signal }) => {
    // 0: another daemon was faster, and answers.
    if (exitCode !== 0) failed = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  });
  for (let waitMs = POLL_FIRST_MS; Date.now() < deadline; waitMs = Math.min(POLL_MOST_MS, waitMs * 2)) {
    const client = await tryConnect(paths, options).catch(isStuckOrThrow);
    if (client) return client;
    if (failed) break;
    await pause(waitMs);
  }
  const tail = tailOf(paths.daemonLogFile);
  const words = failed ?? `did not answer within ${START_TIMEOUT_MS / 1000} s`;
  throw new AgentileError('DAEMON_UNREACHABLE', `The daemon ${words}.${tail ? ` It said: ${tail}` : ''}`, {
    hint: `See ${paths.daemonLogFile}.`,
  });
}

/** A daemon that hangs loses its socket to a new one (agents are with the keeper); until then it is still found. */
function isStuckOrThrow(error: unknown): undefined {
  if (!isStuck(error)) throw error;
}

function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join(' | ');
  } catch {
    // No file: it died before it could say anything.
    return '';
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
