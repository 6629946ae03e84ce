// Starts a process that outlives us and the login: its own session, and with systemd outside the login scope. Used to start
// the keeper and the daemon. Does not wait until they answer; that is the caller's.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnFailed } from './resolve-program.js';
import { errnoOf, messageOf } from '../base/errors.js';

export interface DetachedSpec {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** stdout and stderr are appended here (mode 0600). */
  outputFile: string;
  /** Words for people in the list of units: "agentile keeper". */
  description: string;
  plan?: DetachPlan;
}

export interface DetachPlan {
  /** user-scope: in a scope of the user's systemd; own-session: setsid only, in the cgroup of the login. */
  how: 'user-scope' | 'own-session';
  /** Why, in words; `doctor` shows it. */
  reason: string;
}

export interface Detached {
  pid: number;
  plan: DetachPlan;
  /** Resolves when it ends while we still live. */
  ended: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** A user manager that does not answer must not hold a start for longer. */
const PROBE_TIMEOUT_MS = 3000;

/**
 * The user's systemd is used only when it lingers: without lingering it ends with the last login, and what it holds ends
 * with it, while a process in the scope of the login is left alone unless logind is set to KillUserProcesses=yes.
 */
export function detachPlan(
  env: NodeJS.ProcessEnv,
  where: { systemdDir?: string; lingerDir?: string } = {},
): DetachPlan {
  const own = (reason: string): DetachPlan => ({ how: 'own-session', reason });
  const { systemdDir = '/run/systemd/system', lingerDir = '/var/lib/systemd/linger' } = where;
  if (!existsSync(systemdDir)) return own('there is no systemd here');
  const user = userInfo().username;
  if (!existsSync(join(lingerDir, user))) {
    return own(`lingering is off for ${user}: "loginctl enable-linger" lets agents outlive every logout`);
  }
  const probe = spawnSync('systemd-run', [...SCOPE_ARGS, '--', 'true'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: PROBE_TIMEOUT_MS,
  });
  if (probe.status === 0) return { how: 'user-scope', reason: 'in a scope of the lingering user manager' };
  const why = probe.error ? messageOf(probe.error) : probe.stderr.trim();
  return own(`the user manager of systemd does not answer: ${why}`);
}

const SCOPE_ARGS = ['--user', '--scope', '--quiet', '--collect'];

/** Rejects with SPAWN_FAILED. The descriptor limit needs no care: Node raises its soft limit to the hard one itself. */
export async function launchDetached(spec: DetachedSpec): Promise<Detached> {
  const plan = spec.plan ?? detachPlan(spec.env);
  const direct = [spec.file, ...spec.args];
  const scoped = ['systemd-run', ...SCOPE_ARGS, `--description=${spec.description}`, '--', ...direct];
  const [file, ...args] = plan.how === 'user-scope' ? scoped : direct;
  mkdirSync(dirname(spec.outputFile), { recursive: true, mode: 0o700 });
  const output = openSync(spec.outputFile, 'a', 0o600);
  try {
    // The root folder: a process that lives long must not hold a mount.
    const child = spawn(file!, args, {
      cwd: '/',
      env: spec.env,
      detached: true,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) =>
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
    );
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return { pid: child.pid!, plan, ended };
  } catch (error) {
    throw spawnFailed(
      `${spec.description} could not be started: ${messageOf(error)}`,
      errnoOf(error) ?? 'EIO',
    );
  } finally {
    closeSync(output);
  }
}
