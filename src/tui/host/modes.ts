// The sequences that take over the host terminal and that give it back, in exact reverse order. Pure tables and strings;
// used by HostTerminal only.

export interface HostModes {
  /** Reports of buttons, drags and the wheel; false leaves the host's own selection alone. */
  mouse: boolean;
  /** Motion without a button, wanted by a pane (1003). */
  motion: boolean;
  /** Kitty keyboard flags pushed on the alternate screen's stack; 0 none. */
  kittyFlags: number;
  /** xterm's modifyOtherKeys level set; 0 none. */
  modifyOtherKeys: number;
  /** False: a console without titles, alternate keyboard and mouse (TERM=linux). */
  isFull: boolean;
}

const MOUSE_OFF = '\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l';
const INPUT_OFF = `${MOUSE_OFF}\x1b[?1004l\x1b[?2004l`;

/** Undoes what an earlier client that was killed may have left on, then sets our modes. */
export function enterSequence(modes: HostModes): string {
  const title = modes.isFull ? '\x1b[22;0t' : '';
  return `${INPUT_OFF}${title}\x1b[?1049h\x1b[m\x1b[r\x1b[?2004h${modes.isFull ? '\x1b[?1004h' : ''}${mouseSequence(modes)}${keyboardSequence(modes)}`;
}

export function mouseSequence(modes: HostModes): string {
  if (!modes.mouse || !modes.isFull) return '';
  return `\x1b[?1000h\x1b[?1002h${modes.motion ? '\x1b[?1003h' : '\x1b[?1003l\x1b[?1002h'}\x1b[?1006h`;
}

export function keyboardSequence(modes: HostModes): string {
  return (
    (modes.kittyFlags > 0 ? `\x1b[>${modes.kittyFlags}u` : '') +
    (modes.modifyOtherKeys > 0 ? `\x1b[>4;${modes.modifyOtherKeys}m` : '')
  );
}

/** No reports any more, screen and keyboard as they are: said first, so that what is on its way can still be eaten. */
export const QUIET_SEQUENCE = INPUT_OFF;

/**
 * Gives the host back. Begins with ST and the end of a synchronized update, since a paint may have been cut anywhere.
 * Reports are switched off inside and again outside of the alternate screen: some hosts keep modes per screen.
 */
export function restoreSequence(modes: HostModes): string {
  const keyboard = (modes.modifyOtherKeys > 0 ? '\x1b[>4m' : '') + (modes.kittyFlags > 0 ? '\x1b[<u' : '');
  const drawing = `\x1b[?69l\x1b[r\x1b[?7h${modes.isFull ? '\x1b]8;;\x1b\\\x1b[0 q' : ''}\x1b[m\x1b[?25h`;
  const title = modes.isFull ? '\x1b[23;0t' : '';
  return `\x1b\\\x1b[?2026l${keyboard}${INPUT_OFF}${drawing}\x1b[?1049l${title}${INPUT_OFF}\x1b[m\x1b[?25h`;
}
