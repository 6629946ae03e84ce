// How the end of a structured CLI's process is told: the run's status and, where it failed, the cause. Used by the
// persistent and the subprocess controller; pure. The exit code alone is never the outcome: a turn that ended well stays so.
import type { ChildExit } from '../keeper/child-handle.js';
import type { Failure } from '../model/failure.js';
import { classifyFailure } from '../model/failure-classify.js';
import type { RunEnd } from './controller.js';

export interface ExitFacts {
  exit: ChildExit;
  /** We climbed the stop ladder. */
  stopped: boolean;
  /** A turn was open when the process ended: its failure is the run's. */
  turnFailure?: Failure;
  hadTurnOpen: boolean;
  hadOutput: boolean;
  stderrTail: string[];
}

export function runEndOf(facts: ExitFacts): RunEnd {
  const { exitCode, signal } = facts.exit;
  const info = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (facts.stopped) return { ...info, status: 'stopped' };
  const failure = failureOf(facts);
  return failure ? { ...info, status: 'failed', failure } : { ...info, status: 'exited' };
}

function failureOf(facts: ExitFacts): Failure | undefined {
  if (facts.turnFailure) return facts.turnFailure;
  const { exit, stderrTail, hadOutput } = facts;
  if (!facts.hadTurnOpen && exit.exitCode === 0 && exit.signal === undefined) return undefined;
  return classifyFailure({ ...exit, stderrTail, hadOutput });
}
