// The daemon's way to its children: the link to the keeper, made again when it breaks. Controllers hold this, never a link.
// Made by the daemon; decides nothing about sessions (onReconnected tells who does).
import { Emitter, type Event } from '../base/emitter.js';
import { AgentileError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { AdoptedChild, ChildHandle, ChildHost } from '../keeper/child-handle.js';
import type { ChildSpec, ChildState, StreamName } from '../keeper/protocol.js';
import type { ChildId } from '../model/ids.js';

/** A link as this file needs it; KeeperLink is one. */
export interface HostLink extends ChildHost {
  readonly hello?: { pid: number; version: string; startedAt: number };
  readonly onClose?: Event<AgentileError | undefined>;
  shutdown?(force: boolean): Promise<void>;
}

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 5000;

export class KeeperHost implements ChildHost {
  #connect: () => Promise<HostLink>;
  #diagnostics: Log;
  #link: HostLink | undefined;
  #connecting: Promise<HostLink> | undefined;
  #disposed = false;
  #reconnects = new Emitter<void>();
  #losses = new Emitter<AgentileError | undefined>();
  /** A new link is there; children must be adopted anew. */
  readonly onReconnected: Event<void> = this.#reconnects.event;
  readonly onLost: Event<AgentileError | undefined> = this.#losses.event;

  /** `connect` starts a keeper when none answers. */
  constructor(connect: () => Promise<HostLink>, diagnostics: Log) {
    this.#connect = connect;
    this.#diagnostics = diagnostics;
  }

  get hello(): HostLink['hello'] {
    return this.#link?.hello;
  }

  /** The first link. Rejects with KEEPER_UNREACHABLE, VERSION_MISMATCH or SPAWN_FAILED. */
  async start(): Promise<void> {
    this.#take(await this.#connect());
  }

  async spawn(spec: ChildSpec): Promise<ChildHandle> {
    return (await this.#current()).spawn(spec);
  }

  async list(): Promise<ChildState[]> {
    return (await this.#current()).list();
  }

  async adopt(
    childId: ChildId,
    from: Partial<Record<StreamName, number>>,
    wantCheckpoint: boolean,
  ): Promise<AdoptedChild> {
    return (await this.#current()).adopt(childId, from, wantCheckpoint);
  }

  /** Ends the keeper with all its children. */
  async shutdown(): Promise<void> {
    await this.#link?.shutdown?.(true);
  }

  dispose(): void {
    this.#disposed = true;
    this.#link?.dispose();
    this.#link = undefined;
  }

  async #current(): Promise<HostLink> {
    const link = this.#link ?? (await this.#connecting);
    if (!link) throw new AgentileError('KEEPER_UNREACHABLE', 'There is no connection to the keeper.');
    return link;
  }

  #take(link: HostLink): void {
    this.#link = link;
    link.onClose?.((error) => this.#handleClose(error));
  }

  #handleClose(error: AgentileError | undefined): void {
    this.#link = undefined;
    if (this.#disposed) return;
    this.#diagnostics.error('the link to the keeper broke', { error });
    this.#losses.fire(error);
    if (this.#disposed) return;
    const connecting = this.#reconnect();
    this.#connecting = connecting;
    void connecting.then(
      () => this.#reconnects.fire(),
      () => this.#diagnostics.info('no more tries: the daemon ends'),
    );
  }

  async #reconnect(): Promise<HostLink> {
    for (let waitMs = RETRY_FIRST_MS; !this.#disposed; waitMs = Math.min(RETRY_MOST_MS, waitMs * 2)) {
      try {
        const link = await this.#connect();
        this.#take(link);
        this.#connecting = undefined;
        return link;
      } catch (error) {
        this.#diagnostics.warn('the keeper does not answer', { error });
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    throw new AgentileError('KEEPER_UNREACHABLE', 'The daemon ends.');
  }
}
