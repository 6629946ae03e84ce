// The daemon's socket: claimed by exactly one process, and watched, so that a daemon that slept while another took its
// place finds out and leaves. Alive means "answers our hello"; a file, a pid or an open port means nothing (A47, A48).
import { statSync, unlinkSync, watch } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { toDisposable, type Disposable } from '../base/disposable.js';
import { VERSION } from '../base/version.js';
import { FrameLink } from '../io/frame-link.js';
import { withLock } from '../io/lock-file.js';
import { connectUnix, isNobodyThere, listenExclusive, type Listening } from '../io/unix-socket.js';
import { WIRE_PROTOCOL, type FromDaemon, type ToDaemon } from '../wire/messages.js';

/** A daemon on a loaded machine answers in some ms; one that is silent for so long is stopped or hangs. */
const HELLO_TIMEOUT_MS = 5000;

/**
 * Listens at `path`, or resolves with undefined when a daemon answers there. Of many that start at once exactly one wins.
 * A process that holds the socket and does not answer the hello loses it.
 */
export async function claimSocket(
  path: string,
  onConnection: (socket: Socket) => void,
  helloTimeoutMs: number = HELLO_TIMEOUT_MS,
): Promise<Listening | undefined> {
  for (;;) {
    const listening = await listenExclusive(path, onConnection);
    if (listening) return listening;
    if (await answersHello(path, helloTimeoutMs)) return undefined;
    await withLock(`${path}.lock`, async () => {
      // Asked again under the lock: another one may have taken its place meanwhile.
      if (!(await answersHello(path, helloTimeoutMs))) unlinkSync(path);
    });
  }
}

/** True when a daemon, of whatever version, answers at `path`. */
export async function answersHello(path: string, timeoutMs: number = HELLO_TIMEOUT_MS): Promise<boolean> {
  let socket: Socket;
  try {
    socket = await connectUnix(path, timeoutMs);
  } catch (error) {
    if (isNobodyThere(error)) return false;
    // Its backlog is full, or it takes no connection in time: it does not answer.
    return false;
  }
  const link = new FrameLink<ToDaemon, FromDaemon>(socket);
  try {
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      link.onClose(() => resolve(false));
      link.onFrame(({ header }) => resolve(header.t === 'hello' || header.t === 'refused'));
      link.send({ t: 'hello', protocol: WIRE_PROTOCOL, version: VERSION, role: 'cli' });
      link.onClose(() => clearTimeout(timer));
    });
  } finally {
    link.dispose();
  }
}

/** Tells which file the socket is; undefined when it is not there. */
export function socketIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : undefined;
}

/** Calls `onTaken` once when the socket at `path` is not the one it was any more (replaced or removed). */
export function watchSocket(path: string, onTaken: () => void): Disposable {
  const mine = socketIdentity(path);
  let told = false;
  const check = () => {
    if (told || socketIdentity(path) === mine) return;
    told = true;
    onTaken();
  };
  const watcher = watch(dirname(path), { persistent: false }, check);
  watcher.on('error', check);
  // A process that was stopped (SIGSTOP) may have missed what happened meanwhile.
  process.on('SIGCONT', check);
  return toDisposable(() => {
    watcher.close();
    process.off('SIGCONT', check);
  });
}
