// The controller of CLIs that stay: one process a run, prompts as frames on stdin, the control protocol beside them. Made
// by the daemon, one for each run. It knows no provider: format, options and quirks are fields of the catalogue entry.
import { toDisposable } from '../base/disposable.js';
import type { NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { StopRung } from '../keeper/protocol.js';
import type { PermissionId } from '../model/ids.js';
import type { ByteMark } from '../model/log-record.js';
import type { PermissionAnswer } from '../model/permission.js';
import type { Turn } from '../model/session.js';
import { recordOf, stringOf } from '../translators/fields.js';
import { createTranslator } from '../translators/index.js';
import type { Frame, Translator } from '../translators/translator.js';
import { childIdOf } from './child-id.js';
import { OpenAsks } from './control-asks.js';
import { offeredEvent } from './control-options.js';
import { askedRequest, permissionIdOf } from './control-permissions.js';
import {
  PendingControls,
  refusalLine,
  requestLine,
  userLine,
  type ControlReply,
  type ControlRequest,
} from './control-protocol.js';
import {
  FailureError,
  type AdoptContext,
  type Controller,
  type RunEnd,
  type StartContext,
} from './controller.js';
import type { ControllerDeps } from './deps.js';
import { EventOutlet } from './event-outlet.js';
import { runEndOf } from './exit-outcome.js';
import { FrameSource } from './frame-source.js';
import { toFailureError } from './spawn-failure.js';
import { decodeStructuredState, encodeStructuredState, type StructuredState } from './structured-state.js';

/** A CLI that does not answer `initialize` for so long is taken as started: the first prompt will tell. */
const INITIALIZE_MS = 20_000;
const KILL_LADDER: readonly StopRung[] = [{ step: 'sigkill', graceMs: 2000 }];
/** An idle process ends at EOF within a second; a busy one would finish its turn first (facts: cli-stream §3). */
const END_LADDER: readonly StopRung[] = [
  { step: 'eof', graceMs: 1500 },
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 2000 },
];
/** An interrupt took 30 to 90 ms; the CLI then saves what it has. */
const INTERRUPT_GRACE_MS = 500;

type Change = Parameters<NonNullable<Controller['configure']>>[0];

