// What a running child looks like to its keeper, on a PTY or on pipes. Implemented by pty.ts and child.ts; knows nothing
// of agents, offsets or sockets.
import type { Event } from '../base/emitter.js';

export type OutputStream = 'stdout' | 'stderr';

export interface ProcessExit {
  exitCode?: number;
  signal?: string;
}

export interface ProcessSpec {
  /** A path, or a name that is looked up in env.PATH. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing of ours is added. */
  env: Readonly<Record<string, string>>;
}

/**
 * One child in its own session and process group. No method throws; after the end they do nothing. Output is in order
 * per stream; `onExit` is fired once, after the last output, with at most DRAIN_GRACE_MS of reading for a stream that a
 * grandchild holds open (the time during which a stream is paused does not count).
 */
export interface RunningProcess {
  readonly pid: number;
  /** True until the process itself was reaped; output may still come. */
  readonly running: boolean;
  /** The streams there are: a PTY has only stdout. */
  readonly streams: readonly OutputStream[];
  /** Bytes of input that the child has not taken yet. */
  readonly inputQueued: number;
  /** Ordered and complete; dropped when the child has ended. The bytes are copied. */
  write(bytes: Uint8Array): void;
  /** Closes stdin after what is queued (pipes), or queues ^D (PTY). */
  eof(): void;
  /** ^C to the terminal (PTY), SIGINT to the group (pipes). */
  interrupt(): void;
  /** To the process group of the child and, on a PTY, to the group in the foreground. Unknown names are ignored. */
  signal(name: string): void;
  resize(cols: number, rows: number): void;
  pause(stream: OutputStream): void;
  resume(stream: OutputStream): void;
  /** Stops reading and forgets the descriptors. Does not end the process. */
  abandon(): void;
  readonly onOutput: Event<{ stream: OutputStream; bytes: Uint8Array }>;
  readonly onStreamClosed: Event<OutputStream>;
  /** The process was reaped. Before onExit. */
  readonly onEnded: Event<ProcessExit>;
  readonly onExit: Event<ProcessExit>;
  /** Input waits and none was taken for a while: how many bytes. 0: it is taken again. */
  readonly onInputBlocked: Event<number>;
}

/** How long a stream is still read after the process has ended (DESIGN, "Running a CLI"). */
export const DRAIN_GRACE_MS = 2000;
