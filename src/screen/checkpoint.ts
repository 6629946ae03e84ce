// The state of a screen as bytes: both screens, cursor, pen, modes, charsets, titles, and a little history. The daemon
// leaves it with the keeper; a new daemon restores it and goes on at the next byte. Reads and writes the emulator's own
// structures, so that nothing is lost in a translation to escape sequences. Called by emulator.ts.
import type { Companions } from './companions.js';
import { ByteSink, ByteSource, decodeLine, encodeLine, type CodecTables } from './line-codec.js';
import type { LinkTable } from './links.js';
import type {
  AttributeData,
  BufferLine,
  Charset,
  Core,
  DecPrivateModes,
  Emulator,
  EmulatorBuffer,
} from './xterm-internals.js';

const FORMAT = 1;
const HISTORY_LINES = 200;

interface PenState {
  fg: number;
  bg: number;
  bits: number;
  url?: string;
}

interface BufferState {
  x: number;
  y: number;
  scrollTop: number;
  scrollBottom: number;
  savedX: number;
  /** Relative to the first row of the screen. */
  savedY: number;
  savedFg: number;
  savedBg: number;
  savedCharset: Charset | null;
  tabs: number[];
  /** Lines above the screen, then the screen. */
  history: number;
  lines: number;
}

interface EmulatorState {
  format: number;
  cols: number;
  rows: number;
  isAlt: boolean;
  normal: BufferState;
  alt: BufferState;
  pen: PenState;
  modes: DecPrivateModes;
  insertMode: boolean;
  cursorHidden: boolean;
  cursorBlink: boolean;
  /** ANSI mode 20: a line feed is also a carriage return. */
  newLineMode: boolean;
  mouse: [protocol: string, encoding: string];
  charsets: { glevel: number; current: Charset | null; all: (Charset | null)[] };
  title: string;
  iconName: string;
  titleStack: string[];
  iconStack: string[];
  joinState: number;
  strings: string[];
  exts: CodecTables['exts'];
}

interface Header {
  emulator: EmulatorState;
  companions: Companions;
}

/** Serialises the emulator. */
export function writeCheckpoint(emulator: Emulator, links: LinkTable, companions: Companions): Uint8Array {
  const { core, terminal } = emulator;
  const { normal, alt, active } = core._bufferService.buffers;
  const tables: CodecTables = { strings: [], exts: [] };
  const sink = new ByteSink(32 * 1024);
  const writeLines = (buffer: EmulatorBuffer) => {
    const from = Math.max(0, buffer.ybase - HISTORY_LINES);
    for (let i = from; i < buffer.lines.length; i++)
      encodeLine(buffer.lines.get(i)!, sink, tables, links.urlOf);
    return bufferState(buffer, buffer.ybase - from);
  };
  const header: Header = {
    emulator: {
      ...interpreterState(core, links),
      format: FORMAT,
      cols: terminal.cols,
      rows: terminal.rows,
      isAlt: active === alt,
      cursorBlink: terminal.options.cursorBlink ?? false,
      newLineMode: terminal.options.convertEol ?? false,
      normal: writeLines(normal),
      alt: writeLines(alt),
      strings: tables.strings,
      exts: tables.exts,
    },
    companions,
  };
  const json = Buffer.from(JSON.stringify(header));
  const length = new ByteSink(8);
  length.varint(json.length);
  return Buffer.concat([length.bytes.subarray(0, length.length), json, sink.bytes.subarray(0, sink.length)]);
}

function bufferState(buffer: EmulatorBuffer, history: number): BufferState {
  return {
    x: buffer.x,
    y: buffer.y,
    scrollTop: buffer.scrollTop,
    scrollBottom: buffer.scrollBottom,
    savedX: buffer.savedX,
    savedY: buffer.savedY - buffer.ybase,
    savedFg: buffer.savedCurAttrData.fg,
    savedBg: buffer.savedCurAttrData.bg,
    savedCharset: buffer.savedCharset ?? null,
    tabs: Object.keys(buffer.tabs)
      .filter((at) => buffer.tabs[Number(at)])
      .map(Number),
    history,
    lines: buffer.lines.length - (buffer.ybase - history),
  };
}

type InterpreterState = Omit<
  EmulatorState,
  'format' | 'cols' | 'rows' | 'isAlt' | 'cursorBlink' | 'newLineMode' | 'normal' | 'alt' | 'strings' | 'exts'
>;

function interpreterState(core: Core, links: LinkTable): InterpreterState {
  const { _inputHandler: input, _charsetService: charsets, coreService, coreMouseService } = core;
  const pen = input._curAttrData;
  const url = links.urlOf(pen.extended.urlId);
  return {
    pen: { fg: pen.fg, bg: pen.bg, bits: pen.extended._ext, ...(url === undefined ? {} : { url }) },
    modes: coreService.decPrivateModes,
    insertMode: coreService.modes.insertMode,
    cursorHidden: coreService.isCursorHidden,
    mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding],
    charsets: {
      glevel: charsets.glevel,
      current: charsets.charset ?? null,
      all: [0, 1, 2, 3].map((level) => charsets._charsets[level] ?? null),
    },
    title: input._windowTitle,
    iconName: input._iconName,
    titleStack: input._windowTitleStack,
    iconStack: input._iconNameStack,
    joinState: input._parser.precedingJoinState,
  };
}

