// A lock between processes: a file with the owner's pid and start time, taken over when that process is gone. Called by the
// installer. A pid alone proves nothing (it may be used again), so the start time is compared where the system has it.
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { toDisposable, type Disposable } from '../base/disposable.js';
import { errnoOf } from '../base/errors.js';

interface Owner {
  pid: number;
  started: string;
}

/** How often a waiting process looks again. */
const RETRY_MS = 200;

/** Waits until the lock is ours. `onWait` is called once, when somebody else holds it. Rejects when `abort` fires. */
export async function takeLock(file: string, onWait?: () => void, abort?: AbortSignal): Promise<Disposable> {
  let told = false;
  for (;;) {
    const lock = tryLock(file);
    if (lock) return lock;
    if (!told) onWait?.();
    told = true;
    await new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS));
    abort?.throwIfAborted();
  }
}

function tryLock(file: string): Disposable | undefined {
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Owner);
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, mine);
    closeSync(descriptor);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    removeIfStale(file);
    return undefined;
  }
  return toDisposable(() => rmSync(file, { force: true }));
}

function removeIfStale(file: string): void {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // It was released just now; the next try takes it.
    return;
  }
  const owner = parseOwner(text);
  // An owner that cannot be read is one that was killed between making and filling the file, or just about to fill it.
  if (owner ? isAlive(owner) : text !== '' || !isOld(file)) return;
  takeAway(file, text);
}

/** Two may find the same stale lock: what was moved away and is not the stale one goes back to where it was. */
function takeAway(file: string, staleText: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== staleText) linkSync(aside, file);
  } catch (error) {
    // ENOENT: another one was faster. EEXIST: the lock is taken anew already.
    if (!['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
  rmSync(aside, { force: true });
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return typeof owner.pid === 'number' ? owner : undefined;
  } catch {
    return undefined;
  }
}

const emptySince = new Map<string, number>();
/** An empty lock file older than this was left by a process that died while taking it. */
const EMPTY_GRACE_MS = 2000;

function isOld(file: string): boolean {
  const since = emptySince.get(file) ?? Date.now();
  emptySince.set(file, since);
  return Date.now() - since > EMPTY_GRACE_MS;
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return owner.started === '' || owner.started === startOf(owner.pid);
}

/** Start time of a process in clock ticks since boot (Linux); '' where the system has no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in brackets and may hold spaces; field 22 is counted from behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    // macOS, or the process has just ended: the pid alone must do.
    return '';
  }
}
