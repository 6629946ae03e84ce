// Runs one short command to its end and gives its output. For detection, installs and the demo agent; children that must
// outlive a call belong to the keeper.
import { spawn } from 'node:child_process';
import { messageOf } from '../base/errors.js';

export interface CommandOutcome {
  /** Missing when it was ended by a signal or never started. */
  exitCode?: number;
  signal?: string;
  /** stdout and stderr in the order they came, at most `capBytes`, the end kept. */
  output: string;
  /** Words when it could not be started. */
  spawnError?: string;
}

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** At this the group is killed. */
  timeoutMs?: number;
  capBytes?: number;
  /** Aborting kills the group. */
  abort?: AbortSignal;
  onOutput?: (text: string) => void;
}

const DEFAULT_CAP_BYTES = 256 * 1024;

/** Never rejects. stdin is /dev/null; the command has its own process group. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const capBytes = options.capBytes ?? DEFAULT_CAP_BYTES;
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const take = (chunk: string) => {
      options.onOutput?.(chunk);
      output = (output + chunk).slice(-capBytes);
    };
    const kill = () => killGroup(child.pid);
    const timer = options.timeoutMs ? setTimeout(kill, options.timeoutMs) : undefined;
    options.abort?.addEventListener('abort', kill, { once: true });
    const finish = (outcome: Omit<CommandOutcome, 'output'>) => {
      clearTimeout(timer);
      options.abort?.removeEventListener('abort', kill);
      resolve({ ...outcome, output });
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => finish({ spawnError: messageOf(error) }));
    child.on('close', (code, signal) =>
      finish({ ...(code === null ? {} : { exitCode: code }), ...(signal ? { signal } : {}) }),
    );
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group ended between the decision and the kill.
  }
}
