// The controller of CLIs that answer one prompt and end: a fresh process a turn, argv rebuilt each time, the conversation
// carried by its exact native id. Made by the daemon, one for each run; between turns the run lives without a process.
import type { Disposable } from '../base/disposable.js';
import type { NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { StopRung } from '../keeper/protocol.js';
import type { AgentEventBody, Usage } from '../model/event.js';
import type { ByteMark } from '../model/log-record.js';
import type { LaunchOptions, Turn } from '../model/session.js';
import { createTranslator } from '../translators/index.js';
import type { Translator } from '../translators/translator.js';
import { childIdOf } from './child-id.js';
import type { AdoptContext, Controller, StartContext } from './controller.js';
import type { ControllerDeps } from './deps.js';
import { EventOutlet } from './event-outlet.js';
import { FrameSource } from './frame-source.js';
import { isResumable, outputBase } from './quirks.js';
import { toFailureError } from './spawn-failure.js';
import { decodeStructuredState, encodeStructuredState, type StructuredState } from './structured-state.js';

/** After its last frame a process has so long to end; then its group is ended (children may hold its pipes: E05). */
const LINGER_MS = 2000;
const KILL_LADDER: readonly StopRung[] = [{ step: 'sigkill', graceMs: 2000 }];
const STOP_LADDER: readonly StopRung[] = [
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 2000 },
];
/** Some CLIs do not end at SIGTERM in the middle of a request. */
const IMPATIENT_LADDER: readonly StopRung[] = [
  { step: 'sigterm', graceMs: 1000 },
  { step: 'sigkill', graceMs: 2000 },
];

/** The process of one turn. */
interface TurnProcess {
  source: FrameSource;
  translator: Translator;
  base: number;
  /** We asked for its end. */
  stopped: boolean;
  /** Its turn was ended on our side: what it still says belongs to nobody. */
  deaf: boolean;
  linger?: Disposable;
  gone: Promise<void>;
}

