// The modes of the emulator in the words of the model. Read by emulator.ts. Pure.
import type { PaneModes } from '../model/patch.js';
import type { KeyboardModes } from './keyboard-modes.js';
import type { Core, DecPrivateModes } from './xterm-internals.js';

const MOUSE: Record<string, PaneModes['mouse']> = {
  NONE: 'none',
  X10: 'x10',
  VT200: 'vt200',
  DRAG: 'drag',
  ANY: 'any',
};
const MOUSE_ENCODING: Record<string, PaneModes['mouseEncoding']> = {
  DEFAULT: 'default',
  SGR: 'sgr',
  SGR_PIXELS: 'sgr-pixels',
};
/** DECSCUSR of a steady cursor; a blinking one is one less. */
const STEADY: Record<string, number> = { block: 2, underline: 4, bar: 6 };

export function paneModes(core: Core, keyboard: KeyboardModes): PaneModes {
  const { coreService, coreMouseService, _bufferService: service } = core;
  const modes = coreService.decPrivateModes;
  return {
    altScreen: service.buffers.active === service.buffers.alt,
    cursorVisible: !coreService.isCursorHidden,
    cursorStyle: cursorStyle(modes),
    bracketedPaste: modes.bracketedPasteMode,
    focusEvents: modes.sendFocus,
    applicationCursor: modes.applicationCursorKeys,
    applicationKeypad: modes.applicationKeypad,
    mouse: MOUSE[coreMouseService.activeProtocol] ?? 'none',
    mouseEncoding: MOUSE_ENCODING[coreMouseService.activeEncoding] ?? 'default',
    kittyFlags: keyboard.kittyFlags,
    modifyOtherKeys: keyboard.modifyOtherKeys,
  };
}

function cursorStyle(modes: DecPrivateModes): number {
  const steady = STEADY[modes.cursorStyle ?? ''];
  return steady === undefined ? 0 : steady - (modes.cursorBlink ? 1 : 0);
}
