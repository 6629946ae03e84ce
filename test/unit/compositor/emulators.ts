// @xterm/headless as the pane's emulator and as the host's screen, for the fidelity test. Reads cells by its own code, not
// by the product's, so that the two check each other.
import { Terminal } from '@xterm/headless';
import { DEFAULT_MODES, type CellExt, type PatchRow, type ScreenPatch } from '../../../src/model/patch.js';
import type { PaneId } from '../../../src/model/ids.js';
import { unicodeProvider } from '../../../src/screen/width.js';

export interface SeenCell {
  text: string;
  width: number;
  fg: number;
  bg: number;
  underline: string;
  url: string;
}

export function openTerminal(cols: number, rows: number): Terminal {
  const term = new Terminal({ cols, rows, allowProposedApi: true, scrollback: 50 });
  term.unicode.register(unicodeProvider);
  term.unicode.activeVersion = unicodeProvider.version;
  return term;
}

export function feed(term: Terminal, text: string): void {
  (term as any)._core._writeBuffer.writeSync(text);
}

const BLANK_BITS_FG = 0x94000000;

/** What is to be seen at a cell, in a form in which equal looks are equal. */
export function seenCell(term: Terminal, x: number, y: number): SeenCell {
  const buffer = term.buffer.active;
  const cell = buffer.getLine(buffer.baseY + y)?.getCell(x) as any;
  if (!cell) return { text: ' ', width: 1, fg: 0, bg: 0, underline: '', url: '' };
  const extended = (cell.bg & 0x10000000) !== 0 ? cell.extended : undefined;
  const underlined = (cell.fg & 0x10000000) !== 0;
  const style = underlined ? extended?.underlineStyle || 1 : 0;
  const rawColor = extended ? extended._ext & 0x3ffffff : 0;
  const color = underlined && extended && rawColor !== 0x3ffffff ? cleanColor(rawColor) : 0;
  const url = extended?.urlId
    ? ((term as any)._core._oscLinkService.getLinkData(extended.urlId)?.uri ?? '')
    : '';
  const width = cell.getWidth();
  const seen: SeenCell = {
    text: cell.getChars() || (width === 0 ? '' : ' '),
    width,
    fg: ((cell.fg & 0xfc000000) | cleanColor(cell.fg & 0x3ffffff)) >>> 0,
    bg: ((cell.bg & 0x4c000000) | cleanColor(cell.bg & 0x3ffffff)) >>> 0,
    underline: style > 1 || color ? `${style}:${color}` : '',
    url,
  };
  return plainBlank(seen);
}

/** A blank shows only its background unless something is drawn on it. */
export function plainBlank(seen: SeenCell): SeenCell {
  const bare =
    seen.text === ' ' && seen.url === '' && (seen.fg & BLANK_BITS_FG) === 0 && (seen.bg & 0x40000000) === 0;
  return bare ? { ...seen, fg: 0, bg: seen.bg & 0x3ffffff } : seen;
}

/** A row of a pane as the product's rows have it: half a wide glyph is a blank with the glyph's look. */
export function seenRow(term: Terminal, y: number): SeenCell[] {
  const row = Array.from({ length: term.cols }, (_, x) => seenCell(term, x, y));
  return row.map((cell, x) => {
    const broken =
      (cell.width === 2 && row[x + 1]?.width !== 0) || (cell.width === 0 && row[x - 1]?.width !== 2);
    return broken ? plainBlank({ ...cell, text: ' ', width: 1 }) : cell;
  });
}

export const halfGlyph = (seen: SeenCell): SeenCell => ({
  text: ' ',
  width: 1,
  fg: 0,
  bg: seen.bg & 0x3ffffff,
  underline: '',
  url: '',
});

function cleanColor(word: number): number {
  const mode = word & 0x3000000;
  if (mode === 0) return 0;
  return mode === 0x3000000 ? word : mode | (word & 0xff);
}

/** A pane: an emulator, and patches of what changed since the last one. */
export class PaneEmulator {
  readonly term: Terminal;
  readonly paneId: PaneId;
  #last: string[] = [];
  #seq = 0;
  #scrolled = 0;
  #full = true;

