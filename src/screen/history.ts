// Lines that left the emulator's own scrollback, held compactly: pages of encoded rows, dropped whole when the limit is
// passed. About 100 bytes a line. Written by the emulator for every line it would lose; read for views and text.
import {
  ByteSink,
  ByteSource,
  decodeLine,
  encodeLine,
  type CodecTables,
  type RowSource,
} from './line-codec.js';
import type { BufferLine } from './xterm-internals.js';

/** Small enough that dropping a page is no visible jump in memory, large enough that pages are few. */
const LINES_PER_PAGE = 256;
const FIRST_PAGE_BYTES = 8 * 1024;

interface Page extends CodecTables {
  bytes: Uint8Array;
  /** Where each line begins. */
  offsets: Uint32Array;
  lines: number;
}

export class History {
  readonly #maxLines: number;
  readonly #urlOf: (id: number) => string | undefined;
  /** Full pages, oldest first. */
  #pages: Page[] = [];
  #sink = new ByteSink(FIRST_PAGE_BYTES);
  #open: Page = newPage();

  /** `maxLines` 0 keeps nothing. `urlOf` names the link of an id. */
  constructor(maxLines: number, urlOf: (id: number) => string | undefined) {
    this.#maxLines = maxLines;
    this.#urlOf = urlOf;
  }

  /** Lines held; never more than the limit. */
  get length(): number {
    return Math.min(this.#maxLines, this.#held);
  }

  get #held(): number {
    return this.#pages.length * LINES_PER_PAGE + this.#open.lines;
  }

  /** Bytes of encoded rows held, for tests and bars. */
  get sizeBytes(): number {
    return (
      this.#pages.reduce((sum, page) => sum + page.bytes.length + page.offsets.byteLength, 0) +
      this.#sink.bytes.length
    );
  }

  push(line: BufferLine): void {
    if (this.#maxLines === 0) return;
    const page = this.#open;
    page.offsets[page.lines++] = this.#sink.length;
    encodeLine(line, this.#sink, page, this.#urlOf);
    if (page.lines === LINES_PER_PAGE) this.#closePage();
  }

  #closePage(): void {
    const page = this.#open;
    page.bytes = this.#sink.bytes.slice(0, this.#sink.length);
    this.#sink.length = 0;
    delete page.lookup;
    this.#pages.push(page);
    this.#open = newPage();
    if ((this.#pages.length - 1) * LINES_PER_PAGE >= this.#maxLines) this.#pages.shift();
  }

  /** The line at `index`, 0 the oldest held; undefined outside. */
  lineAt(index: number): RowSource | undefined {
    const length = this.length;
    if (index < 0 || index >= length) return undefined;
    const at = this.#held - length + index;
    const page = this.#pages[Math.floor(at / LINES_PER_PAGE)];
    const inPage = at % LINES_PER_PAGE;
    if (page) return decodeLine(new ByteSource(page.bytes, page.offsets[inPage]), page);
    return decodeLine(new ByteSource(this.#sink.bytes, this.#open.offsets[inPage]), this.#open);
  }

  clear(): void {
    this.#pages = [];
    this.#sink = new ByteSink(FIRST_PAGE_BYTES);
    this.#open = newPage();
  }
}

function newPage(): Page {
  return {
    bytes: new Uint8Array(0),
    offsets: new Uint32Array(LINES_PER_PAGE),
    lines: 0,
    strings: [],
    exts: [],
  };
}
