// The daemon's side of the keeper's socket: children that live in the keeper, as handles. Used by the daemon, which also
// decides whether to connect again when `onClose` fires.
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/emitter.js';
import { AgentileError } from '../base/errors.js';
import type { Paths } from '../base/paths.js';
import { VERSION } from '../base/version.js';
import { FrameLink, type LinkFrame } from '../io/frame-link.js';
import { connectUnix } from '../io/unix-socket.js';
import type { ChildId } from '../model/ids.js';
import type { AdoptedChild, ChildHandle, ChildHost } from './child-handle.js';
import { KeeperPort, type KeeperWire } from './keeper-port.js';
import {
  KEEPER_PROTOCOL,
  type ChildSpec,
  type ChildState,
  type FromKeeper,
  type StreamName,
  type ToKeeper,
} from './protocol.js';
import { RoutedChild } from './routed-child.js';

type Answer = Extract<FromKeeper, { t: 'ok' }>;
type WithoutId<T> = T extends { id: number } ? Omit<T, 'id'> : never;

export interface KeeperHello {
  protocol: number;
  version: string;
  pid: number;
  /** Wall clock, ms. */
  startedAt: number;
}

/** A keeper that accepts but does not answer within this hangs. */
const HELLO_TIMEOUT_MS = 5000;

/**
 * A connection to the keeper. After `onClose` nothing comes any more: requests reject with CONNECTION_CLOSED, handles are
 * silent (their children live on), and a new link adopts them.
 */
export class KeeperLink implements ChildHost, Disposable {
  readonly hello: KeeperHello;
  #wire: KeeperWire;
  #port: KeeperPort;
  #isOver = false;
  #nextId = 1;
  #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #handles = new Map<ChildId, RoutedChild>();
  #checkpoints = new Map<ChildId, { offset: number; state: Uint8Array }>();
  #closes = new Emitter<AgentileError | undefined>();
  /** Fired once, unless we end the link ourselves. The error says why when it was not an orderly end. */
  readonly onClose = this.#closes.event;

  /**
   * Rejects with KEEPER_UNREACHABLE (nobody there, or no answer) or VERSION_MISMATCH (in the keeper's words). The role
   * 'daemon' replaces a daemon that is attached; 'probe' only asks.
   */
  static async connect(paths: Paths, role: 'daemon' | 'probe' = 'daemon'): Promise<KeeperLink> {
    let wire: KeeperWire;
    try {
      wire = new FrameLink<ToKeeper, FromKeeper>(await connectUnix(paths.keeperSocket));
    } catch (error) {
      throw new AgentileError('KEEPER_UNREACHABLE', `No keeper answers at ${paths.keeperSocket}.`, {
        cause: error,
      });
    }
    return greet(wire, role);
  }

