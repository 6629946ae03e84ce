// A bare @xterm/headless beside our screen, read through its public API only, and both sides' cells in one comparable form.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import {
  COLOR_MODE_MASK,
  CONTENT_COMBINED,
  CONTENT_CODEPOINT_MASK,
  CONTENT_WIDTH_SHIFT,
  type PatchRow,
} from '../../../src/model/patch.js';
import type { RowsSnapshot, Screen } from '../../../src/screen/contract.js';
import { isZeroWidth, unicodeProvider } from '../../../src/screen/width.js';

const ROOT = fileURLToPath(new URL('../../recordings/', import.meta.url));

export interface TtyRecording {
  name: string;
  bytes: Buffer;
  cols: number;
  rows: number;
  queries: { query: string; bytes: string; times: number }[];
}

/** All recordings of real CLIs on a terminal. */
export function ttyRecordings(): TtyRecording[] {
  const found: TtyRecording[] = [];
  for (const dir of readdirSync(ROOT).filter((name) => name.startsWith('tty-'))) {
    for (const file of readdirSync(ROOT + dir).filter((name) => name.endsWith('.raw'))) {
      const base = `${ROOT}${dir}/${file.replace(/\.raw$/, '')}`;
      const meta = JSON.parse(readFileSync(`${base}.meta.json`, 'utf8'));
      found.push({
        name: `${dir}/${file}`,
        bytes: readFileSync(`${base}.raw`),
        cols: meta.cols,
        rows: meta.rows,
        queries: meta.queries,
      });
    }
  }
  return found;
}

export function bareTerminal(cols: number, rows: number): xterm.Terminal {
  const terminal = new xterm.Terminal({
    cols,
    rows,
    scrollback: 20_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  terminal.unicode.register(unicodeProvider);
  terminal.unicode.activeVersion = unicodeProvider.version;
  return terminal;
}

export function writeBare(terminal: xterm.Terminal, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => terminal.write(bytes, resolve));
}

const FLAGS = [
  'isBold',
  'isDim',
  'isItalic',
  'isUnderline',
  'isBlink',
  'isInverse',
  'isInvisible',
  'isStrikethrough',
  'isOverline',
] as const;

function bareCell(cell: xterm.IBufferCell): string {
  const chars = cell.getChars();
  // Links count as underlined in the public API; a link is told by its address here.
  const underline = ((cell as unknown as { fg: number }).fg >>> 28) & 1;
  const flags = FLAGS.map((flag) => (flag === 'isUnderline' ? underline : cell[flag]() ? 1 : 0)).join('');
  const fg = `${cell.getFgColorMode() >>> 24}:${cell.getFgColorMode() === 0 ? 0 : cell.getFgColor()}`;
  const bg = `${cell.getBgColorMode() >>> 24}:${cell.getBgColorMode() === 0 ? 0 : cell.getBgColor()}`;
  const isMark = [...chars].length === 1 && isZeroWidth(chars.codePointAt(0)!);
  return `${isMark ? ' ' + chars : chars || ' '}|${cell.getWidth()}|${fg}|${bg}|${flags}`;
}

const BLANK = ' |1|0:0|0:0|000000000';

/** The screen of a bare terminal, `lines` rows from `top`. */
export function bareCells(terminal: xterm.Terminal, top = terminal.buffer.active.baseY): string[][] {
  const buffer = terminal.buffer.active;
  const result: string[][] = [];
  for (let y = 0; y < terminal.rows; y++) {
    const line = buffer.getLine(top + y);
    const cells: string[] = [];
    for (let x = 0; line && x < terminal.cols; x++) {
      const cell = line.getCell(x)!;
      const isHalf = x > 0 && line.getCell(x - 1)!.getWidth() === 2;
      if (cell.getWidth() === 0) cells.push(isHalf ? 'half' : bareCell(cell).replace(/^.*?\|0/, ' |1'));
      else if (cell.getWidth() === 2 && line.getCell(x + 1)?.getWidth() !== 0)
        cells.push(bareCell(cell).replace(/^.*?\|2/, ' |1'));
      else cells.push(bareCell(cell));
    }
    result.push(trimmed(cells));
  }
  return result;
}

function trimmed(cells: string[]): string[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1] === BLANK) end--;
  return cells.slice(0, end);
}

/** The same form from rows of a patch. */
export function patchCells(snapshot: RowsSnapshot): string[][] {
  return snapshot.changed.map((row) => trimmed(rowCells(row, snapshot.strings)));
}

