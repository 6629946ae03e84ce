// What the requests about sessions do. Called through the request table; parameters are checked before.
import { statSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import { AgentileError } from '../base/errors.js';
import type { CommandId } from '../model/ids.js';
import type { Provider } from '../model/provider.js';
import type { NewSessionParams, Requests, SessionView } from '../wire/messages.js';
import { callingAgent } from './caller-guard.js';
import type { Caller } from './client-link.js';
import type { EventLog } from './event-log.js';
import { explainSession } from './explain.js';
import type { PermissionDesk } from './permissions.js';
import type { Registry } from './registry.js';
import type { RunDesk } from './runs.js';
import { isLive, screenFace, toView, type SessionState } from './session-state.js';
import type { TurnDesk } from './turns.js';
import type { Workspace } from './workspace.js';

/** A new session's reply waits so long for the process, so that a program that is not there is told at once. */
const START_NEWS_MS = 250;
const RECORDS_DEFAULT = 500;
/** More is asked for page by page (`more`). */
const RECORDS_MAX = 5000;

export interface SessionRequestOptions {
  clock: Clock;
  log: EventLog;
  registry: Registry;
  runs: RunDesk;
  turns: TurnDesk;
  permissions: PermissionDesk;
  workspace: Workspace;
  /** Id or alias; undefined: the user's shell. Throws PROVIDER_NOT_FOUND. */
  requireProvider(id: string | undefined): Provider;
}

type Params<M extends keyof Requests> = Requests[M]['params'];

export class SessionRequests {
  #o: SessionRequestOptions;

  constructor(options: SessionRequestOptions) {
    this.#o = options;
  }

  async create(params: NewSessionParams, caller: Caller): Promise<Requests['session/new']['result']> {
    const { registry, runs, turns, workspace } = this.#o;
    const provider = this.#o.requireProvider(params.providerId);
    checkFolder(params.cwd);
    registry.checkLimit();
    const parent = callingAgent(registry, caller)?.session.id ?? params.parent;
    if (parent !== undefined && registry.get(parent)?.session.parent !== undefined) {
      throw new AgentileError(
        'NOT_SUPPORTED',
        'A session that was started by another cannot start sessions.',
      );
    }
    const state = registry.create({ ...params, ...(parent === undefined ? {} : { parent }) }, provider);
    const paneId = params.open === false ? undefined : workspace.open(state.session.id, params.place);
    if (params.prompt !== undefined) turns.enqueue(state, params.prompt);
    const started = runs.start(state, { resume: false });
    await this.#orAfter(START_NEWS_MS, started);
    return { session: toView(state), ...(paneId === undefined ? {} : { paneId }) };
  }

  async prompt({ session, text }: Params<'session/prompt'>, commandId?: CommandId) {
    return this.#o.turns.submit(this.#find(session), text, commandId);
  }

  queueEdit({ session, turnId, text }: Params<'session/queue-edit'>) {
    const turn = this.#o.turns.edit(this.#find(session), turnId, text);
    return turn ? { turn } : {};
  }

  async cancel({ session }: Params<'session/cancel'>): Promise<object> {
    await this.#o.turns.cancel(this.#find(session));
    return {};
  }

  async stop({ session }: Params<'session/stop'>): Promise<SessionView> {
    const state = this.#find(session);
    await this.#o.runs.stop(state);
    return toView(state);
  }

  async resume({ session, fresh, fork }: Params<'session/resume'>): Promise<SessionView> {
    const state = this.#find(session);
    const { name, nativeId } = state.session;
    const hasMemory = state.kind === 'terminal' || state.turn === undefined || nativeId !== undefined;
    if (!fresh && !hasMemory) {
      throw new AgentileError(
        'NOT_SUPPORTED',
        `The provider's own id of "${name}" is not known; it cannot be resumed.`,
        {
          hint: `Begin anew under the same transcript: agentile resume ${name} --fresh`,
        },
      );
    }
    const started = this.#o.runs.start(state, { resume: !fresh, ...(fork ? { fork } : {}) });
    await this.#orAfter(START_NEWS_MS, started);
    return toView(state);
  }

  async restart({ session }: Params<'session/restart'>): Promise<SessionView> {
    const state = this.#find(session);
    await this.#o.runs.stop(state);
    await this.#orAfter(START_NEWS_MS, this.#o.runs.start(state, { resume: true }));
    return toView(state);
  }

  close({ session, force }: Params<'session/close'>): object {
    const { registry, runs, workspace } = this.#o;
    const state = this.#find(session);
    const live = isLive(state);
    if (live && !force) {
      throw new AgentileError('ALREADY_RUNNING', `"${state.session.name}" is running.`, {
        hint: 'Stop it first, or close it with --force.',
      });
    }
    const letGo = () => runs.letGo(state);
    // The ladder is climbed in the keeper, so the pane need not wait for its end.
    if (live) void runs.stop(state).then(letGo, letGo);
    else letGo();
    workspace.closeSession(state.session.id);
    registry.close(state);
    return {};
  }

  rename({ session, name }: Params<'session/rename'>): SessionView {
    const state = this.#find(session);
    this.#o.registry.rename(state, name);
    return toView(state);
  }

  answer({ session, permissionId, answer }: Params<'session/answer'>): object {
    this.#o.permissions.answer(this.#find(session), permissionId, answer, 'user');
    return {};
  }

  policy({ session, policy }: Params<'session/policy'>): SessionView {
    const state = this.#find(session);
    state.session = { ...state.session, launch: { ...state.session.launch, policy } };
    this.#o.registry.changed(state);
    this.#o.permissions.policyChanged(state);
    return toView(state);
  }

  /** Changes what the next start uses, and the running process where it can. */
  async configure({ session, option, ...change }: Params<'session/configure'>): Promise<SessionView> {
    const state = this.#find(session);
    state.session = { ...state.session, launch: { ...state.session.launch, ...change } };
    this.#o.registry.changed(state);
    if (isLive(state) && state.controller?.configure) {
      await state.controller.configure({ ...change, ...(option ? { option } : {}) });
    }
    return toView(state);
  }

  mark({ session, confidence }: Params<'session/mark'>): SessionView {
    const state = this.#find(session);
    const body = { type: 'completed' as const, result: { kind: 'success' as const }, confidence };
    if (!this.#o.runs.signalOwn(state, body, 'manual')) {
      state.taskDone = confidence;
      this.#o.registry.changed(state);
    }
    return toView(state);
  }

  seen({ session }: Params<'session/seen'>): object {
    const state = this.#find(session);
    if (!state.seen) {
      state.seen = true;
      this.#o.registry.changed(state);
    }
    return {};
  }

  explain({ session }: Params<'session/explain'>) {
    return explainSession(this.#find(session), this.#o.log);
  }

  async stopAll(): Promise<object> {
    await Promise.all(this.#o.registry.all().map((state) => this.#o.runs.stop(state)));
    return {};
  }

  /** Everything that is not running and can be resumed by its id or begun without loss. */
  resumeAll(): object {
    for (const state of this.#o.registry.all()) {
      const { run, session } = state;
      const hasMemory = state.kind === 'terminal' || session.nativeId !== undefined || !state.turn;
      if (isLive(state) || !state.provider || !hasMemory || run?.status === 'exited') continue;
      void this.#o.runs.start(state, { resume: true });
    }
    return {};
  }

  screen({ session, lines }: Params<'session/screen'>) {
    const state = this.#find(session);
    const screen = screenFace(state.controller)?.screen;
    if (!screen) {
      throw new AgentileError('NOT_SUPPORTED', `"${state.session.name}" has no screen to read.`, {
        hint: 'A structured session is read with: agentile read <session>. A lost one has no screen any more.',
      });
    }
    const { rows, cols, historyLines } = screen;
    const { altScreen } = screen.modes;
    return { lines: screen.text(lines ?? 0), rows, cols, historyLines, altScreen };
  }

  records({ session, after, limit }: Params<'session/records'>) {
    const state = this.#find(session);
    const wanted = Math.min(limit ?? RECORDS_DEFAULT, RECORDS_MAX);
    const records = this.#o.log.read(state.session.id, after ?? 0, wanted + 1);
    return { records: records.slice(0, wanted), more: records.length > wanted };
  }

  view({ session }: Params<'session/get'>): SessionView {
    return toView(this.#find(session));
  }

  #find(ref: string): SessionState {
    return this.#o.registry.find(ref);
  }

  #orAfter(ms: number, promise: Promise<unknown>): Promise<unknown> {
    return Promise.race([promise, new Promise<void>((resolve) => this.#o.clock.after(ms, resolve))]);
  }
}

function checkFolder(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new AgentileError('USAGE', `There is no folder ${cwd}.`, { hint: 'Give one with --cwd.' });
}
