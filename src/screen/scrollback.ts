// The lines of a screen, old and new: those the emulator holds and, above them, the compact history. It takes every line
// before the emulator forgets it (scrolling, resizing), so that nothing printed is lost. Used by emulator.ts only.
import { History } from './history.js';
import type { PackedExt, RowSource } from './line-codec.js';
import type { LinkTable } from './links.js';
import {
  EMULATOR_SCROLLBACK_LINES,
  type BufferLine,
  type Emulator,
  type EmulatorBuffer,
} from './xterm-internals.js';

export class Scrollback {
  readonly #emulator: Emulator;
  readonly #links: LinkTable;
  readonly #history: History;
  /** Lines the emulator itself may keep. */
  readonly #emulatorLines: number;

  /** `onScrolled` is told of each line that the whole screen moves up. */
  constructor(emulator: Emulator, links: LinkTable, maxLines: number, onScrolled: () => void) {
    this.#emulator = emulator;
    this.#links = links;
    this.#emulatorLines = Math.min(EMULATOR_SCROLLBACK_LINES, Math.max(0, maxLines));
    this.#history = new History(Math.max(0, maxLines - this.#emulatorLines), links.urlOf);
    emulator.terminal.options.scrollback = this.#emulatorLines;
    this.#interceptScroll(onScrolled);
    emulator.core._inputHandler.registerCsiHandler({ final: 'J' }, (params) => {
      if (params.params[0] === 3 && !this.isAlt) this.#history.clear();
      return false;
    });
    emulator.core._inputHandler.onRequestReset(() => this.#history.clear());
  }

  /** The emulator drops its oldest line when it scrolls with a full buffer: it is taken before. */
  #interceptScroll(onScrolled: () => void): void {
    const service = this.#emulator.core._bufferService;
    const scroll = service.scroll.bind(service);
    service.scroll = (attributes, isWrapped) => {
      const { buffer } = service;
      if (buffer.scrollTop === 0) {
        if (buffer.lines.isFull && buffer === service.buffers.normal)
          this.#history.push(buffer.lines.get(0)!);
        if (buffer.scrollBottom === service.rows - 1) onScrolled();
      }
      scroll(attributes, isWrapped);
    };
  }

  /** Forgets the compact history; the emulator's lines are its own. */
  clearHistory(): void {
    this.#history.clear();
  }

  get #buffer(): EmulatorBuffer {
    return this.#emulator.core._bufferService.buffer;
  }

  get isAlt(): boolean {
    const { buffers } = this.#emulator.core._bufferService;
    return buffers.active === buffers.alt;
  }

  /** Lines above the screen; none above the alternate one. */
  get lines(): number {
    return this.isAlt ? 0 : this.#history.length + this.#buffer.ybase;
  }

  resize(cols: number, rows: number): void {
    const { terminal, core } = this.#emulator;
    const isSmaller = cols < terminal.cols || rows < terminal.rows;
    // Narrower lines are more lines: none may fall off the top before the history has them.
    if (isSmaller) {
      terminal.options.scrollback =
        (this.#emulatorLines + terminal.rows) * (1 + Math.ceil(terminal.cols / cols));
    }
    terminal.resize(cols, rows);
    // A mark that comes next must not join a cell that may have moved.
    core._inputHandler._parser.precedingJoinState = 0;
    if (!isSmaller) return;
    const { lines } = core._bufferService.buffers.normal;
    const surplus = lines.length - rows - this.#emulatorLines;
    for (let i = 0; i < surplus; i++) this.#history.push(lines.get(i)!);
    terminal.options.scrollback = this.#emulatorLines;
  }

  /** The line at `index`: 0 is the oldest of the history, on the alternate screen its first row. */
  lineAt(index: number): RowSource | undefined {
    // A resize can leave the alternate screen with lines above it that nobody can scroll to.
    const stored = this.isAlt ? -this.#buffer.ybase : this.#history.length;
    if (index < stored) return this.#history.lineAt(index);
    const line = this.#buffer.lines.get(index - stored);
    return line && this.#asSource(line);
  }

  /** A row of the live screen as the emulator holds it. */
  liveLine(y: number): BufferLine | undefined {
    return this.#buffer.lines.get(this.#buffer.ybase + y);
  }

  #asSource(line: BufferLine): RowSource {
    return {
      words: line._data,
      // The alternate screen keeps what a narrower size cuts off; it is not shown.
      length: Math.min(line.length, this.#emulator.terminal.cols),
      isWrapped: line.isWrapped,
      combined: line._combined,
      ext: (index) => this.#ext(line, index),
    };
  }

  #ext(line: BufferLine, index: number): PackedExt | undefined {
    const ext = line._extendedAttrs[index];
    if (!ext) return undefined;
    const url = this.#links.urlOf(ext.urlId);
    return url === undefined ? { bits: ext._ext } : { bits: ext._ext, url };
  }
}
