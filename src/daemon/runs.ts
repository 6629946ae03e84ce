// Runs of a session: start, take over, stop, restart, and what their controllers tell. Called by the request handlers and
// at recovery. One run lives at a time; its controller stays until the next, because its last screen is still seen.
import type { Disposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/emitter.js';
import { AgentileError, messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { FailureError, type Controller, type RunEnd, type StartContext } from '../controllers/controller.js';
import type { Failure } from '../model/failure.js';
import { newRunId, type RunId } from '../model/ids.js';
import type { LogRecord } from '../model/log-record.js';
import type { Run } from '../model/session.js';
import type { RunSignal, RunSignalBody, SignalSource } from '../model/signal.js';
import { buryNativeId, type EventDesk } from './events.js';
import { logOwnEvent, type DeskOptions, type PermissionDesk } from './permissions.js';
import { isLive, openTurn, type SessionState } from './session-state.js';
import { admit, noSignals, programStateAfter, reduceRun, taskDoneAfter } from './signals.js';
import type { TurnDesk } from './turns.js';
import { wireController, type HostNote } from './wiring.js';

/** Size of a child whose pane is not to be seen. */
const UNSEEN_SIZE = { cols: 80, rows: 24 };
/** Output changes `lastOutputAt` all the time; clients hear of it so often at most. */
const OUTPUT_NEWS_MS = 30_000;
/** The entry of the catalogue that is the user's own shell says so in its bin. */
const SHELL_BIN = '{shell}';

export interface RunDeskOptions extends DeskOptions {
  turns: TurnDesk;
  permissions: PermissionDesk;
  events: EventDesk;
  diagnostics: Log;
  makeController(state: SessionState): Controller;
  sizeOf(state: SessionState): { cols: number; rows: number } | undefined;
}

export interface StartOptions {
  /** Resume the recorded native conversation; otherwise begin anew. */
  resume: boolean;
  fork?: boolean;
}

export class RunDesk implements Disposable {
  #options: RunDeskOptions;
  #byRun = new Map<RunId, Controller>();
  #subscription: Disposable;
  #controllers = new Emitter<SessionState>();
  #notes = new Emitter<{ state: SessionState; note: HostNote }>();
  /** The session has another controller (or none): whoever reads its screen takes the new one. */
  readonly onController: Event<SessionState> = this.#controllers.event;
  readonly onHostNote: Event<{ state: SessionState; note: HostNote }> = this.#notes.event;

  constructor(options: RunDeskOptions) {
    this.#options = options;
    this.#subscription = options.log.onRecords((records) => this.#acknowledge(records));
  }

  /**
   * Starts a new run. Throws LIMIT_REACHED, ALREADY_RUNNING or PROVIDER_NOT_FOUND at once; the promise resolves when the
   * process was started or has failed to (the failure is then the run's) and never rejects.
   */
  start(state: SessionState, options: StartOptions): Promise<void> {
    const { registry, clock } = this.#options;
    if (isLive(state))
      throw new AgentileError('ALREADY_RUNNING', `"${state.session.name}" is running already.`);
    if (!state.provider) throw unknownProvider(state);
    registry.checkLimit();
    const hadTurns = state.turn !== undefined;
    const resumeId = options.resume ? state.session.nativeId : undefined;
    const run: Run = {
      id: newRunId(),
      sessionId: state.session.id,
      attempt: (state.run?.attempt ?? 0) + 1,
      status: 'starting',
      startedAt: clock.now(),
    };
    state.run = run;
    state.taken = noSignals();
    delete state.programState;
    registry.saveRun(state);
    const controller = this.#tryEquip(state, run);
    if (!controller) return Promise.resolve();
    if (hadTurns && resumeId === undefined && state.kind !== 'terminal') this.#tellContextReset(state);
    registry.changed(state);
    // The run is in the log before its process is there: a daemon that dies now leaves no unknown child.
    this.#options.log.flush();
    const context = this.contextOf(state, run, resumeId);
    return this.#launch(
      state,
      run,
      controller.start({ ...context, ...(options.fork ? { fork: true } : {}) }),
    );
  }

  /** Makes and wires a controller for a run that is there already (recovery); undefined: the run is failed now. */
  equip(state: SessionState): Controller | undefined {
    return this.#tryEquip(state, state.run!);
  }

  contextOf(state: SessionState, run: Run, resumeId: string | undefined): StartContext {
    return {
      session: state.session,
      run,
      provider: state.provider!,
      ...(resumeId === undefined ? {} : { resumeId }),
      ...(this.#options.sizeOf(state) ?? UNSEEN_SIZE),
      ...(state.reportedUsage ? { sessionUsage: state.reportedUsage } : {}),
    };
  }

  /** Ends the process by its ladder; a second call while it climbs kills. Resolves when it has ended. */
  async stop(state: SessionState): Promise<void> {
    if (!isLive(state)) return;
    if (state.controller) await state.controller.stop();
    if (isLive(state)) this.#end(state, state.run!, { status: 'stopped' });
  }

  /** Stops what runs, then starts again with the recorded conversation. */
  async restart(state: SessionState): Promise<void> {
    await this.stop(state);
    await this.start(state, { resume: true });
  }

  /** Forgets the controller; the child, if it lives, is left alone. */
  letGo(state: SessionState): void {
    state.wiring?.dispose();
    state.controller?.dispose();
    if (state.run) this.#byRun.delete(state.run.id);
    delete state.wiring;
    delete state.controller;
    this.#controllers.fire(state);
  }

  /** Takes a signal from anywhere. False: it was refused, and nothing changed. */
  signal(state: SessionState, signal: RunSignal): boolean {
    const { diagnostics, log, registry, clock } = this.#options;
    const admission = admit(state.run, state.taken, signal);
    if (!admission.admitted) {
      diagnostics.debug('signal refused', {
        type: signal.type,
        runId: signal.runId,
        reason: admission.reason,
      });
      return false;
    }
    const { sessionId, id, attempt } = state.run!;
    log.append({ sessionId, runId: id, attempt, at: clock.now(), body: { kind: 'signal', signal } });
    const reduced = reduceRun(state.run!, signal);
    if (reduced !== state.run) {
      state.run = reduced;
      registry.saveRun(state);
    }
    const program = programStateAfter(signal);
    if (program && program.state !== state.programState) {
      delete state.programState;
      if (program.state) state.programState = program.state;
      if (program.state === 'done') state.seen = false;
    }
    const done = taskDoneAfter(signal);
    if (done) state.taskDone = done;
    registry.changed(state);
    return true;
  }

  /** A signal about the session's own run, as the daemon or the user gives it. */
  signalOwn(state: SessionState, body: RunSignalBody, source: SignalSource): boolean {
    const { run } = state;
    if (!run) return false;
    const at = this.#options.clock.now();
    return this.signal(state, { ...body, runId: run.id, attempt: run.attempt, source, at });
  }

  /** The run's end was not seen: its keeper is gone too. Its failure says so, never a blank shell (A02). */
  markLost(state: SessionState, failure: Failure): void {
    this.#end(state, state.run!, { status: 'lost', failure });
  }

  markFailed(state: SessionState, failure: Failure): void {
    this.#end(state, state.run!, { status: 'failed', failure });
  }

  /** Gives every child the size of its pane. */
  resizeAll(): void {
    for (const state of this.#options.registry.all()) {
      const size = this.#options.sizeOf(state);
      if (size && isLive(state)) state.controller?.resize?.(size.cols, size.rows);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const state of this.#options.registry.all()) this.letGo(state);
  }

  /** A kind of controller that this build does not have ends the run, not the daemon. */
  #tryEquip(state: SessionState, run: Run): Controller | undefined {
    try {
      return this.#equip(state, run);
    } catch (error) {
      this.#end(state, run, { status: 'failed', failure: failureOf(error) });
      return undefined;
    }
  }

  #equip(state: SessionState, run: Run): Controller {
    this.letGo(state);
    const controller = this.#options.makeController(state);
    state.controller = controller;
    this.#byRun.set(run.id, controller);
    state.wiring = wireController(controller, {
      handleEvent: (event) => this.#options.events.take(state, run, event),
      handleSignal: (signal) => this.signal(state, signal),
      handleEnd: (end) => this.#end(state, run, end),
      handleScreenChange: () => this.#noteOutput(state),
      handleHostNote: (note) => this.#notes.fire({ state, note }),
      handleInputBlocked: (bytes) => this.#noteBlocked(state, bytes),
      handleFolder: (folder) => this.#noteFolder(state, folder),
    });
    this.#controllers.fire(state);
    return controller;
  }

  async #launch(state: SessionState, run: Run, started: Promise<void>): Promise<void> {
    try {
      await started;
    } catch (error) {
      this.#end(state, run, { status: 'failed', failure: failureOf(error) });
      return;
    }
    this.ready(state, run);
  }

  /** The process is there: the queue may go on. */
  ready(state: SessionState, run: Run): void {
    if (state.run?.id !== run.id) return;
    if (state.run.status === 'starting') {
      state.run = { ...state.run, status: 'running' };
      this.#options.registry.saveRun(state);
      this.#options.registry.changed(state);
    }
    void this.#options.turns.next(state);
  }

  #end(state: SessionState, run: Run, end: Omit<RunEnd, 'status'> & { status: Run['status'] }): void {
    if (state.run?.id !== run.id || !isLive(state)) return;
    const { registry, turns, permissions, clock, log } = this.#options;
    const { exitCode, signal, failure } = end;
    state.run = {
      ...state.run,
      status: end.status,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { exitSignal: signal }),
      ...(failure ? { failure } : {}),
      endedAt: state.run.endedAt ?? clock.now(),
    };
    if (failure) buryNativeId(state, failure);
    permissions.cancelAll(state, 'exit');
    if (openTurn(state)) turns.finish(state, turnEndOf(state, end));
    delete state.inputBlocked;
    delete state.programState;
    registry.saveRun(state);
    registry.changed(state);
    log.flush();
  }

  #tellContextReset(state: SessionState): void {
    logOwnEvent(this.#options, state, {
      type: 'notice',
      kind: 'context-reset',
      level: 'warning',
      text: 'Context reset: the agent begins anew and knows nothing of what stands above.',
    });
  }

  #acknowledge(records: readonly LogRecord[]): void {
    const marks = new Map<string, LogRecord['mark'] & object>();
    for (const { mark } of records) if (mark) marks.set(`${mark.runId} ${mark.stream}`, mark);
    for (const mark of marks.values()) this.#byRun.get(mark.runId)?.logged?.(mark);
  }

  #noteOutput(state: SessionState): void {
    const now = this.#options.clock.now();
    const isNews = now - (state.lastOutputAt ?? 0) > OUTPUT_NEWS_MS || this.#hasNewFault(state);
    state.lastOutputAt = now;
    if (isNews) this.#options.registry.changed(state);
  }

  #faulty = new WeakSet<Controller>();
  #hasNewFault(state: SessionState): boolean {
    const { controller } = state;
    const fault =
      controller && 'screen' in controller ? (controller.screen as { fault?: string }).fault : undefined;
    if (!controller || fault === undefined || this.#faulty.has(controller)) return false;
    this.#faulty.add(controller);
    return true;
  }

  #noteBlocked(state: SessionState, bytes: number): void {
    delete state.inputBlocked;
    if (bytes > 0) state.inputBlocked = bytes;
    this.#options.registry.changed(state);
  }

  /** A shell comes back in the folder it was in; an agent belongs to the folder it was started in. */
  #noteFolder(state: SessionState, folder: string): void {
    if (state.provider?.bin !== SHELL_BIN || state.session.launch.command || !folder.startsWith('/')) return;
    state.session = { ...state.session, cwd: folder };
    this.#options.registry.changed(state);
  }
}

function turnEndOf(state: SessionState, end: { status: Run['status']; failure?: Failure }) {
  if (end.status === 'stopped') return { stopReason: 'cancelled' as const };
  if (state.kind === 'terminal') return { stopReason: 'unknown' as const };
  const failure: Failure = end.failure ?? {
    kind: 'protocol',
    message: 'The process ended without a result.',
    hint: `Its last words: agentile explain ${state.session.name}`,
  };
  return { stopReason: 'error' as const, failure };
}

function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  const hint = error instanceof AgentileError ? error.hint : undefined;
  return { kind: 'spawn', message: messageOf(error), ...(hint ? { hint } : {}) };
}

function unknownProvider(state: SessionState): AgentileError {
  return new AgentileError(
    'PROVIDER_NOT_FOUND',
    `The catalogue has no provider "${state.session.providerId}" any more.`,
    {
      hint: 'Put its entry back into providers.toml; agentile config path names the file.',
    },
  );
}
