// The controller of a terminal pane: a program on a PTY, its emulated screen, and what the person types into it. Made by
// the daemon, one for each run. It guesses nothing from the screen: status comes from OSC 7501 and the exit only.
import { DisposableStore } from '../base/disposable.js';
import { Emitter, type Event } from '../base/emitter.js';
import { stampEvent, type AgentEventBody } from '../model/event.js';
import type { Key, MouseEvent } from '../model/key.js';
import type { Turn } from '../model/session.js';
import type { RunSignal, RunSignalBody, SignalSource } from '../model/signal.js';
import type { ChildExit, ChildHandle } from '../keeper/child-handle.js';
import type { StopRung } from '../keeper/protocol.js';
import type { Screen } from '../screen/contract.js';
import { createScreen } from '../screen/emulator.js';
import { encodeFocus, encodeKey, encodeMouse, encodePaste } from '../screen/encode-key.js';
import { childIdOf } from './child-id.js';
import type { AdoptContext, Controller, MarkedEvent, RunEnd, StartContext } from './controller.js';
import type { ControllerDeps } from './deps.js';
import { ProgramStatus } from './program-status.js';
import { toFailureError } from './spawn-failure.js';
import { adoptChild } from './terminal-adopt.js';
import { describeEnd } from './terminal-end.js';
import { TerminalFeed } from './terminal-feed.js';
import { ResizeGate } from './terminal-resize.js';
import { typePrompt } from './terminal-typing.js';

/** A shell ends at SIGHUP and ignores SIGTERM; most other programs end at both. */
const STOP_LADDER: readonly StopRung[] = [
  { step: 'sighup', graceMs: 1000 },
  { step: 'sigterm', graceMs: 5000 },
  { step: 'sigkill', graceMs: 1000 },
];
const KILL_LADDER: readonly StopRung[] = [{ step: 'sigkill', graceMs: 1000 }];
const CTRL_C = '\u0003';
const ENTER: Key = {
  name: 'enter',
  text: '',
  ctrl: false,
  alt: false,
  shift: false,
  meta: false,
  action: 'press',
  raw: '\r',
};
/** Size until `start` or `adopt` says the real one. */
const FIRST_COLS = 80;
const FIRST_ROWS = 24;

export class TerminalController implements Controller {
  readonly kind = 'terminal';
  /** The emulated screen; it lives until `dispose`, also after the program has ended. */
  readonly screen: Screen;

  #deps: ControllerDeps;
  #store = new DisposableStore();
  #context: StartContext | undefined;
  #handle: ChildHandle | undefined;
  #feed: TerminalFeed | undefined;
  #resizes: ResizeGate;
  #programStatus = new ProgramStatus();
  #stopping = false;
  #end: RunEnd | undefined;
  #resolveEnded: () => void = () => {};
  #ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));

