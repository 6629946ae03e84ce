// The signals ladder: which signals about a run are taken, and what they change. Pure. Called by the run desk for every
// source (hook, wrapper, protocol, manual). A quiet pane is no signal.
import type { Run } from '../model/session.js';
import type { Confidence, RunSignal, SignalSource } from '../model/signal.js';
import type { StatusInput } from '../model/status.js';

/** What was taken of one run so far. */
export interface TakenSignals {
  /** One-shot kinds that were taken. */
  once: Set<RunSignal['type']>;
  /** The highest progress number of each source: each counts for itself. */
  progress: Map<SignalSource, number>;
}

export function noSignals(): TakenSignals {
  return { once: new Set(), progress: new Map() };
}

export type Admission = { admitted: true } | { admitted: false; reason: string };

/**
 * Takes a signal or says why not, and remembers it. The attempt must be the run's own; started, finished, completed and
 * failed count once a run (the user's own mark may be made again and overrides); progress must rise.
 */
export function admit(run: Run | undefined, taken: TakenSignals, signal: RunSignal): Admission {
  if (!run || run.id !== signal.runId) return refuse('it speaks of another run');
  if (run.attempt !== signal.attempt)
    return refuse(`it speaks of attempt ${signal.attempt}, this is ${run.attempt}`);
  switch (signal.type) {
    case 'state':
      return isOver(run) ? refuse('the run has ended') : { admitted: true };
    case 'progress': {
      if (isOver(run)) return refuse('the run has ended');
      const last = taken.progress.get(signal.source) ?? -1;
      if (signal.seq <= last) return refuse(`progress ${signal.seq} comes after ${last}`);
      taken.progress.set(signal.source, signal.seq);
      return { admitted: true };
    }
    default: {
      const overrides = signal.type === 'completed' && signal.source === 'manual';
      if (taken.once.has(signal.type) && !overrides) return refuse(`"${signal.type}" was told before`);
      taken.once.add(signal.type);
      return { admitted: true };
    }
  }
}

/** The run after an admitted signal. How a run ended is told by its controller (`endRun`), never by a hook. */
export function reduceRun(run: Run, signal: RunSignal): Run {
  switch (signal.type) {
    case 'started':
      return {
        ...run,
        status: run.status === 'starting' ? 'running' : run.status,
        ...(signal.pid === undefined ? {} : { pid: signal.pid }),
      };
    case 'finished':
      return {
        ...run,
        endedAt: run.endedAt ?? signal.at,
        ...(signal.exitCode === undefined ? {} : { exitCode: signal.exitCode }),
        ...(signal.exitSignal === undefined ? {} : { exitSignal: signal.exitSignal }),
      };
    case 'completed':
    case 'failed':
    case 'progress':
    case 'state':
      return run;
  }
}

export type ProgramState = StatusInput['programState'];

/** What an admitted signal says of a program with a screen of its own; null: nothing. */
export function programStateAfter(signal: RunSignal): { state: ProgramState } | null {
  switch (signal.type) {
    case 'state':
      return { state: signal.state === 'clear' ? undefined : signal.state };
    case 'completed':
      return signal.source === 'manual' ? null : { state: 'done' };
    case 'failed':
      return { state: 'error' };
    case 'progress':
      return { state: 'working' };
    case 'started':
    case 'finished':
      return null;
  }
}

/** How sure it is that the task is done, when the signal says that it is. */
export function taskDoneAfter(signal: RunSignal): Confidence | undefined {
  if (signal.type !== 'completed' || signal.result.kind !== 'success') return undefined;
  return signal.confidence ?? (signal.source === 'manual' ? 'certain' : 'likely');
}

export function isOver(run: Run): boolean {
  return run.status !== 'starting' && run.status !== 'running';
}

function refuse(reason: string): Admission {
  return { admitted: false, reason };
}
