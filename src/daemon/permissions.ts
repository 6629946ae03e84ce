// Open permissions and questions of a session: asked, answered once, never by time. Called by the event desk (asked), the
// request handlers (the person) and the turn desk (cancel). An unanswered request is never a yes.
import type { Clock } from '../base/clock.js';
import { AgentileError } from '../base/errors.js';
import type { AgentEventBody } from '../model/event.js';
import type { PermissionId, TurnId } from '../model/ids.js';
import type { AnswerSource, PermissionAnswer, PermissionRequest } from '../model/permission.js';
import type { EventLog } from './event-log.js';
import { policyAnswer } from './policy.js';
import type { Registry } from './registry.js';
import type { SessionState } from './session-state.js';

export interface DeskOptions {
  log: EventLog;
  registry: Registry;
  clock: Clock;
}

/** Logs an event of our own making for the session's latest run. */
export function logOwnEvent(
  options: Pick<DeskOptions, 'log' | 'clock'>,
  state: SessionState,
  body: AgentEventBody,
  turnId?: TurnId,
): void {
  const { run, session } = state;
  if (!run) return;
  const stamp = {
    sessionId: session.id,
    runId: run.id,
    at: options.clock.now(),
    ...(turnId ? { turnId } : {}),
  };
  options.log.appendEvent({ event: { ...body, ...stamp }, attempt: run.attempt });
}

export class PermissionDesk {
  #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Opens a request (its event is logged already) and answers it at once when the session's policy says how. */
  asked(state: SessionState, request: PermissionRequest): void {
    state.requests.set(request.id, request);
    this.#options.registry.changed(state);
    const answer = policyAnswer(state.session.launch.policy ?? 'ask', request);
    if (answer) this.answer(state, request.id, answer, 'policy');
  }

  /** Throws NOT_RUNNING when the request is not open: it was answered, or its process has ended. */
  answer(state: SessionState, id: PermissionId, answer: PermissionAnswer, source: AnswerSource): void {
    const request = state.requests.get(id);
    if (!request) throw new AgentileError('NOT_RUNNING', 'That request is not open any more.');
    checkAnswer(request, answer);
    state.requests.delete(id);
    const body: AgentEventBody = { type: 'permission.answered', permissionId: id, answer, source };
    logOwnEvent(this.#options, state, body, request.turnId);
    // The answer is in the log before the agent acts on it.
    this.#options.log.flush();
    state.controller?.answer(id, answer);
    this.#options.registry.changed(state);
  }

  /** Answers what is open again after the policy was changed. */
  policyChanged(state: SessionState): void {
    for (const request of [...state.requests.values()]) this.asked(state, request);
  }

  /** The turn or the process is over: no answer will come. */
  cancelAll(state: SessionState, source: 'cancel' | 'exit'): void {
    for (const id of [...state.requests.keys()]) this.answer(state, id, { outcome: 'cancelled' }, source);
  }

  /** The controller says itself that a request was answered; false when we know that already. */
  answeredElsewhere(state: SessionState, id: PermissionId): boolean {
    return state.requests.delete(id);
  }
}

function checkAnswer(request: PermissionRequest, answer: PermissionAnswer): void {
  if (answer.outcome !== 'selected') return;
  if (request.options.some((option) => option.optionId === answer.optionId)) return;
  throw new AgentileError('USAGE', `"${answer.optionId}" is not one of the choices.`, {
    hint: `Choose one of: ${request.options.map((option) => option.optionId).join(', ')}.`,
  });
}
