// The rows of a transcript that are visible, and places in it that stay put while text comes. Only what is in sight (or below
// it) is ever rendered; rows are kept by item version and width. Called by the structured kind of panes.
import type { AgentEvent } from '../../model/event.js';
import type { Transcript } from '../../model/transcript.js';
import { isLive, renderItem } from './render-item.js';
import { cleanLine, NO_PREFIX, wrapHard, type RenderContext } from './styled-wrap.js';

export interface RowSource {
  readonly count: number;
  rows(index: number): readonly string[];
  id(index: number): string;
  /** -1 when it is gone. */
  indexOf(id: string): number;
}

/** The last visible row: which item, and which of its rows. */
export interface Place {
  id: string;
  row: number;
}

interface Kept {
  version: number;
  key: string;
  rows: readonly string[];
}

const kept = new WeakMap<Transcript, Map<string, Kept>>();

export function transcriptRows(transcript: Transcript, context: RenderContext): RowSource {
  const cache = kept.get(transcript) ?? new Map<string, Kept>();
  kept.set(transcript, cache);
  const { width, theme, expanded, now } = context;
  const base = `${width} ${theme.unicode} ${theme.paint('x', { colour: 'red' })} ${expanded}`;
  const { items } = transcript;
  return {
    count: items.length,
    id: (index) => items[index]!.id,
    indexOf: (id) => transcript.indexOf(id),
    rows: (index) => {
      const item = items[index]!;
      const key = isLive(item) ? `${base} ${Math.floor(now / 1000)}` : base;
      const known = cache.get(item.id);
      if (known && known.version === item.version && known.key === key) return known.rows;
      const all = renderItem(item, context);
      // The first prompt needs no row of air above it.
      const rows = index === 0 && all[0] === '' ? all.slice(1) : all;
      cache.set(item.id, { version: item.version, key, rows });
      return rows;
    },
  };
}

/** The raw view: each event as a line of JSON. */
export function rawRows(events: readonly AgentEvent[], first: number, context: RenderContext): RowSource {
  return {
    count: events.length,
    id: (index) => String(first + index),
    indexOf: (id) => (Number(id) < first ? -1 : Number(id) - first),
    rows: (index) => wrapHard(cleanLine(JSON.stringify(events[index])), undefined, context, NO_PREFIX),
  };
}

/** Rows in sight with `offset` rows below them. `total` is exact when the top was reached, else missing. */
export function visibleRows(
  source: RowSource,
  height: number,
  offset: number,
): { rows: string[]; total?: number } {
  const groups: (readonly string[])[] = [];
  let have = 0;
  let index = source.count - 1;
  for (; index >= 0 && have < offset + height; index--) {
    const rows = source.rows(index);
    groups.push(rows);
    have += rows.length;
  }
  const all = groups.reverse().flat();
  const end = Math.max(Math.min(height, all.length), all.length - offset);
  const rows = all.slice(Math.max(0, end - height), end);
  return index < 0 ? { rows, total: have } : { rows };
}

/** All rows there are. Renders everything: only for going to the top. */
export function totalRows(source: RowSource): number {
  let total = 0;
  for (let index = 0; index < source.count; index++) total += source.rows(index).length;
  return total;
}

export function placeAt(source: RowSource, offset: number): Place | undefined {
  let below = offset;
  for (let index = source.count - 1; index >= 0; index--) {
    const { length } = source.rows(index);
    if (below < length) return { id: source.id(index), row: length - 1 - below };
    below -= length;
  }
  return undefined;
}

/** Rows that now lie below a place; 0 when its item is gone. */
export function offsetOf(source: RowSource, place: Place): number {
  const at = source.indexOf(place.id);
  if (at < 0) return 0;
  let offset = Math.max(0, source.rows(at).length - 1 - place.row);
  for (let index = at + 1; index < source.count; index++) offset += source.rows(index).length;
  return offset;
}
