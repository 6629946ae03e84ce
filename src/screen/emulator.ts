// The emulated screen of a terminal pane: bytes in, rows out, around @xterm/headless. Made by the terminal controller, one
// per run. It parses at once, never throws, and never touches a process: what the child asks is answered through onReply.
import { systemClock, type Clock } from '../base/clock.js';
import { DisposableStore } from '../base/disposable.js';
import { Emitter } from '../base/emitter.js';
import { messageOf } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { PaneModes } from '../model/patch.js';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { PaneColors } from './colors.js';
import { readCompanions, type Companions } from './companions.js';
import type { DirtyTracker, RowsSnapshot, Screen, ScreenColors } from './contract.js';
import { DirtyTrackers } from './dirty.js';
import { FrameHold } from './hold.js';
import { KeyboardModes } from './keyboard-modes.js';
import { limitCounts } from './limits.js';
import { LinkTable } from './links.js';
import { attachNotices } from './notices.js';
import { paneModes } from './pane-modes.js';
import { ParserTail } from './parser-tail.js';
import { Queries } from './queries.js';
import { rowText } from './row-text.js';
import { RowsBuilder } from './rows.js';
import { Scrollback } from './scrollback.js';
import { WholeCharacters } from './whole-characters.js';
import { unicodeProvider } from './width.js';
import { openEmulator, type Core, type Emulator } from './xterm-internals.js';

