// Signals about a run, whatever their source: hook, wrapper, protocol or the user's own mark.
import type { RunId } from './ids.js';

export type SignalSource = 'hook' | 'wrapper' | 'protocol' | 'manual';
export type TaskResult = { kind: 'success' } | { kind: 'partial'; reason: string } | { kind: 'rejected' };
export type Confidence = 'certain' | 'likely' | 'unsure';

export interface SignalStamp {
  runId: RunId;
  attempt: number;
  source: SignalSource;
  at: number;
}

export type RunSignalBody =
  | { type: 'started'; pid?: number }
  | { type: 'finished'; exitCode?: number; exitSignal?: string }
  | { type: 'completed'; result: TaskResult; confidence?: Confidence }
  | { type: 'failed'; error: string }
  | { type: 'progress'; seq: number; message: string; percent?: number }
  /** What a terminal program says of itself (OSC 7501): the only status source of a terminal pane. */
  | {
      type: 'state';
      state: 'idle' | 'working' | 'done' | 'blocked' | 'error' | 'clear';
      kind?: string;
      message?: string;
    };

export type RunSignal = RunSignalBody & SignalStamp;
