// The TUI without its terminal: state, input, painting and the line to the daemon, wired together. main.tsx gives it a host
// and a link; tests give it others. It knows no React: the chrome comes through the painter.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import { AgentileError, messageOf } from '../base/errors.js';
import type { PaneId } from '../model/ids.js';
import type { InputEvent } from '../model/key.js';
import type { DaemonPush } from '../wire/client.js';
import type { HostCaps, Method, Requests, ViewPane, WorkspaceState } from '../wire/messages.js';
import type { ActionContext } from './action-context.js';
import { newsOf } from './attention.js';
import { screenModel, type ScreenModel } from './chrome/screen-model.js';
import type { DaemonLink } from './daemon-link.js';
import type { PaintUrgency } from './host/paint-scheduler.js';
import { InputRouter } from './input-router.js';
import { typedKeys, type Keymap } from './keymap.js';
import { openPicker } from './open-dialog.js';
import { Painter } from './painter.js';
import { kindOf } from './panes/kinds.js';
import type { PaneKind } from './panes/pane-kind.js';
import { PaneFeed } from './pane-feed.js';
import { OwnRows } from './transcript/own-rows.js';
import { ScrollPlaces } from './scroll-places.js';
import {
  activeTab,
  focusedPane,
  focusedSession,
  initialState,
  paneById,
  sessionOfPane,
  tileArea,
  type HostSize,
  type Message,
} from './state.js';
import { Store } from './store.js';

/** What a message of each kind is worth reading for. */
const MESSAGE_MS = { info: 4000, warning: 8000, error: 12_000 } as const;
const TICK_MS = 1000;
/** Output of the focused pane so soon after a key is most likely its echo. */
const ECHO_MS = 100;

/** What the app wants of the host terminal besides painting. */
export interface HostVoice {
  bell(): void;
  setTitle(title: string): void;
  copy(text: string): void;
  notify(title: string, body: string): void;
  /** Motion of the mouse without a button is wanted. */
  setMotion(on: boolean): void;
  /** Paints everything anew. */
  repaint(): void;
}

export interface AppOptions {
  link: DaemonLink;
  clock: Clock;
  caps: HostCaps;
  size: HostSize;
  voice: HostVoice;
  keymap: Keymap;
  folder: string;
  shell: readonly string[];
  otherShells: readonly string[];
  /** Say which CLIs were found. */
  tour?: boolean;
  requestPaint(urgency: PaintUrgency): void;
  /** The person leaves, or must: the words are for the shell they come back to. */
  onLeave(words: string): void;
}

