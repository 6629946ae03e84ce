// What is typed into a pane, as bytes for its child, by the modes the child set. The only door of the controllers to the
// encoders; keys come from the client with the bytes the host sent, which may be of another protocol than the child's.
// Pure.
import type { Key } from '../model/key.js';
import type { PaneModes } from '../model/patch.js';
import { CURSOR_KEYS } from './key-codes.js';
import { encodeKitty } from './key-kitty.js';
import { encodeLegacy, encodeModifyOther } from './key-legacy.js';

export { encodeMouse } from './encode-mouse.js';
export { encodePaste } from './encode-paste.js';

/**
 * Bytes for one key; empty when the child did not ask for such (releases). A child in legacy mode gets the host's own
 * bytes where these are legacy too, so that nothing is lost on keys we have no name for; Shift+Enter becomes ESC CR.
 */
export function encodeKey(key: Key, modes: PaneModes): string | Uint8Array {
  if (modes.kittyFlags > 0) return encodeKitty(key, modes.kittyFlags);
  if (key.action === 'release') return '';
  if (modes.modifyOtherKeys > 0) {
    const other = encodeModifyOther(key, modes.modifyOtherKeys);
    if (other !== undefined) return other;
  }
  // The host's cursor keys follow the host's mode, not the child's.
  if (key.raw !== '' && isLegacy(key.raw) && !CURSOR_KEYS.has(key.name))
    return Buffer.from(key.raw, 'latin1');
  return encodeLegacy(key, modes);
}

/** Focus in or out, for a child that asked for it. */
export function encodeFocus(focused: boolean, modes: PaneModes): string {
  if (!modes.focusEvents) return '';
  return focused ? '\x1b[I' : '\x1b[O';
}

/** False for the kitty form, modifyOtherKeys, and parameters with event types. */
function isLegacy(raw: string): boolean {
  return !/^\x1b\[(?:[\d;:]*u|27;\d+;\d+~|[\d;]*:)/.test(raw);
}
