// The one door to @xterm/headless and to the parts of it that are not public. It names every internal that this room uses
// and throws at construction when one is missing; the version is pinned in package.json. Called by emulator.ts only.
//
// Why internals: write() waits 1 ms for a timer before it parses, rows that changed are not told by the public API, and a
// row is a copy of its words when the words can be reached.
import xterm from '@xterm/headless';
import { AgentileError } from '../base/errors.js';

interface InternalDisposable {
  dispose(): void;
}
type InternalEvent<T> = (listener: (value: T) => void) => InternalDisposable;

export interface ExtendedAttributes {
  /** Bits 0-25 underline colour, 26-28 underline style. */
  _ext: number;
  urlId: number;
  clone(): ExtendedAttributes;
}

export interface AttributeData {
  fg: number;
  bg: number;
  extended: ExtendedAttributes;
  updateExtended(): void;
}

/** A row of the emulator: three words a cell (content, fg, bg), strings and extended attributes beside. */
export interface BufferLine {
  _data: Uint32Array;
  _combined: Record<number, string>;
  _extendedAttrs: Record<number, ExtendedAttributes | undefined>;
  length: number;
  isWrapped: boolean;
}

export interface LineList {
  readonly length: number;
  readonly isFull: boolean;
  maxLength: number;
  get(index: number): BufferLine | undefined;
  set(index: number, line: BufferLine): void;
  push(line: BufferLine): void;
}

export type Charset = Record<string, string> | undefined;

export interface EmulatorBuffer {
  lines: LineList;
  x: number;
  y: number;
  ybase: number;
  ydisp: number;
  scrollTop: number;
  scrollBottom: number;
  savedX: number;
  savedY: number;
  savedCurAttrData: AttributeData;
  savedCharset: Charset;
  tabs: Record<number, boolean | undefined>;
  getBlankLine(attributes: AttributeData, isWrapped?: boolean): BufferLine;
}

export interface CsiParams {
  length: number;
  params: Int32Array;
}

export interface FunctionId {
  prefix?: string;
  intermediates?: string;
  final: string;
}

/** A colour asked for, set or reset by OSC 4, 10-12, 104, 110-112. Index 256 fg, 257 bg, 258 cursor. */
export interface ColorRequest {
  /** 0 report, 1 set, 2 reset. */
  type: number;
  index?: number;
  color?: [number, number, number];
}

export interface InputHandler {
  _curAttrData: AttributeData;
  _windowTitle: string;
  _iconName: string;
  _windowTitleStack: string[];
  _iconNameStack: string[];
  _parser: { currentState: number; precedingJoinState: number; reset(): void };
  onRequestRefreshRows: InternalEvent<{ start: number; end: number } | undefined>;
  onRequestReset: InternalEvent<void>;
  onRequestWindowsOptionsReport: InternalEvent<number>;
  onRequestBell: InternalEvent<void>;
  onTitleChange: InternalEvent<string>;
  onColor: InternalEvent<ColorRequest[]>;
  registerCsiHandler(id: FunctionId, handler: (params: CsiParams) => boolean): InternalDisposable;
  registerDcsHandler(id: FunctionId, handler: (data: string) => boolean): InternalDisposable;
  registerOscHandler(code: number, handler: (data: string) => boolean): InternalDisposable;
}

export interface BufferService {
  cols: number;
  rows: number;
  readonly buffer: EmulatorBuffer;
  buffers: {
    normal: EmulatorBuffer;
    alt: EmulatorBuffer;
    active: EmulatorBuffer;
    activateAltBuffer(attributes?: AttributeData): void;
    activateNormalBuffer(): void;
    onBufferActivate: InternalEvent<unknown>;
  };
  onScroll: InternalEvent<number>;
  scroll(attributes: AttributeData, isWrapped?: boolean): void;
}

export interface DecPrivateModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
  bracketedPasteMode: boolean;
  cursorBlink: boolean | undefined;
  cursorStyle: string | undefined;
  origin: boolean;
  reverseWraparound: boolean;
  sendFocus: boolean;
  synchronizedOutput: boolean;
  wraparound: boolean;
}

