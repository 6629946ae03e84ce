// The one table of everything a key can do: id, layer, default keys, words. The router, the help overlay, the palette
// and docs/keys.md are made from it. It performs nothing (actions.ts does).

/** global: always taken. prefix: after the prefix key. scroll: while a pane is scrolled. dialog: while one is open. */
export const KEY_LAYERS = ['global', 'prefix', 'scroll', 'dialog'] as const;
export type KeyLayer = (typeof KEY_LAYERS)[number];

export const LAYER_TITLES: Record<KeyLayer, string> = {
  global: 'Everywhere',
  prefix: 'After the prefix',
  scroll: 'While scrolling',
  dialog: 'In lists and dialogs',
};

export const DEFAULT_PREFIX = 'ctrl+]';

interface ActionRow {
  id: string;
  layer: KeyLayer;
  /** As keyLabel writes them. Empty: reached from the palette only. */
  keys: readonly string[];
  doc: string;
  /** Stays in the prefix layer for a moment, so that it can be pressed again. */
  repeats?: boolean;
}

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const FIXED = [
  { id: 'focus-left', layer: 'global', keys: ['alt+h'], doc: 'focus the pane on the left' },
  { id: 'focus-down', layer: 'global', keys: ['alt+j'], doc: 'focus the pane below' },
  { id: 'focus-up', layer: 'global', keys: ['alt+k'], doc: 'focus the pane above' },
  { id: 'focus-right', layer: 'global', keys: ['alt+l'], doc: 'focus the pane on the right' },
  { id: 'zoom', layer: 'global', keys: ['alt+z'], doc: 'show one pane alone, or all again' },

  { id: 'help', layer: 'prefix', keys: ['?'], doc: 'all keys, searchable' },
  { id: 'palette', layer: 'prefix', keys: [':'], doc: 'command palette' },
  { id: 'new', layer: 'prefix', keys: ['n'], doc: 'new agent or shell (picker)' },
  { id: 'new-shell', layer: 'prefix', keys: ['N'], doc: "new shell in the pane's folder" },
  { id: 'split-below', layer: 'prefix', keys: ['"'], doc: 'split: new pane below' },
  { id: 'split-right', layer: 'prefix', keys: ['%'], doc: 'split: new pane on the right' },
  { id: 'close', layer: 'prefix', keys: ['x'], doc: 'close the pane (asks if it runs)' },
  { id: 'stop', layer: 'prefix', keys: ['s'], doc: 'stop the process (a second time: force)' },
  { id: 'resume', layer: 'prefix', keys: ['r'], doc: 'resume or restart it' },
  { id: 'stop-all', layer: 'prefix', keys: ['S'], doc: 'stop all (asks once)' },
  { id: 'resume-all', layer: 'prefix', keys: ['R'], doc: 'resume all (asks once)' },
  { id: 'interrupt', layer: 'prefix', keys: ['c'], doc: 'interrupt the turn, keep the process' },
  { id: 'inbox', layer: 'prefix', keys: ['i'], doc: 'inbox: all open permissions and questions' },
  { id: 'goto-needs-you', layer: 'prefix', keys: ['g'], doc: 'go to the next pane that needs you' },
  { id: 'explain', layer: 'prefix', keys: ['e'], doc: 'explain this status' },
  { id: 'mark-done', layer: 'prefix', keys: ['m'], doc: 'mark the task done' },
  { id: 'switch-view', layer: 'prefix', keys: ['v'], doc: 'switch view: structured, raw frames' },
  { id: 'broadcast', layer: 'prefix', keys: ['b'], doc: 'send one prompt to several panes' },
  { id: 'rename', layer: 'prefix', keys: [','], doc: 'rename the session' },
  { id: 'scroll', layer: 'prefix', keys: ['['], doc: 'scroll the pane (it goes on running)' },
  { id: 'zoom-prefix', layer: 'prefix', keys: ['z'], doc: 'zoom' },
  { id: 'next-layout', layer: 'prefix', keys: ['space'], doc: 'next layout: auto, columns, rows, main' },
  { id: 'prefix-left', layer: 'prefix', keys: ['left'], doc: 'focus left' },
  { id: 'prefix-down', layer: 'prefix', keys: ['down'], doc: 'focus down' },
  { id: 'prefix-up', layer: 'prefix', keys: ['up'], doc: 'focus up' },
  { id: 'prefix-right', layer: 'prefix', keys: ['right'], doc: 'focus right' },
  { id: 'next-pane', layer: 'prefix', keys: ['tab'], doc: 'focus the next pane' },
  {
    id: 'resize-left',
    layer: 'prefix',
    keys: ['ctrl+left', 'H'],
    doc: 'move the border left',
    repeats: true,
  },
  {
    id: 'resize-down',
    layer: 'prefix',
    keys: ['ctrl+down', 'J'],
    doc: 'move the border down',
    repeats: true,
  },
  { id: 'resize-up', layer: 'prefix', keys: ['ctrl+up', 'K'], doc: 'move the border up', repeats: true },
  {
    id: 'resize-right',
    layer: 'prefix',
    keys: ['ctrl+right', 'L'],
    doc: 'move the border right',
    repeats: true,
  },
  { id: 'swap-previous', layer: 'prefix', keys: ['{'], doc: 'swap with the previous pane' },
  { id: 'swap-next', layer: 'prefix', keys: ['}'], doc: 'swap with the next pane' },
  { id: 'tab-new', layer: 'prefix', keys: ['t'], doc: 'new tab' },
  { id: 'tab-rename', layer: 'prefix', keys: [], doc: 'rename the tab' },
  { id: 'tab-close', layer: 'prefix', keys: [], doc: 'close the tab and its panes' },
  { id: 'move-to-new-tab', layer: 'prefix', keys: ['!'], doc: 'move the pane to a new tab' },
  { id: 'redraw', layer: 'prefix', keys: ['ctrl+l'], doc: 'paint the whole screen anew' },
  { id: 'detach', layer: 'prefix', keys: ['d'], doc: 'detach; everything goes on' },
  { id: 'quit', layer: 'prefix', keys: ['q'], doc: 'quit (asks: detach or stop all)' },

  { id: 'scroll-up', layer: 'scroll', keys: ['up', 'k'], doc: 'one line up' },
  { id: 'scroll-down', layer: 'scroll', keys: ['down', 'j'], doc: 'one line down' },
  { id: 'scroll-page-up', layer: 'scroll', keys: ['pageup', 'ctrl+b'], doc: 'a page up' },
  { id: 'scroll-page-down', layer: 'scroll', keys: ['pagedown', 'ctrl+f', 'space'], doc: 'a page down' },
  { id: 'scroll-half-up', layer: 'scroll', keys: ['ctrl+u'], doc: 'half a page up' },
  { id: 'scroll-half-down', layer: 'scroll', keys: ['ctrl+d'], doc: 'half a page down' },
  { id: 'scroll-top', layer: 'scroll', keys: ['g', 'home'], doc: 'the oldest line' },
  { id: 'scroll-bottom', layer: 'scroll', keys: ['G', 'end'], doc: 'the newest line' },
  { id: 'scroll-leave', layer: 'scroll', keys: ['q', 'escape'], doc: 'back to the live screen' },

  { id: 'dialog-close', layer: 'dialog', keys: ['escape'], doc: 'close' },
  { id: 'dialog-accept', layer: 'dialog', keys: ['enter'], doc: 'accept' },
  { id: 'dialog-up', layer: 'dialog', keys: ['up', 'ctrl+p'], doc: 'up' },
  { id: 'dialog-down', layer: 'dialog', keys: ['down', 'ctrl+n'], doc: 'down' },
  { id: 'dialog-page-up', layer: 'dialog', keys: ['pageup'], doc: 'a page up' },
  { id: 'dialog-page-down', layer: 'dialog', keys: ['pagedown'], doc: 'a page down' },
  { id: 'dialog-next', layer: 'dialog', keys: ['tab'], doc: 'next field' },
  { id: 'dialog-previous', layer: 'dialog', keys: ['shift+tab'], doc: 'previous field' },
] as const satisfies readonly ActionRow[];

