// The colours of a pane: those of the host, and what the child changed for itself (OSC 4, 10, 11, 12 and their resets).
// Answers questions about them, and says how cells must be recoloured so that a change stays inside the pane.
import { COLOR_MODE_RGB } from '../model/patch.js';
import type { ScreenColors } from './contract.js';
import type { ColorRequest } from './xterm-internals.js';

type Rgb = [number, number, number];

const FOREGROUND = 256;
const BACKGROUND = 257;
const CURSOR = 258;

/** A dark theme, told when no host was ever attached: a child that gets no answer waits for one. */
const DEFAULT_COLORS: ScreenColors = { foreground: [0xe5, 0xe5, 0xe5], background: [0, 0, 0] };

/** xterm's first 16; the rest of the 256 are computed. */
const BASE_16 = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
  0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];

function paletteColor(index: number): Rgb {
  if (index < 16) {
    const rgb = BASE_16[index]!;
    return [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
  }
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10;
    return [gray, gray, gray];
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/** Colour words (bits 0-25 of a cell) to use in place of default and palette colours. */
export interface Recolor {
  foreground: number;
  background: number;
  palette: ReadonlyMap<number, number>;
}

export class PaneColors {
  #host: ScreenColors;
  /** What the child set, by index (0-255, FOREGROUND, BACKGROUND, CURSOR). */
  readonly #own = new Map<number, Rgb>();
  #recolor: Recolor | undefined;

  constructor(host: ScreenColors | undefined) {
    this.#host = host ?? DEFAULT_COLORS;
  }

  setHost(host: ScreenColors): void {
    this.#host = host;
  }

  #colorOf(index: number): Rgb {
    const own = this.#own.get(index);
    if (own) return own;
    if (index === FOREGROUND) return this.#host.foreground;
    if (index === BACKGROUND) return this.#host.background;
    if (index === CURSOR) return this.#host.cursor ?? this.#host.foreground;
    return paletteColor(index);
  }

  /** True when the background is dark; what `CSI ? 996 n` asks. */
  get isDark(): boolean {
    const [red, green, blue] = this.#colorOf(BACKGROUND);
    return red * 299 + green * 587 + blue * 114 < 128_000;
  }

  /** Handles what the emulator parsed; true when cells look different now. */
  handle(requests: ColorRequest[], reply: (text: string) => void): boolean {
    let changed = false;
    for (const request of requests) {
      if (request.type === 0 && request.index !== undefined) reply(this.#report(request.index));
      else if (request.type === 1 && request.index !== undefined && request.color) {
        this.#own.set(request.index, request.color);
        changed = true;
      } else if (request.type === 2) {
        if (request.index === undefined) this.#forgetPalette();
        else this.#own.delete(request.index);
        changed = true;
      }
    }
    if (changed) this.#recolor = this.#makeRecolor();
    return changed;
  }

  #report(index: number): string {
    const hex = this.#colorOf(index).map((part) => part.toString(16).padStart(2, '0').repeat(2));
    const code = index < 256 ? `4;${index}` : String(10 + index - FOREGROUND);
    return `\x1b]${code};rgb:${hex.join('/')}\x1b\\`;
  }

  #forgetPalette(): void {
    for (const index of [...this.#own.keys()]) if (index < 256) this.#own.delete(index);
  }

  /** Undefined while the child changed nothing that a cell shows. */
  get recolor(): Recolor | undefined {
    return this.#recolor;
  }

  #makeRecolor(): Recolor | undefined {
    const word = (rgb: Rgb | undefined) =>
      rgb ? COLOR_MODE_RGB | (rgb[0] << 16) | (rgb[1] << 8) | rgb[2] : 0;
    const palette = new Map<number, number>();
    for (const [index, rgb] of this.#own) if (index < 256) palette.set(index, word(rgb));
    const foreground = word(this.#own.get(FOREGROUND));
    const background = word(this.#own.get(BACKGROUND));
    if (palette.size === 0 && foreground === 0 && background === 0) return undefined;
    return { foreground, background, palette };
  }

  reset(): void {
    this.#own.clear();
    this.#recolor = undefined;
  }

  save(): [number, Rgb][] {
    return [...this.#own];
  }

  load(own: [number, Rgb][]): void {
    this.#own.clear();
    for (const [index, rgb] of own) this.#own.set(index, rgb);
    this.#recolor = this.#makeRecolor();
  }
}
