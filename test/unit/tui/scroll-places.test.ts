// Scroll places between the client's wish and the daemon's answer: an older patch never takes the wish back.
import { describe, expect, it } from 'vitest';
import { DEFAULT_MODES, type ScreenPatch } from '../../../src/model/patch.js';
import { newsOf } from '../../../src/tui/attention.js';
import { PaneFeed } from '../../../src/tui/pane-feed.js';
import { ScrollPlaces } from '../../../src/tui/scroll-places.js';
import { Store } from '../../../src/tui/store.js';
import { encodePatches } from '../../../src/wire/patches.js';
import { paneId, sampleState, sampleView, sampleWorkspace } from './sample.js';

function bench() {
  const feed = new PaneFeed();
  const store = new Store(sampleState([sampleView(1, 'unknown')]));
  const places = new ScrollPlaces(store, feed);
  const patch = (more: Partial<ScreenPatch>): ScreenPatch => {
    const cells = { changed: [], strings: [], exts: [] };
    const size = { cols: 80, rows: 22, scrolled: 0, cursor: { x: 0, y: 0 }, seq: 1, full: false };
    const all = {
      ...size,
      ...cells,
      modes: DEFAULT_MODES,
      title: '',
      historyLines: 100,
      scrollOffset: 0,
      ...more,
    };
    const header = { ...all, paneId: paneId(1), changedRows: 0 };
    const [taken] = feed.take([header], encodePatches([{ changed: [] }]));
    places.painted(taken!);
    return taken!;
  };
  const offset = () => store.state.scroll[paneId(1)]?.offset ?? 0;
  return { places, patch, offset };
}

describe('scroll places', () => {
  it('stay within the history', () => {
    const { places, patch, offset } = bench();
    patch({});
    places.scroll(paneId(1), 1000);
    expect(offset()).toBe(100);
    places.scroll(paneId(1), -30);
    expect(offset()).toBe(70);
    places.scroll(paneId(1), 'live');
    expect(offset()).toBe(0);
  });

  it('are not taken back by a patch from before the wish', () => {
    const { places, patch, offset } = bench();
    patch({});
    places.scroll(paneId(1), 10);
    patch({ scrollOffset: 0 });
    expect(offset()).toBe(10);
    patch({ scrollOffset: 10, full: true });
    expect(offset()).toBe(10);
  });

  it('follow the daemon while new lines come below', () => {
    const { places, patch, offset } = bench();
    patch({});
    places.scroll(paneId(1), 10);
    patch({ scrollOffset: 10, full: true });
    patch({ scrollOffset: 14, historyLines: 104 });
    expect(offset()).toBe(14);
  });
});

describe('news', () => {
  it('are changes to needs you, done and failed, of sessions that were known', () => {
    const before = sampleWorkspace([
      sampleView(1, 'working'),
      sampleView(2, 'working'),
      sampleView(3, 'done'),
    ]);
    const after = sampleWorkspace([
      sampleView(1, 'needs-you'),
      sampleView(2, 'idle'),
      sampleView(3, 'done'),
      sampleView(4, 'failed'),
    ]);
    expect(newsOf(before, after).map((one) => one.body)).toEqual(['work-1: needs you']);
    expect(newsOf(null, after)).toEqual([]);
  });
});
