// One output stream of a held child: what is kept, what was sent, what was acknowledged, and whether the child must wait.
// Used by held-child.ts. Knows neither the process nor the socket.
import { OutputBuffer } from './output-buffer.js';
import { RETAIN_CAP_BYTES, type StreamName } from './protocol.js';

/** Sent in one frame; others get their turn between two. */
const SLICE_BYTES = 64 * 1024;
/** What a dead child left in its pipes is read although the cap is reached; more than this only a grandchild can write. */
const AFTER_END_BYTES = 2 * 1024 * 1024;

export interface StreamReceiver {
  output(stream: StreamName, offset: number, bytes: Uint8Array): void;
  /** After the last output. */
  closed(stream: StreamName, offset: number): void;
}

export class HeldStream {
  readonly name: StreamName;
  #buffer = new OutputBuffer();
  #windowBytes: number;
  #acked = 0;
  #closed = false;
  #paused = false;
  #receiver: StreamReceiver | undefined;
  /** Where the receiver stands: the next byte it gets, and the last it acknowledged of what it got. */
  #sent = 0;
  #windowStart = 0;
  #toldClosed = false;
  #isPumping = false;

  constructor(name: StreamName, windowBytes: number) {
    this.name = name;
    this.#windowBytes = windowBytes;
  }

  get start(): number {
    return this.#buffer.start;
  }

  get end(): number {
    return this.#buffer.end;
  }

  get acked(): number {
    return this.#acked;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The receiver got everything, also that it was all. */
  get isDelivered(): boolean {
    return this.#toldClosed;
  }

  append(bytes: Uint8Array): void {
    this.#buffer.append(bytes);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    this.#pump();
  }

  /** Begins to send from `from`, clamped to what is kept; what lies before counts as acknowledged. */
  attach(receiver: StreamReceiver, from: number | undefined): void {
    this.#receiver = receiver;
    this.#sent = Math.max(this.start, Math.min(from ?? this.start, this.end));
    this.#windowStart = this.#sent;
    this.#toldClosed = false;
    if (from !== undefined) this.#acked = Math.max(this.#acked, this.#sent);
    this.#pump();
  }

  detach(): void {
    this.#receiver = undefined;
    this.#toldClosed = false;
  }

  ack(offset: number): void {
    const seen = Math.min(offset, this.#receiver ? this.#sent : this.end);
    this.#acked = Math.max(this.#acked, seen);
    this.#windowStart = Math.max(this.#windowStart, seen);
    this.#pump();
  }

  /** Forgets what lies before `offset` and was acknowledged. */
  dropBefore(offset: number): void {
    this.#buffer.dropBefore(Math.min(offset, this.#acked));
  }

  /**
   * Must the child wait? With a receiver: as long as a window of bytes is not acknowledged (until half of it is free, so
   * that it does not flicker). Without: once the cap is kept. After the end of the process only the cap counts.
   */
  shouldPause(processEnded: boolean): boolean {
    const waiting = this.end - this.#acked;
    if (processEnded) this.#paused = waiting >= RETAIN_CAP_BYTES + AFTER_END_BYTES;
    else if (!this.#receiver) this.#paused = waiting >= RETAIN_CAP_BYTES;
    else this.#paused = waiting >= (this.#paused ? this.#windowBytes / 2 : this.#windowBytes);
    return this.#paused;
  }

  /** A receiver may acknowledge, and so call us again, while it is given a piece: the outer call then goes on. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#send();
    this.#isPumping = false;
  }

  #send(): void {
    while (this.#receiver && this.#sent < this.end) {
      const room = this.#windowBytes - (this.#sent - this.#windowStart);
      if (room <= 0) return;
      const offset = this.#sent;
      const bytes = this.#buffer.read(offset, Math.min(room, SLICE_BYTES));
      this.#sent += bytes.length;
      this.#receiver.output(this.name, offset, bytes);
    }
    if (this.#receiver && this.#closed && !this.#toldClosed) {
      this.#toldClosed = true;
      this.#receiver.closed(this.name, this.end);
    }
  }
}
