// The client's side of the daemon's socket: hello, requests with typed answers, and everything the daemon tells by
// itself. Used by the TUI and by commands. It starts nothing (that is src/wire/launch.ts) and paints nothing.
import type { Socket } from 'node:net';
import { Emitter, type Event } from '../base/emitter.js';
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import { toDisposable, type Disposable } from '../base/disposable.js';
import type { Paths } from '../base/paths.js';
import { VERSION } from '../base/version.js';
import type { CommandId, SessionId } from '../model/ids.js';
import { FrameLink } from '../io/frame-link.js';
import { connectUnix, isNobodyThere } from '../io/unix-socket.js';
import { WIRE_PROTOCOL, type FromDaemon, type Method, type Requests, type ToDaemon } from './messages.js';

export type ClientRole = 'tui' | 'cli';
export type DaemonHello = Extract<FromDaemon, { t: 'hello' }>;
/** What the daemon sends without being asked. */
export type DaemonPush = Exclude<FromDaemon, { t: 'hello' | 'refused' | 'reply' }>;

export interface PushFrame {
  message: DaemonPush;
  /** Valid only during the listener. */
  body: Uint8Array;
}

export interface RequestOptions {
  /** Repeating a request with the same id gets the first answer and runs nothing. */
  commandId?: CommandId;
  /** Rejects with TIMED_OUT after this; without it the answer is awaited as long as the link lives. */
  timeoutMs?: number;
}

/** A daemon that accepted the connection answers the hello within this, or counts as stuck. */
const HELLO_TIMEOUT_MS = 5000;

interface Pending {
  resolve(value: unknown): void;
  reject(error: AgentileError): void;
  timer?: NodeJS.Timeout;
}

/**
 * A connection that has said hello. The daemon speaks only after the client has asked or attached, so whoever subscribes
 * before that hears everything. After `onClose` every request rejects with CONNECTION_CLOSED and `send` does nothing.
 */
export class DaemonClient implements Disposable {
  /** Who answered: version, pid, since when. */
  readonly daemon: DaemonHello;
  #link: FrameLink<ToDaemon, FromDaemon>;
  #pending = new Map<number, Pending>();
  #nextId = 1;
  #pushes = new Emitter<PushFrame>();
  #closes = new Emitter<AgentileError | undefined>();
  readonly onPush: Event<PushFrame> = this.#pushes.event;
  /** Fired once; the error tells why when the end was not an orderly one. */
  readonly onClose: Event<AgentileError | undefined> = this.#closes.event;

  private constructor(link: FrameLink<ToDaemon, FromDaemon>, daemon: DaemonHello) {
    this.#link = link;
    this.daemon = daemon;
    link.onFrame(({ header, body }) => this.#receive(header, body));
    link.onClose((error) => this.#handleClose(error));
  }

  /**
   * Connects to the daemon that answers on the socket. Rejects with DAEMON_UNREACHABLE (nobody there, or no answer),
   * VERSION_MISMATCH (another protocol). Starts nothing. `sessionId`: the session this process runs inside of.
   */
  static async connect(paths: Paths, role: ClientRole, sessionId?: SessionId): Promise<DaemonClient> {
    const socket = await openSocket(paths.daemonSocket);
    const link = new FrameLink<ToDaemon, FromDaemon>(socket);
    link.send({
      t: 'hello',
      protocol: WIRE_PROTOCOL,
      version: VERSION,
      role,
      ...(sessionId ? { sessionId } : {}),
    });
    try {
      const hello = await awaitHello(link);
      return new DaemonClient(link, hello);
    } catch (error) {
      link.dispose();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#link.isClosed;
  }

  /** Bytes the daemon has not taken yet. */
  get queuedBytes(): number {
    return this.#link.queuedBytes;
  }

  /** Rejects with the daemon's AgentileError, CONNECTION_CLOSED or TIMED_OUT. */
  request<M extends Method>(
    method: M,
    params: Requests[M]['params'],
    options: RequestOptions = {},
  ): Promise<Requests[M]['result']> {
    if (this.isClosed) return Promise.reject(closedError());
    const id = this.#nextId++;
    const { commandId, timeoutMs } = options;
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve: (value) => resolve(value as Requests[M]['result']), reject };
      if (timeoutMs !== undefined) {
        pending.timer = setTimeout(() => this.#settle(id, timedOut(method, timeoutMs)), timeoutMs);
      }
      this.#pending.set(id, pending);
      this.#link.send({ t: 'request', id, method, params, ...(commandId ? { commandId } : {}) });
    });
  }

  /** Messages that have no answer: attach, view, keys, ack … */
  send(message: Exclude<ToDaemon, { t: 'hello' | 'request' }>): void {
    this.#link.send(message);
  }

  /** Ends the link after what was sent has left. */
  close(): void {
    this.#link.close();
  }

  dispose(): void {
    this.#link.dispose();
  }

  #receive(message: FromDaemon, body: Uint8Array): void {
    switch (message.t) {
      case 'reply':
        this.#settle(message.id, message.ok ? undefined : AgentileError.fromJSON(message.error), message);
        return;
      case 'hello':
      case 'refused':
        return;
      default:
        this.#pushes.fire({ message, body });
    }
  }

