// A typed event source: `onX = emitter.event` subscribes, `emitter.fire(value)` publishes.
import { toDisposable, type Disposable } from './disposable.js';

/** Subscribes a listener; the returned disposable ends the subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * Publishes values to listeners, synchronously and in the order of subscription. A listener that throws does not keep
 * the others from hearing: its error goes to `onListenerError` (by default it is rethrown in a microtask).
 */
export class Emitter<T> implements Disposable {
  #listeners = new Set<(value: T) => void>();
  #onListenerError: (error: unknown) => void;

  constructor(onListenerError?: (error: unknown) => void) {
    this.#onListenerError =
      onListenerError ??
      ((error) =>
        queueMicrotask(() => {
          throw error;
        }));
  }

  readonly event: Event<T> = (listener) => {
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  };

  get listenerCount(): number {
    return this.#listeners.size;
  }

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
