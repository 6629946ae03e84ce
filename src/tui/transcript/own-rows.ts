// Panes whose rows are made by the client: follows the sessions of those in sight, folds their events, gives their rows to the
// compositor and keeps their place while text comes. Called by the app.
import type { PaneId, SessionId } from '../../model/ids.js';
import { Transcript } from '../../model/transcript.js';
import type { FromDaemon, ToDaemon } from '../../wire/messages.js';
import type { PaneBody, ScreenModel } from '../chrome/screen-model.js';
import { kindOf } from '../panes/kinds.js';
import type { PaneContext } from '../panes/pane-kind.js';
import { paneById, sessionOfPane, type TranscriptView } from '../state.js';
import type { Store } from '../store.js';
import { offsetOf, placeAt, totalRows, visibleRows, type RowSource } from './row-window.js';

/** Events kept for the raw view. */
const RAW_KEPT = 2000;

export interface OwnRowsPorts {
  store: Store;
  send(message: Extract<ToDaemon, { t: 'follow' }>): void;
  setRows(paneId: PaneId, rows: readonly string[]): void;
  dropPane(paneId: PaneId): void;
  now(): number;
}

export class OwnRows {
  #ports: OwnRowsPorts;
  #bodies: readonly PaneBody[] = [];
  #followed = new Set<SessionId>();
  #shown = new Set<PaneId>();

  constructor(ports: OwnRowsPorts) {
    this.#ports = ports;
  }

  /** The daemon knows nothing of what was followed: another connection, or another daemon. */
  restart(): void {
    this.#followed.clear();
  }

  /** Draws what is in sight and follows it; what went out of sight is no longer followed, and kept. */
  show(model: ScreenModel): void {
    this.#bodies = model.panes;
    for (const body of model.panes) this.#draw(body);
    const { state } = this.#ports.store;
    const known = new Set(state.workspace?.panes.map((pane) => pane.id));
    for (const id of [...this.#shown].filter((one) => !known.has(one))) {
      this.#shown.delete(id);
      this.#ports.dropPane(id);
    }
    if (state.link === 'live') this.#follow();
  }

  /** Takes events of a session. False when nobody follows it. */
  take(push: Extract<FromDaemon, { t: 'events' }>): boolean {
    const { sessionId } = push;
    if (!this.#followed.has(sessionId)) return false;
    const { store } = this.#ports;
    const before = store.state.transcripts[sessionId] ?? newView();
    const fresh = push.records.filter((record) => record.seq > before.seq);
    if (fresh.length === 0 && before.live === push.live) return false;
    const places = this.#placesOf(sessionId);
    const { transcript } = before;
    for (const { event } of fresh) transcript.apply(event);
    const all = [...before.raw, ...fresh.map((record) => record.event)];
    const raw = all.slice(-RAW_KEPT);
    const view: TranscriptView = {
      transcript,
      seq: fresh.at(-1)?.seq ?? before.seq,
      live: push.live,
      raw,
      rawFirst: before.rawFirst + all.length - raw.length,
    };
    for (const { body, place } of places) {
      const source = this.#source(body, view, sessionId);
      if (source && place) this.#put(body.paneId, offsetOf(source, place));
    }
    store.dispatch({ type: 'transcript', sessionId, view });
    return true;
  }

  /** Scrolls one of these panes; false when the pane is none. */
  scroll(paneId: PaneId, to: number | 'top' | 'live'): boolean {
    const body = this.#bodies.find((one) => one.paneId === paneId);
    const source = body && this.#source(body);
    if (!source) return body !== undefined && this.#shown.has(paneId);
    const height = body.rect.height;
    const now = this.#ports.store.state.scroll[paneId]?.offset ?? 0;
    const wanted = to === 'top' ? totalRows(source) : to === 'live' ? 0 : Math.max(0, now + to);
    const { total } = visibleRows(source, height, wanted);
    this.#put(paneId, total === undefined ? wanted : Math.min(wanted, Math.max(0, total - height)), total);
    return true;
  }

  /** Rows of the body of one of these panes; undefined when the pane is none. */
  rows(paneId: PaneId): number | undefined {
    if (!this.#shown.has(paneId)) return undefined;
    return this.#bodies.find((one) => one.paneId === paneId)?.rect.height;
  }

  /** A second went by: calls that run show it. True when something was drawn. */
  tick(): boolean {
    const { state } = this.#ports.store;
    let drawn = false;
    for (const body of this.#bodies) {
      const view = sessionOfPane(state, body.paneId);
      if (!view || !state.transcripts[view.session.id]?.transcript.turnOpen) continue;
      this.#draw(body);
      drawn = true;
    }
    return drawn;
  }

  #put(paneId: PaneId, offset: number, total?: number): void {
    const known = this.#ports.store.state.scroll[paneId]?.historyLines ?? 0;
    const historyLines = offset === 0 ? 0 : Math.max(offset, total ?? known);
    this.#ports.store.dispatch({ type: 'scrolled', paneId, offset, historyLines });
  }

  #follow(): void {
    const { store, send } = this.#ports;
    const { state } = store;
    const wanted = new Set<SessionId>();
    for (const { paneId } of this.#bodies) {
      const view = sessionOfPane(state, paneId);
      const pane = paneById(state, paneId);
      if (view && pane && kindOf(view, pane).rows) wanted.add(view.session.id);
    }
    for (const sessionId of [...this.#followed].filter((id) => !wanted.has(id))) {
      this.#followed.delete(sessionId);
      send({ t: 'follow', sessionId, after: 0, on: false });
    }
    for (const sessionId of wanted) {
      if (this.#followed.has(sessionId)) continue;
      this.#followed.add(sessionId);
      send({ t: 'follow', sessionId, after: state.transcripts[sessionId]?.seq ?? 0, on: true });
    }
  }

  /** Where the panes of a session that are scrolled up stand. */
  #placesOf(sessionId: SessionId) {
    const { state } = this.#ports.store;
    return this.#bodies.flatMap((body) => {
      const offset = state.scroll[body.paneId]?.offset ?? 0;
      if (offset === 0 || sessionOfPane(state, body.paneId)?.session.id !== sessionId) return [];
      const source = this.#source(body);
      return source ? [{ body, place: placeAt(source, offset) }] : [];
    });
  }

  #source(body: PaneBody, ahead?: TranscriptView, sessionId?: SessionId): RowSource | undefined {
    const context = this.#context(body);
    if (!context) return undefined;
    const { state } = context;
    const transcripts = ahead && sessionId ? { ...state.transcripts, [sessionId]: ahead } : state.transcripts;
    return kindOf(context.view, context.pane).source?.({ ...context, state: { ...state, transcripts } });
  }

  #context({ paneId, rect, focused }: PaneBody): PaneContext | undefined {
    const { state } = this.#ports.store;
    const pane = paneById(state, paneId);
    const view = sessionOfPane(state, paneId);
    if (!pane || !view) return undefined;
    const size = { cols: rect.width, rows: rect.height };
    return { state, pane, view, focused, size, now: this.#ports.now() };
  }

  #draw(body: PaneBody): void {
    const context = this.#context(body);
    const rows = context && kindOf(context.view, context.pane).rows?.(context);
    if (!rows) return;
    this.#shown.add(body.paneId);
    this.#ports.setRows(body.paneId, rows);
  }
}

function newView(): TranscriptView {
  return { transcript: new Transcript(), seq: 0, live: false, raw: [], rawFirst: 0 };
}
