// Messages between a client (TUI or command) and the daemon. Frames of src/io/frame-link: a JSON header, then bytes.
// Requests are checked by src/wire/validate.ts before the daemon looks at them.
import type { AgentEvent, ConfigOption, Usage } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { CommandId, PaneId, PermissionId, RunId, SessionId, TabId, TurnId } from '../model/ids.js';
import type { Key, MouseEvent } from '../model/key.js';
import type { LayoutMode, Pane, PaneView, SplitDirection, Tab } from '../model/layout.js';
import type { LogRecord } from '../model/log-record.js';
import type { CellExt, PaneModes } from '../model/patch.js';
import type { PermissionAnswer, PermissionRequest } from '../model/permission.js';
import type { ControllerKind } from '../model/provider.js';
import type { LaunchOptions, PermissionPolicy, Run, Session, Turn } from '../model/session.js';
import type { Confidence, RunSignalBody } from '../model/signal.js';
import type { StatusWord } from '../model/status.js';

export const WIRE_PROTOCOL = 1;

/** What the client knows of its host terminal; asked once at attach. */
export interface HostCaps {
  colors: 'none' | '16' | '256' | 'truecolor';
  unicode: boolean;
  syncOutput: boolean;
  marginsLR: boolean;
  kittyKeyboard: boolean;
  hyperlinks: boolean;
  clipboard: boolean;
  foreground?: [number, number, number];
  background?: [number, number, number];
  /** Cell size in pixels, for XTWINOPS. */
  cellWidth?: number;
  cellHeight?: number;
  /** Only the client's own painting needs these: underline styles and colours; erasing with the pen's background. */
  underlineStyles?: boolean;
  backColorErase?: boolean;
  /** False: the host takes no UTF-8 at all. `unicode` says more: that its font has our glyphs. */
  utf8?: boolean;
  /** False: no scroll regions (DECSTBM, SU). */
  scrollRegions?: boolean;
  /** What the host calls itself (XTVERSION), for `doctor`. */
  hostName?: string;
}

/** All that a client must know of one session to draw its title and its row in `ls`. */
export interface SessionView {
  /** Small number for people: the lowest free one when the session was made; stable for its life. */
  number: number;
  session: Session;
  providerName: string;
  controller: ControllerKind;
  run?: Run;
  /** The open turn, else the last one. */
  turn?: Turn;
  queue: Turn[];
  requests: PermissionRequest[];
  status: StatusWord;
  /** Since when the status is what it is, ms since the epoch. */
  statusSince: number;
  /** Last time the process printed anything; for the "maybe idle" hint. */
  lastOutputAt?: number;
  usage?: Usage;
  mode?: string;
  model?: string;
  options?: ConfigOption[];
  slashCommands?: { name: string; description?: string }[];
  /** Bytes of input the child does not read. */
  inputBlocked?: number;
  /** A quarantined emulator: the words to show in place of the screen. */
  screenFault?: string;
  taskDone?: Confidence;
}

export interface Banner {
  id: string;
  level: 'info' | 'warning' | 'error';
  text: string;
}

/** The picker's row for one provider. */
export interface ProviderView {
  id: string;
  name: string;
  controller: ControllerKind;
  state: 'installed' | 'installable' | 'missing' | 'disabled';
  /** Where it was found, or why it cannot be had. */
  detail: string;
  version?: string;
  hint?: string;
  models: string[];
  efforts: string[];
  permissions: string[];
  hasTerminal: boolean;
}

export interface WorkspaceState {
  /** Rises with each change. */
  revision: number;
  sessions: SessionView[];
  panes: Pane[];
  tabs: Tab[];
  banners: Banner[];
  /** The tile area all panes are sized for: that of the client that was active last. */
  area: { cols: number; rows: number };
}

export type LayoutOp =
  | { op: 'open'; sessionId: SessionId; tabId?: TabId; near?: PaneId; direction?: SplitDirection }
  | { op: 'close-pane'; paneId: PaneId }
  | { op: 'swap'; a: PaneId; b: PaneId }
  | {
      op: 'ratio';
      tabId: TabId;
      /** Path of 0 (first) and 1 (second) from the root to the split. */ path: number[];
      ratio: number;
    }
  | { op: 'mode'; tabId: TabId; mode: LayoutMode }
  | { op: 'zoom'; tabId: TabId; paneId: PaneId | null }
  | { op: 'view'; paneId: PaneId; view: PaneView }
  | { op: 'tab-new'; name?: string }
  | { op: 'tab-close'; tabId: TabId }
  | { op: 'tab-rename'; tabId: TabId; name: string }
  | { op: 'move-to-tab'; paneId: PaneId; tabId: TabId };

