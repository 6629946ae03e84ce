// The handle of a child, whoever holds it: commands go to a port, what the child does comes in through `deliver…`. Used by
// link.ts and local-host.ts.
import { Emitter } from '../base/emitter.js';
import type { ChildId } from '../model/ids.js';
import type { ChildExit, ChildHandle, ChildOutput } from './child-handle.js';
import type { StopRung, StreamName } from './protocol.js';

/** Where the commands of a handle go: the keeper's socket, or the children in this process. */
export interface ChildPort {
  write(childId: ChildId, bytes: Uint8Array): void;
  eof(childId: ChildId): void;
  ack(childId: ChildId, stream: StreamName, offset: number): void;
  resize(childId: ChildId, cols: number, rows: number): void;
  signal(childId: ChildId, signal: string): void;
  stop(childId: ChildId, ladder: readonly StopRung[]): void;
  checkpoint(childId: ChildId, offset: number, state: Uint8Array): void;
  release(childId: ChildId): void;
  detach(childId: ChildId): void;
}

export class RoutedChild implements ChildHandle {
  readonly childId: ChildId;
  readonly pid: number;
  #port: ChildPort;
  #alive = true;
  #isDisposed = false;
  /** What came before the one who asked for the handle could subscribe. */
  #early: (() => void)[] | undefined = [];
  #output = new Emitter<ChildOutput>();
  #streamClosed = new Emitter<StreamName>();
  #exit = new Emitter<ChildExit>();
  #inputBlocked = new Emitter<number>();
  readonly onOutput = this.#output.event;
  readonly onStreamClosed = this.#streamClosed.event;
  readonly onExit = this.#exit.event;
  readonly onInputBlocked = this.#inputBlocked.event;

  /** Events are held back until the next turn of the event loop after `open`. */
  constructor(childId: ChildId, pid: number, port: ChildPort) {
    this.childId = childId;
    this.pid = pid;
    this.#port = port;
  }

  get alive(): boolean {
    return this.#alive;
  }

  write(bytes: Uint8Array | string): void {
    if (this.#isUsable)
      this.#port.write(this.childId, typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }

  eof(): void {
    if (this.#isUsable) this.#port.eof(this.childId);
  }

  ack(stream: StreamName, offset: number): void {
    if (this.#isUsable) this.#port.ack(this.childId, stream, offset);
  }

  resize(cols: number, rows: number): void {
    if (this.#isUsable) this.#port.resize(this.childId, cols, rows);
  }

  signal(signal: string): void {
    if (this.#isUsable) this.#port.signal(this.childId, signal);
  }

  stop(ladder: readonly StopRung[]): void {
    if (this.#isUsable) this.#port.stop(this.childId, ladder);
  }

  checkpoint(offset: number, state: Uint8Array): void {
    if (!this.#isDisposed) this.#port.checkpoint(this.childId, offset, state);
  }

  release(): void {
    if (!this.#alive && !this.#isDisposed) this.#port.release(this.childId);
  }

  /** The child stays as it is, and its output stays with its holder for whoever adopts it. */
  dispose(): void {
    if (this.#isDisposed) return;
    if (this.#alive) this.#port.detach(this.childId);
    this.abandon();
  }

  /** As dispose, without a word to the port: the link is gone, or another handle took over. */
  abandon(): void {
    this.#isDisposed = true;
    this.#early = [];
    for (const emitter of [this.#output, this.#streamClosed, this.#exit, this.#inputBlocked])
      emitter.dispose();
  }

  /** The handle is in the hands of who asked; events flow from the next turn on. */
  open(): void {
    setImmediate(() => {
      // What an event causes at once comes after what waits already.
      while (this.#early && this.#early.length > 0) this.#early.shift()!();
      this.#early = undefined;
    });
  }

  deliverOutput(output: ChildOutput): void {
    this.#deliver(() => this.#output.fire(output));
  }

  deliverClosed(stream: StreamName): void {
    this.#deliver(() => this.#streamClosed.fire(stream));
  }

  deliverExit(exit: ChildExit): void {
    this.#deliver(() => {
      this.#alive = false;
      this.#exit.fire(exit);
    });
  }

  deliverInputBlocked(queued: number): void {
    this.#deliver(() => this.#inputBlocked.fire(queued));
  }

  get #isUsable(): boolean {
    return this.#alive && !this.#isDisposed;
  }

  #deliver(event: () => void): void {
    if (this.#isDisposed) return;
    if (this.#early) this.#early.push(event);
    else event();
  }
}
