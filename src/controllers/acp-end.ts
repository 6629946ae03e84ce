// How an ACP agent's process is ended, and how its end is told. Pure; used by the acp controller only.
import type { ChildExit } from '../keeper/child-handle.js';
import type { Failure } from '../model/failure.js';
import { failureFromExit } from '../translators/acp-failure.js';
import type { StopRung } from '../keeper/protocol.js';
import { FailureError, type RunEnd } from './controller.js';

/** EOF is the polite end for most agents; some ignore it, some ignore SIGTERM (facts: cli-acp §2.7). */
export const STOP_LADDER: readonly StopRung[] = [
  { step: 'eof', graceMs: 2000 },
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 1000 },
];
export const IMPATIENT_LADDER: readonly StopRung[] = [
  { step: 'eof', graceMs: 2000 },
  { step: 'sigterm', graceMs: 500 },
  { step: 'sigkill', graceMs: 1000 },
];
export const KILL_LADDER: readonly StopRung[] = [{ step: 'sigkill', graceMs: 1000 }];

export interface AgentEnd {
  /** We climbed the stop ladder. */
  stopping: boolean;
  turnOpen: boolean;
  /** The session was open; before that an end is always a failure. */
  opened: boolean;
  /** Why the session could not be opened: the cause, where the end of the process is our doing. */
  openingFailure: Failure | undefined;
  stderrTail: string[];
}

export function acpRunEnd(exit: ChildExit, end: AgentEnd): RunEnd {
  const { stopping, turnOpen, opened, openingFailure, stderrTail } = end;
  if (stopping) return { ...exit, status: 'stopped' };
  if (openingFailure) return { ...exit, status: 'failed', failure: openingFailure };
  if (exit.exitCode === 0 && !turnOpen && opened) return { ...exit, status: 'exited' };
  const failure = failureFromExit({ ...exit, stopped: false, stderrTail });
  if (!turnOpen || !opened) {
    const last = stderrTail.at(-1);
    failure.message = `The agent ended ${opened ? 'by itself' : 'before its session was open'}${last ? `: ${last}` : '.'}`;
  }
  return { ...exit, status: 'failed', failure };
}

/** The daemon before us ended while it opened the session: nobody knows what the agent was asked. */
export function notOpenYet(): FailureError {
  return new FailureError({
    kind: 'protocol',
    message: 'The agent was still starting when the daemon ended; its session cannot be taken over.',
    hint: 'Restart it.',
  });
}

/** The daemon ended between writing the turn to the log and the prompt to the agent. */
export const NEVER_SENT: Failure = {
  kind: 'protocol',
  message: 'The prompt was not sent: the daemon ended just before.',
  hint: 'Send it again.',
};
