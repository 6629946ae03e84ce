// The lines between tiles as rows of text, those around the focused tile strong. Pure.
import { separators, type Area } from '../../model/layout-ops.js';
import type { Rect, Tab } from '../../model/layout.js';
import type { Theme } from './theme.js';

/** One string a row of the area, from column 0; '' where a row has no separator. */
export function separatorRows(tab: Tab, area: Area, focused: Rect | undefined, theme: Theme): string[] {
  const rows = Array.from({ length: area.rows }, () => '');
  const ends = new Array<number>(area.rows).fill(0);
  const cells = [...separators(tab, area)].sort((a, b) => a.y - b.y || a.x - b.x);
  for (let at = 0; at < cells.length;) {
    const { x, y } = cells[at]!;
    const strong = touches(focused, x, y);
    let run = '';
    while (at < cells.length) {
      const cell = cells[at]!;
      if (cell.y !== y || cell.x !== x + run.length || touches(focused, cell.x, y) !== strong) break;
      run += theme.unicode ? cell.glyph : cell.ascii;
      at++;
    }
    rows[y] +=
      ' '.repeat(x - ends[y]!) + theme.paint(run, strong ? { bold: true, colour: 'cyan' } : { dim: true });
    ends[y] = x + run.length;
  }
  return rows;
}

function touches(rect: Rect | undefined, x: number, y: number): boolean {
  if (!rect) return false;
  return x >= rect.x - 1 && x <= rect.x + rect.width && y >= rect.y - 1 && y <= rect.y + rect.height;
}