export interface Core {
  _writeBuffer: { writeSync(bytes: Uint8Array): void; _isSyncWriting: boolean };
  _inputHandler: InputHandler;
  _bufferService: BufferService;
  _charsetService: {
    charset: Charset;
    glevel: number;
    _charsets: Charset[];
    setgLevel(level: number): void;
  };
  coreService: {
    isCursorHidden: boolean;
    modes: { insertMode: boolean };
    decPrivateModes: DecPrivateModes;
  };
  coreMouseService: { activeProtocol: string; activeEncoding: string };
}

export interface Emulator {
  terminal: xterm.Terminal;
  core: Core;
}

/** Every internal by path, with the type it must have. */
const REQUIRED: [path: string, type: 'function' | 'object' | 'number' | 'boolean' | 'string'][] = [
  ['_writeBuffer.writeSync', 'function'],
  ['_writeBuffer._isSyncWriting', 'boolean'],
  ['_inputHandler._curAttrData.extended._ext', 'number'],
  ['_inputHandler._curAttrData.updateExtended', 'function'],
  ['_inputHandler._windowTitle', 'string'],
  ['_inputHandler._windowTitleStack', 'object'],
  ['_inputHandler._iconNameStack', 'object'],
  ['_inputHandler._parser.currentState', 'number'],
  ['_inputHandler._parser.precedingJoinState', 'number'],
  ['_inputHandler.onRequestRefreshRows', 'function'],
  ['_inputHandler.onRequestReset', 'function'],
  ['_inputHandler.onRequestWindowsOptionsReport', 'function'],
  ['_inputHandler.onRequestBell', 'function'],
  ['_inputHandler.onTitleChange', 'function'],
  ['_inputHandler.onColor', 'function'],
  ['_inputHandler.registerCsiHandler', 'function'],
  ['_inputHandler.registerDcsHandler', 'function'],
  ['_inputHandler.registerOscHandler', 'function'],
  ['_bufferService.scroll', 'function'],
  ['_bufferService.onScroll', 'function'],
  ['_bufferService.buffers.onBufferActivate', 'function'],
  ['_bufferService.buffers.activateAltBuffer', 'function'],
  ['_bufferService.buffer.lines.get', 'function'],
  ['_bufferService.buffer.lines.maxLength', 'number'],
  ['_bufferService.buffer.getBlankLine', 'function'],
  ['_bufferService.buffer.savedCurAttrData', 'object'],
  ['_bufferService.buffer.tabs', 'object'],
  ['_charsetService._charsets', 'object'],
  ['_charsetService.setgLevel', 'function'],
  ['coreService.modes.insertMode', 'boolean'],
  ['coreService.isCursorHidden', 'boolean'],
  ['coreService.decPrivateModes.synchronizedOutput', 'boolean'],
  ['coreService.decPrivateModes.sendFocus', 'boolean'],
  ['coreMouseService.activeProtocol', 'string'],
  ['coreMouseService.activeEncoding', 'string'],
];

const LINE_REQUIRED = ['_data', '_combined', '_extendedAttrs', 'length', 'isWrapped'];

function at(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

function check(core: Core): void {
  const missing = REQUIRED.filter(([path, type]) => typeof at(core, path) !== type).map(([path]) => path);
  const line = core._bufferService.buffer.lines.get(0) as unknown as object;
  missing.push(...LINE_REQUIRED.filter((key) => !(key in line)).map((key) => `line.${key}`));
  if (missing.length === 0) return;
  throw new AgentileError('INTERNAL', `@xterm/headless is not the version agentile was built for.`, {
    hint: `Install exactly the version of package.json; missing: ${missing.join(', ')}.`,
  });
}

/** Lines of scrollback the emulator itself keeps; older ones go to the compact store (history.ts). */
export const EMULATOR_SCROLLBACK_LINES = 1000;

/** Opens an emulator of `cols` × `rows` (at least 2 × 1, its own minimum). Throws INTERNAL when an internal is missing. */
export function openEmulator(cols: number, rows: number, unicode: xterm.IUnicodeVersionProvider): Emulator {
  const terminal = new xterm.Terminal({
    cols,
    rows,
    scrollback: EMULATOR_SCROLLBACK_LINES,
    allowProposedApi: true,
    logLevel: 'off',
    windowOptions: {
      getWinSizePixels: true,
      getCellSizePixels: true,
      getWinSizeChars: true,
      pushTitle: true,
      popTitle: true,
    },
  });
  terminal.unicode.register(unicode);
  terminal.unicode.activeVersion = unicode.version;
  const core = (terminal as unknown as { _core: Core })._core;
  check(core);
  return { terminal, core };
}
