// A home of its own for one end-to-end test: folders, environment, and the end of every process that belongs to it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Host, type HostOptions } from './host.js';

export const ROOT = resolve(import.meta.dirname, '../..');
export const BIN = join(ROOT, 'bin/agentile.js');

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export class World {
  readonly dir: string;
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string>;
  #hosts: Host[] = [];

  constructor(extraEnv: Record<string, string> = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'agentile-world-'));
    this.home = join(this.dir, 'home');
    this.project = join(this.dir, 'project');
    const runtime = join(this.dir, 'run');
    for (const dir of [this.home, this.project, runtime]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.env = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: this.home,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      PS1: '$ ',
      TMPDIR: this.dir,
      XDG_RUNTIME_DIR: runtime,
      XDG_CONFIG_HOME: join(this.home, '.config'),
      XDG_DATA_HOME: join(this.home, '.local/share'),
      XDG_STATE_HOME: join(this.home, '.local/state'),
      AGENTILE_KEEPER_LINGER_MS: '1000',
      ...extraEnv,
    };
  }

  /** The product in a terminal. */
  start(args: string[] = [], options: Partial<HostOptions> = {}): Host {
    const host = new Host(process.execPath, [BIN, ...args], {
      cwd: this.project,
      ...options,
      env: { ...this.env, ...options.env },
    });
    this.#hosts.push(host);
    return host;
  }

  /** The product as a command, without a terminal. */
  run(
    args: string[],
    options: { input?: string; env?: Record<string, string>; timeoutMs?: number } = {},
  ): Promise<CommandResult> {
    return new Promise((done) => {
      const child = execFile(
        process.execPath,
        [BIN, ...args],
        {
          cwd: this.project,
          env: { ...this.env, ...options.env },
          timeout: options.timeoutMs ?? 30_000,
          maxBuffer: 64 * 1024 * 1024,
        },
        (error, stdout, stderr) => {
          const code = error ? (typeof error.code === 'number' ? error.code : 255) : 0;
          done({ exitCode: code, stdout, stderr });
        },
      );
      child.stdin?.end(options.input ?? '');
    });
  }

  async json<T>(args: string[]): Promise<T> {
    const result = await this.run([...args, '--json']);
    if (result.exitCode !== 0)
      throw new Error(`agentile ${args.join(' ')} ended ${result.exitCode}: ${result.stderr}`);
    return JSON.parse(result.stdout) as T;
  }

  /** Pids of every living process that was started in this world (its HOME is in their environment). */
  pids(): number[] {
    const needle = `HOME=${this.home}\0`;
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && environmentOf(pid).includes(needle));
  }

  /** Pids whose command line matches, among those of this world. */
  pidsOf(pattern: RegExp): number[] {
    return this.pids().filter((pid) => pattern.test(read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')));
  }

  get daemonPid(): number | undefined {
    return this.pidsOf(/dist\/daemon\.js/)[0];
  }

  get keeperPid(): number | undefined {
    return this.pidsOf(/dist\/keeper\.js|^agentile-keeper/)[0];
  }

  dispose(): void {
    for (const host of this.#hosts) host.dispose();
    for (let round = 0; round < 5; round++) {
      const pids = this.pids();
      if (pids.length === 0) break;
      for (const pid of pids) killQuietly(pid);
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

function environmentOf(pid: number): string {
  return read(`/proc/${pid}/environ`);
}

/** '' for a process that has gone meanwhile or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the look and the kill.
  }
}
