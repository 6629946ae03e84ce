// Messages between the daemon and the keeper. Frames of src/io/frame-link: a JSON header, then bytes.
// This file almost never changes: an old keeper must serve a new daemon. Add optional fields; never change a meaning.
import type { ChildId } from '../model/ids.js';

export const KEEPER_PROTOCOL = 1;

/** Bytes kept for a child that nobody takes; above it the child is paused. */
export const RETAIN_CAP_BYTES = 8 * 1024 * 1024;
/** PTY output kept for a daemon that must rebuild the screen. */
export const REPLAY_RING_BYTES = 256 * 1024;
/** Unacknowledged bytes of one child on the wire to a daemon; above it the child is paused, so that Ctrl-C is felt. */
export const WINDOW_PTY_BYTES = 128 * 1024;
export const WINDOW_PIPE_BYTES = 1024 * 1024;

export type StreamName = 'stdout' | 'stderr';

export interface ChildSpec {
  childId: ChildId;
  stdio: 'pty' | 'pipe';
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment of the child. */
  env: Record<string, string>;
  /** PTY only. */
  cols?: number;
  rows?: number;
  /** PTY only: raw mode, no echo, for structured CLIs on a PTY. */
  rawMode?: boolean;
  /** Words for people, kept and listed back: "claude fix-login". */
  label?: string;
}

export interface ChildState {
  childId: ChildId;
  stdio: 'pty' | 'pipe';
  pid: number;
  /** Wall clock, ms. */
  startedAt: number;
  label?: string;
  cols?: number;
  rows?: number;
  exit?: { exitCode?: number; signal?: string; at: number };
  /** Offsets in bytes since the start of the child: kept from `start`, read so far `end`, acknowledged `acked`. */
  streams: Partial<Record<StreamName, { start: number; end: number; acked: number; closed: boolean }>>;
  /** Opaque state of the screen the daemon left here, at this stdout offset. */
  checkpoint?: { offset: number; bytes: number };
  /** Bytes of input waiting because the child does not read. */
  inputQueued: number;
}

/** One rung: do `step`, wait at most `graceMs` for the end, go on to the next. The keeper climbs it alone. */
export interface StopRung {
  step: 'interrupt' | 'write' | 'eof' | 'sigint' | 'sigterm' | 'sigkill' | 'sighup';
  graceMs: number;
  /** For 'write': UTF-8 text written to stdin. */
  text?: string;
}

export type ToKeeper =
  | { t: 'hello'; protocol: number; version: string; role: 'daemon' | 'probe' }
  /** The daemon that starts a child is attached to it from 0. */
  | { t: 'spawn'; id: number; spec: ChildSpec }
  | { t: 'list'; id: number }
  /** Begin to send output from these offsets (clamped to what is kept). `checkpoint`: send that first. */
  | {
      t: 'attach';
      id: number;
      childId: ChildId;
      from: Partial<Record<StreamName, number>>;
      checkpoint?: boolean;
    }
  /** body: bytes for stdin. */
  | { t: 'write'; childId: ChildId }
  | { t: 'eof'; childId: ChildId }
  | { t: 'ack'; childId: ChildId; stream: StreamName; offset: number }
  | { t: 'resize'; childId: ChildId; cols: number; rows: number }
  | { t: 'signal'; childId: ChildId; signal: string }
  | { t: 'stop'; childId: ChildId; ladder: StopRung[] }
  /** body: the checkpoint. */
  | { t: 'checkpoint'; childId: ChildId; offset: number }
  /** Send nothing more of this child until the next attach. */
  | { t: 'detach'; childId: ChildId }
  /** Forget a child that has ended and was read. */
  | { t: 'release'; childId: ChildId }
  /** End the keeper once it holds nothing. `force`: stop all children first. */
  | { t: 'shutdown'; id: number; force: boolean };

export type FromKeeper =
  | { t: 'hello'; protocol: number; version: string; pid: number; startedAt: number }
  | { t: 'refused'; reason: string }
  | { t: 'ok'; id: number; child?: ChildState; children?: ChildState[] }
  | { t: 'error'; id: number; code: string; message: string; hint?: string; errno?: string }
  /** body: the checkpoint bytes. */
  | { t: 'checkpoint'; childId: ChildId; offset: number }
  /** body: output beginning at `offset`. */
  | { t: 'output'; childId: ChildId; stream: StreamName; offset: number }
  | { t: 'closed'; childId: ChildId; stream: StreamName; offset: number }
  /** After both streams were closed and read (or the drain time passed). */
  | { t: 'exit'; childId: ChildId; exitCode?: number; signal?: string }
  /** The child does not read its input: bytes waiting. 0 when it reads again. */
  | { t: 'input-blocked'; childId: ChildId; queued: number };
