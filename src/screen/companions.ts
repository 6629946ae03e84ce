// What a checkpoint holds beside the emulator's own state: keyboard modes, colours, modes we answer for, unfinished input.
import type { KeyboardState } from './keyboard-modes.js';

export interface Companions {
  keyboard: KeyboardState;
  colors: [number, [number, number, number]][];
  modes: number[];
  /** Base64. */
  tail: string;
}

/** Takes what is there; a part that is missing was not known when the checkpoint was written. */
export function readCompanions(saved: Partial<Companions>): Companions {
  return {
    keyboard: saved.keyboard ?? { main: [], alt: [], modifyOtherKeys: 0 },
    colors: saved.colors ?? [],
    modes: saved.modes ?? [],
    tail: saved.tail ?? '',
  };
}
