// Collects what changed in the workspace and publishes it as whole objects, at most every 16 ms. Called by everything that
// changes state; heard by the client links. Nothing is published before the log has what led to it.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/emitter.js';
import type { SessionId } from '../model/ids.js';
import type { FromDaemon, WorkspaceState } from '../wire/messages.js';

const PERIOD_MS = 16;

export type WorkspaceChange = Extract<FromDaemon, { t: 'workspace-change' }>;
export type Part = 'panes' | 'tabs' | 'banners' | 'area';

export interface ChangeSource {
  /** The whole state now; `revision` is filled in here. */
  snapshot(): Omit<WorkspaceState, 'revision'>;
  /** Called before anything is published. */
  beforePublish(): void;
}

export class Changes implements Disposable {
  #clock: Clock;
  #source: ChangeSource | undefined;
  #revision = 0;
  #sessions = new Set<SessionId>();
  #gone = new Set<SessionId>();
  #parts = new Set<Part>();
  #timer: Disposable | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #changes = new Emitter<WorkspaceChange>();
  readonly onChange: Event<WorkspaceChange> = this.#changes.event;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Must be called before the first flush. */
  bind(source: ChangeSource): void {
    this.#source = source;
  }

  touch(sessionId: SessionId): void {
    this.#sessions.add(sessionId);
    this.#plan();
  }

  gone(sessionId: SessionId): void {
    this.#sessions.delete(sessionId);
    this.#gone.add(sessionId);
    this.#plan();
  }

  touchPart(part: Part): void {
    this.#parts.add(part);
    this.#plan();
  }

  /** The whole state, with all changes so far in it. */
  snapshot(): WorkspaceState {
    this.flush();
    return { revision: this.#revision, ...this.#source!.snapshot() };
  }

  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#sessions.size + this.#gone.size + this.#parts.size === 0) return;
    this.#source!.beforePublish();
    const state = this.#source!.snapshot();
    const change: WorkspaceChange = { t: 'workspace-change', revision: ++this.#revision };
    const sessions = state.sessions.filter((view) => this.#sessions.has(view.session.id));
    if (sessions.length > 0) change.sessions = sessions;
    if (this.#gone.size > 0) change.gone = [...this.#gone];
    if (this.#parts.has('panes')) change.panes = state.panes;
    if (this.#parts.has('tabs')) change.tabs = state.tabs;
    if (this.#parts.has('banners')) change.banners = state.banners;
    if (this.#parts.has('area')) change.area = state.area;
    for (const set of [this.#sessions, this.#gone, this.#parts]) set.clear();
    this.#lastAt = this.#clock.now();
    this.#changes.fire(change);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#changes.dispose();
  }

  #plan(): void {
    const wait = Math.max(0, this.#lastAt + PERIOD_MS - this.#clock.now());
    this.#timer ??= this.#clock.after(wait, () => this.flush());
  }
}
