// Things that are closed exactly once. Used by every part that holds a subscription, a timer or a descriptor.

/** Something that can be ended. `dispose` never throws and may be called again without effect. */
export interface Disposable {
  dispose(): void;
}

/** Wraps `end` so that it runs at most once. */
export function toDisposable(end: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      end();
    },
  };
}

/** Holds disposables and ends them in reverse order; what is added after the end is ended at once. */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of this.#items.reverse()) item.dispose();
    this.#items = [];
  }
}
