// One client: hello, requests and their replies, the workspace, what it follows and looks at, its keys. Made by the server
// for each connection. A client that dies, floods or stalls costs nobody else anything.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import { type AgentileError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { VERSION } from '../base/version.js';
import type { FrameLink } from '../io/frame-link.js';
import type { CommandId, PaneId, SessionId } from '../model/ids.js';
import type { Key, MouseEvent } from '../model/key.js';
import { WIRE_PROTOCOL, type FromDaemon, type HostCaps, type ToDaemon } from '../wire/messages.js';
import { parseToDaemon } from '../wire/validate.js';
import type { Changes, WorkspaceChange } from './changes.js';
import { EventFeed } from './event-feed.js';
import type { EventLog } from './event-log.js';
import type { SavedReply } from './log-names.js';
import { PaneFeed } from './pane-feed.js';
import type { ScreenFace } from './session-state.js';

/** Bytes a client leaves unread before everything that can be had again is left out. */
export const QUEUE_CAP_BYTES = 8 * 1024 * 1024;
/** Patches and replays wait below this already: they are the bulk. */
const BULK_CAP_BYTES = 1024 * 1024;
/** Requests of one client that are not answered; above it the socket is not read. */
const REQUESTS_MAX = 256;
/** Of these, so many run at a time: their replies may all come at once. */
const RUNNING_MAX = 64;

export interface Caller {
  role: 'tui' | 'cli';
  /** The session the client runs inside of. */
  sessionId?: SessionId;
}

/** What a link needs of the daemon. No method throws. */
export interface ClientServices {
  clock: Clock;
  diagnostics: Log;
  log: EventLog;
  changes: Changes;
  startedAt: number;
  /** Resolves when the state of before is back; until then clients get their hello and nothing else. */
  ready: Promise<void>;
  request(method: string, params: unknown, caller: Caller, commandId?: CommandId): Promise<SavedReply>;
  sessionOf(paneId: PaneId): SessionId | undefined;
  faceOf(sessionId: SessionId): ScreenFace | undefined;
  keys(paneId: PaneId, keys: readonly Key[]): void;
  paste(paneId: PaneId, text: string): void;
  mouse(paneId: PaneId, mouse: MouseEvent): void;
  focus(paneId: PaneId, focused: boolean): void;
  /** The person did something at a client with this tile area: it decides the sizes from now on. */
  active(area: { cols: number; rows: number }, caps: HostCaps): void;
}

type Link = FrameLink<FromDaemon, ToDaemon>;

export class ClientLink implements Disposable {
  #link: Link;
  #services: ClientServices;
  #store = new DisposableStore();
  #caller: Caller | undefined;
  #attached: { area: { cols: number; rows: number }; caps: HostCaps } | undefined;
  #focused: PaneId | null = null;
  #hostFocused = true;
  #pending = 0;
  /** Requests that wait until there is room for their replies. */
  #waiting: (() => void)[] = [];
  #running = 0;
  /** What came before the daemon was ready, in order. */
  #early: Exclude<ToDaemon, { t: 'hello' }>[] | undefined = [];
  /** Changes were left out: the whole state follows when there is room. */
  #needsSnapshot = false;
  #panes: PaneFeed;
  #events: EventFeed;

