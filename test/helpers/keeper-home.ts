// A home of its own for a test that runs a real keeper: folders, environment, start, and the end of what was started.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolvePaths, type Paths } from '../../src/base/paths.js';
import { statOf } from '../../src/io/process-group.js';
import { startKeeper } from '../../src/keeper/launch.js';
import { KeeperLink, type KeeperHello } from '../../src/keeper/link.js';
import { builtEntry } from './build.js';
import { until } from './until.js';

/** True while the process lives; a zombie does not. */
export function isAlive(pid: number): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z';
}

export class KeeperHome {
  readonly dir = mkdtempSync(join(tmpdir(), 'agentile-keeper-'));
  readonly env: Record<string, string>;
  readonly paths: Paths;
  #keepers = new Set<number>();
  #links = new Set<KeeperLink>();

  constructor(lingerMs = 20_000) {
    this.env = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: this.dir,
      XDG_RUNTIME_DIR: join(this.dir, 'run'),
      XDG_CONFIG_HOME: join(this.dir, 'config'),
      XDG_DATA_HOME: join(this.dir, 'data'),
      XDG_STATE_HOME: join(this.dir, 'state'),
      AGENTILE_KEEPER_LINGER_MS: String(lingerMs),
    };
    this.paths = resolvePaths(this.env);
  }

  async start(bundle?: string): Promise<KeeperHello> {
    const entry = bundle ?? (await builtEntry('keeper'));
    const plan = { how: 'own-session', reason: 'a test' } as const;
    const { hello } = await startKeeper(this.paths, { entry, env: this.env, plan });
    this.#keepers.add(hello.pid);
    return hello;
  }

  async connect(): Promise<KeeperLink> {
    const link = await KeeperLink.connect(this.paths);
    this.#links.add(link);
    return link;
  }

  /** Ends the keepers, and with them their children. */
  async end(): Promise<void> {
    for (const link of this.#links) link.dispose();
    for (const pid of this.#keepers) {
      if (!isAlive(pid)) continue;
      process.kill(pid, 'SIGTERM');
      process.kill(pid, 'SIGTERM');
      await until(`keeper ${pid} has ended`, () => !isAlive(pid));
    }
    // Keepers that lost the race for the socket may come up only now.
    await until('nobody is left in this home', () => {
      const left = this.#inhabitants();
      for (const pid of left) process.kill(pid, 'SIGKILL');
      return left.length === 0;
    });
    rmSync(this.dir, { recursive: true, force: true });
  }

  #inhabitants(): number[] {
    const mark = `HOME=${this.dir}\0`;
    const lives = (pid: number) => {
      try {
        return isAlive(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
      } catch {
        // It ended between two looks, or it is not ours.
        return false;
      }
    };
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 1 && lives(pid));
  }
}
