// Entry of the keeper process: one per user and profile, started by launch.ts, ends by itself when nobody needs it. It
// parses nothing, and nothing that goes wrong in it may end it while it holds a child.
import { messageOf } from '../base/errors.js';
import { openFileLog, type Log } from '../base/log.js';
import { ensureDir, resolvePaths, type Paths } from '../base/paths.js';
import { VERSION } from '../base/version.js';
import { systemClock } from '../base/clock.js';
import { listenExclusive, type Listening } from '../io/unix-socket.js';
import { join } from 'node:path';
import { Children } from './children.js';
import type { StopRung } from './protocol.js';
import { KeeperServer } from './server.js';

/** A keeper that holds nothing waits this long for a daemon: a daemon that restarts needs a moment. */
const LINGER_MS = 60_000;
/** When the keeper itself is ended from outside. */
const LADDER: StopRung[] = [
  { step: 'sighup', graceMs: 500 },
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 2000 },
];
/** After a forced end the daemon may still read the last output for this long. */
const LAST_READ_MS = 2000;

class Keeper {
  #paths: Paths;
  #log: Log;
  #lingerMs: number;
  #children: Children;
  #server: KeeperServer;
  #listening: Listening | undefined;
  #linger: NodeJS.Timeout | undefined;
  #ending: 'no' | 'when-empty' | 'forced' = 'no';
  #lastRead: NodeJS.Timeout | undefined;
  #isExiting = false;

  constructor(paths: Paths, log: Log, lingerMs: number) {
    this.#paths = paths;
    this.#log = log;
    this.#lingerMs = lingerMs;
    const onChange = () => void setImmediate(() => this.#check());
    this.#children = new Children({ log, groupFile: join(paths.stateDir, 'keeper-groups.json'), onChange });
    this.#server = new KeeperServer({
      children: this.#children,
      log,
      startedAt: Date.now(),
      onChange,
      onShutdown: (force) => this.end(force),
    });
  }

  /** False when another keeper serves this profile. */
  async start(): Promise<boolean> {
    const { groups } = this.#children;
    this.#listening = await listenExclusive(
      this.#paths.keeperSocket,
      (socket) => this.#server.accept(socket),
      {
        whenOwned: () => groups.takeOver(),
        onError: (error) => this.#log.error('a connection was not accepted', { reason: messageOf(error) }),
      },
    );
    if (!this.#listening) return false;
    this.#log.info('keeper started', { version: VERSION, socket: this.#paths.keeperSocket });
    this.#check();
    const swept = await groups.sweep(systemClock);
    if (swept > 0) this.#log.warn('swept what a dead keeper left', { groups: swept });
    return true;
  }

  /** `force`: ends the children first; a second time at once. */
  end(force: boolean): void {
    this.#server.close();
    if (!force) {
      if (this.#ending === 'no') this.#ending = 'when-empty';
    } else {
      this.#ending = 'forced';
      // A second call reaches children that climb already, and kills them.
      this.#children.stopAll(LADDER);
    }
    setImmediate(() => this.#check());
  }

  killChildren(): void {
    this.#children.killAll();
  }

  #check(): void {
    if (this.#ending === 'forced' && !this.#children.isEmpty) this.#releaseWhenOver();
    const { isEmpty } = this.#children;
    if (isEmpty && this.#ending !== 'no') {
      this.#exit('asked to end');
      return;
    }
    const isIdle = isEmpty && !this.#server.hasDaemon;
    if (!isIdle) {
      clearTimeout(this.#linger);
      this.#linger = undefined;
    } else {
      this.#linger ??= setTimeout(() => this.#exit('nobody needs it'), this.#lingerMs);
    }
  }

  #releaseWhenOver(): void {
    this.#children.releaseEnded(this.#server.hasDaemon ? 'told' : 'all');
    this.#lastRead ??= setInterval(() => this.#children.releaseEnded('all'), LAST_READ_MS);
  }

  #exit(reason: string): void {
    if (this.#isExiting) return;
    this.#isExiting = true;
    clearInterval(this.#lastRead);
    this.#log.info('keeper ends', { reason });
    this.#listening?.dispose();
    // The next turn: answers that were just sent leave first.
    setTimeout(() => process.exit(0), 20);
  }
}

function lingerMsFrom(text: string | undefined): number {
  const ms = Number(text);
  return text && Number.isFinite(ms) && ms >= 0 ? ms : LINGER_MS;
}

async function main(): Promise<void> {
  process.title = 'agentile-keeper';
  const paths = resolvePaths();
  ensureDir(paths.stateDir);
  const log = openFileLog(paths.keeperLogFile);
  process.on('uncaughtException', (error) =>
    log.error('went on after', { stack: error.stack ?? String(error) }),
  );
  process.on('unhandledRejection', (error) => log.error('went on after', { reason: messageOf(error) }));
  const keeper = new Keeper(paths, log, lingerMsFrom(process.env['AGENTILE_KEEPER_LINGER_MS']));
  // The terminal that started us has gone, or somebody typed ^C there: not our business.
  process.on('SIGHUP', () => log.info('SIGHUP ignored'));
  process.on('SIGINT', () => log.info('SIGINT ignored'));
  process.on('SIGTERM', () => keeper.end(true));
  process.on('exit', () => keeper.killChildren());
  try {
    if (await keeper.start()) return;
    log.info('another keeper serves this profile');
    process.exit(0);
  } catch (error) {
    log.error('the keeper could not start', { reason: messageOf(error) });
    process.stderr.write(`agentile keeper: ${messageOf(error)}\n`);
    process.exit(1);
  }
}

await main();
