// Commands of handles as frames to the keeper. Used by link.ts. Joins acknowledgements, which come with every chunk.
import type { Disposable } from '../base/disposable.js';
import type { FrameLink } from '../io/frame-link.js';
import type { ChildId } from '../model/ids.js';
import type { FromKeeper, StopRung, StreamName, ToKeeper } from './protocol.js';
import type { ChildPort } from './routed-child.js';

export type KeeperWire = FrameLink<ToKeeper, FromKeeper>;

/** Input is cut into frames of this size, far below the limit of a frame. */
const WRITE_BYTES = 256 * 1024;
/** An acknowledgement waits this long for a later one, unless it frees this much: a quarter of a PTY's window. */
const ACK_DELAY_MS = 5;
const ACK_BYTES = 32 * 1024;

interface Ack {
  childId: ChildId;
  stream: StreamName;
  /** Told to the keeper. */
  sent: number;
  offset: number;
}

export class KeeperPort implements ChildPort, Disposable {
  #wire: KeeperWire;
  #acks = new Map<string, Ack>();
  #timer: NodeJS.Timeout | undefined;

  constructor(wire: KeeperWire) {
    this.#wire = wire;
  }

  write(childId: ChildId, bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += WRITE_BYTES) {
      this.#wire.send({ t: 'write', childId }, bytes.subarray(from, from + WRITE_BYTES));
    }
  }

  eof(childId: ChildId): void {
    this.#wire.send({ t: 'eof', childId });
  }

  ack(childId: ChildId, stream: StreamName, offset: number): void {
    const key = `${childId} ${stream}`;
    const ack = this.#acks.get(key) ?? { childId, stream, sent: 0, offset: 0 };
    this.#acks.set(key, ack);
    ack.offset = offset;
    if (offset - ack.sent >= ACK_BYTES) this.#sendAck(ack);
    else this.#timer ??= setTimeout(() => this.#flush(), ACK_DELAY_MS);
  }

  resize(childId: ChildId, cols: number, rows: number): void {
    this.#wire.send({ t: 'resize', childId, cols, rows });
  }

  signal(childId: ChildId, signal: string): void {
    this.#wire.send({ t: 'signal', childId, signal });
  }

  stop(childId: ChildId, ladder: readonly StopRung[]): void {
    this.#wire.send({ t: 'stop', childId, ladder: [...ladder] });
  }

  checkpoint(childId: ChildId, offset: number, state: Uint8Array): void {
    this.#wire.send({ t: 'checkpoint', childId, offset }, state);
  }

  release(childId: ChildId): void {
    this.#wire.send({ t: 'release', childId });
    this.forgetAcks(childId);
  }

  /** A handle that begins anew may acknowledge again what an earlier one did. */
  forgetAcks(childId: ChildId): void {
    this.#acks.delete(`${childId} stdout`);
    this.#acks.delete(`${childId} stderr`);
  }

  detach(childId: ChildId): void {
    this.#flush();
    this.#wire.send({ t: 'detach', childId });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const ack of this.#acks.values()) if (ack.offset !== ack.sent) this.#sendAck(ack);
  }

  #sendAck(ack: Ack): void {
    ack.sent = ack.offset;
    this.#wire.send({ t: 'ack', childId: ack.childId, stream: ack.stream, offset: ack.offset });
  }
}
