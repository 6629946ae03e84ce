// Real daemons and keepers for tests: bundled once into a temporary folder, each in a home of its own, ended by their pids.
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { resolvePaths, type Paths } from '../../src/base/paths.js';
import { KeeperLink } from '../../src/keeper/link.js';
import { DaemonClient, type ClientRole } from '../../src/wire/client.js';
import type { DaemonStatus } from '../../src/wire/messages.js';

const ROOT = resolve(import.meta.dirname, '../..');
const BANNER =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";

/** Bundles daemon and keeper as the build does. Returns the folder; the caller removes it. */
export async function bundleDaemon(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'agentile-dist-'));
  for (const file of ['package.json', 'providers.toml']) copyFileSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: { daemon: join(ROOT, 'src/daemon/main.ts'), keeper: join(ROOT, 'src/keeper/main.ts') },
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['node-pty', 'better-sqlite3'],
    banner: { js: BANNER },
    logLevel: 'error',
  });
  return folder;
}

export async function waitFor<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** One home with its own sockets, and whatever daemons a test starts in it. */
export class DaemonBench {
  readonly home = mkdtempSync(join(tmpdir(), 'agt-'));
  readonly env: NodeJS.ProcessEnv;
  readonly paths: Paths;
  #folder: string;
  #started: ChildProcess[] = [];
  #clients: DaemonClient[] = [];

  constructor(folder: string, env: NodeJS.ProcessEnv = {}) {
    this.#folder = folder;
    const { home } = this;
    this.env = {
      PATH: process.env['PATH'],
      HOME: home,
      SHELL: '/bin/sh',
      XDG_RUNTIME_DIR: join(home, 'run'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_STATE_HOME: join(home, 'state'),
      ...env,
    };
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    this.paths = resolvePaths(this.env);
  }

  /** Starts a daemon process; it may end at once because another one answers. */
  spawnDaemon(): ChildProcess {
    const child = spawn(process.execPath, [join(this.#folder, 'dist/daemon.js')], {
      env: this.env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#started.push(child);
    return child;
  }

  /** A connection to the daemon, as soon as one answers. */
  async connect(role: ClientRole = 'cli'): Promise<DaemonClient> {
    const client = await waitFor('a daemon that answers', async () => {
      try {
        return await DaemonClient.connect(this.paths, role);
      } catch {
        // Not yet there.
        return undefined;
      }
    });
    this.#clients.push(client);
    return client;
  }

  status(client: DaemonClient): Promise<DaemonStatus> {
    return client.request('daemon/status', {});
  }

  diagnostics(): string {
    return readFileSync(this.paths.daemonLogFile, 'utf8');
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.dispose();
    for (const child of this.#started) if (child.exitCode === null) child.kill('SIGKILL');
    try {
      const keeper = await KeeperLink.connect(this.paths);
      const { pid } = keeper.hello;
      await keeper.shutdown(true);
      keeper.dispose();
      await waitFor('the end of the keeper', () => !isAlive(pid));
    } catch {
      // No keeper was started in this home, or it is gone already.
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
