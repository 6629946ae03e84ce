// A picture of the screen as plain text, for `npm start` without a terminal and for the docs. The same components as on
// the screen; the bodies of panes are given as text.
import { renderToString } from 'ink';
import { contains } from '../model/layout-ops.js';
import type { Rect } from '../model/layout.js';
import type { PaneId } from '../model/ids.js';
import { graphemes } from '../screen/width.js';
import type { WorkspaceState } from '../wire/messages.js';
import { Screen } from './chrome/screen.js';
import { screenModel, type ScreenModel } from './chrome/screen-model.js';
import { fit, sanitize } from './chrome/text.js';
import { buildKeymap, type Keymap } from './keymap.js';
import { initialState } from './state.js';
import { reduce } from './state-reduce.js';

export interface PictureInput {
  cols: number;
  rows: number;
  workspace: WorkspaceState;
  /** Lines of a pane's body, top first. */
  paneText(paneId: PaneId, size: { cols: number; rows: number }): readonly string[];
  keymap?: Keymap;
  /** Milliseconds since the epoch; decides the times in the titles. */
  now?: number;
  unicode?: boolean;
}

/** Rows joined by LF, trailing blanks cut; no escape sequences. */
export function renderPicture(input: PictureInput): string {
  const { cols, rows, workspace } = input;
  const host = { cols, rows, colors: 'none' as const, unicode: input.unicode ?? true };
  const state = reduce(initialState(host), { type: 'workspace', workspace });
  const now = input.now ?? Date.now();
  const model = screenModel(state, input.keymap ?? buildKeymap(), now);
  const frame = withoutSgr(renderToString(<Screen model={model} />, { columns: cols }));
  const grid = frame.split('\n').map((line) => cellsOf(line, cols));
  while (grid.length < rows) grid.push(cellsOf('', cols));
  for (const pane of model.panes) {
    const size = { cols: pane.rect.width, rows: pane.rect.height };
    drawBody(grid, pane.rect, input.paneText(pane.paneId, size), model);
  }
  const lines = grid.slice(0, rows).map((line) => line.join('').trimEnd());
  return lines.join('\n');
}

/** One string a cell; the right half of a wide glyph is ''. */
function cellsOf(line: string, cols: number): string[] {
  const cells = graphemes(line).flatMap((glyph) => (glyph.width === 2 ? [glyph.text, ''] : [glyph.text]));
  return [...cells, ...new Array<string>(Math.max(0, cols - cells.length)).fill(' ')].slice(0, cols);
}

/** Puts a body into its rectangle, but not where a dialog or a notice lies. */
function drawBody(grid: string[][], rect: Rect, lines: readonly string[], model: ScreenModel): void {
  for (let y = 0; y < rect.height; y++) {
    const row = cellsOf(fit(sanitize(lines[y] ?? ''), rect.width), rect.width);
    for (let x = 0; x < rect.width; x++) {
      const covered = model.overlays.some((over) => contains(over, rect.x + x, rect.y + y));
      if (!covered) grid[rect.y + y]![rect.x + x] = row[x]!;
    }
  }
}

function withoutSgr(text: string): string {
  return text.replace(/\x1b\[[\d;:]*m/g, '');
}
