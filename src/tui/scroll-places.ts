// Where each pane is scrolled to. The daemon owns the place while output flows (a view that is scrolled up stays on its
// lines); the client asks for a new one. Called by the app.
import type { PaneId } from '../model/ids.js';
import type { ScreenPatch } from '../model/patch.js';
import type { PaneFeed } from './pane-feed.js';
import type { Store } from './store.js';

export class ScrollPlaces {
  #store: Store;
  #feed: PaneFeed;
  /** Panes whose new place was asked for and not painted yet: older patches do not count. */
  #asked = new Set<PaneId>();

  constructor(store: Store, feed: PaneFeed) {
    this.#store = store;
    this.#feed = feed;
  }

  /** By lines (up is positive), or to an end; kept within the history. */
  scroll(paneId: PaneId, to: number | 'top' | 'live'): void {
    const historyLines = this.#feed.facts(paneId)?.historyLines ?? 0;
    const now = this.#store.state.scroll[paneId]?.offset ?? 0;
    const wanted = to === 'top' ? historyLines : to === 'live' ? 0 : now + to;
    const offset = Math.max(0, Math.min(historyLines, wanted));
    if (offset === now) return;
    this.#asked.add(paneId);
    this.#store.dispatch({ type: 'scrolled', paneId, offset, historyLines });
  }

  /** A patch came. The answer to a new place is a whole one; until it comes the old place is not taken over. */
  painted(patch: ScreenPatch): void {
    const { paneId, scrollOffset, historyLines } = patch;
    if (this.#asked.has(paneId)) {
      if (!patch.full) return;
      this.#asked.delete(paneId);
    }
    const was = this.#store.state.scroll[paneId];
    if ((was?.offset ?? 0) === 0 && scrollOffset === 0) return;
    this.#store.dispatch({ type: 'scrolled', paneId, offset: scrollOffset, historyLines });
  }
}