  #settle(id: number, error: AgentileError | undefined, reply?: Extract<FromDaemon, { t: 'reply' }>): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (error) pending.reject(error);
    else if (reply?.ok) pending.resolve(reply.result);
  }

  #handleClose(error: AgentileError | undefined): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id, closedError(error));
    this.#closes.fire(error);
  }
}

/** Words for a daemon of another version that still works with us, or undefined. */
export function versionNote(daemon: DaemonHello): string | undefined {
  if (daemon.version === VERSION) return undefined;
  return `The running daemon is version ${daemon.version}, this is ${VERSION}. "agentile daemon restart" changes it; agents go on.`;
}

/** The process of a daemon that answered with another protocol, when its hello said so. */
export function mismatchedPid(error: unknown): number | undefined {
  if (!(error instanceof AgentileError) || error.code !== 'VERSION_MISMATCH') return undefined;
  const pid = (error.cause as { pid?: unknown } | undefined)?.pid;
  return typeof pid === 'number' ? pid : undefined;
}

/** True when a process holds the socket and is silent: a daemon that is started now takes its place. */
export function isStuck(error: unknown): boolean {
  if (!(error instanceof AgentileError) || error.code !== 'DAEMON_UNREACHABLE') return false;
  return errnoOf(error.cause) === 'ETIMEDOUT';
}

/** True when nobody listens on the socket: a daemon may be started. */
export function isNotRunning(error: unknown): boolean {
  return error instanceof AgentileError && error.code === 'DAEMON_UNREACHABLE' && isNobodyThere(error.cause);
}

async function openSocket(path: string): Promise<Socket> {
  try {
    return await connectUnix(path);
  } catch (error) {
    throw unreachable(path, error);
  }
}

function unreachable(path: string, cause: unknown): AgentileError {
  if (isNobodyThere(cause)) {
    return new AgentileError('DAEMON_UNREACHABLE', 'No daemon is running.', {
      hint: 'Start it with "agentile daemon start", or just run "agentile".',
      cause,
    });
  }
  return new AgentileError('DAEMON_UNREACHABLE', `The socket ${path} cannot be used: ${messageOf(cause)}.`, {
    hint: 'Check who owns the folder, or set XDG_RUNTIME_DIR.',
    cause,
  });
}

function awaitHello(link: FrameLink<ToDaemon, FromDaemon>): Promise<DaemonHello> {
  return new Promise((resolve, reject) => {
    const subscriptions: Disposable[] = [];
    const settle = (act: () => void) => {
      for (const subscription of subscriptions) subscription.dispose();
      act();
    };
    const timer = setTimeout(() => settle(() => reject(stuckError())), HELLO_TIMEOUT_MS);
    subscriptions.push(
      toDisposable(() => clearTimeout(timer)),
      link.onFrame(({ header }) => {
        if (header.t === 'hello' && header.protocol === WIRE_PROTOCOL) settle(() => resolve(header));
        else settle(() => reject(refusal(header)));
      }),
      link.onClose((error) => settle(() => reject(error ?? closedError()))),
    );
  });
}

function refusal(header: FromDaemon): AgentileError {
  const hint = 'Run "agentile daemon restart": agents go on, the daemon is changed to this version.';
  if (header.t === 'hello') {
    const words = `The running daemon (version ${header.version}) speaks protocol ${header.protocol}, this agentile (version ${VERSION}) speaks ${WIRE_PROTOCOL}.`;
    return new AgentileError('VERSION_MISMATCH', words, { hint, cause: header });
  }
  if (header.t === 'refused')
    return new AgentileError('VERSION_MISMATCH', header.reason, { hint, cause: header });
  return new AgentileError('PROTOCOL', 'The daemon did not begin with a hello.', { hint });
}

function stuckError(): AgentileError {
  return new AgentileError('DAEMON_UNREACHABLE', 'The daemon took the connection but does not answer.', {
    hint: 'If it stays so, run "agentile daemon restart": agents go on.',
    cause: Object.assign(new Error('no hello'), { code: 'ETIMEDOUT' }),
  });
}

function closedError(cause?: AgentileError): AgentileError {
  return new AgentileError(
    'CONNECTION_CLOSED',
    'The daemon ended the connection.',
    cause === undefined ? {} : { cause },
  );
}

function timedOut(method: string, timeoutMs: number): AgentileError {
  return new AgentileError('TIMED_OUT', `The daemon did not answer ${method} within ${timeoutMs} ms.`);
}
