// Patches of the panes one client looks at: dirty rows are merged until they may be sent, and one batch is in flight until
// the client has painted it. So a slow client skips states, and neither blocks a child nor makes memory grow. Made and
// called by the client link.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import type { PaneId, SessionId } from '../model/ids.js';
import type { PatchRow } from '../model/patch.js';
import type { Dirty, DirtyTracker, Screen } from '../screen/contract.js';
import type { PatchHeader, ViewPane } from '../wire/messages.js';
import { encodePatches } from '../wire/patches.js';
import type { ScreenFace } from './session-state.js';

/** The focused pane: one paint of a 60 Hz host. */
const FOCUSED_PERIOD_MS = 16;
/** Others: half of that halves the bytes of a flood and is not seen. */
const OTHER_PERIOD_MS = 33;
/** Output of the focused pane so soon after a key is most likely its echo: it goes at once. */
const ECHO_MS = 100;
/** A client that acknowledges nothing for so long is stopped or gone: its panes are not followed until it does. */
export const PAUSE_AFTER_MS = 10_000;

export interface PaneFeedOptions {
  clock: Clock;
  sessionOf(paneId: PaneId): SessionId | undefined;
  faceOf(sessionId: SessionId): ScreenFace | undefined;
  /** False while the socket holds too much. */
  canSend(): boolean;
  send(batch: number, panes: PatchHeader[], body: Uint8Array): void;
}

interface FeedPane {
  paneId: PaneId;
  sessionId: SessionId;
  scrollOffset: number;
  source?: { screen: Screen; tracker: DirtyTracker; store: DisposableStore };
  seq: number;
  sentModes?: string;
  sentTitle?: string;
  sentHistory: number;
  sentAt: number;
  dueAt: number | undefined;
  /** All rows, whatever the tracker says. */
  wantsAll: boolean;
}

export class PaneFeed implements Disposable {
  #options: PaneFeedOptions;
  #panes = new Map<PaneId, FeedPane>();
  #focused: PaneId | null = null;
  #keyAt = Number.NEGATIVE_INFINITY;
  #batch = 0;
  #inFlight: { batch: number; timer: Disposable } | undefined;
  #paused = false;
  #timer: Disposable | undefined;
  #disposed = false;

