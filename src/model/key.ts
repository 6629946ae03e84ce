// A key as the host terminal sent it: parsed, and with its raw bytes, so that nothing is lost on the way to a child.

/** Names of keys that are not text; text keys are named by their unshifted character. */
export const KEY_NAMES = [
  'enter',
  'tab',
  'backspace',
  'escape',
  'space',
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
  'pagedown',
  'insert',
  'delete',
  'f1',
  'f2',
  'f3',
  'f4',
  'f5',
  'f6',
  'f7',
  'f8',
  'f9',
  'f10',
  'f11',
  'f12',
  'f13',
  'f14',
  'f15',
  'f16',
  'f17',
  'f18',
  'f19',
  'f20',
  'menu',
  'capslock',
  'scrolllock',
  'numlock',
  'printscreen',
  'pause',
  'begin',
] as const;

export interface Key {
  /** A name of KEY_NAMES, or the character itself in lower case ("a", "/", "ä"). */
  name: string;
  /** The text the key types, or '' (arrows, ctrl chords). */
  text: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
  /** Super/command; only kitty-protocol hosts report it. */
  meta: boolean;
  /** 'press' unless the host reports more (kitty flag 2). */
  action: 'press' | 'repeat' | 'release';
  /** The bytes the host sent, as a binary ("latin1") string; sent to a child that understands just these. */
  raw: string;
}

export interface MouseEvent {
  kind: 'press' | 'release' | 'move' | 'wheel';
  button:
    | 'left'
    | 'middle'
    | 'right'
    | 'none'
    | 'wheel-up'
    | 'wheel-down'
    | 'wheel-left'
    | 'wheel-right'
    | 'back'
    | 'forward';
  /** Cell, 0-based, of the screen it is about (host screen; pane body once routed). */
  x: number;
  y: number;
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

/** What the input parser makes of the bytes of stdin. */
export type InputEvent =
  | { type: 'key'; key: Key }
  | { type: 'paste'; text: string }
  | { type: 'mouse'; mouse: MouseEvent }
  | { type: 'focus'; focused: boolean }
  /** An answer of the host terminal to a query of ours; never reaches a pane. */
  | { type: 'reply'; reply: HostReply };

export type HostReply =
  | { kind: 'da1'; params: number[] }
  | { kind: 'da2'; params: number[] }
  | { kind: 'xtversion'; text: string }
  | { kind: 'dsr' }
  | { kind: 'cursor'; row: number; col: number }
  | { kind: 'kitty'; flags: number }
  | { kind: 'decrqm'; mode: number; value: number; ansi: boolean }
  | { kind: 'color'; slot: number | 'fg' | 'bg' | 'cursor'; rgb: [number, number, number] }
  | { kind: 'size'; what: 'text-px' | 'cell-px' | 'chars'; height: number; width: number }
  | { kind: 'dcs' | 'osc' | 'apc' | 'csi'; raw: string };

/** "ctrl+]" , "alt+h", "shift+enter", "space", "?": the way bindings are written. Shift of a text key is part of its text. */
export function keyLabel(key: Pick<Key, 'name' | 'text' | 'ctrl' | 'alt' | 'shift' | 'meta'>): string {
  const isText = key.text.length > 0 && key.name !== 'space' && key.name !== 'enter' && key.name !== 'tab';
  const base = isText && !key.ctrl ? key.text : key.name;
  const shift = key.shift && !(isText && !key.ctrl) ? 'shift+' : '';
  return `${key.meta ? 'super+' : ''}${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${shift}${base}`;
}
