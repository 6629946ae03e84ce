// Why a session has the status it has, in sentences, with what the log knows of it. Reads only. Called for `explain`.
import { STATUS_TABLE } from '../model/status.js';
import type { SessionExplanation } from '../wire/messages.js';
import type { EventLog } from './event-log.js';
import { screenFace, type SessionState } from './session-state.js';

const SIGNALS_MAX = 20;
const SIDE_LINES_MAX = 40;
const SIGNAL_TYPES = ['started', 'finished', 'completed', 'failed', 'progress', 'state'];

/** What a controller may know beyond its events: lines of stdout that were no frames. */
export interface SideLines {
  readonly sideLines?: readonly string[];
}

export function explainSession(state: SessionState, log: EventLog): SessionExplanation {
  const { sideLines = [] } = (state.controller ?? {}) as SideLines;
  const failure = state.turn?.failure ?? state.run?.failure;
  return {
    status: state.status,
    because: [...because(state)],
    ...(failure ? { failure } : {}),
    stderrTail: failure?.stderrTail ?? [],
    sideLog: sideLines.slice(-SIDE_LINES_MAX),
    ...(state.argv ? { argv: state.argv } : {}),
    cwd: state.session.cwd,
    signals: log
      .readTypes(state.session.id, SIGNAL_TYPES, SIGNALS_MAX)
      .filter((record) => record.body.kind === 'signal'),
    unknownFrames: state.unknownFrames,
  };
}

function* because(state: SessionState): Generator<string> {
  const { run, turn } = state;
  yield `The status is "${STATUS_TABLE[state.status].label}" since ${time(state.statusSince)}.`;
  if (!run) {
    yield 'It was never started.';
    return;
  }
  yield `Run ${run.attempt} is ${run.status}${run.pid ? ` (pid ${run.pid})` : ''}; it began at ${time(run.startedAt)}${run.endedAt ? ` and ended at ${time(run.endedAt)}` : ''}.`;
  if (run.exitCode !== undefined) yield `Its exit code was ${run.exitCode}.`;
  if (run.exitSignal !== undefined) yield `It was ended by ${run.exitSignal}.`;
  if (run.failure) yield `Cause: ${run.failure.message}`;
  if (turn && state.kind !== 'terminal') {
    yield `The last turn is ${turn.state}${turn.stopReason ? ` (${turn.stopReason})` : ''}.`;
    if (turn.failure) yield `Its cause: ${turn.failure.message}`;
  }
  if (state.queue.length > 0) yield `${state.queue.length} prompt(s) wait in the queue.`;
  for (const request of state.requests.values()) yield `It waits for your answer: ${request.title}.`;
  if (state.kind === 'terminal') {
    yield state.programState
      ? `The program itself says "${state.programState}".`
      : 'The program gives no signal, and a quiet screen is not read as one.';
  }
  if (state.inputBlocked) yield `The program does not read its input: ${state.inputBlocked} bytes wait.`;
  const fault = screenFace(state.controller)?.screen.fault;
  if (fault) yield fault;
  if (state.lastOutputAt) yield `Its last output came at ${time(state.lastOutputAt)}.`;
  if (state.session.deadNativeIds?.length)
    yield `Ids that the provider refused: ${state.session.deadNativeIds.join(', ')}.`;
}

function time(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').slice(0, 19);
}
