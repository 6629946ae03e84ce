// A structured CLI's process: its stdout as frames with their place in the stream, its stderr as a tail, and the bookkeeping of
// what the log holds, so that a new daemon goes on exactly there. Used by the controllers that read frames.
import { StringDecoder } from 'node:string_decoder';
import { Emitter, type Event } from '../base/emitter.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import { NdjsonDecoder, type NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { ByteMark } from '../model/log-record.js';
import type { RunId } from '../model/ids.js';

/** Lines of stderr, and of stdout that are no frames, that are kept for people. */
const TAIL_LINES = 40;
const TAIL_LINE_CHARS = 2000;

export class FramedChild implements Disposable {
  readonly handle: ChildHandle;
  readonly stderr = new LineTail();
  /** Lines of stdout that were no frames. */
  readonly side = new LineTail();
  #runId: RunId;
  #decoder: NdjsonDecoder;
  #store = new DisposableStore();
  #items = new Emitter<NdjsonItem>();
  #exits = new Emitter<ChildExit>();
  /** Offset of the newest event that is on its way to the log, and of the newest that is in it. */
  #firedOffset: number;
  #loggedOffset: number;
  /** One for each complete line of stdout, in order. All events of a frame are fired inside the listener. */
  readonly onItem: Event<NdjsonItem> = this.#items.event;
  /** After the last item. */
  readonly onExit: Event<ChildExit> = this.#exits.event;

  constructor(handle: ChildHandle, runId: RunId, startOffset = 0) {
    this.handle = handle;
    this.#runId = runId;
    this.#decoder = new NdjsonDecoder({ startOffset });
    this.#firedOffset = startOffset;
    this.#loggedOffset = startOffset;
    this.#store.add(handle.onOutput((output) => this.#take(output.stream, output.offset, output.bytes)));
    this.#store.add(handle.onExit((exit) => this.#end(exit)));
  }

  /** The mark that an event of the line that ends at `endOffset` carries into the log. */
  mark(endOffset: number): ByteMark {
    this.#firedOffset = Math.max(this.#firedOffset, endOffset);
    return { runId: this.#runId, stream: 'stdout', offset: endOffset };
  }

  /** The log holds everything up to this mark. */
  logged(mark: ByteMark): void {
    if (mark.stream !== 'stdout' || mark.runId !== this.#runId) return;
    this.#loggedOffset = Math.max(this.#loggedOffset, mark.offset);
    this.#acknowledge();
  }

  writeLine(line: string): void {
    this.handle.write(`${line}\n`);
  }

  dispose(): void {
    this.#store.dispose();
    this.handle.dispose();
  }

  #take(stream: 'stdout' | 'stderr', offset: number, bytes: Uint8Array): void {
    if (stream === 'stderr') {
      this.stderr.push(bytes);
      this.handle.ack('stderr', offset + bytes.length);
      return;
    }
    for (const item of this.#decoder.push(bytes)) this.#deliver(item);
    this.#acknowledge();
  }

  #deliver(item: NdjsonItem): void {
    if (item.type === 'side' || item.type === 'bad') this.side.addLine(item.text);
    this.#items.fire(item);
  }

  /** Lines without events need no log; those behind an event that is not logged yet wait for it. */
  #acknowledge(): void {
    const done = this.#loggedOffset >= this.#firedOffset;
    this.handle.ack('stdout', done ? this.#decoder.lineEndOffset : this.#loggedOffset);
  }

  #end(exit: ChildExit): void {
    for (const item of this.#decoder.end()) this.#deliver(item);
    this.stderr.end();
    this.#exits.fire(exit);
  }
}

/** The last lines of a text stream; bytes may be cut anywhere. */
export class LineTail {
  #decoder = new StringDecoder('utf8');
  #rest = '';
  #lines: string[] = [];

  push(bytes: Uint8Array): void {
    const parts = (this.#rest + this.#decoder.write(Buffer.from(bytes))).split('\n');
    this.#rest = (parts.pop() ?? '').slice(-TAIL_LINE_CHARS);
    for (const part of parts) this.addLine(part);
  }

  addLine(line: string): void {
    const text = line.replace(/\r$/, '').slice(0, TAIL_LINE_CHARS);
    if (text.trim() === '') return;
    this.#lines.push(text);
    if (this.#lines.length > TAIL_LINES) this.#lines.shift();
  }

  end(): void {
    this.addLine(this.#rest);
    this.#rest = '';
  }

  /** Oldest first, with the line that is not complete yet. */
  get lines(): string[] {
    return this.#rest.trim() === '' ? [...this.#lines] : [...this.#lines, this.#rest];
  }
}
