// A structured CLI's process on pipes: stdout as NDJSON items with their place in the stream, stderr as lines. Used by the
// persistent and the subprocess controller. It leaves the controller's state with the keeper at line ends and acknowledges
// only what the log holds, so that a new daemon goes on in the middle of a turn with nothing lost and nothing doubled.
import type { Clock } from '../base/clock.js';
import { DisposableStore, type Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/emitter.js';
import { NdjsonDecoder, type NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { ByteMark } from '../model/log-record.js';
import type { RunId } from '../model/ids.js';
import { StderrTail } from './stderr-tail.js';

/** State is left at most so often, and after so many bytes: what lies between is read again by a new daemon. */
const SNAPSHOT_MS = 250;
const SNAPSHOT_BYTES = 64 * 1024;
/**
 * An unfinished line above this is acknowledged as it comes: the child is paused at 1 MiB of unacknowledged bytes, and a
 * frame may be larger. Only such a frame is lost when the daemon dies while it is being read.
 */
const LONG_LINE_BYTES = 256 * 1024;
const SIDE_LINES = 40;

export interface FrameSourceOptions {
  runId: RunId;
  clock: Clock;
  /** Place of the child's first byte in the run's output; a run may have one process a turn. */
  base: number;
  /** Offset in the child's stdout at which output begins to come. */
  startOffset: number;
  /** Output begins inside of a line whose beginning is gone. */
  insideLine?: boolean;
  /** What a controller needs to go on at this point of the stream. */
  saveState(): Uint8Array;
}

interface Snapshot {
  offset: number;
  state: Uint8Array;
}

export class FrameSource implements Disposable {
  readonly handle: ChildHandle;
  readonly stderr = new StderrTail();
  #options: FrameSourceOptions;
  #decoder: NdjsonDecoder;
  #skipLine: boolean;
  #side: string[] = [];
  #snapshots: Snapshot[] = [];
  #snapshotAt: number;
  /** End of the last line that was delivered. */
  #position: number;
  #fired: number;
  #logged: number;
  #acked: number;
  #store = new DisposableStore();
  #items = new Emitter<NdjsonItem>();
  #stderrLines = new Emitter<string>();
  #exits = new Emitter<ChildExit>();
  /** One for each line of stdout, in order; offsets are those of the child. */
  readonly onItem: Event<NdjsonItem> = this.#items.event;
  readonly onStderrLine: Event<string> = this.#stderrLines.event;
  /** Once, after the last item. */
  readonly onExit: Event<ChildExit> = this.#exits.event;

  constructor(handle: ChildHandle, options: FrameSourceOptions) {
    const { startOffset } = options;
    this.handle = handle;
    this.#options = options;
    this.#decoder = new NdjsonDecoder({ startOffset });
    this.#skipLine = options.insideLine ?? false;
    this.#position = startOffset;
    this.#fired = startOffset;
    this.#logged = startOffset;
    this.#acked = startOffset;
    this.#snapshotAt = options.clock.now();
    this.#store.add(handle.onOutput(({ stream, offset, bytes }) => this.#take(stream, offset, bytes)));
    this.#store.add(handle.onExit((exit) => this.#end(exit)));
  }

  /** Lines of stdout that were no frames, the last ones. */
  get sideLines(): readonly string[] {
    return this.#side;
  }

  /** The mark of an event of the line that is being delivered. */
  mark(): ByteMark {
    this.#fired = this.#position;
    return { runId: this.#options.runId, stream: 'stdout', offset: this.#options.base + this.#position };
  }

  /** The log holds everything up to this mark. */
  logged(mark: ByteMark): void {
    const offset = mark.offset - this.#options.base;
    if (mark.stream !== 'stdout' || offset < 0) return;
    this.#logged = Math.max(this.#logged, Math.min(offset, this.#decoder.offset));
    this.#settle();
  }

  /** The controller's state changed without output, or must not be lost: leave it as soon as the log has caught up. */
  saveNow(): void {
    this.#takeSnapshot();
    this.#settle();
  }

  dispose(): void {
    this.#store.dispose();
    this.handle.dispose();
  }

  #take(stream: 'stdout' | 'stderr', offset: number, bytes: Uint8Array): void {
    if (stream === 'stderr') {
      for (const line of this.stderr.push(bytes)) this.#stderrLines.fire(line);
      this.handle.ack('stderr', offset + bytes.length);
      return;
    }
    for (const item of this.#decoder.push(bytes)) this.#deliver(item);
    this.#position = this.#decoder.lineEndOffset;
    const isDue = this.#options.clock.now() - this.#snapshotAt >= SNAPSHOT_MS;
    const last = this.#snapshots.at(-1)?.offset ?? this.#acked;
    if (this.#position > last && (isDue || this.#position - last >= SNAPSHOT_BYTES)) this.#takeSnapshot();
    this.#settle();
  }

  #deliver(item: NdjsonItem): void {
    this.#position = item.endOffset;
    const isTail = this.#skipLine && item.type !== 'frame';
    this.#skipLine = false;
    if (isTail) return;
    if (item.type === 'side' || item.type === 'bad') {
      this.#side.push(item.text);
      if (this.#side.length > SIDE_LINES) this.#side.shift();
    }
    this.#items.fire(item);
  }

  #takeSnapshot(): void {
    const offset = this.#position;
    if (this.#snapshots.at(-1)?.offset === offset) this.#snapshots.pop();
    this.#snapshots.push({ offset, state: this.#options.saveState() });
    this.#snapshotAt = this.#options.clock.now();
  }

  /** Leaves the newest state that the log has caught up with, and lets the keeper forget what lies before it. */
  #settle(): void {
    const safe = this.#logged >= this.#fired ? this.#decoder.lineEndOffset : this.#logged;
    const index = this.#snapshots.findLastIndex((snapshot) => snapshot.offset <= safe);
    const snapshot = this.#snapshots[index];
    if (snapshot) {
      this.#snapshots.splice(0, index + 1);
      this.handle.checkpoint(snapshot.offset, snapshot.state);
      this.#ack(snapshot.offset);
    }
    const { offset, lineEndOffset } = this.#decoder;
    if (offset - lineEndOffset > LONG_LINE_BYTES && safe >= lineEndOffset) this.#ack(offset);
  }

  #ack(offset: number): void {
    if (offset <= this.#acked) return;
    this.#acked = offset;
    this.handle.ack('stdout', offset);
  }

  #end(exit: ChildExit): void {
    for (const item of this.#decoder.end()) this.#deliver(item);
    this.#exits.fire(exit);
  }
}
