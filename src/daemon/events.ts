// Every event of every controller passes here: it is logged, then applied to the session. What would say something twice
// (a second end of a turn, an answer we gave ourselves) is left out. Called by the run desk.
import type { Log } from '../base/log.js';
import type { MarkedEvent } from '../controllers/controller.js';
import type { AgentEvent } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { Run } from '../model/session.js';
import type { DeskOptions, PermissionDesk } from './permissions.js';
import { openTurn, type SessionState } from './session-state.js';
import type { TurnDesk } from './turns.js';
import { addUsage } from './usage-sum.js';

export class EventDesk {
  #options: DeskOptions;
  #turns: TurnDesk;
  #permissions: PermissionDesk;
  #diagnostics: Log;

  constructor(options: DeskOptions & { turns: TurnDesk; permissions: PermissionDesk; diagnostics: Log }) {
    this.#options = options;
    this.#turns = options.turns;
    this.#permissions = options.permissions;
    this.#diagnostics = options.diagnostics;
  }

  take(state: SessionState, run: Run, { event, mark }: MarkedEvent): void {
    state.lastOutputAt = event.at;
    const kept = this.#withTurn(state, event);
    if (!kept) {
      this.#diagnostics.debug('event left out', { type: event.type, runId: run.id });
      return;
    }
    this.#options.log.appendEvent({ event: kept, attempt: run.attempt, ...(mark ? { mark } : {}) });
    this.#apply(state, kept);
  }

  /** The event with the turn it belongs to, or null when it says what is known already. */
  #withTurn(state: SessionState, event: AgentEvent): AgentEvent | null {
    const open = openTurn(state);
    switch (event.type) {
      case 'turn.started':
        if (open && (event.turnId === undefined || event.turnId === open.id)) return null;
        if (open) this.#turns.finish(state, { stopReason: 'unknown' });
        return { ...event, turnId: this.#turns.adoptForeign(state, event.turnId, event.prompt ?? '').id };
      case 'turn.done':
        if (!open || (event.turnId !== undefined && event.turnId !== open.id)) return null;
        return { ...event, turnId: open.id };
      case 'permission.answered':
        return this.#permissions.answeredElsewhere(state, event.permissionId) ? event : null;
      case 'permission.asked':
        return state.requests.has(event.request.id) ? null : this.#inTurn(event, open?.id);
      default:
        return this.#inTurn(event, open?.id);
    }
  }

  #inTurn(event: AgentEvent, openId: AgentEvent['turnId']): AgentEvent {
    return event.turnId === undefined && openId !== undefined ? { ...event, turnId: openId } : event;
  }

  #apply(state: SessionState, event: AgentEvent): void {
    switch (event.type) {
      case 'session.opened':
        if (event.nativeId !== undefined) setNativeId(state, event.nativeId);
        takeFields(state, event);
        if (event.slashCommands) state.slashCommands = event.slashCommands.map((name) => ({ name }));
        break;
      case 'session.updated':
        takeFields(state, event);
        if (event.title !== undefined) state.session = { ...state.session, title: event.title };
        if (event.slashCommands) state.slashCommands = event.slashCommands;
        if (event.options) state.options = event.options;
        break;
      case 'permission.asked':
        this.#permissions.asked(state, event.request);
        return;
      case 'usage':
        state.usage = addUsage(state.usage, event.usage);
        if (event.usage.scope === 'session') state.reportedUsage = event.usage;
        break;
      case 'turn.done': {
        const { stopReason, failure } = event;
        if (failure) buryNativeId(state, failure);
        this.#turns.ended(state, { stopReason, ...(failure ? { failure } : {}) });
        return;
      }
      case 'failed':
        buryNativeId(state, event.failure);
        if (state.run) state.run = { ...state.run, failure: event.failure };
        break;
      case 'unknown':
        state.unknownFrames += 1;
        return;
      case 'permission.answered':
      case 'turn.started':
        break;
      default:
        // Text, tools, plans and notices change the transcript only.
        return;
    }
    this.#options.registry.changed(state);
  }
}

function takeFields(state: SessionState, event: { model?: string; mode?: string }): void {
  if (event.model !== undefined) state.model = event.model;
  if (event.mode !== undefined) state.mode = event.mode;
}

/** An id that was refused before is told again by the CLI that refused it: believe it once a turn went well (A16). */
function setNativeId(state: SessionState, nativeId: string): void {
  if (state.session.deadNativeIds?.includes(nativeId)) {
    state.doubtfulNativeId = nativeId;
    return;
  }
  state.session = { ...state.session, nativeId };
}

/** The provider refused the id: it is dead, kept in the history, and never tried again (A16). */
export function buryNativeId(state: SessionState, failure: Failure): void {
  const dead = failure.deadNativeId;
  if (dead === undefined) return;
  const { nativeId, ...session } = state.session;
  const deadNativeIds = [...new Set([...(session.deadNativeIds ?? []), dead])];
  state.session =
    nativeId === undefined || nativeId === dead
      ? { ...session, deadNativeIds }
      : { ...session, nativeId, deadNativeIds };
}
