// The daemon's side of a child, wherever it lives: in the keeper (KeeperLink) or in this process (LocalChildHost, for
// `call` and for tests). Controllers know only these interfaces.
import type { Event } from '../base/emitter.js';
import type { Disposable } from '../base/disposable.js';
import type { ChildId } from '../model/ids.js';
import type { ChildSpec, ChildState, StopRung, StreamName } from './protocol.js';

export interface ChildOutput {
  stream: StreamName;
  /** Offset of the first byte, since the start of the child. */
  offset: number;
  /** Valid beyond the listener. */
  bytes: Uint8Array;
}

export interface ChildExit {
  exitCode?: number;
  signal?: string;
}

/**
 * One child. No method throws; after the end they do nothing. Output comes only after `attach` (a spawned child is
 * attached from 0 by itself, on the next turn of the event loop), in order per stream; `onExit` comes after all output.
 */
export interface ChildHandle extends Disposable {
  readonly childId: ChildId;
  readonly pid: number;
  /** True until onExit was fired. */
  readonly alive: boolean;
  /** Ordered and complete, or not at all once the child has ended. */
  write(bytes: Uint8Array | string): void;
  /** Closes stdin (pipes) or sends ^D (PTY). */
  eof(): void;
  /** The consumer is done with everything before `offset`: the keeper may forget it and read on. */
  ack(stream: StreamName, offset: number): void;
  resize(cols: number, rows: number): void;
  /** To the process group. */
  signal(signal: string): void;
  /** Climbs the ladder in the keeper, also when this process dies meanwhile. */
  stop(ladder: readonly StopRung[]): void;
  /** Leaves opaque state with the keeper for a daemon that comes after us. */
  checkpoint(offset: number, state: Uint8Array): void;
  /** Forgets a child that has ended. */
  release(): void;
  readonly onOutput: Event<ChildOutput>;
  readonly onStreamClosed: Event<StreamName>;
  readonly onExit: Event<ChildExit>;
  /** Bytes of input the child does not take; 0 when it reads again. */
  readonly onInputBlocked: Event<number>;
}

export interface AdoptedChild {
  handle: ChildHandle;
  state: ChildState;
  checkpoint?: { offset: number; state: Uint8Array };
}

export interface ChildHost extends Disposable {
  /** Rejects with an AgentileError SPAWN_FAILED (its cause carries errno) or NATIVE_MISSING. */
  spawn(spec: ChildSpec): Promise<ChildHandle>;
  list(): Promise<ChildState[]>;
  /** Takes over a living (or ended, not yet released) child. Output begins at `from` after the promise resolved. */
  adopt(
    childId: ChildId,
    from: Partial<Record<StreamName, number>>,
    wantCheckpoint: boolean,
  ): Promise<AdoptedChild>;
}