export interface NewSessionParams {
  /** Id or alias. Missing: a plain program (`launch.command`, else the user's shell): the catalogue's entry with bin "{shell}". */
  providerId?: string;
  cwd: string;
  name?: string;
  prompt?: string;
  task?: string;
  launch?: LaunchOptions;
  /** Open a pane for it; false for scripts. */
  open?: boolean;
  place?: { tabId?: TabId; near?: PaneId; direction?: SplitDirection };
  /** The session that asks, when an agent's own process runs the command; such a child session may not start others. */
  parent?: SessionId;
}

/** A session by id, number or name. */
export type SessionRef = string;

/** Method, parameters and result of every request. */
export interface Requests {
  'workspace/get': { params: object; result: WorkspaceState };
  'session/new': { params: NewSessionParams; result: { session: SessionView; paneId?: PaneId } };
  'session/get': { params: { session: SessionRef }; result: SessionView };
  'session/prompt': {
    params: { session: SessionRef; text: string };
    result: { turn: Turn; typed?: boolean };
  };
  'session/queue-edit': {
    params: { session: SessionRef; turnId: TurnId; text: string | null };
    result: { turn?: Turn };
  };
  'session/cancel': { params: { session: SessionRef }; result: object };
  'session/stop': { params: { session: SessionRef }; result: SessionView };
  'session/resume': { params: { session: SessionRef; fresh?: boolean; fork?: boolean }; result: SessionView };
  'session/restart': { params: { session: SessionRef }; result: SessionView };
  'session/close': { params: { session: SessionRef; force?: boolean }; result: object };
  'session/rename': { params: { session: SessionRef; name: string }; result: SessionView };
  'session/answer': {
    params: { session: SessionRef; permissionId: PermissionId; answer: PermissionAnswer };
    result: object;
  };
  'session/policy': { params: { session: SessionRef; policy: PermissionPolicy }; result: SessionView };
  'session/configure': {
    params: {
      session: SessionRef;
      model?: string;
      effort?: string;
      mode?: string;
      option?: { id: string; value: string };
    };
    result: SessionView;
  };
  'session/mark': { params: { session: SessionRef; confidence: Confidence }; result: SessionView };
  'session/signal': {
    params: { runId: RunId; attempt: number; token?: string; signal: RunSignalBody };
    result: { admitted: boolean };
  };
  'session/seen': { params: { session: SessionRef }; result: object };
  'session/explain': { params: { session: SessionRef }; result: SessionExplanation };
  'session/stop-all': { params: object; result: object };
  'session/resume-all': { params: object; result: object };
  /** Terminal panes: the text of the screen and, above it, of the history. */
  'session/screen': { params: { session: SessionRef; lines?: number }; result: ScreenText };
  /** The log of a session, oldest first, beginning after `after`. */
  'session/records': {
    params: { session: SessionRef; after?: number; limit?: number };
    result: { records: LogRecord[]; more: boolean };
  };
  'layout/apply': { params: LayoutOp; result: { paneId?: PaneId; tabId?: TabId } };
  'provider/list': { params: { refresh?: boolean }; result: ProviderView[] };
  'provider/install': { params: { providerId: string }; result: { version: string; path: string } };
  'daemon/status': { params: object; result: DaemonStatus };
  /** `reason` is what the clients are told in `bye`; "restart": another daemon comes at once. */
  'daemon/stop': { params: { children: 'keep' | 'stop'; reason?: 'restart' | 'stop' }; result: object };
}

export type Method = keyof Requests;

export interface ScreenText {
  /** Oldest first; the last `rows` are the live screen. */
  lines: string[];
  rows: number;
  cols: number;
  /** Lines of scrollback that exist; 0 on the alternate screen. */
  historyLines: number;
  altScreen: boolean;
}

