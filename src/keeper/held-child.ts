// One child in the hands of the keeper: its process, its kept output, its ladder. Used by children.ts. Parses nothing.
import type { Clock } from '../base/clock.js';
import { isGroupAlive, signalGroup, statOf } from '../io/process-group.js';
import type { ProcessExit, RunningProcess } from '../io/running-process.js';
import { HeldStream } from './held-stream.js';
import {
  REPLAY_RING_BYTES,
  WINDOW_PIPE_BYTES,
  WINDOW_PTY_BYTES,
  type ChildSpec,
  type ChildState,
  type StopRung,
  type StreamName,
} from './protocol.js';
import { StopLadder } from './stop-ladder.js';

/** Output since the checkpoint is kept up to this, so that a checkpoint that is a little old is still of use. */
const CHECKPOINT_REACH_BYTES = 4 * REPLAY_RING_BYTES;

/** Who gets what a child does: a socket to the daemon, or handles in this process. */
export interface ChildReceiver {
  output(child: HeldChild, stream: StreamName, offset: number, bytes: Uint8Array): void;
  closed(child: HeldChild, stream: StreamName, offset: number): void;
  /** After all output and closed. */
  exit(child: HeldChild, exit: ProcessExit): void;
  inputBlocked(child: HeldChild, queued: number): void;
}

export class HeldChild {
  readonly spec: ChildSpec;
  readonly startedAt: number;
  #process: RunningProcess;
  #clock: Clock;
  #streams = new Map<StreamName, HeldStream>();
  #receiver: ChildReceiver | undefined;
  #exit: (ProcessExit & { at: number }) | undefined;
  #toldExit = false;
  #checkpoint: { offset: number; state: Uint8Array } | undefined;
  #ladder: StopLadder | undefined;
  /** The group of the child and those that were seen in the foreground of its terminal. */
  #groups: Set<number>;
  #cols: number | undefined;
  #rows: number | undefined;
  #changed: () => void;

