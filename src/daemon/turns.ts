// Turns of a session: one in flight, later prompts queued visibly, sent at its end. Called by the request handlers, the
// event desk (end of a turn) and the run desk (start and end of a run).
import { AgentileError, messageOf } from '../base/errors.js';
import { newTurnId, type CommandId, type TurnId } from '../model/ids.js';
import type { Failure } from '../model/failure.js';
import type { StopReason, Turn } from '../model/session.js';
import { logOwnEvent, type DeskOptions, type PermissionDesk } from './permissions.js';
import { isLive, openTurn, type SessionState } from './session-state.js';

export interface TurnEnd {
  stopReason: StopReason;
  failure?: Failure;
}

export interface Submitted {
  turn: Turn;
  /** Terminal panes: the text and Enter were written; nobody knows what the program makes of it. */
  typed?: boolean;
}

export class TurnDesk {
  #options: DeskOptions;
  #permissions: PermissionDesk;

  constructor(options: DeskOptions, permissions: PermissionDesk) {
    this.#options = options;
    this.#permissions = permissions;
  }

  /** Sends the prompt, or queues it while a turn is open or the process is starting. Throws NOT_RUNNING. */
  async submit(state: SessionState, text: string, commandId?: CommandId): Promise<Submitted> {
    if (!isLive(state)) {
      throw new AgentileError('NOT_RUNNING', `"${state.session.name}" is not running.`, {
        hint: `agentile resume ${state.session.name}`,
      });
    }
    const turn = this.enqueue(state, text, commandId);
    const typing = this.next(state);
    if (state.kind !== 'terminal' || !typing) return { turn: this.#current(state, turn) };
    await typing;
    const typed = this.#current(state, turn);
    return { turn: typed, typed: typed.state === 'done' };
  }

  /** Puts a prompt at the end of the queue. */
  enqueue(state: SessionState, text: string, commandId?: CommandId): Turn {
    const turn: Turn = {
      id: newTurnId(),
      sessionId: state.session.id,
      ...(commandId ? { commandId } : {}),
      prompt: text,
      state: 'queued',
      createdAt: this.#options.clock.now(),
    };
    state.queue = [...state.queue, turn];
    this.#options.registry.saveTurn(turn);
    this.#options.registry.changed(state);
    return turn;
  }

  /** Begins the first queued turn when none is open; the promise is the controller's. */
  next(state: SessionState): Promise<void> | undefined {
    const { controller, run } = state;
    const [first, ...rest] = state.queue;
    if (!first || !controller || !run || run.status !== 'running' || openTurn(state)) return undefined;
    state.queue = rest;
    const turn: Turn = { ...first, state: 'running', runId: run.id, startedAt: this.#options.clock.now() };
    state.turn = turn;
    this.#options.registry.saveTurn(turn);
    logOwnEvent(this.#options, state, { type: 'turn.started', prompt: turn.prompt }, turn.id);
    // The prompt is in the log before the CLI gets it.
    this.#options.log.flush();
    this.#options.registry.changed(state);
    return controller.prompt(turn).catch((error: unknown) => {
      const failure: Failure = { kind: 'protocol', message: messageOf(error) };
      this.finish(state, { stopReason: 'error', failure });
    });
  }

  /** A turn that the provider began by itself. */
  adoptForeign(state: SessionState, turnId: TurnId | undefined, prompt: string): Turn {
    const now = this.#options.clock.now();
    const turn: Turn = {
      id: turnId ?? newTurnId(),
      sessionId: state.session.id,
      ...(state.run ? { runId: state.run.id } : {}),
      prompt,
      state: 'running',
      createdAt: now,
      startedAt: now,
    };
    state.turn = turn;
    this.#options.registry.saveTurn(turn);
    this.#options.registry.changed(state);
    return turn;
  }

  /** The open turn has ended; its event is logged already. */
  ended(state: SessionState, end: TurnEnd): void {
    const turn = openTurn(state);
    if (!turn) return;
    const done: Turn = { ...turn, ...end, state: endState(end), endedAt: this.#options.clock.now() };
    state.turn = done;
    if (state.kind !== 'terminal') state.seen = false;
    if (done.state === 'done' && state.doubtfulNativeId) trust(state);
    this.#options.registry.saveTurn(done);
    this.#permissions.cancelAll(state, 'cancel');
    this.#options.registry.changed(state);
    // After a failure the queue waits for the person: the next prompt would most likely fail alike.
    if (done.state !== 'failed') void this.next(state);
  }

  /** Ends the open turn on our side: logs the end, then as `ended`. */
  finish(state: SessionState, end: TurnEnd): void {
    const turn = openTurn(state);
    if (!turn) return;
    logOwnEvent(this.#options, state, { type: 'turn.done', ...end }, turn.id);
    this.ended(state, end);
  }

  /** Changes a queued prompt, or withdraws it (null). Throws NOT_RUNNING when it was sent already. */
  edit(state: SessionState, turnId: TurnId, text: string | null): Turn | undefined {
    const queued = state.queue.find((turn) => turn.id === turnId);
    if (!queued) throw new AgentileError('NOT_RUNNING', 'That prompt is not queued any more.');
    if (text === null) {
      state.queue = state.queue.filter((turn) => turn !== queued);
      this.#options.registry.saveTurn({ ...queued, state: 'cancelled', endedAt: this.#options.clock.now() });
      this.#options.registry.changed(state);
      return undefined;
    }
    const edited: Turn = { ...queued, prompt: text };
    state.queue = state.queue.map((turn) => (turn === queued ? edited : turn));
    this.#options.registry.saveTurn(edited);
    this.#options.registry.changed(state);
    return edited;
  }

  /** Interrupts the open turn and keeps the process; open requests are answered "cancelled" first. */
  async cancel(state: SessionState): Promise<void> {
    if (!state.controller || !isLive(state)) {
      throw new AgentileError('NOT_RUNNING', `"${state.session.name}" is not running.`);
    }
    this.#permissions.cancelAll(state, 'cancel');
    await state.controller.cancel();
  }

  #current(state: SessionState, turn: Turn): Turn {
    if (state.turn?.id === turn.id) return state.turn;
    return state.queue.find((queued) => queued.id === turn.id) ?? turn;
  }
}

function endState(end: TurnEnd): 'done' | 'cancelled' | 'failed' {
  if (end.stopReason === 'cancelled') return 'cancelled';
  return end.failure || end.stopReason === 'error' ? 'failed' : 'done';
}

/** A turn went well under an id that was refused once: it is good after all. */
function trust(state: SessionState): void {
  const id = state.doubtfulNativeId!;
  delete state.doubtfulNativeId;
  const dead = (state.session.deadNativeIds ?? []).filter((other) => other !== id);
  state.session = { ...state.session, nativeId: id, deadNativeIds: dead };
}
