// The controller of every agent that speaks ACP: one process, one session, one prompt in flight. Made by the daemon, one for
// each run. It knows no agent: what differs is in the catalogue (options, quirks) and in the answer to initialize.
import { AcpConnection, turnIdOfRpcId } from '../acp/connection.js';
import { toolCallOf } from '../acp/permissions.js';
import { messageOf } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import { JsonRpcPeer, type RpcRequest, type RpcResponse } from '../io/jsonrpc.js';
import type { NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { AgentEventBody } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { PermissionId, TurnId } from '../model/ids.js';
import type { ByteMark } from '../model/log-record.js';
import type { PermissionAnswer } from '../model/permission.js';
import type { Turn } from '../model/session.js';
import { AcpTranslator, type AcpFrame } from '../translators/acp.js';
import { ClientRequests } from './acp-client.js';
import { acpRunEnd, IMPATIENT_LADDER, KILL_LADDER, NEVER_SENT, notOpenYet, STOP_LADDER } from './acp-end.js';
import { LineIntake } from './acp-intake.js';
import { openSession } from './acp-opening.js';
import { isUpdate, launchChoices, SessionOptions, type OptionChoice } from './acp-options.js';
import { OpenRequests } from './acp-requests.js';
import { decodeState, encodeState, type AcpState } from './acp-state.js';
import { childIdOf } from './child-id.js';
import { permissionIdOf } from './control-permissions.js';
import type { AdoptContext, Controller, RunEnd, StartContext } from './controller.js';
import type { ControllerDeps } from './deps.js';
import { EventOutlet } from './event-outlet.js';
import { FrameSource } from './frame-source.js';
import { toFailureError } from './spawn-failure.js';

export class AcpController implements Controller {
  readonly kind = 'acp';
  #deps: ControllerDeps;
  #out: EventOutlet;
  #context: StartContext | undefined;
  #source: FrameSource | undefined;
  #peer: JsonRpcPeer;
  #connection: AcpConnection;
  #translator: AcpTranslator;
  #client: ClientRequests;
  #requests: OpenRequests;
  #options = new SessionOptions();
  #intake: LineIntake;
  #nativeId: string | undefined;
  /** The session is open and set as the person wants it: prompts may go. */
  #isReady = false;
  /** A prompt that came before that. */
  #held: Turn | undefined;
  /** The turn that was sent last. */
  #turnId: TurnId | undefined;
  /** The log's open turn, while output of the turn before it is read again. */
  #nextTurn: Turn | undefined;
  /** End of the line that is being read; undefined outside of a line. */
  #lineEnd: number | undefined;
  /** Output up to here is in the log: it is read again for its state only. */
  #knownUntil = 0;
  #knownOpen: ReadonlySet<PermissionId> = new Set();
  /** Answers to requests of known output that came before they were read again. */
  #early = new Map<PermissionId, PermissionAnswer>();
  #isStopping = false;
  #isDisposed = false;
  #openingFailure: Failure | undefined;
  #end: RunEnd | undefined;
  #resolveExited: () => void = () => {};
  #exited = new Promise<void>((resolve) => (this.#resolveExited = resolve));
  readonly onEvent: Controller['onEvent'];
  readonly onSignal: Controller['onSignal'];
  readonly onEnd: Controller['onEnd'];

  constructor(deps: ControllerDeps) {
    const { clock } = deps;
    this.#deps = deps;
    this.#out = new EventOutlet(clock);
    this.onEvent = this.#out.events.event;
    this.onSignal = this.#out.signals.event;
    this.onEnd = this.#out.ends.event;
    const write = (line: string) => this.#source?.handle.write(`${line}\n`);
    // Ids of our calls begin where the clock stands: a daemon that takes over never repeats one.
    this.#peer = new JsonRpcPeer({ write, firstId: clock.now() });
    const offers = { offerFiles: true, offerTerminals: true };
    this.#connection = new AcpConnection(this.#peer, { clientVersion: VERSION, ...offers });
    this.#requests = new OpenRequests(this.#peer);
    this.#client = new ClientRequests(this.#peer, () => this.#source?.saveNow());
    this.#intake = new LineIntake(this.#peer, (event) => this.#fire(event));
    this.#translator = new AcpTranslator({ idPrefix: `a${clock.now().toString(36)}-` });
    this.#listen();
  }

  /** Lines of stdout that were no frames, for `explain`. */
  get sideLines(): readonly string[] {
    return this.#source?.sideLines ?? [];
  }

  async start(context: StartContext): Promise<void> {
    try {
      this.#open(context);
      const { file, args, cwd, env } = await this.#deps.launch(context);
      const { stdio } = context.provider;
      const childId = childIdOf(context.run.id);
      const label = context.session.name;
      const rawMode = stdio === 'pty';
      const handle = await this.#deps.host.spawn({ childId, stdio, rawMode, file, args, cwd, env, label });
      this.#client.open(context, env);
      this.#take(handle, 0, false);
      this.#out.signal({ type: 'started', pid: handle.pid });
      if (this.#isStopping) handle.stop(KILL_LADDER);
      await this.#openSession(context);
    } catch (error) {
      const failure = toFailureError(error);
      await this.#giveUp(failure.failure);
      throw failure;
    }
  }

  async adopt(context: AdoptContext): Promise<void> {
    try {
      this.#open(context);
      const { env } = await this.#deps.launch(context);
      this.#client.open(context, env);
      // From what the keeper still has: what the log knows is read again to get the translator where it stood.
      const kept = await this.#deps.host.adopt(childIdOf(context.run.id), {}, true);
      const { handle, checkpoint } = kept;
      const state = decodeState(checkpoint?.state);
      if (!state || !checkpoint) {
        handle.stop(KILL_LADDER);
        throw notOpenYet();
      }
      this.#knownUntil = context.from.stdout;
      this.#knownOpen = new Set(context.openPermissions);
      const { start = 0, end } = kept.state.streams.stdout ?? {};
      const isKnownTurn = !context.openTurn || state.turnId === context.openTurn.id;
      const wasSent = isKnownTurn || end !== checkpoint.offset;
      this.#restore(state, context);
      this.#take(handle, start, start !== checkpoint.offset);
      if (!wasSent) this.#neverSent();
      for (const request of state.client) void this.#client.take(request);
    } catch (error) {
      throw toFailureError(error);
    }
  }

  async prompt(turn: Turn): Promise<void> {
    this.#out.beginTurn(turn);
    this.#translator.turnStarted();
    if (this.#isReady) this.#send(turn);
    else this.#held = turn;
  }

  answer(permissionId: PermissionId, answer: PermissionAnswer): void {
    const events = this.#requests.answer(permissionId, answer, 'user');
    if (events.length === 0 && this.#knownOpen.has(permissionId)) this.#early.set(permissionId, answer);
    this.#fireAll(events);
    this.#source?.saveNow();
  }

  /** First: ask the agent to stop and answer its open requests. Second: end the turn here, whatever the agent does. */
  async cancel(): Promise<void> {
    if (!this.#translator.turnOpen) return;
    if (this.#held || this.#nativeId === undefined || this.#out.cancelAsked) {
      this.#held = undefined;
      this.#fireAll(this.#translator.abandonTurn());
    } else {
      this.#out.askCancel();
      this.#connection.cancel(this.#nativeId);
    }
    this.#fireAll(this.#requests.cancelAll('cancel'));
    this.#source?.saveNow();
  }

  async stop(): Promise<void> {
    const again = this.#isStopping;
    this.#isStopping = true;
    if (!this.#source || this.#end) return;
    if (!again) await this.cancel();
    const { quirks } = this.#context!.provider;
    const ladder = quirks.includes('ignores-sigterm') ? IMPATIENT_LADDER : STOP_LADDER;
    this.#source.handle.stop(again ? KILL_LADDER : ladder);
    await this.#exited;
  }

  async configure(change: Parameters<NonNullable<Controller['configure']>>[0]): Promise<boolean> {
    let isTaken = false;
    for (const choice of this.#options.choices(change)) isTaken = await this.#trySet(choice);
    return isTaken;
  }

  logged(mark: ByteMark): void {
    this.#source?.logged(mark);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#peer.dispose();
    this.#client.dispose();
    this.#source?.dispose();
  }

  #open(context: StartContext): void {
    this.#context = context;
    this.#out.open(context);
  }

  #listen(): void {
    this.#connection.onUpdate(({ sessionId, update, replay }) => {
      if (this.#nativeId === undefined || sessionId === this.#nativeId)
        this.#translate({ kind: 'update', update, replay });
    });
    this.#connection.onNotification(({ method, params }) =>
      this.#translate({ kind: 'notification', method, params }),
    );
    this.#connection.onPostedResponse((response) => this.#promptAnswered(response));
    this.#connection.onPermission((request) => this.#asked(request));
    this.#connection.onClientRequest((request) => void this.#client.take(request));
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

  async #openSession(context: StartContext): Promise<void> {
    const { info, opened } = await openSession(this.#connection, context, {
      clock: this.#deps.clock,
      stderrTail: () => this.#source?.stderr.lines ?? [],
      say: (event) => this.#fire(event),
      exitFailure: () => this.#end?.failure,
    });
    this.#translator.protocolVersion = info.protocolVersion;
    this.#nativeId = opened.sessionId;
    this.#options.note(opened.result);
    const { cwd } = context.session;
    this.#translate({ kind: 'session', result: opened.result, nativeId: opened.sessionId, cwd });
    for (const choice of this.#options.choices(launchChoices(context))) await this.#trySet(choice);
    this.#isReady = true;
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#send(held);
    else this.#source?.saveNow();
  }

  async #trySet(choice: OptionChoice): Promise<boolean> {
    if (this.#nativeId === undefined) return false;
    try {
      const change = await this.#options.set(this.#connection, this.#nativeId, choice);
      if (isUpdate(change)) this.#translate({ kind: 'update', update: change, replay: false });
      else this.#fire(change);
      return true;
    } catch (error) {
      const text = `The agent did not take ${choice.id} "${choice.value}": ${messageOf(error)}`;
      this.#fire({ type: 'notice', kind: 'mode', level: 'warning', text });
      return false;
    }
  }

  #send(turn: Turn): void {
    this.#turnId = turn.id;
    this.#connection.prompt(this.#nativeId!, turn.id, turn.prompt);
    this.#source?.saveNow();
  }

  #item(item: NdjsonItem): void {
    this.#lineEnd = item.endOffset;
    this.#out.muted = item.endOffset <= this.#knownUntil;
    this.#intake.take(item);
    this.#out.muted = false;
    this.#lineEnd = undefined;
  }

  #promptAnswered({ id, result, error }: RpcResponse): void {
    // The late answer of a turn that was ended here already says nothing about the one that runs now.
    if (this.#turnId === undefined || turnIdOfRpcId(id) !== this.#turnId) return;
    if (error) this.#translate({ kind: 'prompt-error', error });
    else this.#translate({ kind: 'prompt-result', result: (result ?? {}) as Record<string, unknown> });
  }

  #asked(rpc: RpcRequest): void {
    this.#translate({ kind: 'permission', toolCall: toolCallOf(rpc.params) });
    const { session, run } = this.#context!;
    // The place of its line names a request: a new daemon that reads it again knows it.
    const id = permissionIdOf(run.id, `line ${this.#lineEnd ?? 0}`);
    if (this.#out.muted && !this.#knownOpen.has(id)) return;
    const turnId = this.#out.turn?.id;
    const stamp = { id, sessionId: session.id, runId: run.id, askedAt: this.#deps.clock.now() };
    this.#fire(this.#requests.add(rpc, { ...stamp, ...(turnId === undefined ? {} : { turnId }) }));
    const early = this.#early.get(id);
    if (early) queueMicrotask(() => this.answer(id, early));
    // The request crossed our cancel: the agent still waits for its answer (facts: D11).
    if (this.#out.cancelAsked) this.#fireAll(this.#requests.cancelAll('cancel'));
  }

  #translate(frame: AcpFrame): void {
    const wasOpen = this.#translator.turnOpen;
    this.#fireAll(this.#translator.translate(frame));
    if (wasOpen && !this.#translator.turnOpen) this.#turnEnded();
  }

  #turnEnded(): void {
    this.#fireAll(this.#requests.cancelAll('cancel'));
    const next = this.#nextTurn;
    this.#nextTurn = undefined;
    if (next) this.#beginAgain(next);
  }

  #fireAll(bodies: readonly AgentEventBody[]): void {
    for (const body of bodies) this.#fire(body);
  }

  #fire(body: AgentEventBody): void {
    if (body.type === 'session.updated' && body.options) this.#options.current = body.options;
    this.#out.fire(body, this.#lineEnd === undefined ? undefined : () => this.#source!.mark());
  }

  #handleExit(exit: ChildExit): void {
    const stderrTail = this.#source?.stderr.lines ?? [];
    const { turnOpen } = this.#translator;
    this.#end = acpRunEnd(exit, {
      stopping: this.#isStopping,
      turnOpen,
      opened: this.#nativeId !== undefined,
      openingFailure: this.#openingFailure,
      stderrTail,
    });
    const { failure } = this.#end;
    this.#fireAll(this.#requests.cancelAll('exit'));
    for (const event of this.#translator.end({ ...exit, stopped: this.#isStopping, stderrTail })) {
      this.#fire(event.type === 'turn.done' && failure ? { ...event, failure } : event);
    }
    if (failure && !turnOpen) this.#fire({ type: 'failed', failure });
    this.#peer.close('the agent ended');
    this.#client.dispose();
    this.#resolveExited();
    this.#out.end(this.#end);
  }

  /** A start that failed leaves no process behind. */
  async #giveUp(failure: Failure): Promise<void> {
    if (!this.#source || this.#end || this.#isDisposed) return;
    this.#openingFailure = failure;
    this.#source.handle.stop(IMPATIENT_LADDER);
    await this.#exited;
  }

  #saveState(): Uint8Array {
    const { info } = this.#connection;
    if (!info || this.#nativeId === undefined || !this.#isReady) return encodeState(undefined);
    const state: AcpState = {
      version: 1,
      info,
      nativeId: this.#nativeId,
      options: this.#options.current,
      legacy: this.#options.legacy,
      cancelling: this.#out.cancelAsked,
      open: this.#requests.list,
      client: this.#client.list,
      translator: this.#translator.save(),
      ...(this.#turnId === undefined ? {} : { turnId: this.#turnId }),
    };
    return encodeState(state);
  }

  #restore(state: AcpState, { openTurn, openPermissions }: AdoptContext): void {
    this.#nativeId = state.nativeId;
    this.#out.nativeId = state.nativeId;
    this.#isReady = true;
    this.#options.current = state.options;
    this.#options.legacy = state.legacy;
    this.#connection.adopt(state.info, state.nativeId);
    this.#translator.load(state.translator);
    this.#turnId = state.turnId;
    this.#requests.restore(state.open, openPermissions);
    if (!openTurn) return;
    if (this.#translator.turnOpen && state.turnId !== openTurn.id) this.#nextTurn = openTurn;
    else this.#beginAgain(openTurn);
    if (state.cancelling && state.turnId === openTurn.id) this.#out.askCancel();
  }

  /** A turn that an earlier daemon sent. */
  #beginAgain(turn: Turn): void {
    this.#out.beginTurn(turn);
    if (!this.#translator.turnOpen) this.#translator.turnStarted();
    this.#turnId = turn.id;
  }

  /** The daemon ended between writing the turn to the log and the prompt to the agent. */
  #neverSent(): void {
    this.#translator.abandonTurn();
    this.#fire({ type: 'turn.done', stopReason: 'error', failure: NEVER_SENT });
  }
}
