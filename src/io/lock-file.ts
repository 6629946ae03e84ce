// A lock between processes that is held for a moment: a file that appears whole and names its owner by pid and start
// time. An owner that died leaves a lock that anybody may break. Used for sockets that are taken over and for installs.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { AgentileError, errnoOf } from '../base/errors.js';
import { bootId, isSameProcess, statOf } from './process-group.js';

const RETRY_MS = 15;
const TIMEOUT_MS = 15_000;

/** Runs `action` while we hold the lock. Rejects with TIMED_OUT when a living process keeps it longer than `timeoutMs`. */
export async function withLock<T>(
  file: string,
  action: () => Promise<T>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<T> {
  const mine = [process.pid, statOf(process.pid)?.startTime, bootId(), randomBytes(6).toString('hex')].join(
    '\n',
  );
  const deadline = Date.now() + timeoutMs;
  while (!tryAcquire(file, mine)) {
    if (Date.now() > deadline) {
      throw new AgentileError('TIMED_OUT', `Another process holds ${file}.`, {
        hint: `It is process ${readOwner(file)?.split('\n')[0] ?? '?'}; end it, or remove the file.`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  try {
    return await action();
  } finally {
    if (readOwner(file) === mine) rmSync(file, { force: true });
  }
}

function tryAcquire(file: string, mine: string): boolean {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, mine, { mode: 0o600, flag: 'wx' });
  try {
    // A link appears whole or not at all: nobody sees a lock without its owner in it.
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    const owner = readOwner(file);
    if (owner !== undefined && !isOwnerAlive(owner)) breakLock(file, owner, draft);
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Released between two looks.
    return undefined;
  }
}

function isOwnerAlive(owner: string): boolean {
  const [pid, startTime, boot] = owner.split('\n');
  return boot === bootId() && isSameProcess(Number(pid), startTime ?? '');
}

/** Takes the dead lock away; when it was already another, living one, puts that back. */
function breakLock(file: string, dead: string, draft: string): void {
  const aside = `${draft}.stale`;
  try {
    renameSync(file, aside);
    if (readOwner(aside) !== dead) linkSync(aside, file);
  } catch (error) {
    // ENOENT: somebody else broke it first. EEXIST: a third one holds it by now.
    const errno = errnoOf(error);
    if (errno !== 'ENOENT' && errno !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
