// Decides where a key goes: to an action of ours, to the open dialog, or to the focused pane. Pure; the app carries out
// what it decides. Nothing but the prefix and the global bindings is ever taken from a pane.
import { keyLabel, type Key } from '../model/key.js';
import type { ActionId, Keymap } from './keymap.js';

export interface RouteContext {
  keymap: Keymap;
  /** The prefix was typed and its key has not come yet. */
  prefixOpen: boolean;
  /** A repeating action was just done: its keys count once more without the prefix. */
  repeatOpen: boolean;
  dialogOpen: boolean;
  /** The focused pane is scrolled up or in scroll mode. */
  scrolling: boolean;
  hasPane: boolean;
}

export type Route =
  | { to: 'pane'; key: Key }
  | { to: 'action'; id: ActionId; repeats: boolean }
  /** The prefix was typed: the next key is ours. */
  | { to: 'prefix' }
  | { to: 'dialog'; key: Key; action: ActionId | undefined }
  /** A key after the prefix that means nothing: said, not sent. */
  | { to: 'unbound'; label: string }
  | { to: 'nowhere' };

export function routeKey(key: Key, context: RouteContext): Route {
  const { keymap } = context;
  const label = keyLabel(key);
  if (key.action === 'release') return releaseRoute(key, label, context);
  if (context.prefixOpen) return afterPrefix(key, label, context);
  if (label === keymap.prefix) return { to: 'prefix' };
  if (context.dialogOpen) return { to: 'dialog', key, action: keymap.lookup('dialog', label)?.id };
  if (context.repeatOpen) {
    const again = keymap.lookup('prefix', label);
    if (again?.repeats) return { to: 'action', id: again.id, repeats: true };
  }
  const global = keymap.lookup('global', label);
  if (global) return { to: 'action', id: global.id, repeats: false };
  if (context.scrolling) {
    const scroll = keymap.lookup('scroll', label);
    // A key that scrolling does not know is meant for nobody: it must not end in a child the person cannot see.
    return scroll ? { to: 'action', id: scroll.id, repeats: false } : { to: 'nowhere' };
  }
  return context.hasPane ? { to: 'pane', key } : { to: 'nowhere' };
}

function afterPrefix(key: Key, label: string, context: RouteContext): Route {
  if (label === context.keymap.prefix)
    return context.hasPane && !context.dialogOpen ? { to: 'pane', key } : { to: 'nowhere' };
  const action = context.keymap.lookup('prefix', label);
  if (action) return { to: 'action', id: action.id, repeats: action.repeats === true };
  return label === 'escape' ? { to: 'nowhere' } : { to: 'unbound', label };
}

/** Key releases (kitty flag 2) follow their press: those of our own bindings are dropped. */
function releaseRoute(key: Key, label: string, context: RouteContext): Route {
  const ours = label === context.keymap.prefix || context.keymap.lookup('global', label) !== undefined;
  const taken = ours || context.prefixOpen || context.dialogOpen || context.scrolling;
  return taken || !context.hasPane ? { to: 'nowhere' } : { to: 'pane', key };
}