export class App implements ActionContext, Disposable {
  readonly store: Store;
  readonly painter: Painter;
  #options: AppOptions;
  #feed = new PaneFeed();
  #places: ScrollPlaces;
  #own: OwnRows;
  #input: InputRouter;
  #held = new DisposableStore();
  #model: ScreenModel | undefined;
  /** A key is being handled: what it changes is drawn at once. */
  #urgent = false;
  #sentView = '';
  #sentArea = '';
  #title = '';
  #seenAt = '';
  /** Batches that are in the compositor and not yet on the host. */
  #toAck: number[] = [];
  #welcomed = false;
  #keyAt = Number.NEGATIVE_INFINITY;
  #hostFocused = true;
  #expiry: Disposable | undefined;
  #caps: HostCaps;
  /** As the person was told of last. */
  #told: WorkspaceState | null = null;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#caps = options.caps;
    const { clock, link, caps, size } = options;
    this.store = new Store(initialState(size));
    this.painter = new Painter({ caps, host: size, clock, requestPaint: options.requestPaint });
    this.#places = new ScrollPlaces(this.store, this.#feed);
    this.#own = new OwnRows({
      store: this.store,
      send: (message) => link.send(message),
      setRows: (paneId, rows) => this.painter.compositor.setRows(paneId, rows),
      dropPane: (paneId) => this.painter.compositor.dropPane(paneId),
      now: () => clock.now(),
    });
    this.#input = new InputRouter({
      context: this,
      feed: this.#feed,
      clock,
      model: () => this.#model,
      sendKeys: (paneId, keys) => link.send({ t: 'keys', paneId, keys }),
      sendPaste: (paneId, text) => link.send({ t: 'paste', paneId, text }),
      sendMouse: (paneId, mouse) => link.send({ t: 'mouse', paneId, mouse }),
    });
    this.#held.add(this.store.onChange(() => this.#refresh()));
    this.#held.add(clock.every(TICK_MS, () => this.#tick()));
    this.#held.add(link.onUp(() => this.#attach()));
    this.#held.add(link.onDown(() => this.store.dispatch({ type: 'link', link: 'lost' })));
    this.#held.add(link.onFailure((error) => this.say('error', messageOf(error))));
    this.#held.add(link.onPush(({ message, body }) => this.#handlePush(message, body)));
    this.#refresh();
    if (link.isUp) this.#attach();
  }

  get keymap(): Keymap {
    return this.#options.keymap;
  }

  get folder(): string {
    return this.#options.folder;
  }

  get shell(): readonly string[] {
    return this.#options.shell;
  }

  get otherShells(): readonly string[] {
    return this.#options.otherShells;
  }

  handleInput(event: InputEvent): void {
    this.#urgent = true;
    this.#keyAt = this.#options.clock.now();
    if (event.type === 'focus') this.#handleHostFocus(event.focused);
    else this.#input.handle(event);
    if (event.type === 'key') this.#noteSeen();
    this.#urgent = false;
  }

  /** The host told what it can do after the first paint. */
  setCaps(caps: HostCaps): void {
    if (JSON.stringify(caps) === JSON.stringify(this.#caps)) return;
    this.#caps = caps;
    const host = { ...this.store.state.host, colors: caps.colors, unicode: caps.unicode };
    this.painter.setCaps(caps, host);
    this.store.dispatch({ type: 'host', host });
    // The new compositor has no rows yet: the daemon sends those of panes that come into view.
    this.#options.link.send({ t: 'view', panes: [], focused: null, tabId: null });
    this.#attach();
    this.#refresh();
  }

  resize(size: { cols: number; rows: number }): void {
    const host = { ...this.store.state.host, ...size };
    this.painter.resize(host);
    this.#urgent = true;
    this.store.dispatch({ type: 'host', host });
    this.#urgent = false;
    const area = tileArea(host);
    if (this.#sentArea !== JSON.stringify(area)) this.#options.link.send({ t: 'area', ...area });
    this.#sentArea = JSON.stringify(area);
  }

  /** The host has all bytes of the last paint: the daemon may send more. */
  handlePainted(): void {
    for (const batch of this.#toAck.splice(0)) this.#options.link.send({ t: 'ack', batch });
  }

  dispose(): void {
    this.#held.dispose();
    this.#expiry?.dispose();
    this.painter.dispose();
  }

  ask = async <M extends Method>(
    method: M,
    params: Requests[M]['params'],
  ): Promise<Requests[M]['result'] | undefined> => {
    try {
      return await this.#options.link.request(method, params);
    } catch (error) {
      const hint = error instanceof AgentileError && error.hint ? ` ${error.hint}` : '';
      this.say('error', `${messageOf(error)}${hint}`);
      return undefined;
    }
  };

  say = (level: Message['level'], text: string): void => {
    const { clock } = this.#options;
    const until = clock.now() + MESSAGE_MS[level];
    this.store.dispatch({ type: 'message', message: { level, text, until } });
    this.#planExpiry();
  };

  scroll = (paneId: PaneId, to: number | 'top' | 'live'): void => {
    if (!this.#own.scroll(paneId, to)) this.#places.scroll(paneId, to);
  };

  bodyRows = (paneId: PaneId): number => this.#own.rows(paneId) ?? this.#feed.facts(paneId)?.rows ?? 1;

  redraw = (): void => this.#options.voice.repaint();

  detach = (words = 'detached: programs go on; "agentile" brings the screen back'): void =>
    this.#options.onLeave(words);

  /** One timer for all messages: the next that goes. */
  #planExpiry(): void {
    const { clock } = this.#options;
    const next = Math.min(...this.store.state.messages.map((message) => message.until));
    this.#expiry?.dispose();
    if (next === Infinity) return;
    this.#expiry = clock.after(Math.max(0, next - clock.now()), () => {
      this.store.dispatch({ type: 'expire', now: clock.now() });
      this.#planExpiry();
    });
  }

  #tick(): void {
    this.painter.tick();
    if (this.#own.tick()) this.#options.requestPaint('slow');
  }

  #attach(): void {
    const area = tileArea(this.store.state.host);
    this.#sentArea = JSON.stringify(area);
    this.#sentView = '';
    this.#toAck = [];
    this.#own.restart();
    this.#options.link.send({ t: 'attach', ...area, caps: this.#caps });
  }

  #handlePush(push: DaemonPush, body: Uint8Array): void {
    switch (push.t) {
      case 'workspace':
        this.store.dispatch({ type: 'workspace', workspace: push.state });
        return this.#welcome();
      case 'workspace-change':
        return this.store.dispatch({ type: 'change', change: push });
      case 'patches':
        return this.#takePatches(push, body);
      case 'message':
        return this.say(push.level, push.text);
      case 'bell':
        return this.#options.voice.bell();
      case 'clipboard':
        return this.#options.voice.copy(push.text);
      case 'notification':
        return this.#options.voice.notify(push.title, push.body);
      case 'bye':
        if (push.reason === 'stop') this.#options.onLeave('the daemon was stopped');
        return;
      case 'events':
        if (this.#own.take(push)) this.#options.requestPaint('soon');
        return;
    }
  }

  #takePatches(push: Extract<DaemonPush, { t: 'patches' }>, body: Uint8Array): void {
    const focused = focusedPane(this.store.state)?.id;
    const { clock, voice, requestPaint } = this.#options;
    let urgency: PaintUrgency = 'slow';
    for (const patch of this.#feed.take(push.panes, body)) {
      this.painter.compositor.applyPatch(patch);
      this.#places.painted(patch);
      this.store.dispatch({ type: 'pane-title', paneId: patch.paneId, title: patch.title });
      if (patch.paneId === focused) urgency = clock.now() - this.#keyAt < ECHO_MS ? 'key' : 'soon';
    }
    this.#toAck.push(push.batch);
    voice.setMotion(
      this.#model?.panes.some(({ paneId }) => this.#feed.facts(paneId)?.modes.mouse === 'any') ?? false,
    );
    requestPaint(urgency);
  }

  #handleHostFocus(focused: boolean): void {
    this.#hostFocused = focused;
    this.#options.link.send({ t: 'host-focus', focused });
  }

  /** Told through the host when the person cannot see it: another window, or another pane. */
  #tellNews(): void {
    const { workspace } = this.store.state;
    const here = this.#hostFocused ? focusedSession(this.store.state)?.session.id : undefined;
    const news = newsOf(this.#told, workspace).filter((one) => one.sessionId !== here);
    this.#told = workspace;
    for (const { body } of news) this.#options.voice.notify('', body);
  }

  /** The first screen of an empty workspace is the picker. */
  #welcome(): void {
    if (this.#welcomed) return;
    this.#welcomed = true;
    const empty = this.store.state.workspace?.panes.length === 0;
    if (empty && !this.store.state.dialog) openPicker(this);
    if (this.#options.tour) void this.#sayFound();
  }

  async #sayFound(): Promise<void> {
    const providers = (await this.ask('provider/list', {})) ?? [];
    const found = providers.filter((one) => one.state === 'installed' && one.version !== undefined);
    const names = found.map((one) => one.name).join(', ');
    const words = found.length > 0 ? `found ${names}` : 'no agent CLI installed yet';
    this.store.dispatch({ type: 'tour', words: `${words} · ${typedKeys(this.keymap, 'new')} starts one` });
  }

  #refresh(): void {
    const { state } = this.store;
    this.#model = screenModel(state, this.keymap, this.#options.clock.now());
    this.#own.show(this.#model);
    this.painter.show(this.#model, this.#urgent);
    this.#forgetGone();
    this.#sendView();
    this.#setTitle();
    this.#tellNews();
  }

  #kind(paneId: PaneId): PaneKind | undefined {
    const pane = paneById(this.store.state, paneId);
    return pane ? kindOf(sessionOfPane(this.store.state, paneId), pane) : undefined;
  }

  #forgetGone(): void {
    const panes = this.store.state.workspace?.panes;
    if (!panes) return;
    for (const id of this.#feed.keepOnly(new Set(panes.map((pane) => pane.id))))
      this.painter.compositor.dropPane(id);
  }

  #sendView(): void {
    const { state } = this.store;
    if (state.link !== 'live' || !this.#model) return;
    const panes: ViewPane[] = this.#model.panes
      .filter(({ paneId }) => !this.#kind(paneId)?.rows)
      .map(({ paneId }) => ({ paneId, scrollOffset: state.scroll[paneId]?.offset ?? 0 }));
    const view = { panes, focused: focusedPane(state)?.id ?? null, tabId: activeTab(state)?.id ?? null };
    const text = JSON.stringify(view);
    if (text === this.#sentView) return;
    this.#sentView = text;
    this.#options.link.send({ t: 'view', ...view });
  }

  #setTitle(): void {
    const view = focusedSession(this.store.state);
    const title = view ? `${view.session.name} - agentile` : 'agentile';
    if (title === this.#title) return;
    this.#title = title;
    this.#options.voice.setTitle(title);
  }

  /** A key typed while a finished pane has the focus: somebody has looked at it. */
  #noteSeen(): void {
    const view = focusedSession(this.store.state);
    if (view?.status !== 'done') return;
    const mark = `${view.session.id} ${view.statusSince}`;
    if (mark === this.#seenAt) return;
    this.#seenAt = mark;
    void this.ask('session/seen', { session: view.session.id });
  }
}