/** A checkpoint, read but not yet applied. */
export interface ReadCheckpoint {
  cols: number;
  rows: number;
  companions: Partial<Companions>;
  /** Puts the state into an emulator that was reset and has this size. */
  apply(emulator: Emulator, links: LinkTable): void;
}

/** Reads a checkpoint; undefined when it is of another format. Throws on bytes that are none. */
export function readCheckpoint(bytes: Uint8Array): ReadCheckpoint | undefined {
  const source = new ByteSource(bytes);
  const jsonLength = source.varint();
  const json = Buffer.from(bytes.subarray(source.offset, source.offset + jsonLength)).toString('utf8');
  const { emulator: state, companions } = JSON.parse(json) as Header;
  if (state.format !== FORMAT) return undefined;
  source.offset += jsonLength;
  return {
    cols: state.cols,
    rows: state.rows,
    companions,
    apply: (emulator, links) => applyState(state, source, emulator, links),
  };
}

function applyState(state: EmulatorState, source: ByteSource, emulator: Emulator, links: LinkTable): void {
  const { core, terminal } = emulator;
  const { buffers } = core._bufferService;
  applyBuffer(state.normal, state, source, buffers.normal, core, links);
  if (state.isAlt) buffers.activateAltBuffer();
  applyBuffer(state.alt, state, source, buffers.alt, core, links);
  terminal.options.cursorBlink = state.cursorBlink;
  terminal.options.convertEol = state.newLineMode;
  applyInterpreter(state, core, links);
}

function applyBuffer(
  state: BufferState,
  tables: CodecTables,
  source: ByteSource,
  buffer: EmulatorBuffer,
  core: Core,
  links: LinkTable,
): void {
  for (let i = 0; i < state.lines; i++) {
    const line = readLine(source, tables, buffer, core._inputHandler._curAttrData, links);
    if (i < buffer.lines.length) buffer.lines.set(i, line);
    else buffer.lines.push(line);
  }
  buffer.ybase = state.history;
  buffer.ydisp = state.history;
  buffer.x = state.x;
  buffer.y = state.y;
  buffer.scrollTop = state.scrollTop;
  buffer.scrollBottom = state.scrollBottom;
  buffer.savedX = state.savedX;
  buffer.savedY = state.savedY + state.history;
  buffer.savedCurAttrData.fg = state.savedFg;
  buffer.savedCurAttrData.bg = state.savedBg;
  buffer.savedCharset = state.savedCharset ?? undefined;
  buffer.tabs = Object.fromEntries(state.tabs.map((at) => [at, true]));
}

function readLine(
  source: ByteSource,
  tables: CodecTables,
  buffer: EmulatorBuffer,
  blank: AttributeData,
  links: LinkTable,
): BufferLine {
  const row = decodeLine(source, tables);
  const line = buffer.getBlankLine(blank, row.isWrapped);
  const cells = Math.min(row.length, line.length);
  line._data.set(row.words.subarray(0, cells * 3));
  // Neighbours with equal attributes share one object, as the emulator itself does it.
  let last: { packed: object; ext: AttributeData['extended'] } | undefined;
  for (let cell = 0; cell < cells; cell++) {
    const text = row.combined[cell];
    if (text !== undefined) line._combined[cell] = text;
    const packed = row.ext(cell);
    if (!packed) continue;
    if (last?.packed !== packed) {
      const ext = blank.extended.clone();
      ext._ext = packed.bits;
      ext.urlId = packed.url === undefined ? 0 : links.idOf(packed.url);
      last = { packed, ext };
    }
    line._extendedAttrs[cell] = last.ext;
  }
  return line;
}

function applyInterpreter(state: EmulatorState, core: Core, links: LinkTable): void {
  const { _inputHandler: input, _charsetService: charsets, coreService, coreMouseService } = core;
  const pen = input._curAttrData;
  pen.fg = state.pen.fg;
  pen.bg = state.pen.bg;
  pen.extended = pen.extended.clone();
  pen.extended._ext = state.pen.bits;
  pen.extended.urlId = state.pen.url === undefined ? 0 : links.idOf(state.pen.url);
  Object.assign(coreService.decPrivateModes, state.modes);
  coreService.modes.insertMode = state.insertMode;
  coreService.isCursorHidden = state.cursorHidden;
  [coreMouseService.activeProtocol, coreMouseService.activeEncoding] = state.mouse;
  charsets.glevel = state.charsets.glevel;
  charsets._charsets = state.charsets.all.map((charset) => charset ?? undefined);
  charsets.charset = state.charsets.current ?? undefined;
  input._windowTitle = state.title;
  input._iconName = state.iconName;
  input._windowTitleStack = state.titleStack;
  input._iconNameStack = state.iconStack;
  input._parser.precedingJoinState = state.joinState;
}
