// Rows of the emulator as bytes: text and runs of attributes, about as long as the text itself. Used by the history store
// and by checkpoints. It keeps every word of a cell; only blank cells at the end of a row are left out.
import type { BufferLine } from './xterm-internals.js';

const CODE_MASK = 0x3fffff;
const COMBINED = 0x200000;
const WIDTH_SHIFT = 22;
const HAS_EXTENDED = 0x10000000;
const ONE_CELL = 1 << WIDTH_SHIFT;

const FLAG_WRAPPED = 1;
/** All cells are Latin-1, one wide, without attributes: bytes follow. */
const FLAG_PLAIN = 2;

/** Extended attributes as the emulator packs them, with the link by its address. */
export interface PackedExt {
  /** Bits 0-25 underline colour, 26-28 underline style. */
  bits: number;
  url?: string;
}

/** A row by its words, wherever it comes from (emulator, history). Valid until the next row is asked for. */
export interface RowSource {
  /** Three words a cell. */
  words: Uint32Array;
  /** Cells; those beyond are blank. */
  length: number;
  isWrapped: boolean;
  combined: Readonly<Record<number, string>>;
  ext(index: number): PackedExt | undefined;
}

/** Strings and extended attributes that encoded rows refer to by index. */
export interface CodecTables {
  strings: string[];
  exts: PackedExt[];
  /** Indexes by content; only a writer needs it. */
  lookup?: Map<string, number>;
}

/** A growing byte buffer. */
export class ByteSink {
  bytes: Uint8Array;
  length = 0;

  constructor(capacityBytes: number) {
    this.bytes = new Uint8Array(capacityBytes);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  varint(value: number): void {
    let rest = value >>> 0;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }
}

/** Reads what ByteSink wrote. */
export class ByteSource {
  constructor(
    readonly bytes: Uint8Array,
    public offset = 0,
  ) {}

  varint(): number {
    let value = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = this.bytes[this.offset++] ?? 0;
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127 && shift < 35);
    return value >>> 0;
  }
}

/** Cells up to the last one that is not blank. */
function trimmedLength(words: Uint32Array, cells: number): number {
  let at = cells * 3 - 3;
  // One test a cell: this runs for every line that a flood scrolls away.
  while (at >= 0 && ((words[at]! ^ ONE_CELL) | words[at + 1]! | words[at + 2]!) === 0) at -= 3;
  return at / 3 + 1;
}

/** Appends one row. `urlOf` names the link of an id. */
export function encodeLine(
  line: BufferLine,
  sink: ByteSink,
  tables: CodecTables,
  urlOf: (id: number) => string | undefined,
): void {
  const words = line._data;
  const cells = trimmedLength(words, line.length);
  const wrapped = line.isWrapped ? FLAG_WRAPPED : 0;
  sink.reserve(16 + cells);
  const start = sink.length;
  sink.bytes[sink.length++] = wrapped | FLAG_PLAIN;
  sink.varint(cells);
  if (writePlain(words, cells, sink)) return;
  sink.length = start;
  sink.reserve(16 + cells * 24);
  sink.bytes[sink.length++] = wrapped;
  sink.varint(cells);
  writeRuns(line, cells, sink, tables, urlOf);
}

function writePlain(words: Uint32Array, cells: number, sink: ByteSink): boolean {
  const bytes = sink.bytes;
  let out = sink.length;
  for (let at = 0, end = cells * 3; at < end; at += 3) {
    const content = words[at]! ^ ONE_CELL;
    if ((content & ~255) | words[at + 1]! | words[at + 2]!) return false;
    bytes[out++] = content;
  }
  sink.length = out;
  return true;
}

