// The contract of an emulated screen: bytes in, rows out. One per terminal pane, held by the terminal controller.
import type { Event } from '../base/emitter.js';
import type { Disposable } from '../base/disposable.js';
import type { CellExt, PaneModes, PatchRow } from '../model/patch.js';

/** Rows of a view, ready for a patch. `strings` and `exts` are referred to by the cells of `changed`. */
export interface RowsSnapshot {
  changed: PatchRow[];
  strings: string[];
  exts: CellExt[];
}

/** Which rows of the live screen changed since the consumer last looked. */
export interface Dirty {
  /** 0-based rows of the live screen; "all" after resize, screen switch or reset. */
  rows: ReadonlySet<number> | 'all';
  /** Lines the whole screen scrolled up meanwhile. */
  scrolled: number;
}

export interface ScreenColors {
  foreground: [number, number, number];
  background: [number, number, number];
  cursor?: [number, number, number];
}

export interface Screen extends Disposable {
  readonly cols: number;
  readonly rows: number;
  readonly modes: PaneModes;
  readonly title: string;
  readonly cursor: { x: number; y: number };
  /** Lines of history above the screen; 0 on the alternate screen. */
  readonly historyLines: number;
  /** True while the child holds its frame with mode 2026 (at most 150 ms are honoured). */
  readonly holding: boolean;
  /** Words to show in place of the screen after the emulator threw; the screen takes no more bytes. */
  readonly fault: string | undefined;

  /** Parses bytes at once, synchronously. Never throws: a fault of the emulator sets `fault`. */
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  /** The host's real colours, for OSC 10/11 answers. */
  setColors(colors: ScreenColors): void;
  /** The size of one cell of the host in pixels, for XTWINOPS 14 and 16. */
  setCellPixels?(width: number, height: number): void;
  /** Cells of the given rows of the view that is `scrollOffset` lines above the live screen. */
  readRows(rows: Iterable<number>, scrollOffset: number): RowsSnapshot;
  /** A consumer of changes (one per attached client); `take` empties it. */
  track(): DirtyTracker;
  /** Plain text, oldest first: `historyLines` lines of history, then the screen. Trailing blanks trimmed. */
  text(historyLines: number): string[];
  /** Opaque state that `restore` of a new Screen takes; small (screen and modes, little history). */
  checkpoint(): Uint8Array;
  restore(checkpoint: Uint8Array): void;

  /** Anything visible changed (rows, cursor, title, modes). Fired at most once per write. */
  readonly onChange: Event<void>;
  /** Answers to the child's queries, to be written to it at once. */
  readonly onReply: Event<Uint8Array>;
  readonly onBell: Event<void>;
  readonly onTitle: Event<string>;
  readonly onClipboard: Event<string>;
  readonly onNotification: Event<{ title: string; body: string }>;
  /** OSC 7501, parsed: key=value pairs as sent (title and msg are base64). */
  readonly onProgramStatus: Event<Record<string, string>>;
  /** OSC 7 working folder. */
  readonly onCwd: Event<string>;
}

export interface DirtyTracker extends Disposable {
  /** True also when only the cursor, the title or the modes changed: `take` then names no rows. */
  readonly isDirty: boolean;
  take(): Dirty;
}
