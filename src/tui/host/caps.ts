// What the host terminal can do: first a guess from the environment, then corrected by its own answers. Pure.
import type { HostReply } from '../../model/key.js';
import type { HostCaps } from '../../wire/messages.js';

export type HostEnv = Readonly<Record<string, string | undefined>>;

const TRUECOLOR_TERMS = /^(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|iterm2|contour|.*-direct)/;
const TRUECOLOR_PROGRAMS = /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|Tabby|mintty)$/;
/** Names that hosts give to XTVERSION and that show true colour, underline styles and links. */
const MODERN_NAMES =
  /^(kitty|ghostty|wezterm|foot|iterm2|contour|konsole|alacritty|mintty|rio|vte|windows terminal)/i;
const UNDERLINE_NAMES =
  /^(kitty|ghostty|wezterm|foot|iterm2|contour|konsole|alacritty|mintty|rio|vte|tmux|windows terminal)/i;
/** Hosts with xterm's modifyOtherKeys. */
const OTHER_KEYS_NAMES = /^(xterm|mintty|iterm2|tmux)/i;
const DECRQM_SET = 1;
const DECRQM_RESET = 2;

/** The guess that the first paint is made with. */
export function envCaps(env: HostEnv): HostCaps {
  const term = env.TERM ?? 'dumb';
  const isConsole = term === 'linux' || term === 'dumb' || term.startsWith('vt');
  const utf8 = envUtf8(env, isConsole);
  const modern =
    TRUECOLOR_TERMS.test(term) || TRUECOLOR_PROGRAMS.test(env.TERM_PROGRAM ?? '') || !!env.WT_SESSION;
  return {
    colors: envColors(env, term, modern),
    unicode: utf8 && !isConsole,
    utf8,
    syncOutput: modern,
    marginsLR: false,
    kittyKeyboard: false,
    hyperlinks: modern,
    clipboard: !isConsole,
    underlineStyles: modern,
    // GNU screen erases with the default background; the others fill with the pen's.
    backColorErase: !term.startsWith('screen') && term !== 'dumb' && !term.startsWith('vt'),
    scrollRegions: !isConsole,
  };
}

function envColors(env: HostEnv, term: string, modern: boolean): HostCaps['colors'] {
  if (env.NO_COLOR) return 'none';
  if (term === 'dumb' || term.startsWith('vt')) return 'none';
  if (/^(truecolor|24bit)$/i.test(env.COLORTERM ?? '') || modern) return 'truecolor';
  if (/256|^xterm|^screen|^tmux|^rxvt/.test(term)) return '256';
  return '16';
}

function envUtf8(env: HostEnv, isConsole: boolean): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  // Without any locale (containers) a terminal is still most likely a UTF-8 one; a VT console is not.
  return locale === undefined ? !isConsole : /utf-?8/i.test(locale);
}

/** True when `CSI > 4 ; 2 m` means modifyOtherKeys to this host and nothing else. */
export function takesOtherKeys(caps: HostCaps): boolean {
  return !caps.kittyKeyboard && OTHER_KEYS_NAMES.test(caps.hostName ?? '');
}

/** Corrects the guess by one answer. */
export function learn(caps: HostCaps, reply: HostReply, env: HostEnv): HostCaps {
  switch (reply.kind) {
    case 'xtversion':
      return learnName(caps, reply.text, env);
    case 'kitty':
      return { ...caps, kittyKeyboard: true, ...(env.NO_COLOR ? {} : { colors: atLeast256(caps.colors) }) };
    case 'decrqm': {
      const known = reply.value === DECRQM_SET || reply.value === DECRQM_RESET;
      if (reply.mode === 2026) return { ...caps, syncOutput: known };
      if (reply.mode === 69) return { ...caps, marginsLR: known };
      return caps;
    }
    case 'color':
      if (reply.slot === 'fg') return { ...caps, foreground: reply.rgb };
      return reply.slot === 'bg' ? { ...caps, background: reply.rgb } : caps;
    case 'size':
      if (reply.what !== 'cell-px') return caps;
      return { ...caps, cellWidth: reply.width, cellHeight: reply.height };
    case 'da2':
      // 41: xterm, which has margins; 0 and 1 are claimed by nearly everybody.
      return reply.params[0] === 41 ? { ...caps, marginsLR: true } : caps;
    default:
      return caps;
  }
}

function learnName(caps: HostCaps, name: string, env: HostEnv): HostCaps {
  const modern = MODERN_NAMES.test(name);
  return {
    ...caps,
    hostName: name,
    colors: modern && !env.NO_COLOR ? 'truecolor' : caps.colors,
    hyperlinks: caps.hyperlinks || modern || /^tmux/i.test(name),
    underlineStyles: caps.underlineStyles === true || UNDERLINE_NAMES.test(name),
  };
}

function atLeast256(colors: HostCaps['colors']): HostCaps['colors'] {
  return colors === 'truecolor' ? colors : '256';
}