/** Runs of cells with equal attributes: count, fg, bg, ext (0 or 1 + index), then per cell code × 4 + width. */
function writeRuns(
  line: BufferLine,
  cells: number,
  sink: ByteSink,
  tables: CodecTables,
  urlOf: (id: number) => string | undefined,
): void {
  const words = line._data;
  for (let from = 0; from < cells;) {
    const fg = words[from * 3 + 1]!;
    const bg = words[from * 3 + 2]!;
    const ext = bg & HAS_EXTENDED ? line._extendedAttrs[from] : undefined;
    let to = from + 1;
    while (
      to < cells &&
      words[to * 3 + 1] === fg &&
      words[to * 3 + 2] === bg &&
      (!(bg & HAS_EXTENDED) || line._extendedAttrs[to] === ext)
    ) {
      to++;
    }
    sink.varint(to - from);
    sink.varint(fg);
    sink.varint(bg);
    sink.varint(ext ? 1 + internExt(tables, ext._ext, urlOf(ext.urlId)) : 0);
    for (let cell = from; cell < to; cell++) {
      const ascii = words[cell * 3]! ^ ONE_CELL;
      if (ascii >= 0 && ascii < 127) sink.bytes[sink.length++] = ascii;
      else writeCell(line, cell, sink, tables);
    }
    from = to;
  }
}

/** A cell that is not narrow ASCII. */
function writeCell(line: BufferLine, cell: number, sink: ByteSink, tables: CodecTables): void {
  const content = line._data[cell * 3]!;
  const code = content & CODE_MASK;
  const width = content >>> WIDTH_SHIFT;
  // 127 leads what is not a narrow ASCII cell; strings are numbered after the last code point.
  sink.bytes[sink.length++] = 127;
  const named = code & COMBINED ? 0x110000 + internString(tables, line._combined[cell] ?? ' ') : code;
  sink.varint(named * 4 + width);
}

function internString(tables: CodecTables, text: string): number {
  return intern(tables, `s${text}`, () => tables.strings.push(text) - 1);
}

function internExt(tables: CodecTables, bits: number, url: string | undefined): number {
  return intern(tables, `e${bits}:${url ?? ''}`, () => {
    return tables.exts.push(url === undefined ? { bits } : { bits, url }) - 1;
  });
}

function intern(tables: CodecTables, key: string, add: () => number): number {
  const lookup = (tables.lookup ??= new Map<string, number>());
  const known = lookup.get(key);
  if (known !== undefined) return known;
  const index = add();
  lookup.set(key, index);
  return index;
}

/** Reads the row at the source's offset and moves behind it. */
export function decodeLine(source: ByteSource, tables: CodecTables): RowSource {
  const flags = source.bytes[source.offset++] ?? FLAG_PLAIN;
  const cells = source.varint();
  const words = new Uint32Array(cells * 3);
  const combined: Record<number, string> = {};
  const exts: Record<number, PackedExt> = {};
  if (flags & FLAG_PLAIN) {
    for (let cell = 0; cell < cells; cell++) words[cell * 3] = ONE_CELL | source.bytes[source.offset++]!;
  } else {
    readRuns(source, tables, words, combined, exts);
  }
  return {
    words,
    length: cells,
    isWrapped: (flags & FLAG_WRAPPED) !== 0,
    combined,
    ext: (index) => exts[index],
  };
}

function readRuns(
  source: ByteSource,
  tables: CodecTables,
  words: Uint32Array,
  combined: Record<number, string>,
  exts: Record<number, PackedExt>,
): void {
  const cells = words.length / 3;
  for (let cell = 0; cell < cells;) {
    const end = Math.min(cells, cell + Math.max(1, source.varint()));
    const fg = source.varint();
    const bg = source.varint();
    const ext = tables.exts[source.varint() - 1];
    for (; cell < end; cell++) {
      words[cell * 3] = readContent(source, tables, cell, combined);
      words[cell * 3 + 1] = fg;
      words[cell * 3 + 2] = bg;
      if (ext) exts[cell] = ext;
    }
  }
}

function readContent(
  source: ByteSource,
  tables: CodecTables,
  cell: number,
  combined: Record<number, string>,
): number {
  const first = source.bytes[source.offset++] ?? 0;
  if (first < 127) return ONE_CELL | first;
  const value = source.varint();
  const named = value >>> 2;
  const width = value & 3;
  if (named < 0x110000) return named | (width << WIDTH_SHIFT);
  combined[cell] = tables.strings[named - 0x110000] ?? ' ';
  return COMBINED | (width << WIDTH_SHIFT);
}
