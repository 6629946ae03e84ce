// The book of sessions: finding, naming, numbering, saving. Called by the desks and the request handlers. It starts and
// stops nothing.
import type { Clock } from '../base/clock.js';
import { AgentileError } from '../base/errors.js';
import { newSessionId, type RunId, type SessionId } from '../model/ids.js';
import type { Provider } from '../model/provider.js';
import type { Turn } from '../model/session.js';
import type { NewSessionParams, SessionRef } from '../wire/messages.js';
import type { Changes } from './changes.js';
import type { EventLog } from './event-log.js';
import { SAVE_RUN, SAVE_SESSION, SAVE_TURN, type SavedSession } from './log-names.js';
import { isLive, newSessionState, toSaved, updateStatus, type SessionState } from './session-state.js';

/** Sessions with a process at the same time, where the settings say nothing; more is a fault or an agent gone wild. */
const LIVE_SESSIONS_MAX = 64;

/** The part of the catalogue the daemon needs to know sessions. */
export interface ProviderSource {
  get(id: string): Provider | undefined;
}

export interface RegistryOptions {
  log: EventLog;
  changes: Changes;
  clock: Clock;
  providers: ProviderSource;
  /** Hard cap on sessions with a process. */
  liveMax?: number;
}

export class Registry {
  readonly #options: RegistryOptions;
  #sessions = new Map<SessionId, SessionState>();
  /** What was saved last of each session, to save only what changed. */
  #saved = new Map<SessionId, string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** By number. */
  all(): SessionState[] {
    return [...this.#sessions.values()].sort((a, b) => a.number - b.number);
  }

  get(id: SessionId): SessionState | undefined {
    return this.#sessions.get(id);
  }

  byRun(runId: RunId): SessionState | undefined {
    return this.all().find((state) => state.run?.id === runId);
  }

  /** A session by id, number or name. Throws SESSION_NOT_FOUND. */
  find(ref: SessionRef): SessionState {
    const byId = this.#sessions.get(ref as SessionId);
    const found =
      byId ?? this.all().find((state) => state.session.name === ref || String(state.number) === ref);
    if (found) return found;
    const names = this.all().map((state) => state.session.name);
    throw new AgentileError('SESSION_NOT_FOUND', `There is no session "${ref}".`, {
      hint: names.length > 0 ? `There are: ${names.join(', ')}.` : 'agentile new <provider> starts one.',
    });
  }

  liveCount(): number {
    return this.all().filter(isLive).length;
  }

  /** Throws LIMIT_REACHED when one more process would be too many. */
  checkLimit(): void {
    const { liveMax = LIVE_SESSIONS_MAX } = this.#options;
    if (this.liveCount() < liveMax) return;
    throw new AgentileError('LIMIT_REACHED', `${liveMax} sessions are running; that is the limit.`, {
      hint: 'Stop one first: agentile ls, agentile stop <session>.',
    });
  }

  create(params: NewSessionParams, provider: Provider): SessionState {
    const { clock } = this.#options;
    const name = params.name === undefined ? this.#freeName(params, provider) : this.#checkName(params.name);
    return this.add({
      session: {
        id: newSessionId(),
        name,
        providerId: provider.id,
        cwd: params.cwd,
        ...(params.task === undefined ? {} : { task: params.task }),
        launch: params.launch ?? {},
        ...(params.parent === undefined ? {} : { parent: params.parent }),
        createdAt: clock.now(),
      },
      number: this.#freeNumber(),
      seen: true,
    });
  }

  /** Takes a session as it was saved, or a new one. */
  add(saved: SavedSession): SessionState {
    const { clock, providers } = this.#options;
    const state = newSessionState(saved, providers.get(saved.session.providerId), clock.now());
    this.#sessions.set(saved.session.id, state);
    this.changed(state);
    return state;
  }

  rename(state: SessionState, name: string): void {
    if (name !== state.session.name) {
      state.session = { ...state.session, name: this.#checkName(name) };
      this.changed(state);
    }
  }

  /** Ends the session's life: it stays in the log and in no list. */
  close(state: SessionState): void {
    state.session = { ...state.session, closedAt: this.#options.clock.now() };
    this.#save(state);
    this.#sessions.delete(state.session.id);
    this.#saved.delete(state.session.id);
    this.#options.changes.gone(state.session.id);
  }

  /** Must be called after every change of a session: derives the status, saves what is to be kept, tells the clients. */
  changed(state: SessionState): void {
    if (!this.#sessions.has(state.session.id)) return;
    updateStatus(state, this.#options.clock.now());
    this.#save(state);
    this.#options.changes.touch(state.session.id);
  }

  saveRun(state: SessionState): void {
    const { run } = state;
    if (!run) return;
    this.#options.log.append({
      sessionId: run.sessionId,
      runId: run.id,
      attempt: run.attempt,
      body: { kind: 'command', name: SAVE_RUN, body: run },
    });
  }

  saveTurn(turn: Turn): void {
    const { sessionId } = turn;
    this.#options.log.append({ sessionId, body: { kind: 'command', name: SAVE_TURN, body: { ...turn } } });
  }

  /** Saves everything anew: the log's file was replaced. */
  saveAll(): void {
    this.#saved.clear();
    for (const state of this.all()) {
      this.#save(state);
      this.saveRun(state);
      if (state.turn) this.saveTurn(state.turn);
      for (const turn of state.queue) this.saveTurn(turn);
    }
  }

  #save(state: SessionState): void {
    const saved = toSaved(state);
    const text = JSON.stringify(saved);
    const { id } = state.session;
    if (this.#saved.get(id) === text) return;
    this.#saved.set(id, text);
    this.#options.log.append({ sessionId: id, body: { kind: 'command', name: SAVE_SESSION, body: saved } });
  }

  #freeNumber(): number {
    const taken = new Set(this.all().map((state) => state.number));
    let number = 1;
    while (taken.has(number)) number++;
    return number;
  }

  #freeName(params: NewSessionParams, provider: Provider): string {
    const words = params.task ?? params.launch?.command?.[0]?.split('/').at(-1) ?? provider.id;
    const slug = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, 24);
    const base = /^\d*$/.test(slug) ? provider.id : slug;
    let name = base;
    for (let n = 2; this.#isTaken(name); n++) name = `${base}-${n}`;
    return name;
  }

  /** What characters a name may have was checked with the request; a number would be taken for one. */
  #checkName(name: string): string {
    if (/^\d+$/.test(name)) {
      throw new AgentileError('USAGE', `"${name}" is a number and cannot be the name of a session.`, {
        hint: 'Put a letter into it.',
      });
    }
    if (this.#isTaken(name)) {
      throw new AgentileError('USAGE', `Another session has the name "${name}".`, {
        hint: 'Choose another name.',
      });
    }
    return name;
  }

  #isTaken(name: string): boolean {
    return this.all().some((state) => state.session.name === name);
  }
}