  constructor(link: Link, services: ClientServices) {
    this.#link = link;
    this.#services = services;
    const canSend = () => link.queuedBytes < BULK_CAP_BYTES;
    this.#panes = new PaneFeed({
      clock: services.clock,
      sessionOf: (paneId) => services.sessionOf(paneId),
      faceOf: (sessionId) => services.faceOf(sessionId),
      canSend,
      send: (batch, panes, body) => link.send({ t: 'patches', batch, panes }, body),
    });
    this.#events = new EventFeed({
      log: services.log,
      canSend,
      send: (sessionId, records, live) => link.send({ t: 'events', sessionId, records, live }),
    });
    this.#store.add(this.#panes);
    this.#store.add(link.onFrame(({ header }) => this.#handle(header)));
    this.#store.add(link.onDrain(() => this.#handleDrain()));
    this.#store.add(services.log.onRecords((records) => this.#events.published(records)));
    this.#store.add(services.changes.onChange((change) => this.#handleChange(change)));
  }

  get isGreeted(): boolean {
    return this.#caller !== undefined;
  }

  get isPaused(): boolean {
    return this.#panes.isPaused;
  }

  /** Something for whoever looks at the screen; left out when the client does not read. */
  tell(message: Extract<FromDaemon, { t: 'message' | 'bell' | 'clipboard' | 'notification' }>): void {
    if (this.#attached && this.#link.queuedBytes < QUEUE_CAP_BYTES) this.#link.send(message);
  }

  bye(reason: 'restart' | 'stop'): void {
    this.#link.send({ t: 'bye', reason });
    this.#link.close();
  }

  /** The session has another screen. */
  sourceChanged(sessionId: SessionId): void {
    this.#panes.sourceChanged(sessionId);
  }

  dispose(): void {
    this.#store.dispose();
    this.#link.dispose();
  }

  #handle(header: ToDaemon): void {
    let message: ToDaemon;
    try {
      message = parseToDaemon(header);
    } catch (error) {
      this.#refuse((error as AgentileError).message);
      return;
    }
    if (message.t === 'hello') this.#greet(message);
    else if (!this.#caller) this.#refuse('The first message must be hello.');
    else if (this.#early) this.#early.push(message);
    else this.#dispatch(message, this.#caller);
  }

  #takeEarly(caller: Caller): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (this.#link.isClosed) return;
    for (const message of early) this.#dispatch(message, caller);
    this.#throttle();
  }

  #greet(hello: Extract<ToDaemon, { t: 'hello' }>): void {
    if (hello.protocol !== WIRE_PROTOCOL) {
      this.#refuse(
        `This daemon is version ${VERSION} and speaks protocol ${WIRE_PROTOCOL}; the client speaks ${hello.protocol}. Run: agentile daemon restart`,
      );
      return;
    }
    this.#caller = { role: hello.role, ...(hello.sessionId ? { sessionId: hello.sessionId } : {}) };
    const caller = this.#caller;
    const { startedAt, ready } = this.#services;
    this.#link.send({ t: 'hello', protocol: WIRE_PROTOCOL, version: VERSION, pid: process.pid, startedAt });
    this.#link.pause();
    void ready.then(() => this.#takeEarly(caller));
  }

  #refuse(reason: string): void {
    this.#services.diagnostics.warn('client refused', { reason });
    this.#link.send({ t: 'refused', reason, pid: process.pid });
    this.#link.close();
  }

  #dispatch(message: Exclude<ToDaemon, { t: 'hello' }>, caller: Caller): void {
    switch (message.t) {
      case 'request':
        void this.#request(message, caller);
        return;
      case 'attach':
        this.#attach(message);
        return;
      case 'area':
        if (this.#attached) this.#attached.area = { cols: message.cols, rows: message.rows };
        this.#noteActive();
        return;
      case 'view':
        this.#setFocus(message.focused);
        this.#panes.view(message.panes, message.focused);
        return;
      case 'ack':
        this.#panes.ack(message.batch);
        return;
      case 'follow':
        if (message.on) this.#events.follow(message.sessionId, message.after);
        else this.#events.unfollow(message.sessionId);
        return;
      default:
        this.#input(message);
    }
  }

  #input(message: Extract<ToDaemon, { t: 'keys' | 'paste' | 'mouse' | 'host-focus' }>): void {
    const services = this.#services;
    switch (message.t) {
      case 'keys':
        this.#panes.keyed(message.paneId);
        this.#noteActive();
        services.keys(message.paneId, message.keys);
        return;
      case 'paste':
        this.#panes.keyed(message.paneId);
        this.#noteActive();
        services.paste(message.paneId, message.text);
        return;
      case 'mouse':
        this.#panes.keyed(message.paneId);
        if (message.mouse.kind !== 'move') this.#noteActive();
        services.mouse(message.paneId, message.mouse);
        return;
      case 'host-focus':
        this.#hostFocused = message.focused;
        if (message.focused) this.#noteActive();
        if (this.#focused) services.focus(this.#focused, message.focused);
    }
  }

  #attach(message: Extract<ToDaemon, { t: 'attach' }>): void {
    const { cols, rows, caps } = message;
    this.#attached = { area: { cols, rows }, caps };
    this.#noteActive();
    this.#sendSnapshot();
  }

  #setFocus(paneId: PaneId | null): void {
    if (paneId === this.#focused) return;
    if (this.#focused && this.#hostFocused) this.#services.focus(this.#focused, false);
    this.#focused = paneId;
    if (paneId && this.#hostFocused) this.#services.focus(paneId, true);
  }

  #noteActive(): void {
    if (this.#attached) this.#services.active(this.#attached.area, this.#attached.caps);
  }

  async #request(message: Extract<ToDaemon, { t: 'request' }>, caller: Caller): Promise<void> {
    this.#pending += 1;
    this.#throttle();
    const { id, method, params, commandId } = message;
    await this.#room();
    const reply = await this.#services.request(method, params, caller, commandId);
    this.#pending -= 1;
    this.#running -= 1;
    if (this.#link.isClosed) return;
    // What led to the reply is told before it.
    this.#services.changes.flush();
    if (reply.ok) this.#link.send({ t: 'reply', id, ok: true, result: reply.result ?? {} });
    else this.#link.send({ t: 'reply', id, ok: false, error: reply.error! });
    this.#throttle();
    this.#next();
  }

  /** Requests run one after the other while the client leaves much unread. */
  async #room(): Promise<void> {
    if (this.#waiting.length > 0 || !this.#hasRoom()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
  }

  #next(): void {
    if (this.#hasRoom()) this.#waiting.shift()?.();
  }

  #hasRoom(): boolean {
    return this.#running < RUNNING_MAX && this.#link.queuedBytes <= QUEUE_CAP_BYTES;
  }

  /** Replies are owed, so a client that asks and does not read is not listened to. */
  #throttle(): void {
    if (this.#pending >= REQUESTS_MAX || this.#link.queuedBytes > QUEUE_CAP_BYTES) this.#link.pause();
    else this.#link.resume();
  }

  #handleChange(change: WorkspaceChange): void {
    if (change.panes) this.#panes.panesChanged();
    if (!this.#attached || this.#needsSnapshot) return;
    if (this.#link.queuedBytes > QUEUE_CAP_BYTES) this.#needsSnapshot = true;
    else this.#link.send(change);
  }

  #sendSnapshot(): void {
    // Before the send: the snapshot itself publishes what is pending, and this client gets it whole.
    this.#needsSnapshot = true;
    const state = this.#services.changes.snapshot();
    this.#needsSnapshot = false;
    this.#link.send({ t: 'workspace', state });
  }

  #handleDrain(): void {
    if (this.#needsSnapshot && this.#attached) this.#sendSnapshot();
    this.#next();
    this.#events.pump();
    this.#panes.drained();
    this.#throttle();
  }
}
