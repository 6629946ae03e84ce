// What actions and intents may use of the app. The app implements it; tests give a small one.
import type { PaneId } from '../model/ids.js';
import type { Method, Requests } from '../wire/messages.js';
import type { Keymap } from './keymap.js';
import type { Message } from './state.js';
import type { Store } from './store.js';

export interface ActionContext {
  readonly store: Store;
  readonly keymap: Keymap;
  /** The folder of a program started from an empty screen. */
  readonly folder: string;
  /** The person's shell and its arguments. */
  readonly shell: readonly string[];
  /** Other shells that exist here, for the picker. */
  readonly otherShells: readonly string[];
  /** Asks the daemon. A failure becomes a message on the screen and undefined. */
  ask<M extends Method>(method: M, params: Requests[M]['params']): Promise<Requests[M]['result'] | undefined>;
  say(level: Message['level'], text: string): void;
  /** Scrolls a pane by lines (up is positive), or to an end. */
  scroll(paneId: PaneId, to: number | 'top' | 'live'): void;
  /** Rows of a pane's body, for pages. */
  bodyRows(paneId: PaneId): number;
  redraw(): void;
  detach(words?: string): void;
}
