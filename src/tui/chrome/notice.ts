// The rows over the end of a pane whose program has ended, failed, or does not listen: what happened, and the keys. Pure.
import { FAILURE_LABELS } from '../../model/failure.js';
import type { SessionView } from '../../wire/messages.js';
import { typedKeys, type Keymap } from '../keymap.js';
import { fit, sanitize } from './text.js';
import { statusGlyph, type Theme } from './theme.js';

/** Bytes a child may leave unread before it is said: a paste of a page is no news. */
const UNREAD_BYTES = 4096;

export function noticeRows(view: SessionView | null, keymap: Keymap, cols: number, theme: Theme): string[] {
  if (!view) return [];
  const words = noticeWords(view, keymap, theme);
  return words.map((text, at) =>
    theme.paint(
      fit(` ${sanitize(text)}`, cols, theme.ellipsis),
      at === 0 ? { inverse: true } : { dim: true },
    ),
  );
}

function noticeWords(view: SessionView, keymap: Keymap, theme: Theme): string[] {
  if (view.screenFault !== undefined) return [`the screen was lost: ${view.screenFault}`];
  if ((view.inputBlocked ?? 0) > UNREAD_BYTES)
    return [`it does not read its input: ${Math.ceil(view.inputBlocked! / 1024)} KiB wait`];
  const ended = endedWords(view);
  if (ended === '') return [];
  const glyph = statusGlyph(theme, view.status);
  const failure = view.run?.failure;
  const hint = failure?.hint ? [failure.hint] : [];
  const keys = [`${typedKeys(keymap, 'resume')} restart`, `${typedKeys(keymap, 'close')} close`];
  return [`${glyph} ${ended}`, ...hint, keys.join(` ${theme.dot} `)];
}

/** '' while a process lives. */
function endedWords(view: SessionView): string {
  const { run } = view;
  if (!run) return 'not started';
  const how = run.exitSignal
    ? `by ${run.exitSignal}`
    : run.exitCode !== undefined
      ? `with ${run.exitCode}`
      : '';
  switch (run.status) {
    case 'starting':
    case 'running':
      return '';
    case 'exited':
      return `ended ${how}`.trim();
    case 'stopped':
      return 'stopped by you';
    case 'lost':
      return `its process was lost${run.endedAt ? ` at ${clockTime(run.endedAt)}` : ''}`;
    case 'failed':
      return run.failure
        ? `${FAILURE_LABELS[run.failure.kind]}: ${run.failure.message}`
        : `failed ${how}`.trim();
  }
}

function clockTime(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