function rowCells(row: PatchRow, strings: string[]): string[] {
  const result: string[] = [];
  for (let at = 0; at < row.cells.length; at += 4) {
    const [content, fg, bg] = [row.cells[at]!, row.cells[at + 1]!, row.cells[at + 2]!];
    const isHalf = at > 0 && row.cells[at - 4]! >>> CONTENT_WIDTH_SHIFT === 2;
    if (isHalf) {
      result.push('half');
      continue;
    }
    const code = content & CONTENT_CODEPOINT_MASK;
    const text = content & CONTENT_COMBINED ? strings[code]! : code === 0 ? ' ' : String.fromCodePoint(code);
    const width = content === 0 ? 1 : content >>> CONTENT_WIDTH_SHIFT;
    const bit = (word: number, index: number) => (word >>> index) & 1;
    const flags = [
      bit(fg, 27),
      bit(bg, 27),
      bit(bg, 26),
      bit(fg, 28),
      bit(fg, 29),
      bit(fg, 26),
      bit(fg, 30),
      bit(fg, 31),
      bit(bg, 30),
    ].join('');
    result.push(`${text}|${width}|${color(fg)}|${color(bg)}|${flags}`);
  }
  return result;
}

function color(word: number): string {
  const mode = (word & COLOR_MODE_MASK) >>> 24;
  return `${mode}:${mode === 0 ? 0 : mode === 3 ? word & 0xffffff : word & 0xff}`;
}

export function screenCells(screen: Screen, scrollOffset = 0): string[][] {
  return patchCells(
    screen.readRows(
      Array.from({ length: screen.rows }, (_, y) => y),
      scrollOffset,
    ),
  );
}

/** A small generator with a seed, so that a failure can be repeated. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const TEXTS = [
  'hello ',
  'x',
  '漢字',
  '✅ ',
  '👍🏽',
  '❤️',
  '1️⃣',
  'e\u0301',
  '👨‍👩‍👧‍👦',
  '🏳️‍🌈',
  '\u0301',
  '─│┌',
  'A quick brown fox ',
  '\t',
  '\r\n',
  '\n',
  '\b',
  '한국',
];
const FINALS = 'ABCDEFGHIJKLMPSTXZ@`abdefghlmnrsu';

/** Random output: text of all widths and sequences of all kinds, valid and not. */
export function randomOutput(random: (below: number) => number, pieces: number): Buffer {
  const out: Buffer[] = [];
  for (let i = 0; i < pieces; i++) {
    const kind = random(12);
    if (kind < 5) out.push(Buffer.from(TEXTS[random(TEXTS.length)]!));
    else if (kind < 8) {
      const params = Array.from({ length: random(4) }, () => random(60)).join(';');
      const prefix = random(6) === 0 ? '?' : '';
      out.push(Buffer.from(`\x1b[${prefix}${params}${FINALS[random(FINALS.length)]}`));
    } else if (kind === 8)
      out.push(Buffer.from(`\x1b[${[1, 3, 4, 7, 31, 44, 97, 104, 38, 48][random(10)]};5;${random(256)}m`));
    else if (kind === 9)
      out.push(
        Buffer.from(
          [
            '\x1b[?1049h',
            '\x1b[?1049l',
            '\x1b7',
            '\x1b8',
            '\x1bM',
            '\x1bD',
            '\x1bE',
            '\x1b(0',
            '\x1b(B',
            '\x1b[4:3m',
            '\x1b[58;5;9m',
            '\x1b[?6h',
            '\x1b[?6l',
            '\x1b[?7l',
            '\x1b[?7h',
            '\x1b[4h',
            '\x1b[4l',
            '\x1b]8;;http://a.b/c\x07',
            '\x1b]8;;\x07',
            '\x1b]0;title\x07',
            '\x1b[!p',
            '\x1b[3J',
            '\x1b[2J',
            '\x1b#8',
          ][random(24)]!,
        ),
      );
    else if (kind === 10) out.push(Buffer.from(Array.from({ length: random(6) }, () => random(256))));
    else
      out.push(
        Buffer.from(['\x1b]52;c;', '\x1bP+q', '\x1b_G', '\x1b\\', '\x1b[38;2;1;2;3m', '\x1b[0m'][random(6)]!),
      );
  }
  // Whole characters at the end: the bare emulator's decoder has faults of its own at such borders.
  return Buffer.concat([...out, Buffer.from('z')]);
}

/** `bytes` in pieces of random size. */
export function* split(
  bytes: Uint8Array,
  random: (below: number) => number,
  max: number,
): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(max);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