export interface SessionExplanation {
  status: StatusWord;
  /** Why it is that, in sentences. */
  because: string[];
  failure?: Failure;
  stderrTail: string[];
  /** Lines of stdout that were not frames. */
  sideLog: string[];
  argv?: string[];
  cwd: string;
  signals: LogRecord[];
  unknownFrames: number;
}

export interface DaemonStatus {
  pid: number;
  version: string;
  startedAt: number;
  keeper: { pid: number; version: string; startedAt: number; children: number } | null;
  clients: number;
  sessions: number;
  log: { path: string; state: 'ok' | 'locked' | 'moved-aside' | 'missing'; detail?: string };
  socket: string;
}

/** What the client looks at: panes that are not named get no patches. */
export interface ViewPane {
  paneId: PaneId;
  /** Lines the view is scrolled up from the live screen; terminal panes only. */
  scrollOffset: number;
}

export type ToDaemon =
  /** `sessionId`: the session this client runs inside of (AGENTILE_SESSION_ID); it cannot act on that session. */
  | { t: 'hello'; protocol: number; version: string; role: 'tui' | 'cli'; sessionId?: SessionId }
  | { t: 'request'; id: number; method: Method; params: unknown; commandId?: CommandId }
  /** TUI: the size of the tile area and the host's capabilities; `active`: the person just did something here. */
  | { t: 'attach'; cols: number; rows: number; caps: HostCaps }
  | { t: 'area'; cols: number; rows: number }
  | { t: 'view'; panes: ViewPane[]; focused: PaneId | null; tabId: TabId | null }
  | { t: 'keys'; paneId: PaneId; keys: Key[] }
  | { t: 'paste'; paneId: PaneId; text: string }
  | { t: 'mouse'; paneId: PaneId; mouse: MouseEvent }
  | { t: 'host-focus'; focused: boolean }
  /** The client painted everything up to this patch batch; the next may come. */
  | { t: 'ack'; batch: number }
  /** Send the log of this session from after `after`, then live events; `false` ends it. */
  | { t: 'follow'; sessionId: SessionId; after: number; on: boolean };

/** The JSON part of a pane's patch; the rows follow in the body (see encodePatches in src/wire/patches.ts). */
export interface PatchHeader {
  paneId: PaneId;
  seq: number;
  cols: number;
  rows: number;
  full: boolean;
  scrolled: number;
  strings: string[];
  exts: CellExt[];
  cursor: { x: number; y: number };
  /** Missing when unchanged since the last patch of this pane to this client. */
  modes?: PaneModes;
  title?: string;
  historyLines: number;
  scrollOffset: number;
  /** Rows of this pane in the body. */
  changedRows: number;
}

export type FromDaemon =
  | { t: 'hello'; protocol: number; version: string; pid: number; startedAt: number }
  /** `pid`: of the daemon, so that `daemon restart` can end one of another protocol. */
  | { t: 'refused'; reason: string; pid?: number }
  | { t: 'reply'; id: number; ok: true; result: unknown }
  | { t: 'reply'; id: number; ok: false; error: { code: string; message: string; hint?: string } }
  /** The whole state, at attach; then only what changed, whole objects by id. */
  | { t: 'workspace'; state: WorkspaceState }
  | {
      t: 'workspace-change';
      revision: number;
      sessions?: SessionView[];
      gone?: SessionId[];
      panes?: Pane[];
      tabs?: Tab[];
      banners?: Banner[];
      area?: { cols: number; rows: number };
    }
  /** body: rows of all panes in order. The client answers with ack{batch}. */
  | { t: 'patches'; batch: number; panes: PatchHeader[] }
  | {
      t: 'events';
      sessionId: SessionId;
      records: { seq: number; event: AgentEvent }[];
      /** The replay has reached the present. */ live: boolean;
    }
  | { t: 'message'; level: 'info' | 'warning' | 'error'; text: string; sessionId?: SessionId }
  /** From a pane to the host terminal. */
  | { t: 'bell'; paneId: PaneId }
  | { t: 'clipboard'; paneId: PaneId; text: string }
  | { t: 'notification'; paneId: PaneId; title: string; body: string }
  /** Another daemon takes over (restart): connect again. */
  | { t: 'bye'; reason: 'restart' | 'stop' };
