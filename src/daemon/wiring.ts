// Subscribes the daemon to one controller and, where it has a screen, to that. Called by the run desk for each run.
import { DisposableStore, type Disposable } from '../base/disposable.js';
import type { Controller, MarkedEvent, RunEnd } from '../controllers/controller.js';
import type { RunSignal } from '../model/signal.js';
import { screenFace } from './session-state.js';

/** What a program asks of the host terminal of whoever looks at it. */
export type HostNote =
  | { kind: 'bell' }
  | { kind: 'clipboard'; text: string }
  | { kind: 'notification'; title: string; body: string };

export interface ControllerListener {
  handleEvent(event: MarkedEvent): void;
  handleSignal(signal: RunSignal): void;
  handleEnd(end: RunEnd): void;
  handleScreenChange(): void;
  handleHostNote(note: HostNote): void;
  handleInputBlocked(bytes: number): void;
  handleFolder(folder: string): void;
}

export function wireController(controller: Controller, listener: ControllerListener): Disposable {
  const store = new DisposableStore();
  store.add(controller.onEvent((event) => listener.handleEvent(event)));
  store.add(controller.onSignal((signal) => listener.handleSignal(signal)));
  store.add(controller.onEnd((end) => listener.handleEnd(end)));
  const face = screenFace(controller);
  if (!face) return store;
  const wire = <T>(
    event: ((l: (value: T) => void) => Disposable) | undefined,
    handle: (value: T) => void,
  ) => {
    if (event) store.add(event(handle));
  };
  wire(face.onScreenChange, () => listener.handleScreenChange());
  wire(face.onBell, () => listener.handleHostNote({ kind: 'bell' }));
  wire(face.onClipboard, (text) => listener.handleHostNote({ kind: 'clipboard', text }));
  wire(face.onNotification, (note) => listener.handleHostNote({ kind: 'notification', ...note }));
  wire(face.onInputBlocked, (bytes) => listener.handleInputBlocked(bytes));
  wire(face.onCwd, (folder) => listener.handleFolder(folder));
  return store;
}
