// Holds the state outside of React: dispatch runs the reducer, listeners hear of a new state.
import { Emitter, type Event } from '../base/emitter.js';
import { reduce, type UiEvent } from './state-reduce.js';
import type { UiState } from './state.js';

export class Store {
  #state: UiState;
  #changes = new Emitter<UiState>();
  readonly onChange: Event<UiState> = this.#changes.event;

  constructor(initial: UiState) {
    this.#state = initial;
  }

  get state(): UiState {
    return this.#state;
  }

  dispatch(event: UiEvent): void {
    const next = reduce(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.#changes.fire(next);
  }
}
