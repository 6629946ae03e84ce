// Frames over a stream socket: a JSON header and a body of bytes. The one wire between our own processes.
//
// A frame is [u32 LE length of the rest][u32 LE length of the header][header: UTF-8 JSON][body].
import type { Socket } from 'node:net';
import { Emitter, type Event } from '../base/emitter.js';
import { AgentileError } from '../base/errors.js';
import type { Disposable } from '../base/disposable.js';

/** A frame above this is refused and ends the link: it can only be a fault or an attack. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const EMPTY = new Uint8Array(0);
const PREFIX_BYTES = 8;

export interface LinkFrame<H> {
  header: H;
  /** A view into the receive buffer: copy it to keep it beyond the listener. */
  body: Uint8Array;
}

/**
 * Sends and receives frames. Frames arrive whole and in order; `onClose` fires once, after the last frame. `send` never
 * throws: on a closed link it does nothing. The sender watches `queuedBytes` and decides itself what to leave out.
 */
export class FrameLink<Out extends object, In extends object> implements Disposable {
  #socket: Socket;
  #chunks: Buffer[] = [];
  #have = 0;
  #closed = false;
  #frames = new Emitter<LinkFrame<In>>();
  #closes = new Emitter<AgentileError | undefined>();
  #drains = new Emitter<void>();
  readonly onFrame: Event<LinkFrame<In>> = this.#frames.event;
  /** Fired once; the error tells why when it was not an orderly end. */
  readonly onClose: Event<AgentileError | undefined> = this.#closes.event;
  /** The socket took everything that was queued. */
  readonly onDrain: Event<void> = this.#drains.event;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#drains.fire());
    socket.on('error', (error) =>
      this.#end(new AgentileError('CONNECTION_CLOSED', error.message, { cause: error })),
    );
    socket.on('close', () => this.#end(undefined));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Bytes that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Stops reading the other side (its writes then queue on its side). */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  send(header: Out, body: Uint8Array = EMPTY): void {
    if (this.#closed) return;
    const head = Buffer.from(JSON.stringify(header));
    const frame = Buffer.allocUnsafe(PREFIX_BYTES + head.length + body.length);
    frame.writeUInt32LE(4 + head.length + body.length, 0);
    frame.writeUInt32LE(head.length, 4);
    head.copy(frame, PREFIX_BYTES);
    frame.set(body, PREFIX_BYTES + head.length);
    this.#socket.write(frame);
  }

  /** Ends the link after what was sent has left. */
  close(): void {
    this.#socket.end();
  }

  dispose(): void {
    this.#socket.destroy();
    this.#end(undefined);
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    while (!this.#closed) {
      if (this.#have < PREFIX_BYTES) return;
      const length = this.#peek(PREFIX_BYTES).readUInt32LE(0);
      if (length > MAX_FRAME_BYTES || length < 4) {
        this.#fail(`a frame of ${length} bytes`);
        return;
      }
      if (this.#have < 4 + length) return;
      if (!this.#deliver(this.#take(4 + length))) return;
    }
  }

  #deliver(frame: Buffer): boolean {
    const headLength = frame.readUInt32LE(4);
    if (headLength > frame.length - PREFIX_BYTES) return this.#fail('a header longer than its frame');
    let header: In;
    try {
      header = JSON.parse(frame.toString('utf8', PREFIX_BYTES, PREFIX_BYTES + headLength)) as In;
    } catch {
      return this.#fail('a header that is not JSON');
    }
    if (typeof header !== 'object' || header === null) return this.#fail('a header that is not an object');
    this.#frames.fire({ header, body: frame.subarray(PREFIX_BYTES + headLength) });
    return true;
  }

  #fail(what: string): false {
    this.#socket.destroy();
    this.#end(new AgentileError('PROTOCOL', `The other side sent ${what}.`));
    return false;
  }

  /** The first bytes, contiguous, without taking them. */
  #peek(bytes: number): Buffer {
    const first = this.#chunks[0]!;
    if (first.length >= bytes) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #take(bytes: number): Buffer {
    if (this.#chunks[0]!.length < bytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const first = this.#chunks[0]!;
    const taken = first.subarray(0, bytes);
    if (first.length === bytes) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(bytes);
    this.#have -= bytes;
    return taken;
  }

  #end(error: AgentileError | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    this.#closes.fire(error);
  }
}
