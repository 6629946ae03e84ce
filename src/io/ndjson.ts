// Bytes of a child's stdout in, JSON frames out. Used by the controllers of CLIs that speak NDJSON. Splits on LF bytes
// only (U+2028 and U+2029 are text), decodes whole lines, and keeps exact byte offsets so that a new daemon can go on at
// the byte where the log stopped. It knows no provider and never throws.

/** Above this a line is skipped: the largest real frame measured was 2.7 MB, so 32 MiB can only be a fault. */
export const LINE_CAP_BYTES = 32 * 1024 * 1024;
/** A line that is not a frame is kept for people; more than this of one line helps nobody. */
const SHOWN_CHARS = 4096;
const LF = 10;
const CR = 13;

export type NdjsonItem =
  /** One JSON object. */
  | { type: 'frame'; value: Record<string, unknown>; endOffset: number }
  /** A line that does not begin with "{": banners, warnings, terminal codes. Blank lines are not told. */
  | { type: 'side'; text: string; endOffset: number }
  /** A line that begins with "{" and is not a JSON object. */
  | { type: 'bad'; text: string; bytes: number; reason: string; endOffset: number }
  /** A line above the cap. Told twice: when the cap is passed (`ended` false) and when the line ends, with its size. */
  | { type: 'oversize'; bytes: number; ended: boolean; endOffset: number };

export interface NdjsonOptions {
  capBytes?: number;
  /** Offset of the first byte that will be pushed, since the start of the child. */
  startOffset?: number;
}

/** `endOffset` of an item is the offset of the first byte after its line. */
export class NdjsonDecoder {
  #capBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #skippedBytes = 0;
  #offset: number;
  #lineEnd: number;

  constructor(options: NdjsonOptions = {}) {
    this.#capBytes = options.capBytes ?? LINE_CAP_BYTES;
    this.#offset = options.startOffset ?? 0;
    this.#lineEnd = this.#offset;
  }

  /** Offset after the last byte pushed. */
  get offset(): number {
    return this.#offset;
  }

  /** Offset after the last complete line. */
  get lineEndOffset(): number {
    return this.#lineEnd;
  }

  /** Takes the next bytes, however they are cut, and returns what became complete. Keeps views of `chunk`. */
  push(chunk: Uint8Array): NdjsonItem[] {
    const items: NdjsonItem[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#append(chunk.subarray(from, at), items);
      this.#offset += 1;
      from = at + 1;
      this.#endLine(items);
    }
    this.#append(chunk.subarray(from), items);
    return items;
  }

  /** The stream ended: what is left is a line without its LF. */
  end(): NdjsonItem[] {
    const items: NdjsonItem[] = [];
    if (this.#pendingBytes > 0 || this.#skippedBytes > 0) this.#endLine(items);
    return items;
  }

  #append(bytes: Uint8Array, items: NdjsonItem[]): void {
    if (bytes.length === 0) return;
    this.#offset += bytes.length;
    if (this.#skippedBytes > 0) {
      this.#skippedBytes += bytes.length;
      return;
    }
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes <= this.#capBytes) return;
    this.#skippedBytes = this.#pendingBytes;
    this.#clear();
    items.push({ type: 'oversize', bytes: this.#skippedBytes, ended: false, endOffset: this.#offset });
  }

  #endLine(items: NdjsonItem[]): void {
    this.#lineEnd = this.#offset;
    if (this.#skippedBytes > 0) {
      items.push({ type: 'oversize', bytes: this.#skippedBytes, ended: true, endOffset: this.#offset });
      this.#skippedBytes = 0;
      return;
    }
    const item = readLine(this.#join(), this.#offset);
    this.#clear();
    if (item) items.push(item);
  }

  #join(): Buffer {
    const [first] = this.#pending;
    if (this.#pending.length === 1 && first) {
      return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    }
    return Buffer.concat(this.#pending, this.#pendingBytes);
  }

  #clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

const ANSI = String.raw`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_=>])`;
const BEFORE = new RegExp(`^(?:\\s|${ANSI})+`);
const AFTER = new RegExp(`(?:\\s|${ANSI})+$`);

function readLine(bytes: Buffer, endOffset: number): NdjsonItem | undefined {
  const last = bytes.length > 0 && bytes[bytes.length - 1] === CR ? bytes.length - 1 : bytes.length;
  const raw = bytes.toString('utf8', 0, last);
  const text = raw.charCodeAt(0) === 0x7b ? raw : raw.replace(BEFORE, '');
  if (text === '') return undefined;
  if (!text.startsWith('{')) return { type: 'side', text: raw.slice(0, SHOWN_CHARS), endOffset };
  const value = parseObject(text) ?? parseObject(text.replace(AFTER, ''));
  if (value) return { type: 'frame', value, endOffset };
  return {
    type: 'bad',
    text: text.slice(0, SHOWN_CHARS),
    bytes: last,
    reason: 'The line begins like a frame and is not JSON.',
    endOffset,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The text begins with "{", so what parses is an object.
    return value as Record<string, unknown>;
  } catch {
    // Not JSON: the caller says so with the line itself.
    return undefined;
  }
}
