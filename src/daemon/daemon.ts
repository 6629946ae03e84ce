// Puts the daemon's parts together. Made by main.ts with the real surroundings and by tests with their own. Holds no logic
// of its own beyond who is told what.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import { AgentileError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { VERSION } from '../base/version.js';
import type { Controller } from '../controllers/controller.js';
import type { PaneId } from '../model/ids.js';
import type { Provider } from '../model/provider.js';
import type {
  DaemonStatus,
  FromDaemon,
  HostCaps,
  ProviderView,
  Requests,
  WorkspaceState,
} from '../wire/messages.js';
import { Banners } from './banners.js';
import { Changes } from './changes.js';
import type { Caller, ClientServices } from './client-link.js';
import { CommandGate } from './command-gate.js';
import { EventDesk } from './events.js';
import { EventLog } from './event-log.js';
import type { HooksEndpoint, HookSignal } from './hooks-http.js';
import type { KeeperHost } from './keeper-host.js';
import { PermissionDesk } from './permissions.js';
import { recover, takeOverAll, type RecoverOptions } from './recover.js';
import { Registry, type ProviderSource } from './registry.js';
import { RequestTable } from './requests.js';
import { RunDesk } from './runs.js';
import { Server } from './server.js';
import { SessionRequests } from './session-requests.js';
import { isLive, screenFace, toView, type SessionState } from './session-state.js';
import { TurnDesk } from './turns.js';
import { Workspace } from './workspace.js';

/** A log that another process holds at start is waited for so long before we begin without the past. */
const LOG_WAIT_MS = 3000;

export interface DaemonOptions {
  clock: Clock;
  diagnostics: Log;
  logFile: string;
  socket: string;
  host: KeeperHost;
  hooks: HooksEndpoint;
  providers: ProviderSource;
  requireProvider(id: string | undefined): Provider;
  makeController(state: SessionState, daemon: Daemon): Controller;
  listProviders(refresh: boolean): Promise<ProviderView[]>;
  installProvider(providerId: string): Promise<Requests['provider/install']['result']>;
  /** Hard cap on live sessions. */
  sessionsMax?: number;
  /** Ends the process, once everything is closed. */
  onStopped(): void;
}

export class Daemon implements Disposable {
  readonly registry: Registry;
  readonly workspace: Workspace;
  readonly runs: RunDesk;
  readonly turns: TurnDesk;
  readonly permissions: PermissionDesk;
  readonly banners: Banners;
  readonly log: EventLog;
  readonly changes: Changes;
  readonly server: Server;
  /** What a client can do; the server gives it to each link. */
  readonly services: ClientServices;
  #options: DaemonOptions;
  #startedAt: number;
  #store = new DisposableStore();
  #caps: HostCaps | undefined;
  #markReady: () => void = () => {};
  #stopping = false;

