// The emulated screen of a terminal pane: bytes in, rows out, around @xterm/headless. Made by the terminal controller, one
// per run. It parses at once, never throws, and never touches a process: what the child asks is answered through onReply.
import { systemClock, type Clock } from '../base/clock.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/emitter.js';
import { messageOf } from '../base/errors.js';
import type { PaneModes } from '../model/patch.js';
import type { DirtyTracker, RowsSnapshot, Screen, ScreenColors } from './contract.js';
import { DirtyTrackers } from './dirty.js';
import { History } from './history.js';
import { FrameHold } from './hold.js';
import type { RowSource } from './line-codec.js';
import { LinkTable } from './links.js';
import { RowsBuilder } from './rows.js';
import { rowText } from './row-text.js';
import { unicodeProvider } from './width.js';
import {
  EMULATOR_SCROLLBACK_LINES,
  openEmulator,
  type BufferLine,
  type Core,
  type Emulator,
  type EmulatorBuffer,
} from './xterm-internals.js';

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Lines of history, all in all. */
  scrollback?: number;
  colors?: ScreenColors;
  /** Who answers XTVERSION. */
  identity?: { name: string; version: string };
  clock?: Clock;
}

const DEFAULT_SCROLLBACK_LINES = 10_000;
/** No host is larger; a wrong number must not take the memory of the daemon. */
const MAX_COLS = 2000;
const MAX_ROWS = 2000;
/** The emulator's own minimum. */
const MIN_EMULATOR_COLS = 2;
const TITLE_MAX_CHARS = 1000;

/** Opens a screen. Throws INTERNAL only when the installed emulator is not the pinned version. */
export function createScreen(options: ScreenOptions): Screen {
  return new EmulatedScreen(options);
}

class EmulatedScreen implements Screen {
  readonly #store = new DisposableStore();
  readonly #emulator: Emulator;
  readonly #core: Core;
  readonly #links = new LinkTable();
  readonly #history: History;
  readonly #trackers: DirtyTrackers;
  readonly #hold: FrameHold;
  #cols: number;
  #rows: number;
  #fault: string | undefined;
  #disposed = false;
  #shown = '';
  #pending = false;

  readonly #changes = this.#store.add(new Emitter<void>());
  readonly #replies = this.#store.add(new Emitter<Uint8Array>());
  readonly #bells = this.#store.add(new Emitter<void>());
  readonly #titles = this.#store.add(new Emitter<string>());
  readonly #clipboards = this.#store.add(new Emitter<string>());
  readonly #notifications = this.#store.add(new Emitter<{ title: string; body: string }>());
  readonly #statuses = this.#store.add(new Emitter<Record<string, string>>());
  readonly #cwds = this.#store.add(new Emitter<string>());
  readonly onChange = this.#changes.event;
  readonly onReply = this.#replies.event;
  readonly onBell = this.#bells.event;
  readonly onTitle = this.#titles.event;
  readonly onClipboard = this.#clipboards.event;
  readonly onNotification = this.#notifications.event;
  readonly onProgramStatus = this.#statuses.event;
  readonly onCwd = this.#cwds.event;