  /** `changed` is called when the process ended, when all output was read, when all was told, and when a ladder is over. */
  constructor(spec: ChildSpec, process: RunningProcess, clock: Clock, changed: () => void) {
    this.spec = spec;
    this.startedAt = clock.now();
    this.#process = process;
    this.#clock = clock;
    this.#changed = changed;
    this.#groups = new Set([process.pid]);
    this.#cols = spec.cols;
    this.#rows = spec.rows;
    const windowBytes = spec.stdio === 'pty' ? WINDOW_PTY_BYTES : WINDOW_PIPE_BYTES;
    for (const name of process.streams) this.#streams.set(name, new HeldStream(name, windowBytes));
    process.onOutput(({ stream, bytes }) => this.#withStream(stream, (held) => held.append(bytes)));
    process.onStreamClosed((stream) => this.#withStream(stream, (held) => held.close()));
    process.onEnded(() => this.#handleEnded());
    process.onExit((exit) => this.#handleExit(exit));
    process.onInputBlocked((queued) => this.#receiver?.inputBlocked(this, queued));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** The process itself lives. */
  get running(): boolean {
    return this.#process.running;
  }

  /** Ended and read to the end. */
  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** The one who is attached got everything, also the exit. */
  get isDelivered(): boolean {
    return this.#toldExit;
  }

  /** A ladder is climbing: somebody of the group may live although the child is over. */
  get isStopping(): boolean {
    return this.#ladder !== undefined && !this.#ladder.isOver;
  }

  get checkpoint(): { offset: number; state: Uint8Array } | undefined {
    return this.#checkpoint;
  }

  state(): ChildState {
    const { spec } = this;
    const streams: ChildState['streams'] = {};
    for (const held of this.#streams.values()) {
      streams[held.name] = { start: held.start, end: held.end, acked: held.acked, closed: held.closed };
    }
    return {
      childId: spec.childId,
      stdio: spec.stdio,
      pid: this.pid,
      startedAt: this.startedAt,
      ...(spec.label === undefined ? {} : { label: spec.label }),
      ...(this.#cols === undefined ? {} : { cols: this.#cols }),
      ...(this.#rows === undefined ? {} : { rows: this.#rows }),
      ...(this.#exit ? { exit: this.#exit } : {}),
      streams,
      ...(this.#checkpoint
        ? { checkpoint: { offset: this.#checkpoint.offset, bytes: this.#checkpoint.state.length } }
        : {}),
      inputQueued: this.#process.inputQueued,
    };
  }

  /** Sends output from these offsets, then what comes; a receiver that was attached gets nothing any more. */
  attach(receiver: ChildReceiver, from: Partial<Record<StreamName, number>>): void {
    this.#receiver = receiver;
    this.#toldExit = false;
    for (const held of this.#streams.values()) {
      const to = {
        output: (stream: StreamName, offset: number, bytes: Uint8Array) =>
          receiver.output(this, stream, offset, bytes),
        closed: (stream: StreamName, offset: number) => receiver.closed(this, stream, offset),
      };
      held.attach(to, from[held.name]);
    }
    this.#settle();
  }

  detach(): void {
    this.#receiver = undefined;
    for (const held of this.#streams.values()) held.detach();
    this.#settle();
  }

  ack(stream: StreamName, offset: number): void {
    this.#withStream(stream, (held) => held.ack(offset));
  }

  write(bytes: Uint8Array): void {
    this.#process.write(bytes);
  }

  eof(): void {
    this.#process.eof();
  }

  resize(cols: number, rows: number): void {
    this.#cols = cols;
    this.#rows = rows;
    this.#process.resize(cols, rows);
  }

  signal(name: string): void {
    if (this.running) this.#process.signal(name);
  }

  setCheckpoint(offset: number, state: Uint8Array): void {
    this.#checkpoint = { offset, state: Uint8Array.from(state) };
    this.#settle();
  }

  /** The first call climbs; a second one goes straight to SIGKILL. */
  stop(rungs: readonly StopRung[]): void {
    if (this.#ladder) {
      if (this.#ladder.isOver) this.#startLadder([{ step: 'sigkill', graceMs: 2000 }]);
      else this.#ladder.kill();
      return;
    }
    this.#startLadder(rungs);
  }

  /** SIGKILL to the group, now; for the end of the keeper itself. */
  kill(): void {
    this.#climb({ step: 'sigkill', graceMs: 0 });
  }

  /** Frees what an ended child still holds. */
  forget(): void {
    this.detach();
    this.#process.abandon();
  }

  #startLadder(rungs: readonly StopRung[]): void {
    if (!this.running && !this.#isGroupAlive()) return;
    const target = {
      climb: (rung: StopRung) => this.#climb(rung),
      isGone: () => !this.running && !this.#isGroupAlive(),
      finished: () => this.#changed(),
    };
    this.#ladder = new StopLadder(target, rungs, this.#clock);
    this.#ladder.start();
  }

  #climb(rung: StopRung): void {
    this.#noteForeground();
    if (rung.step === 'interrupt') this.#process.interrupt();
    else if (rung.step === 'write') this.#process.write(Buffer.from(rung.text ?? ''));
    else if (rung.step === 'eof') this.#process.eof();
    else for (const group of this.#groups) signalGroup(group, rung.step.toUpperCase());
  }

  #noteForeground(): void {
    if (this.spec.stdio !== 'pty' || !this.running) return;
    const foreground = statOf(this.pid)?.foreground ?? -1;
    if (foreground > 1) this.#groups.add(foreground);
  }

  #isGroupAlive(): boolean {
    return [...this.#groups].some(isGroupAlive);
  }

  #handleEnded(): void {
    this.#settle();
    this.#ladder?.look();
    this.#changed();
  }

  #handleExit(exit: ProcessExit): void {
    this.#exit = { ...exit, at: this.#clock.now() };
    // The number of an empty group is given again: later it would be somebody else's.
    for (const group of this.#groups) if (!isGroupAlive(group)) this.#groups.delete(group);
    this.#settle();
    this.#changed();
  }

  #withStream(name: StreamName, action: (held: HeldStream) => void): void {
    const held = this.#streams.get(name);
    if (!held) return;
    action(held);
    this.#settle();
  }

  /** After every change: forget what nobody needs, pause or resume the child, tell the end once it is due. */
  #settle(): void {
    for (const held of this.#streams.values()) {
      held.dropBefore(this.#keepFrom(held));
      if (held.closed) continue;
      if (held.shouldPause(!this.running)) this.#process.pause(held.name);
      else this.#process.resume(held.name);
    }
    if (!this.#exit || !this.#receiver || this.#toldExit) return;
    if (![...this.#streams.values()].every((held) => held.isDelivered)) return;
    this.#toldExit = true;
    const { at: _at, ...exit } = this.#exit;
    this.#receiver.exit(this, exit);
    this.#changed();
  }

  #keepFrom(held: HeldStream): number {
    if (this.spec.stdio !== 'pty') return held.acked;
    const ringStart = held.end - REPLAY_RING_BYTES;
    if (!this.#checkpoint || this.#checkpoint.offset < held.end - CHECKPOINT_REACH_BYTES) return ringStart;
    return Math.min(ringStart, this.#checkpoint.offset);
  }
}