const NUMBERED = DIGITS.flatMap((n) => [
  {
    id: `focus-pane-${n}` as const,
    layer: 'global' as const,
    keys: [`alt+${n}`],
    doc: `focus the pane with number ${n}`,
  },
  { id: `tab-${n}` as const, layer: 'prefix' as const, keys: [`${n}`], doc: `go to tab ${n}` },
]);

export type ActionId = (typeof FIXED)[number]['id'] | (typeof NUMBERED)[number]['id'];
export interface Action extends ActionRow {
  id: ActionId;
}

export const ACTIONS: readonly Action[] = [...FIXED, ...NUMBERED];

/** Keys by action id from the config: other keys, or false to unbind. */
export type KeyOverrides = Record<string, string | readonly string[] | false>;

export interface Binding {
  action: Action;
  keys: readonly string[];
}

export interface Keymap {
  prefix: string;
  lookup(layer: KeyLayer, label: string): Action | undefined;
  /** Every action with the keys it has now, in table order. */
  bindings: readonly Binding[];
  /** What is wrong with the config's part, in words; the rest of it holds. */
  problems: readonly string[];
}

/** Lays the config over the table. A key given to two actions of a layer goes to the one the config names. */
export function buildKeymap(overrides: KeyOverrides = {}, prefix: string = DEFAULT_PREFIX): Keymap {
  const problems = Object.keys(overrides)
    .filter((id) => !ACTIONS.some((action) => action.id === id))
    .map((id) => `keys.${id}: there is no such action; docs/keys.md lists them`);
  const table = new Map<string, Action>();
  const own = ACTIONS.filter((action) => overrides[action.id] !== undefined);
  const standard = ACTIONS.filter((action) => overrides[action.id] === undefined);
  for (const action of [...own, ...standard]) {
    for (const key of chosenKeys(action, overrides)) {
      const slot = `${action.layer} ${key}`;
      const taken = table.get(slot);
      if (!taken) table.set(slot, action);
      else if (own.includes(action))
        problems.push(`keys.${action.id}: ${key} is given to ${taken.id} as well`);
    }
  }
  const holds = (action: Action, key: string) => table.get(`${action.layer} ${key}`) === action;
  const bindings = ACTIONS.map((action) => ({
    action,
    keys: chosenKeys(action, overrides).filter((key) => holds(action, key)),
  }));
  return { prefix, bindings, problems, lookup: (layer, label) => table.get(`${layer} ${label}`) };
}

function chosenKeys(action: Action, overrides: KeyOverrides): readonly string[] {
  const chosen = overrides[action.id];
  if (chosen === undefined) return action.keys;
  if (chosen === false) return [];
  return typeof chosen === 'string' ? [chosen] : chosen;
}

/** "ctrl+] n": how a person types a binding; '' when the action has no key. */
export function typedKeys(keymap: Keymap, id: ActionId): string {
  const binding = keymap.bindings.find((one) => one.action.id === id);
  const key = binding?.keys[0];
  if (!binding || key === undefined) return '';
  return binding.action.layer === 'prefix' ? `${keymap.prefix} ${key}` : key;
}
