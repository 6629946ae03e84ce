// All that the daemon knows of one living session, and the view it gives of it. Changed by the desks (runs, turns,
// permissions), read by everybody. Holds no logic of its own beyond the derivation of the view.
import type { Disposable } from '../base/disposable.js';
import type { Event } from '../base/emitter.js';
import type { Controller } from '../controllers/controller.js';
import type { ConfigOption, Usage } from '../model/event.js';
import type { PermissionId } from '../model/ids.js';
import type { PermissionRequest } from '../model/permission.js';
import type { ControllerKind, Provider } from '../model/provider.js';
import type { Run, Session, Turn } from '../model/session.js';
import type { Confidence } from '../model/signal.js';
import { deriveStatus, type StatusWord } from '../model/status.js';
import type { Screen } from '../screen/contract.js';
import type { SessionView } from '../wire/messages.js';
import type { SavedSession } from './log-names.js';
import { isOver, noSignals, type ProgramState, type TakenSignals } from './signals.js';

/** The face of a controller that has a screen of its own. */
export interface ScreenFace {
  readonly screen: Screen;
  readonly onScreenChange: Event<void>;
  readonly onBell?: Event<void>;
  readonly onClipboard?: Event<string>;
  readonly onNotification?: Event<{ title: string; body: string }>;
  readonly onInputBlocked?: Event<number>;
  readonly onCwd?: Event<string>;
}

export interface SessionState {
  session: Session;
  number: number;
  /** Missing when the catalogue has lost the entry; the session can then not be started. */
  provider: Provider | undefined;
  kind: ControllerKind;
  run?: Run;
  taken: TakenSignals;
  /** The open turn, else the last one. */
  turn?: Turn;
  queue: Turn[];
  requests: Map<PermissionId, PermissionRequest>;
  seen: boolean;
  status: StatusWord;
  statusSince: number;
  programState?: ProgramState;
  lastOutputAt?: number;
  usage?: Usage;
  /** The last report for the whole session as the provider gave it, for those that count threads. */
  reportedUsage?: Usage;
  model?: string;
  mode?: string;
  options?: ConfigOption[];
  slashCommands?: { name: string; description?: string }[];
  inputBlocked?: number;
  taskDone?: Confidence;
  unknownFrames: number;
  /** The last program that was launched and its arguments, for `explain`. */
  argv?: string[];
  /** A native id that was refused before and is told again: believed once a turn succeeds. */
  doubtfulNativeId?: string;
  /** The controller of the latest run; it outlives the run, because its screen is still to be seen. */
  controller?: Controller;
  /** Subscriptions to that controller. */
  wiring?: Disposable;
}

export function newSessionState(
  saved: SavedSession,
  provider: Provider | undefined,
  now: number,
): SessionState {
  const { launch } = saved.session;
  const own = launch.terminal || launch.command;
  const state: SessionState = {
    ...saved,
    provider,
    kind: own ? 'terminal' : (provider?.controller ?? 'terminal'),
    taken: noSignals(),
    queue: [],
    requests: new Map(),
    status: 'stopped',
    statusSince: now,
    unknownFrames: 0,
  };
  return state;
}

export function screenFace(controller: Controller | undefined): ScreenFace | undefined {
  return controller && 'screen' in controller ? (controller as Controller & ScreenFace) : undefined;
}

/** True while a process may live: the run is starting or running. */
export function isLive(state: SessionState): boolean {
  return state.run !== undefined && !isOver(state.run);
}

export function openTurn(state: SessionState): Turn | undefined {
  return state.turn?.state === 'running' ? state.turn : undefined;
}

/** Derives the status anew; true when the word changed. */
export function updateStatus(state: SessionState, now: number): boolean {
  const status = deriveStatus({
    ...(state.run ? { run: state.run } : {}),
    ...(state.turn ? { turn: state.turn } : {}),
    openRequests: state.requests.size,
    terminal: state.kind === 'terminal',
    ...(state.programState ? { programState: state.programState } : {}),
    seen: state.seen,
  });
  if (status === state.status) return false;
  state.status = status;
  state.statusSince = now;
  return true;
}

export function toSaved(state: SessionState): SavedSession {
  return {
    session: state.session,
    number: state.number,
    seen: state.seen,
    ...optional(state, ['usage', 'reportedUsage', 'model', 'mode', 'taskDone']),
  };
}

export function toView(state: SessionState): SessionView {
  const fault = screenFace(state.controller)?.screen.fault;
  return {
    number: state.number,
    session: state.session,
    providerName: state.provider?.name ?? state.session.providerId,
    controller: state.kind,
    queue: [...state.queue],
    requests: [...state.requests.values()],
    status: state.status,
    statusSince: state.statusSince,
    ...optional(state, ['run', 'turn', 'lastOutputAt', 'usage', 'mode', 'model', 'options']),
    ...optional(state, ['slashCommands', 'inputBlocked', 'taskDone']),
    ...(fault === undefined ? {} : { screenFault: fault }),
  };
}

/** The named fields that are set. */
function optional<K extends keyof SessionState>(state: SessionState, names: K[]): Pick<SessionState, K> {
  const picked: Partial<Pick<SessionState, K>> = {};
  for (const name of names) if (state[name] !== undefined) picked[name] = state[name];
  return picked as Pick<SessionState, K>;
}