  constructor(options: ScreenOptions) {
    this.#cols = clamp(options.cols, MAX_COLS);
    this.#rows = clamp(options.rows, MAX_ROWS);
    this.#emulator = openEmulator(Math.max(MIN_EMULATOR_COLS, this.#cols), this.#rows, unicodeProvider);
    this.#core = this.#emulator.core;
    const scrollback = options.scrollback ?? DEFAULT_SCROLLBACK_LINES;
    this.#history = new History(Math.max(0, scrollback - EMULATOR_SCROLLBACK_LINES), this.#links.urlOf);
    this.#trackers = new DirtyTrackers({
      rowCount: () => this.#rows,
      lineAt: (y) => this.#buffer.lines.get(this.#buffer.ybase + y),
    });
    this.#hold = this.#store.add(new FrameHold(options.clock ?? systemClock, () => this.#announce()));
    this.#links.attach(this.#core);
    this.#listen();
    this.#shown = this.#visibleState();
  }

  #listen(): void {
    const { _inputHandler: input, _bufferService: service } = this.#core;
    input.onRequestRefreshRows((range) => {
      if (range) this.#trackers.markRows(range.start, range.end);
      else this.#trackers.markAll();
    });
    input.onRequestReset(() => {
      this.#history.clear();
      this.#trackers.markAll();
    });
    service.buffers.onBufferActivate(() => this.#trackers.markAll());
    input.onRequestBell(() => this.#bells.fire());
    input.onTitleChange(() => this.#titles.fire(this.title));
    input.registerCsiHandler({ final: 'J' }, (params) => {
      if (params.params[0] === 3 && !this.#isAlt) this.#history.clear();
      return false;
    });
    this.#emulator.terminal.onData((text) => this.#replies.fire(Buffer.from(text, 'utf8')));
    this.#emulator.terminal.onBinary((text) => this.#replies.fire(Buffer.from(text, 'latin1')));
    this.#keepScrolledLines();
  }

  /** The emulator forgets its oldest line when it scrolls with a full buffer: it is taken before. */
  #keepScrolledLines(): void {
    const service = this.#core._bufferService;
    const scroll = service.scroll.bind(service);
    service.scroll = (attributes, isWrapped) => {
      const buffer = service.buffer;
      if (buffer.scrollTop === 0) {
        if (buffer.lines.isFull && buffer === service.buffers.normal)
          this.#history.push(buffer.lines.get(0)!);
        if (buffer.scrollBottom === service.rows - 1) this.#trackers.markScrolled();
      }
      scroll(attributes, isWrapped);
    };
  }

  get #buffer(): EmulatorBuffer {
    return this.#core._bufferService.buffer;
  }

  get #isAlt(): boolean {
    const { buffers } = this.#core._bufferService;
    return buffers.active === buffers.alt;
  }

  get cols(): number {
    return this.#cols;
  }

  get rows(): number {
    return this.#rows;
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  get holding(): boolean {
    return this.#fault === undefined && this.#hold.holding;
  }

  get title(): string {
    const title = this.#core._inputHandler._windowTitle;
    return title.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').slice(0, TITLE_MAX_CHARS);
  }

  get cursor(): { x: number; y: number } {
    const { x, y } = this.#buffer;
    return { x: Math.min(x, this.#cols - 1), y: Math.min(y, this.#rows - 1) };
  }

  get historyLines(): number {
    return this.#isAlt ? 0 : this.#history.length + this.#buffer.ybase;
  }

  get modes(): PaneModes {
    const { coreService, coreMouseService } = this.#core;
    const modes = coreService.decPrivateModes;
    return {
      altScreen: this.#isAlt,
      cursorVisible: !coreService.isCursorHidden,
      cursorStyle: 0,
      bracketedPaste: modes.bracketedPasteMode,
      focusEvents: modes.sendFocus,
      applicationCursor: modes.applicationCursorKeys,
      applicationKeypad: modes.applicationKeypad,
      mouse: coreMouseService.activeProtocol.toLowerCase() as PaneModes['mouse'],
      mouseEncoding: coreMouseService.activeEncoding
        .toLowerCase()
        .replace('_', '-') as PaneModes['mouseEncoding'],
      kittyFlags: 0,
      modifyOtherKeys: 0,
    };
  }

  write(bytes: Uint8Array): void {
    if (this.#fault !== undefined || this.#disposed || bytes.length === 0) return;
    this.#guard(() => this.#core._writeBuffer.writeSync(bytes));
    this.#settle();
  }

  resize(cols: number, rows: number): void {
    const newCols = clamp(cols, MAX_COLS);
    const newRows = clamp(rows, MAX_ROWS);
    if (this.#disposed || (newCols === this.#cols && newRows === this.#rows)) return;
    this.#cols = newCols;
    this.#rows = newRows;
    if (this.#fault === undefined) this.#guard(() => this.#resizeEmulator());
    this.#trackers.markAll();
    this.#settle();
  }

  #resizeEmulator(): void {
    const { terminal, core } = this.#emulator;
    const cols = Math.max(MIN_EMULATOR_COLS, this.#cols);
    const isSmaller = cols < terminal.cols || this.#rows < terminal.rows;
    // Narrower lines are more lines: none may fall off the top before the history has them.
    if (isSmaller)
      terminal.options.scrollback = EMULATOR_SCROLLBACK_LINES * (1 + Math.ceil(terminal.cols / cols));
    terminal.resize(cols, this.#rows);
    core._inputHandler._parser.precedingJoinState = 0;
    if (!isSmaller) return;
    const { lines } = core._bufferService.buffers.normal;
    const surplus = lines.length - this.#rows - EMULATOR_SCROLLBACK_LINES;
    for (let i = 0; i < surplus; i++) this.#history.push(lines.get(i)!);
    terminal.options.scrollback = EMULATOR_SCROLLBACK_LINES;
  }

  /** Runs what may throw inside the emulator; a throw quarantines the screen. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fault = `The screen of this pane failed (${messageOf(error)}). The program goes on; restart the pane to see it.`;
      this.#trackers.markAll();
    }
  }

  /** After bytes or a resize: marks what is no row, and announces unless the child holds its frame. */
  #settle(): void {
    const state = this.#visibleState();
    if (state !== this.#shown) {
      this.#shown = state;
      this.#trackers.markOther();
    }
    this.#pending = true;
    if (this.#fault === undefined)
      this.#hold.update(this.#core.coreService.decPrivateModes.synchronizedOutput);
    if (!this.holding) this.#announce();
  }

  #announce(): void {
    if (!this.#pending || this.#disposed) return;
    this.#pending = false;
    this.#changes.fire();
  }

  #visibleState(): string {
    const { x, y } = this.#buffer;
    return `${x} ${y} ${this.historyLines} ${Object.values(this.modes).join(' ')} ${this.title}`;
  }

  setColors(_colors: ScreenColors): void {}

  readRows(rows: Iterable<number>, scrollOffset: number): RowsSnapshot {
    const builder = new RowsBuilder(this.#cols);
    const top = this.historyLines - Math.min(Math.max(0, scrollOffset), this.historyLines);
    for (const y of rows) {
      if (y >= 0 && y < this.#rows) builder.add(y, this.#lineAt(top + y));
    }
    return builder.snapshot;
  }

  /** The line at `index`, 0 the oldest of the history (alternate screen: the first row). */
  #lineAt(index: number): RowSource | undefined {
    const stored = this.#isAlt ? 0 : this.#history.length;
    if (index < stored) return this.#history.lineAt(index);
    const line = this.#buffer.lines.get(index - stored);
    return line && this.#live(line);
  }

  #live(line: BufferLine): RowSource {
    return {
      words: line._data,
      length: line.length,
      isWrapped: line.isWrapped,
      combined: line._combined,
      ext: (index) => {
        const ext = line._extendedAttrs[index];
        if (!ext) return undefined;
        const url = this.#links.urlOf(ext.urlId);
        return url === undefined ? { bits: ext._ext } : { bits: ext._ext, url };
      },
    };
  }

  track(): DirtyTracker {
    return this.#trackers.track();
  }

  text(historyLines: number): string[] {
    const history = this.historyLines;
    const wanted = Math.min(Math.max(0, Math.floor(historyLines)), history);
    const result: string[] = [];
    for (let i = history - wanted; i < history + this.#rows; i++) {
      result.push(rowText(this.#lineAt(i)));
    }
    return result;
  }

  checkpoint(): Uint8Array {
    return new Uint8Array(0);
  }

  restore(_checkpoint: Uint8Array): void {}

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#store.dispose();
    this.#emulator.terminal.dispose();
  }
}

function clamp(value: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(1, Math.floor(value))) : 1;
}