  constructor(options: PaneFeedOptions) {
    this.#options = options;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** What the client looks at now. Panes that are new to it come whole. */
  view(panes: readonly ViewPane[], focused: PaneId | null): void {
    this.#focused = focused;
    const wanted = new Map(panes.map((pane) => [pane.paneId, pane]));
    for (const [paneId, pane] of this.#panes) if (!wanted.has(paneId)) this.#drop(pane);
    for (const { paneId, scrollOffset } of wanted.values()) {
      const pane = this.#panes.get(paneId);
      if (!pane) {
        this.#add(paneId, scrollOffset);
      } else if (pane.scrollOffset !== scrollOffset) {
        pane.scrollOffset = scrollOffset;
        this.#want(pane, 0);
      }
    }
    this.#plan();
  }

  /** A key went to this pane: its echo is sent at once. */
  keyed(paneId: PaneId): void {
    if (paneId === this.#focused) this.#keyAt = this.#options.clock.now();
  }

  /** The session's screen is another one (restart), or the pane shows another session. */
  sourceChanged(sessionId: SessionId): void {
    for (const pane of this.#panes.values()) if (pane.sessionId === sessionId) this.#connect(pane);
    this.#plan();
  }

  panesChanged(): void {
    for (const pane of [...this.#panes.values()]) {
      const sessionId = this.#options.sessionOf(pane.paneId);
      if (sessionId === undefined) this.#drop(pane);
      else if (sessionId !== pane.sessionId) {
        pane.sessionId = sessionId;
        this.#connect(pane);
      }
    }
    this.#plan();
  }

  /** The client painted this batch. */
  ack(batch: number): void {
    if (this.#inFlight?.batch !== batch) return;
    this.#inFlight.timer.dispose();
    this.#inFlight = undefined;
    if (this.#paused) {
      this.#paused = false;
      for (const pane of this.#panes.values()) this.#connect(pane);
    }
    this.#plan();
  }

  /** The socket took what it held. */
  drained(): void {
    this.#plan();
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#inFlight?.timer.dispose();
    for (const pane of [...this.#panes.values()]) this.#drop(pane);
  }

  #add(paneId: PaneId, scrollOffset: number): void {
    const sessionId = this.#options.sessionOf(paneId);
    if (sessionId === undefined) return;
    const pane: FeedPane = {
      paneId,
      sessionId,
      scrollOffset,
      seq: 0,
      sentHistory: 0,
      sentAt: Number.NEGATIVE_INFINITY,
      dueAt: undefined,
      wantsAll: true,
    };
    this.#panes.set(paneId, pane);
    this.#connect(pane);
  }

  #drop(pane: FeedPane): void {
    pane.source?.store.dispose();
    this.#panes.delete(pane.paneId);
  }

  #connect(pane: FeedPane): void {
    pane.source?.store.dispose();
    delete pane.source;
    delete pane.sentModes;
    delete pane.sentTitle;
    const face = this.#paused ? undefined : this.#options.faceOf(pane.sessionId);
    if (!face) return;
    const store = new DisposableStore();
    const tracker = store.add(face.screen.track());
    pane.source = { screen: face.screen, tracker, store };
    store.add(face.onScreenChange(() => this.#handleChange(pane)));
    this.#want(pane, 0);
  }

  #want(pane: FeedPane, waitMs: number): void {
    pane.wantsAll = true;
    pane.dueAt = this.#options.clock.now() + waitMs;
  }

  #handleChange(pane: FeedPane): void {
    pane.dueAt = Math.min(pane.dueAt ?? Infinity, this.#dueAt(pane));
    this.#plan();
  }

  #dueAt(pane: FeedPane): number {
    const now = this.#options.clock.now();
    const isFocused = pane.paneId === this.#focused;
    if (isFocused && now - this.#keyAt < ECHO_MS) return now;
    return Math.max(now, pane.sentAt + (isFocused ? FOCUSED_PERIOD_MS : OTHER_PERIOD_MS));
  }

  #plan(): void {
    if (this.#disposed || this.#inFlight || !this.#options.canSend()) return;
    let next = Infinity;
    for (const pane of this.#panes.values()) if (pane.source) next = Math.min(next, pane.dueAt ?? Infinity);
    if (next === Infinity) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    const wait = next - this.#options.clock.now();
    if (wait <= 0) this.#flush();
    else
      this.#timer = this.#options.clock.after(wait, () => {
        this.#timer = undefined;
        this.#plan();
      });
  }

  #flush(): void {
    const now = this.#options.clock.now();
    const headers: PatchHeader[] = [];
    const bodies: { changed: PatchRow[] }[] = [];
    for (const pane of this.#panes.values()) {
      if (!pane.source || pane.dueAt === undefined || pane.dueAt > now) continue;
      // The child is in the middle of its frame; it announces the change when it is whole.
      if (pane.source.screen.holding) {
        pane.dueAt = undefined;
        continue;
      }
      const patch = readPatch(pane, pane.source);
      pane.dueAt = undefined;
      pane.sentAt = now;
      if (!patch) continue;
      headers.push(patch.header);
      bodies.push(patch);
    }
    if (headers.length === 0) return;
    const batch = ++this.#batch;
    this.#inFlight = { batch, timer: this.#options.clock.after(PAUSE_AFTER_MS, () => this.#pause()) };
    this.#options.send(batch, headers, encodePatches(bodies));
  }

  #pause(): void {
    this.#paused = true;
    for (const pane of this.#panes.values()) this.#connect(pane);
  }
}

/** What changed of a pane since it was last read; null: nothing to be seen. */
function readPatch(
  pane: FeedPane,
  { screen, tracker }: NonNullable<FeedPane['source']>,
): { header: PatchHeader; changed: PatchRow[] } | null {
  if (!pane.wantsAll && !tracker.isDirty) return null;
  const dirty = tracker.take();
  const full = pane.wantsAll || dirty.rows === 'all';
  const pinned = pin(pane, screen, dirty);
  pane.wantsAll = false;
  const rows = full ? range(screen.rows) : shift(dirty.rows as ReadonlySet<number>, pinned, screen.rows);
  const { changed, strings, exts } = screen.readRows(rows, pinned);
  const modes = JSON.stringify(screen.modes);
  const { title, historyLines } = screen;
  const header: PatchHeader = {
    paneId: pane.paneId,
    seq: ++pane.seq,
    cols: screen.cols,
    rows: screen.rows,
    full,
    scrolled: full || pinned > 0 ? 0 : dirty.scrolled,
    strings,
    exts,
    cursor: screen.cursor,
    ...(modes === pane.sentModes ? {} : { modes: screen.modes }),
    ...(title === pane.sentTitle ? {} : { title }),
    historyLines,
    scrollOffset: pinned,
    changedRows: changed.length,
  };
  pane.sentModes = modes;
  pane.sentTitle = title;
  pane.sentHistory = historyLines;
  return { header, changed };
}

/** A view that is scrolled up stays on its lines while new ones come below; returns its offset now. */
function pin(pane: FeedPane, screen: Screen, dirty: Dirty): number {
  if (pane.scrollOffset === 0) return 0;
  const grown = pane.seq === 0 ? 0 : Math.max(0, screen.historyLines - pane.sentHistory);
  pane.scrollOffset = Math.min(pane.scrollOffset + Math.max(grown, dirty.scrolled), screen.historyLines);
  return pane.scrollOffset;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row);
}

function shift(rows: ReadonlySet<number>, by: number, count: number): number[] {
  return [...rows].map((row) => row + by).filter((row) => row < count);
}