  constructor(paneId: string, cols: number, rows: number) {
    this.paneId = paneId as PaneId;
    this.term = openTerminal(cols, rows);
    this.term.onScroll(() => this.#scrolled++);
  }

  resize(cols: number, rows: number): void {
    this.term.resize(cols, rows);
    this.#full = true;
  }

  /** `hint` replaces the number of scrolled lines: a wrong one must do no harm beyond bytes. */
  patch(hint?: number): ScreenPatch {
    const { cols, rows, buffer } = this.term;
    const strings: string[] = [];
    const exts: CellExt[] = [];
    const words: Uint32Array[] = [];
    for (let y = 0; y < rows; y++) words.push(this.#row(y, strings, exts));
    const keys = words.map((row, y) => `${row.join()} ${this.#rowText(y)}`);
    const scrolled = this.#full ? 0 : Math.min(hint ?? this.#scrolled, rows);
    // The receiver moves what it has before it applies the rows: so compare with that.
    const known = [...this.#last.slice(scrolled), ...Array.from({ length: scrolled }, () => 'blank')];
    const changed: PatchRow[] = [];
    for (let y = 0; y < rows; y++)
      if (this.#full || known[y] !== keys[y]) changed.push({ y, cells: words[y]! });
    const patch: ScreenPatch = {
      paneId: this.paneId,
      seq: this.#seq++,
      cols,
      rows,
      full: this.#full,
      scrolled,
      changed,
      strings,
      exts,
      cursor: { x: buffer.active.cursorX, y: buffer.active.cursorY },
      modes: { ...DEFAULT_MODES, cursorVisible: !(this.term as any)._core.coreService.isCursorHidden },
      title: '',
      historyLines: 0,
      scrollOffset: 0,
    };
    this.#last = keys;
    this.#full = false;
    this.#scrolled = 0;
    return patch;
  }

  #rowText(y: number): string {
    const { active } = this.term.buffer;
    const cells = Array.from({ length: this.term.cols }, (_, x) => seenCell(this.term, x, y));
    return (
      active.getLine(active.baseY + y)?.translateToString() + cells.map((c) => c.underline + c.url).join()
    );
  }

  /** The row as words of the wire. */
  #row(y: number, strings: string[], exts: CellExt[]): Uint32Array {
    const { cols, buffer } = this.term;
    const words = new Uint32Array(cols * 4);
    const row = seenRow(this.term, y);
    for (let x = 0; x < cols; x++) {
      const cell = buffer.active.getLine(buffer.active.baseY + y)?.getCell(x) as any;
      if (!cell) continue;
      const chars: string = cell.getChars();
      const width: number = cell.getWidth();
      const seen = seenCell(this.term, x, y);
      const code = chars.codePointAt(0) ?? 0;
      const single = chars.length === (code > 0xffff ? 2 : 1);
      let content = (chars === '' ? 0 : single ? code : 0x200000 | (strings.push(chars) - 1)) | (width << 22);
      const whole = row[x]!;
      if (whole.width === 1 && whole.text === ' ') content = seen.bg || seen.fg ? 0x20 | (1 << 22) : 0;
      let ext = 0;
      if (seen.underline || seen.url) {
        const [style, color] = seen.underline ? seen.underline.split(':').map(Number) : [0, 0];
        const value: CellExt = {
          underlineStyle: (style || ((cell.fg & 0x10000000) !== 0 ? 1 : 0)) as CellExt['underlineStyle'],
          underlineColor: color ?? 0,
        };
        if (seen.url) value.url = seen.url;
        ext = exts.push(value);
      }
      words.set([content >>> 0, cell.fg >>> 0, cell.bg >>> 0, ext], x * 4);
    }
    return words;
  }
}

/** The host: a screen that also has left and right margins (DECSLRM), which @xterm/headless lacks. */
export class HostScreen {
  readonly term: Terminal;
  #margins = false;
  #left = 0;
  #right = 0;

  constructor(cols: number, rows: number) {
    this.term = openTerminal(cols, rows);
    this.#right = cols - 1;
    const parser = this.term.parser;
    const mode = (on: boolean) => (params: (number | number[])[]) => {
      if (params[0] !== 69) return false;
      this.#margins = on;
      this.#left = 0;
      this.#right = this.term.cols - 1;
      return true;
    };
    parser.registerCsiHandler({ prefix: '?', final: 'h' }, mode(true));
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, mode(false));
    parser.registerCsiHandler({ final: 's' }, (params) => {
      if (!this.#margins) return false;
      this.#left = Number(params[0] ?? 1) - 1;
      this.#right = Number(params[1] ?? this.term.cols) - 1;
      return true;
    });
    parser.registerCsiHandler({ final: 'S' }, (params) => {
      if (!this.#margins) return false;
      this.#scrollInside(Number(params[0] || 1));
      return true;
    });
  }

  write(text: string): void {
    feed(this.term, text);
  }

  #scrollInside(lines: number): void {
    const buffer = (this.term as any)._core.buffer;
    const { scrollTop, scrollBottom } = buffer;
    const fill = buffer.getNullCell((this.term as any)._core._inputHandler._eraseAttrData());
    for (let y = scrollTop; y <= scrollBottom; y++) {
      const target = buffer.lines.get(buffer.ybase + y);
      if (y + lines <= scrollBottom) {
        const source = buffer.lines.get(buffer.ybase + y + lines);
        // copyCellsFrom takes the combined glyphs and links right of the range along: those are put back.
        const kept = [target._combined, target._extendedAttrs].map((map) => ({ ...map }));
        target.copyCellsFrom(source, this.#left, this.#left, this.#right - this.#left + 1, false);
        for (let x = 0; x < this.term.cols; x++) {
          if (x >= this.#left && x <= this.#right) continue;
          [target._combined, target._extendedAttrs].forEach((map, i) => {
            if (kept[i]![x] === undefined) delete map[x];
            else map[x] = kept[i]![x];
          });
        }
      } else target.replaceCells(this.#left, this.#right + 1, fill, false);
    }
  }
}
