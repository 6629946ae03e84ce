// The contract of every controller: what stands between a session and the process that serves it.
//
// A controller owns one run. It is made for a session, started once, and ends when its process has ended and its output
// was read. It never touches the log, the client or the catalogue: it gets what it needs and fires what happens.
import type { Event } from '../base/emitter.js';
import type { Disposable } from '../base/disposable.js';
import type { AgentEvent, Usage } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { Key, MouseEvent } from '../model/key.js';
import type { ByteMark } from '../model/log-record.js';
import type { PermissionAnswer } from '../model/permission.js';
import type { ControllerKind, Provider } from '../model/provider.js';
import type { Run, Session, Turn } from '../model/session.js';
import type { RunSignal } from '../model/signal.js';
import type { PermissionId } from '../model/ids.js';

export interface ExitInfo {
  exitCode?: number;
  signal?: string;
}

/** How a run ended, told once, after all output was read and all events were fired. */
export interface RunEnd extends ExitInfo {
  status: 'exited' | 'failed' | 'stopped';
  failure?: Failure;
}

/** An event with the place in stdout where the log stands once it is written (pipes only). */
export interface MarkedEvent {
  event: AgentEvent;
  mark?: ByteMark;
}

export interface StartContext {
  session: Session;
  run: Run;
  provider: Provider;
  /** Resume the native conversation; never a guess: it is session.nativeId, or undefined for a fresh start. */
  resumeId?: string;
  /** Resume as a copy: the provider goes on under a new id and leaves the old conversation as it is. */
  fork?: boolean;
  /** Terminal panes: the first size, cells. */
  cols: number;
  rows: number;
  /** The session's last usage of scope "session", for providers that count whole threads. */
  sessionUsage?: Usage;
}

/** What a new daemon gives a controller that takes over a living child. */
export interface AdoptContext extends StartContext {
  /** Go on reading stdout here (pipes); terminal controllers rebuild from the keeper's replay. */
  from: { stdout: number; stderr: number };
  /** The turn that was running, as the log has it. */
  openTurn?: Turn;
  openPermissions: readonly PermissionId[];
}

export interface Controller extends Disposable {
  readonly kind: ControllerKind;
  /** Starts the process. Rejects with a FailureError only; nothing else of a controller throws or rejects. */
  start(context: StartContext): Promise<void>;
  /** Takes over a child that is alive in the keeper. Rejects like `start`. */
  adopt(context: AdoptContext): Promise<void>;
  /** Begins a turn. The daemon calls it only when no turn is open; queueing is the daemon's. */
  prompt(turn: Turn): Promise<void>;
  /** Terminal panes: keys, pastes and mouse of the focused pane, already routed. Others ignore them. */
  key?(keys: readonly Key[]): void;
  paste?(text: string): void;
  mouse?(event: MouseEvent): void;
  focus?(focused: boolean): void;
  resize?(cols: number, rows: number): void;
  /** Answers an open request; unknown or answered ids are ignored. */
  answer(permissionId: PermissionId, answer: PermissionAnswer): void;
  /** Interrupts the turn and keeps the process. A second call forces the end of the turn on our side. */
  cancel(): Promise<void>;
  /** Ends the process by the stop ladder; a second call goes straight to SIGKILL. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Live changes of model, effort, mode; applied between turns. False: not supported while running. */
  configure?(change: {
    model?: string;
    effort?: string;
    mode?: string;
    option?: { id: string; value: string };
  }): Promise<boolean>;

  /**
   * Everything of the child's output before this mark is in the log: the keeper may forget it. A controller whose
   * events carry marks acknowledges to its child here, not when it has read; others acknowledge as they read.
   */
  logged?(mark: ByteMark): void;

  /** In the order in which they happened. All events of one frame are fired in the same turn of the event loop. */
  readonly onEvent: Event<MarkedEvent>;
  readonly onSignal: Event<RunSignal>;
  /** Fired once, last of all. */
  readonly onEnd: Event<RunEnd>;
}

/** The one error `start` and `adopt` reject with. */
export class FailureError extends Error {
  override readonly name = 'FailureError';
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}
