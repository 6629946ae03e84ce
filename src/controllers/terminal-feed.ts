// Child output on its way into the screen of one terminal pane: through the fair pump, acknowledged once parsed, with
// checkpoints left in the keeper for a daemon that comes after us. Used by the terminal controller only.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { ChildHandle, ChildOutput } from '../keeper/child-handle.js';
import type { Screen } from '../screen/contract.js';
import type { Pump, PumpLane } from './pump.js';

/** Acknowledge at once when so much was parsed: a quarter of the keeper's window, so that a flood never stalls. */
const ACK_BYTES = 32 * 1024;
/** What is less is acknowledged together, off the path of a key's echo. */
const ACK_DELAY_MS = 20;
/** New output after which a checkpoint is due: half of the keeper's replay ring. */
export const CHECKPOINT_BYTES = 128 * 1024;
/** Quiet time after which the last state is kept, and the least time between two checkpoints. */
export const CHECKPOINT_MS = 2000;

export interface FeedOptions {
  handle: ChildHandle;
  screen: Screen;
  pump: Pump;
  clock: Clock;
  /** Offset of the first byte that the screen does not hold yet. */
  from: number;
  /** Output before this offset was answered by another daemon: it is drawn, and nothing it asks or tells is passed on. */
  replayUntil: number;
}

export class TerminalFeed implements Disposable {
  #options: FeedOptions;
  #lane: PumpLane;
  #parsed: number;
  #acked: number;
  #received: number;
  #checkpointAt: number;
  #checkpointTime = Number.NEGATIVE_INFINITY;
  #ackTimer: Disposable | undefined;
  #quietTimer: Disposable | undefined;
  #lastOutputAt = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#parsed = this.#acked = this.#received = this.#checkpointAt = options.from;
    this.#lane = options.pump.add((slice) => this.#take(slice));
  }

  /** True while output is drawn that another daemon has answered already. */
  get isReplaying(): boolean {
    return this.#parsed < this.#options.replayUntil;
  }

  /** Offset behind the last byte the screen holds. */
  get parsedOffset(): number {
    return this.#parsed;
  }

  /** Output of the child, in order; what the screen holds already is left out. */
  push(output: ChildOutput): void {
    const end = output.offset + output.bytes.length;
    if (end <= this.#received) return;
    const skip = Math.max(0, this.#received - output.offset);
    if (output.offset > this.#received) {
      // The keeper has forgotten what lies between: go on from here.
      this.#lane.flush();
      this.#parsed = output.offset;
    }
    this.#received = end;
    this.#lastOutputAt = this.#options.clock.now();
    this.#lane.push(skip > 0 ? output.bytes.subarray(skip) : output.bytes);
  }

  /** A key was sent: the echo goes first. */
  boost(): void {
    this.#lane.boost();
  }

  /** Draws what waits, now. */
  flush(): void {
    this.#lane.flush();
    this.#sendAck();
  }

  dispose(): void {
    this.#lane.dispose();
    this.#ackTimer?.dispose();
    this.#quietTimer?.dispose();
  }

  #take(slice: Uint8Array): void {
    const left = this.#options.replayUntil - this.#parsed;
    if (left > 0 && left < slice.length) {
      this.#write(slice.subarray(0, left));
      this.#write(slice.subarray(left));
    } else {
      this.#write(slice);
    }
    this.#planAck();
    if (this.#isCheckpointDue()) this.#checkpoint();
    this.#planQuietCheckpoint();
  }

  #write(bytes: Uint8Array): void {
    this.#options.screen.write(bytes);
    this.#parsed += bytes.length;
  }

  #planAck(): void {
    if (this.#parsed - this.#acked >= ACK_BYTES) {
      this.#sendAck();
    } else {
      this.#ackTimer ??= this.#options.clock.after(ACK_DELAY_MS, () => this.#sendAck());
    }
  }

  #sendAck(): void {
    this.#ackTimer?.dispose();
    this.#ackTimer = undefined;
    if (this.#parsed <= this.#acked) return;
    this.#acked = this.#parsed;
    this.#options.handle.ack('stdout', this.#parsed);
  }

  #isCheckpointDue(): boolean {
    if (this.#parsed - this.#checkpointAt <= CHECKPOINT_BYTES) return false;
    return this.#options.clock.now() - this.#checkpointTime >= CHECKPOINT_MS;
  }

  /** One timer, re-armed when it finds that there was output meanwhile: a flood costs no timer churn. */
  #planQuietCheckpoint(): void {
    const { clock } = this.#options;
    this.#quietTimer ??= clock.after(CHECKPOINT_MS, () => {
      this.#quietTimer = undefined;
      const quietMs = clock.now() - this.#lastOutputAt;
      if (quietMs < CHECKPOINT_MS || this.#lane.queuedBytes > 0) this.#planQuietCheckpoint();
      else this.#checkpoint();
    });
  }

  #checkpoint(): void {
    const { screen, handle, clock } = this.#options;
    if (screen.fault !== undefined || this.#parsed === this.#checkpointAt) return;
    this.#checkpointAt = this.#parsed;
    this.#checkpointTime = clock.now();
    handle.checkpoint(this.#parsed, screen.checkpoint());
  }
}
