// Unix sockets that exactly one process serves. Used by the keeper and the daemon (listen) and by who talks to them
// (connect). Alive means "somebody accepts there", never "a file or a pid exists".
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Disposable } from '../base/disposable.js';
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import { ensureDir, SOCKET_PATH_MAX_BYTES } from '../base/paths.js';
import { withLock } from './lock-file.js';

const CONNECT_TIMEOUT_MS = 3000;
/** Only the owner may use the socket, also in the moment before chmod. */
const SOCKET_UMASK = 0o177;
const SOCKET_MODE = 0o600;

/** A socket that is listened on; `dispose` stops and removes it. Connections that were accepted stay. */
export interface Listening extends Disposable {
  readonly server: Server;
}

export interface ListenOptions {
  /** Called when we are the only one, before anybody can connect. */
  whenOwned?: () => void;
  /** A connection could not be accepted (no descriptors left); the socket goes on listening. */
  onError?: (error: Error) => void;
}

/**
 * Listens at `path` (mode 0600 in a 0700 folder). Resolves with undefined when a living process listens there already; a
 * socket that nobody serves is taken over, under a lock, so that of many who start at once exactly one wins.
 */
export async function listenExclusive(
  path: string,
  onConnection: (socket: Socket) => void,
  options: ListenOptions = {},
): Promise<Listening | undefined> {
  checkLength(path);
  ensureDir(dirname(path));
  return withLock(`${path}.lock`, async () => {
    if (await isServed(path)) return undefined;
    removeStale(path);
    options.whenOwned?.();
    return listen(path, onConnection, options.onError);
  });
}

/** Rejects with the errno error of the system (ENOENT, ECONNREFUSED: nobody there), or with ETIMEDOUT. */
export function connectUnix(path: string, timeoutMs: number = CONNECT_TIMEOUT_MS): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error(`no connection to ${path}`), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** True for the errors of connectUnix that mean: there is no server. */
export function isNobodyThere(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ECONNREFUSED';
}

async function isServed(path: string): Promise<boolean> {
  try {
    const socket = await connectUnix(path);
    socket.on('error', () => {
      // We only wanted to know whether somebody accepts.
    });
    socket.destroy();
    return true;
  } catch (error) {
    if (isNobodyThere(error)) return false;
    // EAGAIN (backlog full) and ETIMEDOUT: somebody listens, who is busy.
    const errno = errnoOf(error);
    if (errno === 'EAGAIN' || errno === 'ETIMEDOUT') return true;
    throw error;
  }
}

function removeStale(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isSocket()) {
    throw new AgentileError('INTERNAL', `${path} is in the way and is not a socket.`, { hint: 'Remove it.' });
  }
  unlinkSync(path);
}

function listen(
  path: string,
  onConnection: (socket: Socket) => void,
  onError: ((error: Error) => void) | undefined,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.on('error', (error) => {
      if (server.listening) onError?.(error);
      else reject(new AgentileError('INTERNAL', `${path}: ${messageOf(error)}`, { cause: error }));
    });
    // bind happens inside listen(), so the umask holds exactly for it and no child inherits it.
    const umask = process.umask(SOCKET_UMASK);
    try {
      server.listen(path);
    } finally {
      process.umask(umask);
    }
    server.once('listening', () => {
      chmodSync(path, SOCKET_MODE);
      resolve({ server, dispose: () => void server.close() });
    });
  });
}

function checkLength(path: string): void {
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) return;
  throw new AgentileError(
    'SOCKET_PATH_TOO_LONG',
    `The socket path ${path} is longer than ${SOCKET_PATH_MAX_BYTES} bytes.`,
    { hint: 'Set TMPDIR or XDG_RUNTIME_DIR to a shorter folder.' },
  );
}