export class PersistentController implements Controller {
  readonly kind = 'persistent';
  #deps: ControllerDeps;
  #out: EventOutlet;
  #context: StartContext | undefined;
  #translator: Translator | undefined;
  #source: FrameSource | undefined;
  #asks = new OpenAsks((text) => this.#write(text));
  #controls: PendingControls;
  #stopping = false;
  #end: RunEnd | undefined;
  #resolveExited: () => void = () => {};
  #exited = new Promise<void>((resolve) => (this.#resolveExited = resolve));
  /** Waiting for the end of the turn. */
  #whenIdle: (() => void)[] = [];
  /** Output up to here (offset of the child) is in the log: it is read again for its state only. */
  #knownUntil = 0;
  /** Requests that the log has as open; known output may ask them again. */
  #knownOpen: ReadonlySet<PermissionId> = new Set();
  /** Answers to such requests that came before they were read again. */
  #early = new Map<PermissionId, PermissionAnswer>();
  readonly onEvent: Controller['onEvent'];
  readonly onSignal: Controller['onSignal'];
  readonly onEnd: Controller['onEnd'];

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#out = new EventOutlet(deps.clock);
    this.#controls = new PendingControls(`a${deps.clock.now().toString(36)}-`, (text) => this.#write(text));
    this.onEvent = this.#out.events.event;
    this.onSignal = this.#out.signals.event;
    this.onEnd = this.#out.ends.event;
  }

  /** Lines of stdout that were no frames, for `explain`. */
  get sideLines(): readonly string[] {
    return this.#source?.sideLines ?? [];
  }

  async start(context: StartContext): Promise<void> {
    try {
      this.#open(context);
      const launch = await this.#deps.launch(context);
      const { stdio } = context.provider;
      const { file, args, cwd, env } = launch;
      const childId = childIdOf(context.run.id);
      const label = context.session.name;
      const handle = await this.#deps.host.spawn({
        childId,
        stdio,
        rawMode: stdio === 'pty',
        file,
        args,
        cwd,
        env,
        label,
      });
      this.#take(handle, 0, false);
      this.#out.signal({ type: 'started', pid: handle.pid });
      await this.#initialize();
    } catch (error) {
      throw toFailureError(error);
    }
  }

  async adopt(context: AdoptContext): Promise<void> {
    try {
      this.#open(context);
      // From what the keeper still has: what the log knows is read again to get the translator where it stood.
      const { handle, state, checkpoint } = await this.#deps.host.adopt(childIdOf(context.run.id), {}, true);
      const kept = state.streams.stdout?.start ?? 0;
      const saved = decodeStructuredState(checkpoint?.state);
      this.#knownUntil = context.from.stdout;
      this.#knownOpen = new Set(context.openPermissions);
      if (context.openTurn) this.#out.beginTurn(context.openTurn);
      const isSilent = state.streams.stdout?.end === checkpoint?.offset;
      const wasSent = this.#restore(saved, context) || !saved || !isSilent;
      this.#take(handle, kept, kept !== (saved ? (checkpoint?.offset ?? 0) : 0));
      if (context.openTurn && !wasSent) this.#neverSent();
    } catch (error) {
      throw toFailureError(error);
    }
  }

  async prompt(turn: Turn): Promise<void> {
    this.#out.beginTurn(turn);
    this.#translator?.turnStarted();
    this.#write(userLine(turn.prompt));
    this.#source?.saveNow();
  }

  answer(permissionId: PermissionId, answer: PermissionAnswer): void {
    const events = this.#asks.answer(permissionId, answer, 'user');
    if (events.length === 0 && this.#knownOpen.has(permissionId)) this.#early.set(permissionId, answer);
    this.#out.fireAll(events);
    this.#source?.saveNow();
  }

  async cancel(): Promise<void> {
    if (!this.#translator?.turnOpen) return;
    if (this.#out.cancelAsked) {
      this.#out.fireAll(this.#translator.abandonTurn?.() ?? []);
      this.#turnEnded();
      return;
    }
    this.#out.askCancel();
    this.#write(requestLine(this.#controls.nextId(), { subtype: 'interrupt' }));
    this.#out.fireAll(this.#asks.closeAll('cancel'));
  }

  async stop(): Promise<void> {
    if (!this.#source || this.#end) return;
    const again = this.#stopping;
    this.#stopping = true;
    this.#source.handle.stop(again ? KILL_LADDER : this.#ladder());
    await this.#exited;
  }

  async configure(change: Change): Promise<boolean> {
    const requests = this.#requestsFor(change);
    if (!requests) return false;
    if (this.#translator?.turnOpen) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    for (const request of requests) {
      const reply = await this.#controls.send(request);
      if (!reply.ok) return this.#refused(request, reply);
      const model =
        request.subtype === 'set_model' ? { model: stringOf(reply.body['model']) ?? request.model } : {};
      if (request.subtype === 'set_model') this.#out.fire({ type: 'session.updated', ...model });
    }
    return requests.length > 0;
  }

  logged(mark: ByteMark): void {
    this.#source?.logged(mark);
  }

  dispose(): void {
    this.#controls.closeAll('The daemon let go of the process.');
    this.#source?.dispose();
  }

  #open(context: StartContext): void {
    this.#context = context;
    this.#out.open(context);
    this.#translator = createTranslator(context.provider.format, {
      idPrefix: `${context.run.id}.`,
      resumed: context.resumeId !== undefined,
      now: () => this.#deps.clock.now(),
      ...(context.sessionUsage ? { usageBaseline: context.sessionUsage } : {}),
    });
  }

  #take(handle: ChildHandle, startOffset: number, insideLine: boolean): void {
    const source = new FrameSource(handle, {
      runId: this.#context!.run.id,
      clock: this.#deps.clock,
      base: 0,
      startOffset,
      insideLine,
      saveState: () => this.#saveState(),
    });
    this.#source = source;
    source.onItem((item) => this.#item(item));
    source.onStderrLine((line) => this.#out.noteStderr(line));
    source.onExit((exit) => this.#handleExit(exit));
  }

  /** Waits until the CLI speaks, so that a refused option, key or session is told as a failed start. */
  async #initialize(): Promise<void> {
    const { clock } = this.#deps;
    const reply = await new Promise<ControlReply | undefined>((resolve) => {
      const timer = clock.after(INITIALIZE_MS, () => resolve(undefined));
      const done = toDisposable(() => timer.dispose());
      void this.#controls.send({ subtype: 'initialize' }).then((answer) => {
        done.dispose();
        resolve(answer);
      });
    });
    if (this.#end)
      throw new FailureError(
        this.#end.failure ?? { kind: 'protocol', message: 'The process ended at once.' },
      );
    const { provider, session } = this.#context!;
    const { model, permission } = session.launch;
    const chosen = { ...(model ? { model } : {}), ...(permission ? { mode: permission } : {}) };
    const offered = reply?.ok ? offeredEvent(reply.body, provider, chosen) : undefined;
    if (offered) this.#out.fire(offered);
  }

  #item(item: NdjsonItem): void {
    this.#out.muted = item.endOffset <= this.#knownUntil;
    const mark = () => this.#source!.mark();
    if (item.type !== 'frame') this.#out.noteItem(item, mark);
    else this.#frame(item.value, mark);
    this.#out.muted = false;
  }

  #frame(frame: Frame, mark: () => ByteMark): void {
    switch (frame['type']) {
      case 'control_request':
        return this.#asked(frame, mark);
      case 'control_response':
        return this.#controls.settle(frame);
      case 'control_cancel_request':
        return this.#out.fireAll(this.#asks.withdraw(stringOf(frame['request_id']) ?? ''), mark);
      default: {
        const wasOpen = this.#translator!.turnOpen;
        this.#out.fireAll(this.#translator!.translate(frame), mark);
        if (wasOpen && !this.#translator!.turnOpen) this.#turnEnded();
      }
    }
  }

  #asked(frame: Frame, mark: () => ByteMark): void {
    const requestId = stringOf(frame['request_id']) ?? '';
    const { session, run } = this.#context!;
    if (recordOf(frame['request'])?.['subtype'] !== 'can_use_tool') {
      if (!this.#out.muted) this.#write(refusalLine(requestId, 'unsupported request'));
      this.#out.fire({ type: 'unknown', frameType: 'control_request', raw: frame }, mark);
      return;
    }
    // In known output: only what the log has as open is still to be answered.
    if (this.#out.muted && !this.#knownOpen.has(permissionIdOf(run.id, requestId))) return;
    const turnId = this.#out.turn?.id;
    const stamp = {
      sessionId: session.id,
      runId: run.id,
      askedAt: this.#deps.clock.now(),
      ...(turnId === undefined ? {} : { turnId }),
    };
    const request = askedRequest(frame, stamp);
    this.#out.fire(this.#asks.add(request), mark);
    const early = this.#early.get(request.id);
    if (early) queueMicrotask(() => this.answer(request.id, early));
  }

  #turnEnded(): void {
    this.#out.fireAll(this.#asks.closeAll('cancel'));
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #handleExit(exit: ChildExit): void {
    const translator = this.#translator!;
    const stderrTail = this.#source?.stderr.lines ?? [];
    const hadTurnOpen = translator.turnOpen;
    this.#out.fireAll(this.#asks.closeAll('exit'));
    const closing = translator.end({ ...exit, stopped: this.#stopping, stderrTail });
    const last = closing.at(-1);
    const turnFailure = last?.type === 'turn.done' ? last.failure : undefined;
    this.#out.fireAll(closing);
    this.#turnEnded();
    const end = runEndOf({
      exit,
      stopped: this.#stopping,
      hadTurnOpen,
      hadOutput: hadTurnOpen,
      stderrTail,
      ...(turnFailure ? { turnFailure } : {}),
    });
    this.#end = end.failure ? { ...end, failure: this.#out.withDeadId(end.failure) } : end;
    this.#tellFailure(this.#end, hadTurnOpen);
    this.#controls.closeAll('The process ended.');
    this.#resolveExited();
    this.#out.end(this.#end);
  }

  /** A failure outside of a turn has no turn that could tell it. */
  #tellFailure(end: RunEnd, hadTurnOpen: boolean): void {
    if (end.failure && !hadTurnOpen) this.#out.fire({ type: 'failed', failure: end.failure });
  }

  #ladder(): StopRung[] {
    const interrupt: StopRung = {
      step: 'write',
      graceMs: INTERRUPT_GRACE_MS,
      text: requestLine(this.#controls.nextId(), { subtype: 'interrupt' }),
    };
    return this.#translator?.turnOpen ? [interrupt, ...END_LADDER] : [...END_LADDER];
  }

  /** The control requests of a change, or undefined when a part of it needs a new process. */
  #requestsFor(change: Change): ControlRequest[] | undefined {
    const { provider } = this.#context!;
    const option = change.option;
    const model = change.model ?? (option?.id === 'model' ? option.value : undefined);
    const mode = change.mode ?? (option?.id === 'permission' ? option.value : undefined);
    if (model !== undefined && provider.model?.protocol !== 'control') return undefined;
    if (mode !== undefined && provider.permission?.protocol !== 'control') return undefined;
    if (change.effort !== undefined && provider.effort?.protocol !== 'control') return undefined;
    return [
      ...(model === undefined ? [] : [{ subtype: 'set_model' as const, model }]),
      ...(mode === undefined ? [] : [{ subtype: 'set_permission_mode' as const, mode }]),
      ...(change.effort === undefined ? [] : [{ subtype: 'set_effort' as const, effort: change.effort }]),
    ];
  }

  #refused(request: ControlRequest, reply: ControlReply): false {
    const text = `The CLI did not take ${request.subtype}: ${reply.error ?? 'refused'}.`;
    this.#out.fire({ type: 'notice', kind: 'mode', level: 'warning', text });
    return false;
  }

  #saveState(): Uint8Array {
    const { nativeId, asked } = this.#out;
    const state: StructuredState = {
      v: 1,
      base: 0,
      translator: this.#translator?.save?.(),
      open: this.#asks.list,
      ...(nativeId === undefined ? {} : { nativeId }),
      ...(asked === undefined ? {} : { asked }),
    };
    return encodeStructuredState(state);
  }

  /** True when the open turn was known to the process's last state. */
  #restore(saved: StructuredState | undefined, context: AdoptContext): boolean {
    if (saved) {
      this.#translator?.load?.(saved.translator);
      this.#out.nativeId = saved.nativeId;
      this.#out.asked = saved.asked;
      this.#asks.restore(saved.open.filter((request) => this.#knownOpen.has(request.id)));
    }
    const wasOpen = this.#translator?.turnOpen ?? false;
    if (context.openTurn && !wasOpen) this.#translator?.turnStarted();
    return wasOpen;
  }

  /** The daemon ended between writing the turn to the log and the prompt to the CLI. */
  #neverSent(): void {
    const failure = {
      kind: 'protocol' as const,
      message: 'The prompt was not sent: the daemon ended just before.',
      hint: 'Send it again.',
    };
    this.#translator?.abandonTurn?.();
    this.#out.fire({ type: 'turn.done', stopReason: 'error', failure });
  }

  #write(text: string): void {
    this.#source?.handle.write(text);
  }
}
