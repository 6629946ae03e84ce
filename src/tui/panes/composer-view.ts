// The composer as rows of exactly the pane's width, and the cell of the caret. Pure.
import { cellWidth } from '../../screen/width.js';
import { fit, sanitize } from '../chrome/text.js';
import type { Theme } from '../chrome/theme.js';
import { graphemes } from '../text-field.js';
import { pasteLabel, type Composer } from './composer.js';
import type { PaneFooter } from './pane-kind.js';

export interface ComposerLook {
  cols: number;
  /** At most so many rows; the caret's is always among them. */
  maxRows: number;
  theme: Theme;
  /** Stands before the first row. */
  label: string;
  /** Shown while nothing is written. */
  hint: string;
}

export function composerRows(
  composer: Composer,
  look: ComposerLook,
): PaneFooter & { cursor: { x: number; y: number } } {
  const { cols, theme, label } = look;
  const lead = cellWidth(label);
  const room = Math.max(1, cols - lead);
  const { lines, caret } = layout(composer, room);
  const count = Math.max(1, look.maxRows);
  const from = Math.max(
    0,
    Math.min(caret.y - count + 1, lines.length - count),
    caret.y >= count ? caret.y - count + 1 : 0,
  );
  const rows = lines.slice(from, from + count).map((line, at) => {
    const mark = from + at === 0 ? theme.paint(label, { colour: 'cyan', bold: true }) : ' '.repeat(lead);
    if (composer.text === '') return mark + theme.paint(fit(look.hint, room, theme.ellipsis), { dim: true });
    return mark + fit(line, room, theme.ellipsis);
  });
  return { rows, cursor: { x: Math.min(cols - 1, lead + caret.x), y: caret.y - from } };
}

/** Lines of at most `room` cells, cut between graphemes; the caret has a cell of its own behind the last. */
function layout({ text, cursor, pastes }: Composer, room: number) {
  const lines: string[] = [''];
  let used = 0;
  let caret = { x: 0, y: 0 };
  const parts = graphemes(text);
  for (const [at, part] of parts.entries()) {
    const shown = part === '\n' ? '' : (pasteLabel(part, pastes) ?? sanitize(part));
    const cells = cellWidth(shown);
    if (part !== '\n' && used + cells > room && used > 0) {
      lines.push('');
      used = 0;
    }
    if (at === cursor) caret = { x: used, y: lines.length - 1 };
    if (part === '\n') {
      lines.push('');
      used = 0;
    } else {
      lines[lines.length - 1] += shown;
      used += cells;
    }
  }
  if (cursor >= parts.length) {
    if (used >= room) {
      lines.push('');
      used = 0;
    }
    caret = { x: used, y: lines.length - 1 };
  }
  return { lines, caret };
}
