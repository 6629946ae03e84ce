// What a child asked of its keyboard: the kitty protocol (a stack of flags for each of the two screens) and xterm's
// modifyOtherKeys. The emulator knows neither. Read by encode-key through `modes`; answered at once.
import type { Core, CsiParams } from './xterm-internals.js';

/** Flags 1, 2, 4, 8 and 16 of the protocol. */
const ALL_FLAGS = 31;
/** Programs push once or twice; a stack that only grows drops its oldest entry. */
const STACK_MAX = 32;
const MODIFY_OTHER_KEYS = 4;

export interface KeyboardState {
  main: number[];
  alt: number[];
  modifyOtherKeys: number;
}

export class KeyboardModes {
  readonly #isAlt: () => boolean;
  /** Pushed flags, the last in force. */
  #stacks = { main: [] as number[], alt: [] as number[] };
  modifyOtherKeys = 0;

  constructor(isAlt: () => boolean) {
    this.#isAlt = isAlt;
  }

  get #stack(): number[] {
    return this.#isAlt() ? this.#stacks.alt : this.#stacks.main;
  }

  get kittyFlags(): number {
    return this.#stack.at(-1) ?? 0;
  }

  attach(core: Core, reply: (text: string) => void): void {
    const input = core._inputHandler;
    input.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
      reply(`\x1b[?${this.kittyFlags}u`);
      return true;
    });
    input.registerCsiHandler({ prefix: '>', final: 'u' }, (params) => this.#push(params.params[0] ?? 0));
    input.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => this.#pop(params.params[0] || 1));
    input.registerCsiHandler({ prefix: '=', final: 'u' }, (params) => this.#set(params));
    input.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => this.#setModifyKeys(params));
    input.registerCsiHandler({ prefix: '>', final: 'n' }, (params) => {
      if (params.params[0] === MODIFY_OTHER_KEYS) this.modifyOtherKeys = 0;
      return true;
    });
    input.registerCsiHandler({ prefix: '?', final: 'm' }, (params) => {
      if (params.params[0] === MODIFY_OTHER_KEYS) reply(`\x1b[>4;${this.modifyOtherKeys}m`);
      return true;
    });
  }

  #push(flags: number): boolean {
    const stack = this.#stack;
    stack.push(flags & ALL_FLAGS);
    if (stack.length > STACK_MAX) stack.shift();
    return true;
  }

  #pop(count: number): boolean {
    const stack = this.#stack;
    stack.length = Math.max(0, stack.length - count);
    return true;
  }

  /** `CSI = flags ; mode u`: mode 1 replaces, 2 adds, 3 takes away. */
  #set(params: CsiParams): boolean {
    const flags = (params.params[0] ?? 0) & ALL_FLAGS;
    const mode = params.length > 1 ? params.params[1] || 1 : 1;
    const now = this.kittyFlags;
    const stack = this.#stack;
    if (stack.length === 0) stack.push(0);
    stack[stack.length - 1] = mode === 2 ? now | flags : mode === 3 ? now & ~flags : flags;
    return true;
  }

  #setModifyKeys(params: CsiParams): boolean {
    const resource = params.params[0] ?? 0;
    if (resource === MODIFY_OTHER_KEYS || resource === 0) {
      const level = resource === 0 || params.length < 2 ? 0 : params.params[1]!;
      this.modifyOtherKeys = Math.min(3, Math.max(0, level));
    }
    return true;
  }

  reset(): void {
    this.#stacks = { main: [], alt: [] };
    this.modifyOtherKeys = 0;
  }

  save(): KeyboardState {
    return { ...this.#stacks, modifyOtherKeys: this.modifyOtherKeys };
  }

  load(state: KeyboardState): void {
    this.#stacks = { main: [...state.main], alt: [...state.alt] };
    this.modifyOtherKeys = state.modifyOtherKeys;
  }
}
