// A structured pane: the transcript folded here from the session's events, and below it what waits in the queue, the card of
// an open request, and the composer. Drawing only; keys are structured-keys'.
import type { SessionView } from '../../wire/messages.js';
import { fit } from '../chrome/text.js';
import { makeTheme, type Theme } from '../chrome/theme.js';
import { cleanLine, type RenderContext } from '../transcript/styled-wrap.js';
import { rawRows, transcriptRows, visibleRows, type RowSource } from '../transcript/row-window.js';
import { cardRows } from './card.js';
import { EMPTY_COMPOSER, type Composer } from './composer.js';
import { composerRows } from './composer-view.js';
import type { PaneContext, PaneFooter, PaneKind } from './pane-kind.js';
import { structuredKey, structuredPaste } from './structured-keys.js';

const COMPOSER_ROWS = 8;
const QUEUE_ROWS = 3;

export const structuredKind: PaneKind = {
  shows: (view) => view !== null && view.controller !== 'terminal',
  rows: (context) => {
    const source = sourceOf(context);
    const offset = context.state.scroll[context.pane.id]?.offset ?? 0;
    return source ? visibleRows(source, context.size.rows, offset).rows : [];
  },
  source: sourceOf,
  footer: footerOf,
  handleKey: structuredKey,
  handlePaste: structuredPaste,
};

function sourceOf({ state, pane, view, size, now }: PaneContext): RowSource | undefined {
  const own = state.transcripts[view.session.id];
  if (!own) return undefined;
  const { expanded } = composerOf(state.composers, view);
  const context: RenderContext = {
    width: Math.max(1, size.cols),
    theme: makeTheme(state.host),
    now,
    expanded,
  };
  return pane.view === 'raw'
    ? rawRows(own.raw, own.rawFirst, context)
    : transcriptRows(own.transcript, context);
}

export function composerOf(composers: PaneContext['state']['composers'], view: SessionView): Composer {
  return composers[view.session.id] ?? EMPTY_COMPOSER;
}

function footerOf({ state, view, size, focused }: PaneContext): PaneFooter | null {
  const theme = makeTheme(state.host);
  const composer = composerOf(state.composers, view);
  const request = view.requests[0];
  const hasFocus = focused && request !== undefined && composer.cardFocus === request.id;
  const budget = hasFocus ? Math.max(0, size.rows - 2) : Math.floor(size.rows / 2);
  if (budget === 0) return null;
  const maxRows = Math.min(COMPOSER_ROWS, request ? Math.max(1, budget - 5) : budget);
  const written = composerRows(composer, {
    cols: size.cols,
    maxRows,
    theme,
    ...wordsOf(view, composer, theme),
  });
  const queue = queueRows(view, size.cols, theme).slice(
    0,
    Math.max(0, budget - written.rows.length - (request ? 5 : 0)),
  );
  const left = budget - written.rows.length - queue.length;
  const card = request
    ? cardRows(request, {
        cols: size.cols,
        maxRows: left,
        theme,
        hasFocus,
        of: view.requests.length,
        composer,
      })
    : [];
  const above = [...card.slice(0, left), ...queue];
  const cursor = { x: written.cursor.x, y: above.length + written.cursor.y };
  // A card that has the keys has no caret: nothing is typed there.
  return { rows: [...above, ...written.rows], ...(hasFocus ? { isTall: true } : { cursor }) };
}

function wordsOf(view: SessionView, composer: Composer, theme: Theme): { label: string; hint: string } {
  const mark = theme.cursorMark;
  const request = view.requests.find((one) => one.id === composer.wordsFor);
  if (request)
    return request.questions
      ? { label: `answer ${mark} `, hint: 'in your own words; esc: back' }
      : { label: `why not ${mark} `, hint: 'the agent reads this; esc: back' };
  const label = `${mark} `;
  if (view.requests.length > 0)
    return { label, hint: `tab: answer the card above ${theme.dot} ctrl+c: interrupt` };
  if (view.turn?.state === 'running')
    return { label, hint: `enter: queued until the turn ends ${theme.dot} ctrl+c: interrupt` };
  const live = view.run?.status === 'running' || view.run?.status === 'starting';
  return { label, hint: live || !view.run ? 'ask something' : 'ask something (it is started again)' };
}

function queueRows(view: SessionView, cols: number, theme: Theme): string[] {
  const rows = view.queue.slice(0, QUEUE_ROWS).map((turn, at, all) => {
    const more =
      at === all.length - 1 && view.queue.length > all.length ? ` (+${view.queue.length - all.length})` : '';
    const how = at === all.length - 1 ? '  ctrl+u: take it back' : '';
    const text = `queued${more}: ${cleanLine(turn.prompt.replace(/\s*\n\s*/g, ' '))}`;
    const room = Math.max(1, cols - how.length);
    return theme.paint(fit(text, room, theme.ellipsis) + how, { dim: true });
  });
  return rows;
}