  /** For `greet`; use `connect`. */
  constructor(wire: KeeperWire, hello: KeeperHello) {
    this.#wire = wire;
    this.hello = hello;
    this.#port = new KeeperPort(wire);
    wire.onFrame((frame) => this.#handle(frame));
    wire.onClose((error) => this.#handleClose(error));
  }

  get isClosed(): boolean {
    return this.#isOver;
  }

  async spawn(spec: ChildSpec): Promise<ChildHandle> {
    // The handle must be there before the answer: output may come in the same packet.
    const { child } = await this.#request({ t: 'spawn', spec }, (answer) => this.#openHandle(answer.child!));
    return this.#handles.get(child!.childId)!;
  }

  async list(): Promise<ChildState[]> {
    return (await this.#request({ t: 'list' })).children ?? [];
  }

  async adopt(
    childId: ChildId,
    from: Partial<Record<StreamName, number>>,
    wantCheckpoint: boolean,
  ): Promise<AdoptedChild> {
    this.#handles.get(childId)?.abandon();
    this.#handles.delete(childId);
    this.#checkpoints.delete(childId);
    this.#port.forgetAcks(childId);
    const message = { t: 'attach', childId, from, checkpoint: wantCheckpoint } as const;
    const { child } = await this.#request(message, (answer) => this.#openHandle(answer.child!));
    const checkpoint = this.#checkpoints.get(childId);
    this.#checkpoints.delete(childId);
    return { handle: this.#handles.get(childId)!, state: child!, ...(checkpoint ? { checkpoint } : {}) };
  }

  /** Asks the keeper to end once it holds nothing; `force`: with its children. Resolves when it agreed. */
  async shutdown(force: boolean): Promise<void> {
    await this.#request({ t: 'shutdown', force });
  }

  /** Ends the link without `onClose`; the children live on. */
  dispose(): void {
    if (!this.#isOver) this.#end(undefined);
  }

  #request(message: WithoutId<ToKeeper>, onAnswer?: (answer: Answer) => void): Promise<Answer> {
    if (this.isClosed) return Promise.reject(closedError());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer) => {
        onAnswer?.(answer);
        resolve(answer);
      };
      this.#waiting.set(id, { resolve: settle, reject });
      this.#wire.send({ ...message, id });
    });
  }

  #openHandle(state: ChildState): void {
    const handle = new RoutedChild(state.childId, state.pid, this.#port);
    this.#handles.set(state.childId, handle);
    handle.open();
  }

  #handle({ header, body }: LinkFrame<FromKeeper>): void {
    switch (header.t) {
      case 'ok':
      case 'error':
        this.#answer(header);
        return;
      case 'checkpoint':
        this.#checkpoints.set(header.childId, { offset: header.offset, state: Uint8Array.from(body) });
        return;
      case 'output': {
        const { childId, stream, offset } = header;
        // A copy, because the body lies in the receive buffer and handles give bytes away for good.
        this.#handles.get(childId)?.deliverOutput({ stream, offset, bytes: Uint8Array.from(body) });
        return;
      }
      case 'closed':
        this.#handles.get(header.childId)?.deliverClosed(header.stream);
        return;
      case 'exit': {
        const { t: _t, childId, ...exit } = header;
        this.#handles.get(childId)?.deliverExit(exit);
        return;
      }
      case 'input-blocked':
        this.#handles.get(header.childId)?.deliverInputBlocked(header.queued);
        return;
      case 'refused':
        this.#handleClose(new AgentileError('CONNECTION_CLOSED', header.reason));
        return;
      default:
        // A newer keeper may say more than we know; by the protocol's rule nothing depends on it.
        return;
    }
  }

  #answer(header: Extract<FromKeeper, { t: 'ok' | 'error' }>): void {
    const waiting = this.#waiting.get(header.id);
    this.#waiting.delete(header.id);
    if (header.t === 'ok') waiting?.resolve(header);
    else waiting?.reject(rebuildError(header));
  }

  #handleClose(error: AgentileError | undefined): void {
    if (this.#isOver) return;
    this.#end(error);
    this.#closes.fire(error);
  }

  #end(error: AgentileError | undefined): void {
    this.#isOver = true;
    this.#port.dispose();
    this.#wire.dispose();
    for (const { reject } of this.#waiting.values()) reject(error ?? closedError());
    this.#waiting.clear();
    for (const handle of this.#handles.values()) handle.abandon();
    this.#handles.clear();
  }
}

async function greet(wire: KeeperWire, role: 'daemon' | 'probe'): Promise<KeeperLink> {
  return new Promise((resolve, reject) => {
    const fail = (error: AgentileError) => {
      clearTimeout(timer);
      wire.dispose();
      reject(error);
    };
    const silent = () =>
      fail(new AgentileError('KEEPER_UNREACHABLE', 'The keeper accepts but does not answer.'));
    const timer = setTimeout(silent, HELLO_TIMEOUT_MS);
    const closed = wire.onClose((error) =>
      fail(new AgentileError('KEEPER_UNREACHABLE', 'The keeper hung up.', { cause: error })),
    );
    const first = wire.onFrame(({ header }) => {
      first.dispose();
      closed.dispose();
      if (header.t === 'refused') {
        fail(new AgentileError('VERSION_MISMATCH', header.reason));
      } else if (header.t !== 'hello' || header.protocol !== KEEPER_PROTOCOL) {
        fail(new AgentileError('VERSION_MISMATCH', `The keeper answered ${JSON.stringify(header)}.`));
      } else {
        clearTimeout(timer);
        const { protocol, version, pid, startedAt } = header;
        resolve(new KeeperLink(wire, { protocol, version, pid, startedAt }));
      }
    });
    wire.send({ t: 'hello', protocol: KEEPER_PROTOCOL, version: VERSION, role });
  });
}

function closedError(): AgentileError {
  return new AgentileError('CONNECTION_CLOSED', 'The connection to the keeper has ended.');
}

function rebuildError(header: Extract<FromKeeper, { t: 'error' }>): AgentileError {
  const { code } = AgentileError.fromJSON(header);
  const cause = header.errno
    ? Object.assign(new Error(`${header.errno}: ${header.message}`), { code: header.errno })
    : undefined;
  return new AgentileError(code, header.message, { ...(header.hint ? { hint: header.hint } : {}), cause });
}
