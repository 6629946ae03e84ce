// What children ask their terminal and the emulator leaves open (facts: terminal tier). Each question is answered at once
// and in the order asked, so that DA1, which the emulator answers, stays the last word of every probe.
import type { PaneColors } from './colors.js';
import type { Core } from './xterm-internals.js';

export interface QueryOptions {
  core: Core;
  identity: { name: string; version: string };
  colors: PaneColors;
  reply(text: string): void;
  /** The size in cells as the child was told it. */
  size(): { cols: number; rows: number };
}

/** Mode 2027: grapheme clusters share a cell. They always do here; programs look for "reset" or "set". */
const GRAPHEME_CLUSTERS = 2027;
/** Mode 2031: tell me when the colours turn dark or light. */
const COLOR_SCHEME_UPDATES = 2031;
const TRACKED_MODES = [GRAPHEME_CLUSTERS, COLOR_SCHEME_UPDATES];
/** What XTWINOPS says until a host told its own. */
const DEFAULT_CELL_PIXELS = { width: 10, height: 20 };

/** Capabilities told by XTGETTCAP. */
const TERMCAP: Record<string, string> = {
  TN: 'xterm-256color',
  Co: '256',
  colors: '256',
  RGB: '8/8/8',
  Tc: '',
  Su: '',
  Smulx: '\x1b[4:%p1%dm',
  Setulc: '\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m',
  Ms: '\x1b]52;%p1%s;%p2%s\x07',
  Ss: '\x1b[%p1%d q',
  Se: '\x1b[2 q',
};
/** A question with more names than this is no question. */
const MAX_TERMCAP_NAMES = 64;

export class Queries {
  readonly #options: QueryOptions;
  #modes = new Set<number>();
  cellPixels = DEFAULT_CELL_PIXELS;

  constructor(options: QueryOptions) {
    this.#options = options;
    const input = options.core._inputHandler;
    this.#answerIdentity();
    this.#answerModes();
    input.registerDcsHandler({ intermediates: '+', final: 'q' }, (names) => this.#answerTermcap(names));
    input.registerOscHandler(7501, (body) => {
      if (body !== '?') return false;
      options.reply('\x1b]7501;?\x1b\\');
      return true;
    });
    input.registerCsiHandler({ prefix: '?', final: 'n' }, (params) => {
      if (params.params[0] !== 996) return false;
      this.#reportScheme();
      return true;
    });
    input.registerCsiHandler({ final: 't' }, (params) => this.#answerSize(params.params[0]!));
  }

  #answerIdentity(): void {
    const { core, identity, reply } = this.#options;
    const input = core._inputHandler;
    input.registerCsiHandler({ prefix: '>', final: 'q' }, (params) => {
      if (params.params[0] === 0) reply(`\x1bP>|${identity.name}(${identity.version})\x1b\\`);
      return true;
    });
    input.registerCsiHandler({ prefix: '=', final: 'c' }, (params) => {
      if (params.params[0] === 0) reply('\x1bP!|00000000\x1b\\');
      return true;
    });
  }

  #answerModes(): void {
    const { core, reply } = this.#options;
    const input = core._inputHandler;
    for (const final of ['h', 'l']) {
      input.registerCsiHandler({ prefix: '?', final }, (params) => {
        for (let i = 0; i < params.length; i++) {
          const mode = params.params[i]!;
          if (!TRACKED_MODES.includes(mode)) continue;
          if (final === 'h') this.#modes.add(mode);
          else this.#modes.delete(mode);
        }
        return false;
      });
    }
    input.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, (params) => {
      const mode = params.params[0]!;
      if (!TRACKED_MODES.includes(mode)) return false;
      reply(`\x1b[?${mode};${this.#modes.has(mode) ? 1 : 2}$y`);
      return true;
    });
  }

  /** XTWINOPS 14 and 16 in pixels, 18 in cells; titles (22, 23) are the emulator's. */
  #answerSize(what: number): boolean {
    const { reply, size } = this.#options;
    const { cols, rows } = size();
    const { width, height } = this.cellPixels;
    if (what === 14) reply(`\x1b[4;${rows * height};${cols * width}t`);
    else if (what === 16) reply(`\x1b[6;${height};${width}t`);
    else if (what === 18) reply(`\x1b[8;${rows};${cols}t`);
    else return false;
    return true;
  }

  #answerTermcap(names: string): boolean {
    for (const hex of names.split(';').slice(0, MAX_TERMCAP_NAMES)) {
      if (!/^(?:[0-9a-fA-F]{2})+$/.test(hex)) continue;
      const value = TERMCAP[Buffer.from(hex, 'hex').toString('latin1')];
      const found = value === undefined ? 0 : 1;
      const shown = value ? `=${Buffer.from(value, 'latin1').toString('hex')}` : '';
      this.#options.reply(`\x1bP${found}+r${hex}${shown}\x1b\\`);
    }
    return true;
  }

  #reportScheme(): void {
    this.#options.reply(`\x1b[?997;${this.#options.colors.isDark ? 1 : 2}n`);
  }

  /** The host's colours turned from dark to light or back. */
  schemeChanged(): void {
    if (this.#modes.has(COLOR_SCHEME_UPDATES)) this.#reportScheme();
  }

  reset(): void {
    this.#modes.clear();
  }

  save(): number[] {
    return [...this.#modes];
  }

  load(modes: number[]): void {
    this.#modes = new Set(modes);
  }
}
