// Runs a program in the user's own terminal, as a shell would, and gives its exit code. For sign-ins of provider CLIs.
import { spawn } from 'node:child_process';
import { AgentileError, messageOf } from '../base/errors.js';

/** Rejects with SPAWN_FAILED. Ctrl-C is for the program; we wait for what it makes of it. */
export function runInForeground(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: 'inherit' });
    const ignore = () => undefined;
    process.on('SIGINT', ignore);
    child.on('error', (error) => {
      process.off('SIGINT', ignore);
      reject(new AgentileError('SPAWN_FAILED', `${file} could not be started: ${messageOf(error)}`));
    });
    child.on('exit', (code) => {
      process.off('SIGINT', ignore);
      resolve(code ?? 1);
    });
  });
}