export class SubprocessController implements Controller {
  readonly kind = 'subprocess';
  #deps: ControllerDeps;
  #out: EventOutlet;
  #context: StartContext | undefined;
  #process: TurnProcess | undefined;
  #choices: LaunchOptions = {};
  #usage: Usage | undefined;
  #turns = 0;
  #stopping = false;
  #knownUntil = 0;
  #lastBase = -1;
  readonly onEvent: Controller['onEvent'];
  readonly onSignal: Controller['onSignal'];
  readonly onEnd: Controller['onEnd'];

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.#out = new EventOutlet(deps.clock);
    this.onEvent = this.#out.events.event;
    this.onSignal = this.#out.signals.event;
    this.onEnd = this.#out.ends.event;
  }

  /** Lines of stdout that were no frames, for `explain`. */
  get sideLines(): readonly string[] {
    return this.#process?.source.sideLines ?? [];
  }

  /** No process yet: but a CLI that is missing, or a format nobody can read, is told now. */
  async start(context: StartContext): Promise<void> {
    try {
      this.#open(context);
      createTranslator(context.provider.format, { idPrefix: '' });
      await this.#deps.launch(this.#turnContext(), { prompt: '' });
      this.#out.signal({ type: 'started' });
    } catch (error) {
      throw toFailureError(error);
    }
  }

  async adopt(context: AdoptContext): Promise<void> {
    try {
      this.#open(context);
      const { handle, state, checkpoint } = await this.#deps.host.adopt(childIdOf(context.run.id), {}, true);
      const saved = decodeStructuredState(checkpoint?.state);
      const base = saved?.base ?? outputBase(state.startedAt, context.run.startedAt, -1);
      const kept = state.streams.stdout?.start ?? 0;
      this.#knownUntil = context.from.stdout - base;
      if (context.openTurn) this.#out.beginTurn(context.openTurn);
      if (saved) {
        this.#out.nativeId = saved.nativeId;
        this.#out.asked = saved.asked;
      }
      const translator = this.#makeTranslator(context.openTurn?.id ?? `${context.run.id}.`);
      if (saved) translator.load?.(saved.translator);
      if (context.openTurn && !translator.turnOpen) translator.turnStarted();
      this.#take(handle, translator, base, kept, kept !== (saved ? (checkpoint?.offset ?? 0) : 0));
    } catch (error) {
      throw toFailureError(error);
    }
  }

  async prompt(turn: Turn): Promise<void> {
    this.#out.beginTurn(turn);
    await this.#clearAway();
    if (!this.#checkId()) return;
    try {
      await this.#spawn(turn);
    } catch (error) {
      this.#endTurn({ type: 'turn.done', stopReason: 'error', failure: toFailureError(error).failure });
    }
  }

  /** These CLIs never ask. */
  answer(): void {}

  /** There is no interrupt: the process ends, the conversation stays. A second call does not wait for it. */
  async cancel(): Promise<void> {
    const process = this.#process;
    if (!this.#out.turn) return;
    const again = this.#out.cancelAsked;
    this.#out.askCancel();
    if (process) {
      process.stopped = true;
      process.source.handle.stop(again ? KILL_LADDER : this.#ladder());
    }
    if (process && !again) return;
    if (process) process.deaf = true;
    this.#endTurn(CANCELLED);
  }

  async stop(): Promise<void> {
    const process = this.#process;
    const again = this.#stopping;
    this.#stopping = true;
    if (process) {
      process.stopped = true;
      process.source.handle.stop(again ? KILL_LADDER : this.#ladder());
      await process.gone;
    }
    if (this.#out.turn) this.#endTurn(CANCELLED);
    this.#out.end({ status: 'stopped' });
  }

  /** The next turn's argv has it. */
  async configure(change: Parameters<NonNullable<Controller['configure']>>[0]): Promise<boolean> {
    const { model, effort, mode, option } = change;
    if (option) return false;
    Object.assign(this.#choices, {
      ...(model ? { model } : {}),
      ...(effort ? { effort } : {}),
      ...(mode ? { mode } : {}),
    });
    return Boolean(model ?? effort ?? mode);
  }

  logged(mark: ByteMark): void {
    this.#process?.source.logged(mark);
  }

  dispose(): void {
    this.#process?.linger?.dispose();
    this.#process?.source.dispose();
  }

  #open(context: StartContext): void {
    this.#context = context;
    this.#usage = context.sessionUsage;
    this.#out.open(context);
  }

  async #spawn(turn: Turn): Promise<void> {
    const context = this.#turnContext();
    const launch = await this.#deps.launch(context, { prompt: turn.prompt });
    if (this.#out.turn?.id !== turn.id || this.#stopping) return;
    const { run, session, provider } = context;
    const { file, args, cwd, env } = launch;
    const childId = childIdOf(run.id);
    const { stdio } = provider;
    const handle = await this.#deps.host.spawn({
      childId,
      stdio,
      rawMode: stdio === 'pty',
      file,
      args,
      cwd,
      env,
      label: session.name,
    });
    this.#turns += 1;
    this.#out.asked = context.resumeId;
    const base = outputBase(this.#deps.clock.now(), run.startedAt, this.#lastBase);
    const translator = this.#makeTranslator(turn.id);
    translator.turnStarted();
    const process = this.#take(handle, translator, base, 0, false);
    process.source.saveNow();
    if (launch.stdin !== undefined) handle.write(launch.stdin);
    // A prompt in argv with an open stdin makes some CLIs wait for ever (E09).
    handle.eof();
    if (this.#out.cancelAsked) void this.cancel();
  }

  /** What a turn is launched with: the conversation as it is now, and the choices made since the start. */
  #turnContext(): StartContext {
    const { resumeId: _first, fork, ...context } = this.#context!;
    const { nativeId } = this.#out;
    const session = { ...context.session, launch: { ...context.session.launch, ...this.#choices } };
    return {
      ...context,
      session,
      ...(nativeId === undefined ? {} : { resumeId: nativeId }),
      ...(fork && this.#turns === 0 ? { fork } : {}),
    };
  }

  #makeTranslator(turnId: string): Translator {
    const resumed = this.#out.nativeId !== undefined;
    return createTranslator(this.#context!.provider.format, {
      idPrefix: `${turnId}.`,
      resumed,
      now: () => this.#deps.clock.now(),
      ...(resumed && this.#usage ? { usageBaseline: this.#usage } : {}),
    });
  }

  #take(
    handle: ChildHandle,
    translator: Translator,
    base: number,
    startOffset: number,
    insideLine: boolean,
  ): TurnProcess {
    this.#lastBase = base;
    const { clock } = this.#deps;
    const runId = this.#context!.run.id;
    const saveState = () => this.#saveState(translator, base);
    const source = new FrameSource(handle, { runId, clock, base, startOffset, insideLine, saveState });
    let resolve = () => {};
    const gone = new Promise<void>((done) => (resolve = done));
    const process: TurnProcess = { source, translator, base, stopped: false, deaf: false, gone };
    this.#process = process;
    source.onItem((item) => this.#item(process, item));
    source.onStderrLine((line) => this.#out.noteStderr(line));
    source.onExit((exit) => {
      this.#handleExit(process, exit);
      resolve();
    });
    return process;
  }

  #item(process: TurnProcess, item: NdjsonItem): void {
    const { source, translator } = process;
    if (process.deaf) return;
    this.#out.muted = item.endOffset <= this.#knownUntil;
    const mark = () => source.mark();
    if (item.type !== 'frame') this.#out.noteItem(item, mark);
    else {
      const events = translator.translate(item.value);
      for (const event of events)
        if (event.type === 'usage' && event.usage.scope === 'session') this.#usage = event.usage;
      // The end of the turn is told with the process still there: it may yet hang on its pipes.
      if (events.some((event) => event.type === 'turn.done')) this.#letLinger(process);
      this.#out.fireAll(events, mark);
    }
    this.#out.muted = false;
  }

  #letLinger(process: TurnProcess): void {
    process.linger ??= this.#deps.clock.after(LINGER_MS, () => process.source.handle.stop(this.#ladder()));
  }

  #handleExit(process: TurnProcess, exit: ChildExit): void {
    process.linger?.dispose();
    const { source, translator, stopped, deaf } = process;
    if (!deaf) this.#out.fireAll(translator.end({ ...exit, stopped, stderrTail: source.stderr.lines }));
    source.handle.release();
    source.dispose();
    if (this.#process === process) this.#process = undefined;
    this.#knownUntil = 0;
  }

  /** The process of the turn before must be gone: two would write to one conversation. */
  async #clearAway(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    // It may still be saving the conversation: it has its time to linger before it is ended.
    if (!process.linger && !process.stopped) process.source.handle.stop(this.#ladder());
    await process.gone;
  }

  /** Anything but a UUID silently begins a new conversation in some CLIs: such an id is dead before it is tried. */
  #checkId(): boolean {
    const { nativeId } = this.#out;
    if (nativeId === undefined || isResumable(this.#context!.provider, nativeId)) {
      if (nativeId === undefined && this.#turns > 0) this.#tellReset();
      return true;
    }
    this.#out.nativeId = undefined;
    const message = `"${nativeId}" is not an id that this CLI can resume.`;
    const hint = 'Send the prompt again to begin a new conversation.';
    this.#endTurn({
      type: 'turn.done',
      stopReason: 'error',
      failure: { kind: 'request', message, hint, deadNativeId: nativeId },
    });
    return false;
  }

  #tellReset(): void {
    const text = 'A new conversation begins: the CLI does not know what was said before.';
    this.#out.fire({ type: 'notice', kind: 'context-reset', level: 'warning', text });
  }

  #endTurn(...bodies: AgentEventBody[]): void {
    if (this.#out.turn) this.#out.fireAll(bodies);
  }

  #ladder(): readonly StopRung[] {
    return this.#context?.provider.quirks.includes('ignores-sigterm') ? IMPATIENT_LADDER : STOP_LADDER;
  }

  #saveState(translator: Translator, base: number): Uint8Array {
    const { nativeId, asked } = this.#out;
    const state: StructuredState = {
      v: 1,
      base,
      translator: translator.save?.(),
      open: [],
      ...(nativeId === undefined ? {} : { nativeId }),
      ...(asked === undefined ? {} : { asked }),
    };
    return encodeStructuredState(state);
  }
}

const CANCELLED: AgentEventBody = { type: 'turn.done', stopReason: 'cancelled' };
