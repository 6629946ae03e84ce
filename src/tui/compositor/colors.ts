// Colours of cells as SGR parameters the host can show: true colour, 256, 16 or none (NO_COLOR). Pure tables and caches.
import { COLOR_MODE_16, COLOR_MODE_256, COLOR_MODE_DEFAULT, COLOR_MODE_MASK } from '../../model/patch.js';
import type { HostCaps } from '../../wire/messages.js';

export type ColorDepth = HostCaps['colors'];

/** The first 16 colours as xterm has them; only the nearest-colour search looks at them. */
const BASE_16: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const CUBE = [0, 95, 135, 175, 215, 255] as const;
/** RGB colours are many (gradients); the cache starts anew at this size. */
const CACHE_CAP = 4096;

/** RGB of a palette index 16-255 (fixed by xterm) or 0-15 (a guess: the user's theme decides). */
export function paletteRgb(index: number): readonly [number, number, number] {
  if (index < 16) return BASE_16[index]!;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  return [CUBE[Math.floor(cube / 36)]!, CUBE[Math.floor(cube / 6) % 6]!, CUBE[cube % 6]!];
}

function distance(a: readonly [number, number, number], r: number, g: number, b: number): number {
  // Weighted as the eye sees: green most, blue least.
  return 3 * (a[0] - r) ** 2 + 4 * (a[1] - g) ** 2 + 2 * (a[2] - b) ** 2;
}

function nearest(from: number, to: number, r: number, g: number, b: number): number {
  let best = from;
  for (let index = from + 1; index <= to; index++)
    if (distance(paletteRgb(index), r, g, b) < distance(paletteRgb(best), r, g, b)) best = index;
  return best;
}

/** Words of foreground, background or underline colours -> parameters of SGR ("31", "48;5;20", "39"), cached. */
export class ColorCodes {
  readonly #depth: ColorDepth;
  readonly #cache = new Map<number, string>();

  constructor(depth: ColorDepth) {
    this.#depth = depth;
  }

  /** `word`: bits 0-25 of fg or bg. `background` selects 40s for 30s. '' when the host shows no colours. */
  code(word: number, background: boolean): string {
    if (this.#depth === 'none') return '';
    const key = background ? word + 0x4000000 : word;
    const found = this.#cache.get(key);
    if (found !== undefined) return found;
    const made = this.#make(word, background ? 10 : 0);
    if (this.#cache.size >= CACHE_CAP) this.#cache.clear();
    this.#cache.set(key, made);
    return made;
  }

  /** Underline colour (`58:…`); '' where it means nothing. */
  underline(word: number): string {
    if (this.#depth === 'none' || this.#depth === '16') return '';
    const mode = word & COLOR_MODE_MASK;
    if (mode === COLOR_MODE_DEFAULT) return '59';
    if (mode !== COLOR_MODE_MASK) return `58:5:${word & 0xff}`;
    const [r, g, b] = channels(word);
    return this.#depth === 'truecolor' ? `58:2::${r}:${g}:${b}` : `58:5:${nearest(16, 255, r, g, b)}`;
  }

  #make(word: number, shift: number): string {
    const mode = word & COLOR_MODE_MASK;
    if (mode === COLOR_MODE_DEFAULT) return String(39 + shift);
    if (mode === COLOR_MODE_16) return basic(word & 15, shift);
    if (mode === COLOR_MODE_256) return this.#indexed(word & 0xff, shift);
    const [r, g, b] = channels(word);
    if (this.#depth === 'truecolor') return `${38 + shift};2;${r};${g};${b}`;
    if (this.#depth === '256') return `${38 + shift};5;${nearest(16, 255, r, g, b)}`;
    return basic(nearest(0, 15, r, g, b), shift);
  }

  #indexed(index: number, shift: number): string {
    if (this.#depth !== '16') return `${38 + shift};5;${index}`;
    if (index < 16) return basic(index, shift);
    const [r, g, b] = paletteRgb(index);
    return basic(nearest(0, 15, r, g, b), shift);
  }
}

function basic(index: number, shift: number): string {
  return String((index < 8 ? 30 + index : 82 + index) + shift);
}

function channels(word: number): [number, number, number] {
  return [(word >>> 16) & 255, (word >>> 8) & 255, word & 255];
}
