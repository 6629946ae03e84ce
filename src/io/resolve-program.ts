// Finds a program as exec would, before a fork hides the reason why it could not be started. Used by pty.ts and child.ts.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { AgentileError, errnoOf } from '../base/errors.js';
import type { ProcessSpec } from './running-process.js';

/** What exec searches when the environment has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The absolute path of spec.file. Throws SPAWN_FAILED, whose cause carries the errno as `code`. */
export function resolveProgram(spec: ProcessSpec): string {
  checkFolder(spec.cwd);
  if (spec.file.includes('\0') || spec.args.some((arg) => arg.includes('\0'))) {
    throw spawnFailed(`${JSON.stringify(spec.file)}: an argument holds a NUL character.`, 'EINVAL');
  }
  if (spec.file.includes('/')) {
    const path = isAbsolute(spec.file) ? spec.file : resolve(spec.cwd, spec.file);
    const errno = whyNot(path);
    if (errno) throw spawnFailed(`${path} ${wordsOf(errno)}.`, errno);
    return path;
  }
  let denied: string | undefined;
  for (const folder of (spec.env['PATH'] || DEFAULT_PATH).split(delimiter)) {
    const path = resolve(spec.cwd, join(folder || '.', spec.file));
    const errno = whyNot(path);
    if (!errno) return path;
    if (errno === 'EACCES') denied ??= path;
  }
  if (denied) throw spawnFailed(`${denied} ${wordsOf('EACCES')}.`, 'EACCES');
  throw spawnFailed(`${spec.file} was not found on the PATH.`, 'ENOENT');
}

/** A SPAWN_FAILED whose cause carries the errno as `code`. */
export function spawnFailed(message: string, errno: string, hint?: string): AgentileError {
  const cause = Object.assign(new Error(`${errno}: ${message}`), { code: errno });
  return new AgentileError('SPAWN_FAILED', message, { cause, ...(hint ? { hint } : {}) });
}

function checkFolder(cwd: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(cwd).isDirectory();
  } catch (error) {
    const errno = errnoOf(error) ?? 'ENOENT';
    throw spawnFailed(`The folder ${cwd} ${wordsOf(errno)}.`, errno);
  }
  if (!isFolder) throw spawnFailed(`${cwd} is not a folder.`, 'ENOTDIR');
}

function whyNot(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'EACCES';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? 'ENOENT';
  }
}

function wordsOf(errno: string): string {
  if (errno === 'EACCES') return 'may not be executed';
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return 'does not exist';
  return `cannot be used (${errno})`;
}
