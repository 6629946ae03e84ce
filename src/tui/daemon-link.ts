// The client's line to the daemon, for as long as the TUI lives: connects, starts the daemon when none answers, and does so
// again when it goes. What was asked while it is gone fails at once; what the person did not see is told anew at attach.
import { Emitter, type Event } from '../base/emitter.js';
import { AgentileError } from '../base/errors.js';
import type { Disposable } from '../base/disposable.js';
import type { Paths } from '../base/paths.js';
import type { DaemonClient, PushFrame } from '../wire/client.js';
import { connectOrStart, reconnect, type LaunchOptions } from '../wire/launch.js';
import type { Method, Requests, ToDaemon } from '../wire/messages.js';

/** Typed while the daemon is being started again; more than this nobody types in that time. */
const TYPED_MAX = 4096;

/** Failed attempts that nobody is told of: 0.7 s. */
const QUIET_ATTEMPTS = 3;

type Push = Exclude<ToDaemon, { t: 'hello' | 'request' }>;

export class DaemonLink implements Disposable {
  #paths: Paths;
  #options: LaunchOptions;
  #client: DaemonClient | undefined;
  /** Keys and pastes that wait for the daemon: nothing typed is lost. */
  #typed: Push[] = [];
  #ended = new AbortController();
  #pushes = new Emitter<PushFrame>();
  #ups = new Emitter<DaemonClient>();
  #downs = new Emitter<void>();
  #failures = new Emitter<unknown>();
  readonly onPush: Event<PushFrame> = this.#pushes.event;
  /** A daemon answers: attach now. Fired for the first one as well. */
  readonly onUp: Event<DaemonClient> = this.#ups.event;
  readonly onDown: Event<void> = this.#downs.event;
  /** Connecting again does not succeed; the next attempt follows by itself. */
  readonly onFailure: Event<unknown> = this.#failures.event;

  constructor(paths: Paths, options: LaunchOptions = {}) {
    this.#paths = paths;
    this.#options = options;
  }

  /** Rejects when the first connection cannot be made. Whoever subscribes to `onUp` after it asks `isUp`. */
  async start(): Promise<void> {
    this.#take(await connectOrStart(this.#paths, this.#options));
  }

  get isUp(): boolean {
    return this.#client !== undefined;
  }

  send(message: Push): void {
    if (this.#client) this.#client.send(message);
    else if ((message.t === 'keys' || message.t === 'paste') && this.#typed.length < TYPED_MAX)
      this.#typed.push(message);
  }

  request<M extends Method>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result']> {
    if (this.#client) return this.#client.request(method, params);
    return Promise.reject(new AgentileError('CONNECTION_CLOSED', 'The daemon is being started again.'));
  }

  dispose(): void {
    this.#ended.abort();
    this.#client?.close();
    this.#client = undefined;
  }

  #take(client: DaemonClient): void {
    this.#client = client;
    client.onPush((frame) => this.#pushes.fire(frame));
    client.onClose(() => void this.#again());
    this.#ups.fire(client);
    for (const message of this.#typed.splice(0)) client.send(message);
  }

  async #again(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#client = undefined;
    this.#downs.fire();
    const client = await reconnect(this.#paths, {
      ...this.#options,
      signal: this.#ended.signal,
      // The old daemon's last breath is no news; a daemon that does not come is.
      onFailure: (error, attempt) => {
        if (attempt >= QUIET_ATTEMPTS) this.#failures.fire(error);
      },
    });
    if (client) this.#take(client);
  }
}