  #events = new Emitter<MarkedEvent>();
  #signals = new Emitter<RunSignal>();
  #ends = new Emitter<RunEnd>();
  #blocked = new Emitter<number>();
  #bells = new Emitter<void>();
  #clipboards = new Emitter<string>();
  #notifications = new Emitter<{ title: string; body: string }>();
  readonly onEvent: Event<MarkedEvent> = this.#events.event;
  readonly onSignal: Event<RunSignal> = this.#signals.event;
  readonly onEnd: Event<RunEnd> = this.#ends.event;
  /** Anything visible changed, or the emulator was quarantined (`screen.fault`). */
  readonly onScreenChange: Event<void>;
  readonly onTitle: Event<string>;
  readonly onCwd: Event<string>;
  /** These three are not fired for output that is replayed after a restart of the daemon. */
  readonly onBell: Event<void> = this.#bells.event;
  readonly onClipboard: Event<string> = this.#clipboards.event;
  readonly onNotification: Event<{ title: string; body: string }> = this.#notifications.event;
  /** Bytes of input that the program does not read; 0 when it reads again. */
  readonly onInputBlocked: Event<number> = this.#blocked.event;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    this.screen = createScreen({
      cols: FIRST_COLS,
      rows: FIRST_ROWS,
      scrollback: deps.scrollbackLines,
      clock: deps.clock,
    });
    this.onScreenChange = this.screen.onChange;
    this.onTitle = this.screen.onTitle;
    this.onCwd = this.screen.onCwd;
    this.#resizes = new ResizeGate(deps.clock, (cols, rows) => {
      this.screen.resize(cols, rows);
      this.#handle?.resize(cols, rows);
    });
    this.#store.add(this.#resizes);
    this.#listenToScreen();
  }

  async start(context: StartContext): Promise<void> {
    this.#context = context;
    const { cols, rows } = context;
    try {
      const launch = await this.#deps.launch(context);
      this.screen.resize(cols, rows);
      const handle = await this.#deps.host.spawn({
        childId: childIdOf(context.run.id),
        stdio: 'pty',
        ...launch,
        cols,
        rows,
        label: context.session.name,
      });
      this.#take(handle, { from: 0, replayUntil: 0 });
    } catch (error) {
      throw toFailureError(error);
    }
    this.#signal({ type: 'started', pid: this.#handle!.pid }, 'wrapper');
  }

  async adopt(context: AdoptContext): Promise<void> {
    this.#context = context;
    try {
      const adopted = await adoptChild(this.#deps, this.screen, childIdOf(context.run.id));
      this.#take(adopted.handle, adopted);
      if (adopted.hasGap) this.#resizes.jiggle(this.screen, adopted.handle);
      this.#resizes.request(context.cols, context.rows);
    } catch (error) {
      throw toFailureError(error);
    }
  }

  /** Types the prompt. The turn ends with the stop reason "unknown": a terminal program does not tell more. */
  async prompt(turn: Turn): Promise<void> {
    this.#event({ type: 'turn.started', prompt: turn.prompt }, turn);
    this.#feed?.boost();
    const typed = this.#end
      ? false
      : await typePrompt(
          {
            clock: this.#deps.clock,
            writeText: (text) => this.#write(encodePaste(text, this.screen.modes)),
            writeEnter: () => this.#write(encodeKey(ENTER, this.screen.modes)),
            onScreenChange: this.onScreenChange,
            onEnd: this.onEnd,
          },
          turn.prompt,
        );
    this.#event({ type: 'turn.done', stopReason: typed ? 'unknown' : 'cancelled' }, turn);
  }

  key(keys: readonly Key[]): void {
    this.#feed?.boost();
    for (const key of keys) this.#write(encodeKey(key, this.screen.modes));
  }

  paste(text: string): void {
    this.#feed?.boost();
    this.#write(encodePaste(text, this.screen.modes));
  }

  mouse(event: MouseEvent): void {
    this.#write(encodeMouse(event, this.screen.modes));
  }

  focus(focused: boolean): void {
    this.#write(encodeFocus(focused, this.screen.modes));
  }

  resize(cols: number, rows: number): void {
    this.#resizes.request(cols, rows);
  }

  /** Terminal programs ask on their own screen. */
  answer(): void {}

  /** Ctrl-C, as typed. */
  async cancel(): Promise<void> {
    this.#feed?.boost();
    this.#write(CTRL_C);
  }

  /** Resolves when the program has ended, or the controller was disposed. */
  stop(): Promise<void> {
    if (!this.#handle || this.#end) return Promise.resolve();
    this.#handle.stop(this.#stopping ? KILL_LADDER : STOP_LADDER);
    this.#stopping = true;
    return this.#ended;
  }

  dispose(): void {
    this.#store.dispose();
    this.#resolveEnded();
    this.#feed?.dispose();
    this.#handle?.dispose();
    this.screen.dispose();
    for (const emitter of [this.#events, this.#signals, this.#blocked, this.#bells]) emitter.dispose();
    for (const emitter of [this.#ends, this.#clipboards, this.#notifications]) emitter.dispose();
  }

  #listenToScreen(): void {
    const { screen } = this;
    const live = () => !this.#feed?.isReplaying;
    this.#store.add(screen.onReply((bytes) => live() && this.#write(bytes)));
    this.#store.add(screen.onBell(() => live() && this.#bells.fire()));
    this.#store.add(screen.onClipboard((text) => live() && this.#clipboards.fire(text)));
    this.#store.add(screen.onNotification((note) => live() && this.#notifications.fire(note)));
    this.#store.add(
      screen.onProgramStatus((report) => {
        if (!live()) return;
        for (const signal of this.#programStatus.signals(report)) this.#signal(signal, 'protocol');
      }),
    );
  }

  #take(handle: ChildHandle, place: { from: number; replayUntil: number }): void {
    const { pump, clock } = this.#deps;
    const feed = new TerminalFeed({ handle, screen: this.screen, pump, clock, ...place });
    this.#handle = handle;
    this.#feed = feed;
    this.#store.add(handle.onOutput((output) => feed.push(output)));
    this.#store.add(handle.onInputBlocked((queued) => this.#blocked.fire(queued)));
    this.#store.add(handle.onExit((exit) => this.#handleExit(exit)));
  }

  #handleExit(exit: ChildExit): void {
    const { session, provider } = this.#context!;
    this.#feed?.flush();
    this.#signal({ type: 'finished', ...finishedFields(exit) }, 'wrapper');
    this.#end = describeEnd({
      exit,
      stopped: this.#stopping,
      label: session.name,
      plain: session.launch.command !== undefined || provider.vendors.length === 0,
      lastLines: this.screen.text(0),
    });
    this.#ends.fire(this.#end);
    this.#resolveEnded();
    this.#handle?.release();
  }

  #write(bytes: Uint8Array | string): void {
    if (bytes.length > 0) this.#handle?.write(bytes);
  }

  #signal(body: RunSignalBody, source: SignalSource): void {
    const { run } = this.#context!;
    const at = this.#deps.clock.now();
    this.#signals.fire({ ...body, runId: run.id, attempt: run.attempt, source, at });
  }

  #event(body: AgentEventBody, turn: Turn): void {
    const { run, session } = this.#context!;
    const at = this.#deps.clock.now();
    const stamp = { sessionId: session.id, runId: run.id, turnId: turn.id, at };
    this.#events.fire({ event: stampEvent(body, stamp) });
  }
}

function finishedFields(exit: ChildExit): { exitCode?: number; exitSignal?: string } {
  return {
    ...(exit.exitCode === undefined ? {} : { exitCode: exit.exitCode }),
    ...(exit.signal === undefined ? {} : { exitSignal: exit.signal }),
  };
}
