// Tabs, panes and the area they fill. Called by the request handlers; keeps itself in the log. Sizes of children follow
// from here: the last active client decides the area.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { AgentileError } from '../base/errors.js';
import { newPaneId, newTabId, type PaneId, type SessionId, type TabId } from '../model/ids.js';
import {
  bodyRect,
  insertPane,
  paneIds,
  removePane,
  setMode,
  setRatio,
  swapPanes,
  tileRects,
  type Area,
} from '../model/layout-ops.js';
import type { Pane, SplitDirection, Tab } from '../model/layout.js';
import type { LayoutOp } from '../wire/messages.js';
import type { Changes } from './changes.js';
import type { EventLog } from './event-log.js';
import { SAVE_WORKSPACE, WORKSPACE, type SavedWorkspace } from './log-names.js';

/** A dragged border changes the layout many times a second; it is saved once it rests. */
const SAVE_DELAY_MS = 200;
/** Before any client came: a common terminal without its status bar. */
const FIRST_AREA: Area = { cols: 80, rows: 23 };

export interface Place {
  tabId?: TabId;
  near?: PaneId;
  direction?: SplitDirection;
}

export interface WorkspaceOptions {
  log: EventLog;
  changes: Changes;
  clock: Clock;
  /** Sizes may have changed: give them to the children. */
  onResize(): void;
}