export interface ScreenOptions {
  cols: number;
  rows: number;
  /** Lines of history, all in all. */
  scrollback?: number;
  /** The host's colours, when one is known. */
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
  readonly #scrollback: Scrollback;
  readonly #trackers: DirtyTrackers;
  readonly #hold: FrameHold;
  readonly #keyboard: KeyboardModes;
  readonly #colors: PaneColors;
  readonly #queries: Queries;
  readonly #tail = new ParserTail();
  readonly #characters = new WholeCharacters();
  #cols: number;
  #rows: number;
  #fault: string | undefined;
  #disposed = false;
  /** Restoring is not news: nothing is announced or answered. */
  #silent = false;
  #shown: string;
  #shownTitle = '';
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
    limitCounts(this.#core);
    this.#links.attach(this.#core);
    const scrollback = options.scrollback ?? DEFAULT_SCROLLBACK_LINES;
    const onScrolled = () => this.#trackers.markScrolled();
    this.#scrollback = new Scrollback(this.#emulator, this.#links, scrollback, onScrolled);
    this.#trackers = new DirtyTrackers({
      rowCount: () => this.#rows,
      lineAt: (y) => this.#scrollback.liveLine(y),
    });
    this.#hold = this.#store.add(new FrameHold(options.clock ?? systemClock, () => this.#announce()));
    this.#colors = new PaneColors(options.colors);
    this.#keyboard = new KeyboardModes(() => this.#scrollback.isAlt);
    this.#attachNotices();
    this.#queries = new Queries({
      core: this.#core,
      identity: options.identity ?? { name: 'agentile', version: VERSION },
      colors: this.#colors,
      reply: this.#reply,
      size: () => ({ cols: this.#cols, rows: this.#rows }),
    });
    this.#keyboard.attach(this.#core, this.#reply);
    this.#listen();
    this.#shown = this.#visibleState();
  }

  readonly #reply = (text: string): void => {
    if (!this.#silent) this.#replies.fire(Buffer.from(text, 'utf8'));
  };

  #attachNotices(): void {
    attachNotices(this.#core, {
      clipboard: (text) => this.#clipboards.fire(text),
      notification: (note) => this.#notifications.fire(note),
      programStatus: (fields) => this.#statuses.fire(fields),
      cwd: (path) => this.#cwds.fire(path),
    });
  }

  #listen(): void {
    const { _inputHandler: input, _bufferService: service } = this.#core;
    const { terminal } = this.#emulator;
    input.onRequestRefreshRows((range) => {
      if (range) this.#trackers.markRows(range.start, range.end);
      else this.#trackers.markAll();
    });
    input.onRequestReset(() => {
      this.#keyboard.reset();
      this.#colors.reset();
      this.#queries.reset();
      this.#trackers.markAll();
    });
    input.onColor((requests) => {
      if (this.#colors.handle(requests, this.#reply)) this.#trackers.markAll();
    });
    service.buffers.onBufferActivate(() => this.#trackers.markAll());
    input.onRequestBell(() => this.#bells.fire());
    input.onTitleChange(() => this.#tellTitle());
    terminal.onData(this.#reply);
    terminal.onBinary((text) => this.#replies.fire(Buffer.from(text, 'latin1')));
  }

  #tellTitle(): void {
    const { title } = this;
    if (this.#silent || title === this.#shownTitle) return;
    this.#shownTitle = title;
    this.#titles.fire(title);
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
    const { x, y } = this.#core._bufferService.buffer;
    return { x: Math.min(x, this.#cols - 1), y: Math.min(y, this.#rows - 1) };
  }

  get historyLines(): number {
    return this.#scrollback.lines;
  }

  get modes(): PaneModes {
    return paneModes(this.#core, this.#keyboard);
  }

  write(bytes: Uint8Array): void {
    if (this.#fault !== undefined || this.#disposed || bytes.length === 0) return;
    this.#guard(() => this.#parse(bytes));
    this.#settle();
  }

  #parse(bytes: Uint8Array): void {
    const whole = this.#characters.take(bytes);
    if (whole.length === 0) return;
    this.#core._writeBuffer.writeSync(whole);
    this.#tail.update(whole, this.#core);
  }

  resize(cols: number, rows: number): void {
    const newCols = clamp(cols, MAX_COLS);
    const newRows = clamp(rows, MAX_ROWS);
    if (this.#disposed || (newCols === this.#cols && newRows === this.#rows)) return;
    this.#cols = newCols;
    this.#rows = newRows;
    if (this.#fault === undefined) {
      this.#guard(() => this.#scrollback.resize(Math.max(MIN_EMULATOR_COLS, newCols), newRows));
    }
    this.#trackers.markAll();
    this.#settle();
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
    const { x, y } = this.#core._bufferService.buffer;
    return `${x} ${y} ${this.historyLines} ${Object.values(this.modes).join(' ')} ${this.title}`;
  }

  setColors(colors: ScreenColors): void {
    const wasDark = this.#colors.isDark;
    this.#colors.setHost(colors);
    if (this.#colors.isDark !== wasDark && !this.#disposed) this.#queries.schemeChanged();
  }

  setCellPixels(width: number, height: number): void {
    if (width > 0 && height > 0)
      this.#queries.cellPixels = { width: Math.round(width), height: Math.round(height) };
  }

  readRows(rows: Iterable<number>, scrollOffset: number): RowsSnapshot {
    const builder = new RowsBuilder(this.#cols, this.#colors.recolor);
    const history = this.historyLines;
    const top = history - Math.min(Math.max(0, Math.floor(scrollOffset)), history);
    for (const y of rows) {
      if (y >= 0 && y < this.#rows) builder.add(y, this.#scrollback.lineAt(top + y));
    }
    return builder.snapshot;
  }

  track(): DirtyTracker {
    return this.#trackers.track();
  }

  text(historyLines: number): string[] {
    const history = this.historyLines;
    const wanted = Math.min(Math.max(0, Math.floor(historyLines)), history);
    const result: string[] = [];
    for (let i = history - wanted; i < history + this.#rows; i++) {
      result.push(rowText(this.#scrollback.lineAt(i)));
    }
    return result;
  }

  checkpoint(): Uint8Array {
    const companions: Companions = {
      keyboard: this.#keyboard.save(),
      colors: this.#colors.save(),
      modes: this.#queries.save(),
      tail: Buffer.concat([this.#tail.bytes, this.#characters.pending]).toString('base64'),
    };
    return writeCheckpoint(this.#emulator, this.#links, companions);
  }

  restore(checkpoint: Uint8Array): void {
    if (this.#fault !== undefined || this.#disposed) return;
    const [cols, rows] = [this.#cols, this.#rows];
    this.#silent = true;
    this.#guard(() => this.#restore(checkpoint));
    this.#silent = false;
    this.#shownTitle = this.title;
    this.resize(cols, rows);
    this.#trackers.markAll();
    this.#settle();
  }

  #restore(checkpoint: Uint8Array): void {
    const read = readCheckpoint(checkpoint);
    this.#emulator.terminal.reset();
    this.#core._inputHandler._parser.reset();
    this.#characters.clear();
    this.#scrollback.clearHistory();
    if (!read) {
      const note = '(the screen from before the restart is of another version and cannot be shown)\r\n';
      this.#core._writeBuffer.writeSync(Buffer.from(note));
      return;
    }
    this.resize(read.cols, read.rows);
    read.apply(this.#emulator, this.#links);
    const { keyboard, colors, modes, tail } = readCompanions(read.companions);
    this.#keyboard.load(keyboard);
    this.#colors.load(colors);
    this.#queries.load(modes);
    this.#parse(Buffer.from(tail, 'base64'));
  }

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