  constructor(options: DaemonOptions) {
    this.#options = options;
    const { clock, diagnostics } = options;
    this.#startedAt = clock.now();
    this.log = this.#store.add(new EventLog({ file: options.logFile, clock, log: diagnostics }));
    this.changes = this.#store.add(new Changes(clock));
    this.banners = new Banners(this.changes);
    const { log, changes } = this;
    this.registry = new Registry({
      log,
      changes,
      clock,
      providers: options.providers,
      ...(options.sessionsMax === undefined ? {} : { liveMax: options.sessionsMax }),
    });
    const desk = { log, registry: this.registry, clock };
    this.permissions = new PermissionDesk(desk);
    this.turns = new TurnDesk(desk, this.permissions);
    const { turns, permissions } = this;
    this.workspace = this.#store.add(
      new Workspace({ log, changes, clock, onResize: () => this.runs?.resizeAll() }),
    );
    this.runs = this.#store.add(
      new RunDesk({
        ...desk,
        turns,
        permissions,
        diagnostics,
        events: new EventDesk({ ...desk, turns, permissions, diagnostics }),
        makeController: (state) => options.makeController(state, this),
        sizeOf: (state) => this.workspace.sizeOf(state.session.id),
      }),
    );
    this.changes.bind({ snapshot: () => this.#snapshot(), beforePublish: () => log.flush() });
    this.services = this.#services();
    this.server = this.#store.add(new Server(this.services));
    this.#listen();
  }

  /** Brings back what was there before, then answers the clients. Never rejects. */
  async start(): Promise<void> {
    await this.#waitForLog();
    const options = this.#recoverOptions();
    const isPastKnown = this.log.isOpen;
    await recover(options);
    if (!isPastKnown) {
      const late = this.log.onHealth(() => {
        if (!this.log.isOpen) return;
        late.dispose();
        void recover(options);
      });
      this.#store.add(late);
    }
    this.#markReady();
  }

  /** Replies first, then says goodbye and closes. `stop` ends the children and the keeper too. */
  async stop({ children, reason }: Requests['daemon/stop']['params']): Promise<object> {
    if (children === 'stop') {
      await Promise.all(this.registry.all().map((state) => this.runs.stop(state)));
      await this.#options.host.shutdown();
    }
    if (!this.#stopping) {
      this.#stopping = true;
      // After the reply has been written.
      this.#options.clock.after(1, () => this.#close(reason ?? 'stop'));
    }
    return {};
  }

  tell(level: 'info' | 'warning' | 'error', text: string, state?: SessionState): void {
    const of = state ? { sessionId: state.session.id } : {};
    this.server.tell({ t: 'message', level, text, ...of });
  }

  /** A signal of a hook whose token was right. */
  hookSignal({ runId, attempt, signal }: HookSignal): boolean {
    const state = this.registry.byRun(runId);
    const at = this.#options.clock.now();
    return state !== undefined && this.runs.signal(state, { ...signal, runId, attempt, source: 'hook', at });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #close(reason: 'restart' | 'stop'): void {
    this.server.bye(reason);
    this.log.flush();
    // The goodbye must leave before the sockets are closed.
    this.#options.clock.after(20, () => {
      this.dispose();
      this.#options.host.dispose();
      this.#options.onStopped();
    });
  }

  #listen(): void {
    const { log, banners, registry, workspace, runs, server } = this;
    const { host } = this.#options;
    banners.showLogHealth(log.health, log.file);
    this.#store.add(log.onHealth((health) => banners.showLogHealth(health, log.file)));
    this.#store.add(
      log.onReplaced(() => {
        registry.saveAll();
        workspace.save();
      }),
    );
    this.#store.add(
      runs.onController((state) => {
        this.#dress(state);
        server.sourceChanged(state.session.id);
      }),
    );
    this.#store.add(runs.onHostNote(({ state, note }) => this.#passOn(state, note)));
    this.#store.add(
      host.onLost(() =>
        banners.set({ id: 'keeper', level: 'error', text: 'The keeper is gone; trying to reach it again.' }),
      ),
    );
    this.#store.add(
      host.onReconnected(() => {
        banners.clear('keeper');
        void takeOverAll(this.#recoverOptions());
      }),
    );
  }

  /** Bells, clipboard and notifications go to whoever has a pane of the session. */
  #passOn(state: SessionState, note: { kind: 'bell' | 'clipboard' | 'notification' } & object): void {
    const pane = this.workspace.panesOf(state.session.id)[0];
    if (!pane) return;
    const { kind, ...rest } = note;
    this.server.tell({ t: kind, paneId: pane.id, ...rest } as Extract<
      FromDaemon,
      { t: 'bell' | 'clipboard' | 'notification' }
    >);
  }

  /** Gives a new screen the host's colours and cell size. */
  #dress(state: SessionState): void {
    const screen = screenFace(state.controller)?.screen;
    const { foreground, background, cellWidth, cellHeight } = this.#caps ?? {};
    if (!screen) return;
    if (foreground && background) screen.setColors({ foreground, background });
    if (cellWidth && cellHeight) screen.setCellPixels?.(cellWidth, cellHeight);
  }

  #active(area: { cols: number; rows: number }, caps: HostCaps): void {
    this.workspace.setArea(area);
    if (caps === this.#caps) return;
    this.#caps = caps;
    for (const state of this.registry.all()) this.#dress(state);
  }

  #services(): ClientServices {
    const { clock, diagnostics } = this.#options;
    const { log, changes, workspace, registry } = this;
    const table = this.#table();
    const controllerOf = (paneId: PaneId): Controller | undefined => {
      const pane = workspace.pane(paneId);
      return pane && registry.get(pane.sessionId)?.controller;
    };
    return {
      clock,
      diagnostics,
      log,
      changes,
      startedAt: this.#startedAt,
      ready: new Promise<void>((resolve) => (this.#markReady = resolve)),
      request: (method, params, caller, commandId) => table.run(method, params, caller, commandId),
      sessionOf: (paneId) => workspace.pane(paneId)?.sessionId,
      faceOf: (sessionId) => screenFace(registry.get(sessionId)?.controller),
      keys: (paneId, keys) => controllerOf(paneId)?.key?.(keys),
      paste: (paneId, text) => controllerOf(paneId)?.paste?.(text),
      mouse: (paneId, mouse) => controllerOf(paneId)?.mouse?.(mouse),
      focus: (paneId, focused) => controllerOf(paneId)?.focus?.(focused),
      active: (area, caps) => this.#active(area, caps),
    };
  }

  #table(): RequestTable {
    const { clock, diagnostics, requireProvider, listProviders, installProvider } = this.#options;
    const { log, registry, runs, turns, permissions, workspace } = this;
    return new RequestTable({
      gate: new CommandGate(log, diagnostics),
      registry,
      workspace,
      sessions: new SessionRequests({
        clock,
        log,
        registry,
        runs,
        turns,
        permissions,
        workspace,
        requireProvider,
      }),
      snapshot: () => this.changes.snapshot(),
      status: () => this.#status(),
      stop: (params) => this.stop(params),
      signal: (params, caller) => this.#socketSignal(params, caller),
      listProviders,
      installProvider,
    });
  }

  /** From the socket, whose user is trusted; a token, when given, must be right. */
  #socketSignal(params: Requests['session/signal']['params'], caller: Caller): boolean {
    const { runId, attempt, token, signal } = params;
    if (token !== undefined && !this.#options.hooks.isToken(runId, token)) {
      throw new AgentileError('USAGE', 'The token is not the one of that run.', {
        hint: 'A hook finds its own in AGENTILE_TOKEN.',
      });
    }
    const state = this.registry.byRun(runId);
    if (!state) return false;
    const isHook = token !== undefined || caller.sessionId !== undefined;
    const at = this.#options.clock.now();
    return this.runs.signal(state, { ...signal, runId, attempt, source: isHook ? 'hook' : 'wrapper', at });
  }

  #snapshot(): Omit<WorkspaceState, 'revision'> {
    return {
      sessions: this.registry.all().map(toView),
      panes: this.workspace.panes(),
      tabs: [...this.workspace.tabs],
      banners: this.banners.list(),
      area: this.workspace.area,
    };
  }

  #status(): DaemonStatus {
    const { host, socket, logFile } = this.#options;
    const { state, detail } = this.log.health;
    const live = this.registry.all().filter(isLive);
    const { hello } = host;
    return {
      pid: process.pid,
      version: VERSION,
      startedAt: this.#startedAt,
      keeper: hello
        ? { pid: hello.pid, version: hello.version, startedAt: hello.startedAt, children: live.length }
        : null,
      clients: this.server.count,
      sessions: this.registry.all().length,
      log: { path: logFile, state, ...(detail ? { detail } : {}) },
      socket,
    };
  }

  #recoverOptions(): RecoverOptions {
    const { log, registry, runs, turns, workspace, banners } = this;
    const { host, clock, diagnostics } = this.#options;
    return { log, registry, runs, turns, workspace, banners, host, clock, diagnostics };
  }

  async #waitForLog(): Promise<void> {
    if (this.log.isOpen) return;
    await new Promise<void>((resolve) => {
      const store = new DisposableStore();
      const done = () => {
        store.dispose();
        resolve();
      };
      store.add(this.#options.clock.after(LOG_WAIT_MS, done));
      store.add(this.log.onHealth(() => this.log.isOpen && done()));
    });
  }
}