export class Workspace implements Disposable {
  #options: WorkspaceOptions;
  #panes = new Map<PaneId, Pane>();
  #tabs: Tab[] = [];
  #area: Area = FIRST_AREA;
  #saveTimer: Disposable | undefined;
  #savePending = false;
  #disposed = false;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.#ensureTab();
  }

  get area(): Area {
    return this.#area;
  }

  get tabs(): readonly Tab[] {
    return this.#tabs;
  }

  panes(): Pane[] {
    return [...this.#panes.values()];
  }

  pane(paneId: PaneId): Pane | undefined {
    return this.#panes.get(paneId);
  }

  panesOf(sessionId: SessionId): Pane[] {
    return this.panes().filter((pane) => pane.sessionId === sessionId);
  }

  /** Takes over what was saved; panes of sessions that are gone are left out. Tabs that are here already stay. */
  restore(saved: SavedWorkspace, hasSession: (id: SessionId) => boolean): void {
    const known = new Set(this.#tabs.map((tab) => tab.id));
    const isEmptyStart = this.#panes.size === 0;
    for (const pane of saved.panes) if (hasSession(pane.sessionId)) this.#panes.set(pane.id, pane);
    const tabs = saved.tabs
      .filter((tab) => !known.has(tab.id))
      .map((tab) =>
        paneIds(tab).reduce((kept, id) => (this.#panes.has(id) ? kept : removePane(kept, id)), tab),
      );
    if (tabs.length > 0) this.#tabs = isEmptyStart ? tabs : [...this.#tabs, ...tabs];
    const shown = new Set(this.#tabs.flatMap((tab) => paneIds(tab)));
    for (const pane of this.panes()) if (!shown.has(pane.id)) this.#panes.delete(pane.id);
    this.#changed();
  }

  /** True when the area is another one now. */
  setArea(area: Area): boolean {
    if (area.cols === this.#area.cols && area.rows === this.#area.rows) return false;
    this.#area = area;
    this.#options.changes.touchPart('area');
    this.#options.onResize();
    return true;
  }

  /** The cells of a session's pane below its title, or undefined when none of its panes is to be seen. */
  sizeOf(sessionId: SessionId): { cols: number; rows: number } | undefined {
    for (const tab of this.#tabs) {
      for (const [paneId, rect] of tileRects(tab, this.#area)) {
        if (this.#panes.get(paneId)?.sessionId !== sessionId) continue;
        const body = bodyRect(rect);
        if (body.width > 0 && body.height > 0) return { cols: body.width, rows: body.height };
      }
    }
    return undefined;
  }

  open(sessionId: SessionId, place: Place = {}): PaneId {
    const near = place.near !== undefined && this.#panes.has(place.near) ? place.near : undefined;
    const home = near ? this.#tabs.find((tab) => paneIds(tab).includes(near)) : undefined;
    const tab = place.tabId ? this.#tab(place.tabId) : (home ?? this.#tabs[0]!);
    const pane: Pane = { id: newPaneId(), sessionId, view: 'main' };
    this.#panes.set(pane.id, pane);
    this.#replace(insertPane(tab, pane.id, near, place.direction, this.#area));
    return pane.id;
  }

  closePane(paneId: PaneId): void {
    if (!this.#panes.delete(paneId)) return;
    for (const tab of this.#tabs) this.#replace(removePane(tab, paneId, this.#area));
  }

  closeSession(sessionId: SessionId): void {
    for (const pane of this.panesOf(sessionId)) this.closePane(pane.id);
  }

  /** Throws USAGE for a pane or tab that is not there. */
  apply(op: LayoutOp): { paneId?: PaneId; tabId?: TabId } {
    switch (op.op) {
      case 'open':
        return { paneId: this.open(op.sessionId, op) };
      case 'close-pane':
        this.#checkPane(op.paneId);
        this.closePane(op.paneId);
        return {};
      case 'swap':
        this.#swap(op.a, op.b);
        return {};
      case 'ratio':
        this.#replace(setRatio(this.#tab(op.tabId), op.path, op.ratio), 'rest');
        return {};
      case 'mode':
        this.#replace(setMode(this.#tab(op.tabId), op.mode, this.#area));
        return {};
      case 'zoom':
        this.#zoom(op.tabId, op.paneId);
        return {};
      case 'view':
        this.#panes.set(op.paneId, { ...this.#checkPane(op.paneId), view: op.view });
        this.#changed();
        return {};
      case 'tab-new':
        return { tabId: this.#newTab(op.name) };
      case 'tab-close':
        this.#closeTab(op.tabId);
        return {};
      case 'tab-rename':
        this.#replace({ ...this.#tab(op.tabId), name: op.name });
        return {};
      case 'move-to-tab':
        this.#move(op.paneId, op.tabId);
        return {};
    }
  }

  save(): void {
    this.#saveTimer?.dispose();
    this.#saveTimer = undefined;
    const body: SavedWorkspace = { panes: this.panes(), tabs: this.#tabs };
    this.#options.log.append({
      sessionId: WORKSPACE,
      body: { kind: 'command', name: SAVE_WORKSPACE, body },
    });
  }

  dispose(): void {
    if (this.#saveTimer || this.#savePending) this.save();
    this.#disposed = true;
  }

  #swap(a: PaneId, b: PaneId): void {
    const first = this.#checkPane(a);
    const second = this.#checkPane(b);
    const shared = this.#tabs.find((tab) => paneIds(tab).includes(a) && paneIds(tab).includes(b));
    if (shared) {
      this.#replace(swapPanes(shared, a, b));
      return;
    }
    // In two tabs: the panes stay where they are and change what they show.
    this.#panes.set(a, { ...first, sessionId: second.sessionId, view: second.view });
    this.#panes.set(b, { ...second, sessionId: first.sessionId, view: first.view });
    this.#changed();
  }

  #zoom(tabId: TabId, paneId: PaneId | null): void {
    const { zoomed: _zoomed, ...tab } = this.#tab(tabId);
    if (paneId !== null) this.#checkPane(paneId);
    this.#replace(paneId === null ? tab : { ...tab, zoomed: paneId });
  }

  #newTab(name?: string): TabId {
    const tab: Tab = {
      id: newTabId(),
      name: name ?? String(this.#tabs.length + 1),
      layout: null,
      mode: 'auto',
    };
    this.#tabs.push(tab);
    this.#changed();
    return tab.id;
  }

  #closeTab(tabId: TabId): void {
    const tab = this.#tab(tabId);
    for (const paneId of paneIds(tab)) this.#panes.delete(paneId);
    this.#tabs = this.#tabs.filter((other) => other.id !== tabId);
    this.#ensureTab();
    this.#changed();
  }

  #move(paneId: PaneId, tabId: TabId): void {
    this.#checkPane(paneId);
    const target = this.#tab(tabId);
    if (paneIds(target).includes(paneId)) return;
    for (const tab of this.#tabs) this.#replace(removePane(tab, paneId, this.#area));
    this.#replace(insertPane(this.#tab(tabId), paneId, undefined, undefined, this.#area));
  }

  #ensureTab(): void {
    if (this.#tabs.length === 0)
      this.#tabs.push({ id: newTabId(), name: 'main', layout: null, mode: 'auto' });
  }

  #tab(tabId: TabId): Tab {
    const tab = this.#tabs.find((candidate) => candidate.id === tabId);
    if (!tab) throw new AgentileError('USAGE', 'That tab is closed.');
    return tab;
  }

  #checkPane(paneId: PaneId): Pane {
    const pane = this.#panes.get(paneId);
    if (!pane) throw new AgentileError('USAGE', 'That pane is closed.');
    return pane;
  }

  #replace(tab: Tab, save: 'now' | 'rest' = 'now'): void {
    this.#tabs = this.#tabs.map((old) => (old.id === tab.id ? tab : old));
    this.#changed(save);
  }

  /** 'now': saved when this command is through, so that a killed daemon knows every tile that somebody was told of. */
  #changed(save: 'now' | 'rest' = 'now'): void {
    this.#options.changes.touchPart('panes');
    this.#options.changes.touchPart('tabs');
    if (save === 'rest') this.#saveTimer ??= this.#options.clock.after(SAVE_DELAY_MS, () => this.save());
    else this.#saveSoon();
    this.#options.onResize();
  }

  #saveSoon(): void {
    if (this.#savePending) return;
    this.#savePending = true;
    queueMicrotask(() => {
      this.#savePending = false;
      if (!this.#disposed) this.save();
    });
  }
}
