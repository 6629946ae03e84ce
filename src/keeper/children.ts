// All children of one holder: starts them, names them, sends each command to its child. Used by server.ts (the keeper) and
// local-host.ts (the same in one process). Parses nothing and knows no provider.
import { systemClock, type Clock } from '../base/clock.js';
import { AgentileError } from '../base/errors.js';
import { silentLog, type Log } from '../base/log.js';
import { spawnChild } from '../io/child.js';
import { spawnPty } from '../io/pty.js';
import type { RunningProcess } from '../io/running-process.js';
import type { ChildId } from '../model/ids.js';
import { GroupRecord } from './group-record.js';
import { HeldChild, type ChildReceiver } from './held-child.js';
import type { ChildSpec, ChildState, StopRung, StreamName } from './protocol.js';

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

export interface ChildrenOptions {
  clock?: Clock;
  log?: Log;
  /** Where the groups are written down for a keeper that comes after a crash. */
  groupFile?: string;
  /** Called when a child ended, was released, or nobody of its group is left. */
  onChange?: () => void;
}

/** Everything a command needs to be about a child; unknown ids are ignored, for their child may just have gone. */
export class Children {
  #clock: Clock;
  #onChange: () => void;
  #held = new Map<ChildId, HeldChild>();
  #starting = new Set<ChildId>();
  /** Released, but their ladder still climbs for what is left of the group. */
  #leaving = new Set<HeldChild>();
  readonly groups: GroupRecord;

  constructor(options: ChildrenOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#onChange = options.onChange ?? (() => undefined);
    this.groups = new GroupRecord(options.groupFile, options.log ?? silentLog);
  }

  /** Nothing is held, nothing starts and no ladder climbs. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#starting.size === 0 && this.#leaving.size === 0;
  }

  /** Starts a child that nobody is attached to yet. Rejects with SPAWN_FAILED, NATIVE_MISSING or ALREADY_RUNNING. */
  async spawn(spec: ChildSpec): Promise<HeldChild> {
    const { childId } = spec;
    if (this.#held.has(childId) || this.#starting.has(childId)) {
      throw new AgentileError('ALREADY_RUNNING', `There is a child ${childId} already.`);
    }
    this.#starting.add(childId);
    try {
      const process = await start(spec);
      const child: HeldChild = new HeldChild(spec, process, this.#clock, () => this.#handleChange(child));
      this.#held.set(childId, child);
      this.groups.add(child.pid, childId);
      return child;
    } finally {
      this.#starting.delete(childId);
    }
  }

  list(): ChildState[] {
    return [...this.#held.values()].map((child) => child.state());
  }

  /** Throws NOT_RUNNING when there is no such child. */
  get(childId: ChildId): HeldChild {
    const child = this.#held.get(childId);
    if (child) return child;
    throw new AgentileError('NOT_RUNNING', `There is no child ${childId}.`);
  }

  attach(childId: ChildId, receiver: ChildReceiver, from: Partial<Record<StreamName, number>>): void {
    this.#held.get(childId)?.attach(receiver, from);
  }

  detach(childId: ChildId): void {
    this.#held.get(childId)?.detach();
  }

  detachAll(): void {
    for (const child of this.#held.values()) child.detach();
  }

  write(childId: ChildId, bytes: Uint8Array): void {
    this.#held.get(childId)?.write(bytes);
  }

  eof(childId: ChildId): void {
    this.#held.get(childId)?.eof();
  }

  ack(childId: ChildId, stream: StreamName, offset: number): void {
    this.#held.get(childId)?.ack(stream, offset);
  }

  resize(childId: ChildId, cols: number, rows: number): void {
    this.#held.get(childId)?.resize(cols, rows);
  }

  signal(childId: ChildId, signal: string): void {
    this.#held.get(childId)?.signal(signal);
  }

  stop(childId: ChildId, ladder: readonly StopRung[]): void {
    this.#held.get(childId)?.stop(ladder);
  }

  checkpoint(childId: ChildId, offset: number, state: Uint8Array): void {
    this.#held.get(childId)?.setCheckpoint(offset, state);
  }

  /** Forgets a child that has ended; a living one stays. */
  release(childId: ChildId): void {
    const child = this.#held.get(childId);
    if (!child?.hasExited) return;
    this.#held.delete(childId);
    child.forget();
    if (child.isStopping) this.#leaving.add(child);
    this.groups.prune();
    this.#onChange();
  }

  /** Stops every child; each is released by its receiver, or by `releaseEnded`. */
  stopAll(ladder: readonly StopRung[]): void {
    for (const child of this.#held.values()) child.stop(ladder);
  }

  /** Forgets every child that has ended: read or not, or only those whose end was told. */
  releaseEnded(which: 'all' | 'told'): void {
    for (const [childId, child] of [...this.#held]) {
      if (which === 'all' || child.isDelivered) this.release(childId);
    }
  }

  /** SIGKILL to all groups, at once: the last thing a process does that holds children. */
  killAll(): void {
    for (const child of this.#held.values()) if (!child.hasExited || child.isStopping) child.kill();
    for (const child of this.#leaving) child.kill();
  }

  #handleChange(child: HeldChild): void {
    if (!child.isStopping) this.#leaving.delete(child);
    if (!child.running) this.groups.prune();
    this.#onChange();
  }
}

async function start(spec: ChildSpec): Promise<RunningProcess> {
  if (spec.stdio === 'pipe') return spawnChild(spec);
  const { cols = DEFAULT_COLS, rows = DEFAULT_ROWS } = spec;
  return spawnPty({ ...spec, cols, rows });
}
