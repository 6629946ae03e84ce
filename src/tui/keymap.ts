// The one table of everything a key can do: id, layer, default keys, words. The router, the help overlay, the palette
// and docs/keys.md are made from it. It performs nothing (actions.ts does).

/** app: from anywhere. composer: in a structured pane. scroll: while a pane is scrolled. dialog: while one is open. */
export const ACTION_LAYERS = ['app', 'composer', 'scroll', 'dialog'] as const;
export type ActionLayer = (typeof ACTION_LAYERS)[number];

/** Where a key is looked up: app actions are reached by their own key (global) or by a key after the prefix. */
export type KeyLayer = 'global' | 'prefix' | 'composer' | 'scroll' | 'dialog';

export const LAYER_TITLES: Record<ActionLayer, string> = {
  app: 'Everywhere',
  composer: 'In the composer of an agent',
  scroll: 'While scrolling',
  dialog: 'In lists and dialogs',
};

export const DEFAULT_PREFIX = 'ctrl+]';

interface ActionRow {
  id: string;
  layer: ActionLayer;
  /** As keyLabel writes them; "prefix x" is x after the prefix. Empty: reached from the palette only. */
  keys: readonly string[];
  doc: string;
  /** Stays in the prefix layer for a moment, so that it can be pressed again. */
  repeats?: boolean;
}

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

const FIXED = [
  { id: 'focus-left', layer: 'app', keys: ['alt+h', 'prefix left'], doc: 'focus the pane on the left' },
  { id: 'focus-down', layer: 'app', keys: ['alt+j', 'prefix down'], doc: 'focus the pane below' },
  { id: 'focus-up', layer: 'app', keys: ['alt+k', 'prefix up'], doc: 'focus the pane above' },
  { id: 'focus-right', layer: 'app', keys: ['alt+l', 'prefix right'], doc: 'focus the pane on the right' },
  { id: 'zoom', layer: 'app', keys: ['alt+z', 'prefix z'], doc: 'zoom: one pane alone, or all again' },

  { id: 'help', layer: 'app', keys: ['prefix ?'], doc: 'all keys, searchable' },
  { id: 'palette', layer: 'app', keys: ['prefix :'], doc: 'command palette' },
  { id: 'new', layer: 'app', keys: ['prefix n'], doc: 'new agent or shell (picker)' },
  { id: 'new-shell', layer: 'app', keys: ['prefix N'], doc: "new shell in the pane's folder" },
  { id: 'split-below', layer: 'app', keys: ['prefix "'], doc: 'split: new pane below' },
  { id: 'split-right', layer: 'app', keys: ['prefix %'], doc: 'split: new pane on the right' },
  { id: 'close', layer: 'app', keys: ['prefix x'], doc: 'close the pane (asks if it runs)' },
  { id: 'stop', layer: 'app', keys: ['prefix s'], doc: 'stop the process (a second time: force)' },
  { id: 'resume', layer: 'app', keys: ['prefix r'], doc: 'resume or restart it' },
  { id: 'stop-all', layer: 'app', keys: ['prefix S'], doc: 'stop all (asks once)' },
  { id: 'resume-all', layer: 'app', keys: ['prefix R'], doc: 'resume all (asks once)' },
  { id: 'interrupt', layer: 'app', keys: ['prefix c'], doc: 'interrupt the turn, keep the process' },
  { id: 'inbox', layer: 'app', keys: ['prefix i'], doc: 'inbox: all open permissions and questions' },
  { id: 'goto-needs-you', layer: 'app', keys: ['prefix g'], doc: 'go to the next pane that needs you' },
  { id: 'explain', layer: 'app', keys: ['prefix e'], doc: 'explain this status' },
  { id: 'mark-done', layer: 'app', keys: ['prefix m'], doc: 'mark the task done' },
  { id: 'switch-view', layer: 'app', keys: ['prefix v'], doc: 'switch view: structured, raw frames' },
  { id: 'broadcast', layer: 'app', keys: ['prefix b'], doc: 'send one prompt to several panes' },
  { id: 'rename', layer: 'app', keys: ['prefix ,'], doc: 'rename the session' },
  { id: 'scroll', layer: 'app', keys: ['prefix ['], doc: 'scroll the pane (it goes on running)' },
  { id: 'next-layout', layer: 'app', keys: ['prefix space'], doc: 'next layout: auto, columns, rows, main' },
  { id: 'next-pane', layer: 'app', keys: ['prefix tab'], doc: 'focus the next pane' },
  {
    id: 'resize-left',
    layer: 'app',
    keys: ['prefix ctrl+left', 'prefix H'],
    doc: 'move the border left',
    repeats: true,
  },
  {
    id: 'resize-down',
    layer: 'app',
    keys: ['prefix ctrl+down', 'prefix J'],
    doc: 'move the border down',
    repeats: true,
  },
  {
    id: 'resize-up',
    layer: 'app',
    keys: ['prefix ctrl+up', 'prefix K'],
    doc: 'move the border up',
    repeats: true,
  },
  {
    id: 'resize-right',
    layer: 'app',
    keys: ['prefix ctrl+right', 'prefix L'],
    doc: 'move the border right',
    repeats: true,
  },
  { id: 'swap-previous', layer: 'app', keys: ['prefix {'], doc: 'swap with the previous pane' },
  { id: 'swap-next', layer: 'app', keys: ['prefix }'], doc: 'swap with the next pane' },
  { id: 'tab-new', layer: 'app', keys: ['prefix t'], doc: 'new tab' },
  { id: 'tab-rename', layer: 'app', keys: [], doc: 'rename the tab' },
  { id: 'tab-close', layer: 'app', keys: [], doc: 'close the tab and its panes' },
  { id: 'move-to-new-tab', layer: 'app', keys: ['prefix !'], doc: 'move the pane to a new tab' },
  { id: 'redraw', layer: 'app', keys: ['prefix ctrl+l'], doc: 'paint the whole screen anew' },
  { id: 'detach', layer: 'app', keys: ['prefix d'], doc: 'detach; everything goes on' },
  { id: 'quit', layer: 'app', keys: ['prefix q'], doc: 'quit (asks: detach or stop all)' },

  { id: 'send', layer: 'composer', keys: ['enter'], doc: 'send; while the agent works: queue' },
  {
    id: 'new-line',
    layer: 'composer',
    keys: ['shift+enter', 'alt+enter', 'ctrl+j', 'ctrl+enter'],
    doc: 'new line',
  },
  {
    id: 'clear',
    layer: 'composer',
    keys: ['ctrl+c'],
    doc: 'clear the text; without text: interrupt the turn',
  },
  { id: 'older', layer: 'composer', keys: ['up'], doc: 'a line up; at the first: an older prompt' },
  { id: 'newer', layer: 'composer', keys: ['down'], doc: 'a line down; at the last: a newer prompt' },
  {
    id: 'take-back',
    layer: 'composer',
    keys: ['ctrl+u'],
    doc: 'without text: take the last queued prompt back',
  },
  { id: 'card', layer: 'composer', keys: ['tab'], doc: 'answer the card of a request (tab or escape: back)' },
  {
    id: 'show-all',
    layer: 'composer',
    keys: ['ctrl+o'],
    doc: 'show long output and thinking whole, or folded',
  },
  { id: 'read-up', layer: 'composer', keys: ['pageup'], doc: 'a page up in the transcript' },
  { id: 'read-down', layer: 'composer', keys: ['pagedown'], doc: 'a page down in the transcript' },
  {
    id: 'read-newest',
    layer: 'composer',
    keys: ['escape'],
    doc: 'to the newest row; leave what is written for a card',
  },

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
    layer: 'app' as const,
    keys: [`alt+${n}`],
    doc: `focus the pane with number ${n}`,
  },
  { id: `tab-${n}` as const, layer: 'app' as const, keys: [`prefix ${n}`], doc: `go to tab ${n}` },
]);

/** Actions of the composer; its pane performs them. */
export type ComposerAction = Extract<(typeof FIXED)[number], { layer: 'composer' }>['id'];
export type ActionId = (typeof FIXED)[number]['id'] | (typeof NUMBERED)[number]['id'];
export interface Action extends ActionRow {
  id: ActionId;
}

export const ACTIONS: readonly Action[] = [...FIXED, ...NUMBERED];

/** Keys by action id from the config; "" or false unbinds. */
export type KeyOverrides = Record<string, string | readonly string[] | false>;

export interface Binding {
  action: Action;
  /** As a person types them: "alt+h", "ctrl+] n". */
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

/** Lays the config over the table. A key given to two actions goes to the one the config names. */
export function buildKeymap(overrides: KeyOverrides = {}, prefix: string = DEFAULT_PREFIX): Keymap {
  const problems = Object.keys(overrides)
    .filter((id) => !ACTIONS.some((action) => action.id === id))
    .map((id) => `keys.bindings.${id}: there is no such action; prefix ? and docs/keys.md list them`);
  const table = new Map<string, Action>();
  const own = ACTIONS.filter((action) => overrides[action.id] !== undefined);
  const standard = ACTIONS.filter((action) => overrides[action.id] === undefined);
  for (const action of [...own, ...standard]) {
    for (const key of chosenKeys(action, overrides)) {
      const slot = slotOf(action, key);
      const taken = table.get(slot);
      if (!taken) table.set(slot, action);
      else if (own.includes(action))
        problems.push(`keys.bindings.${action.id}: ${key} is given to ${taken.id} as well`);
    }
  }
  const bindings = ACTIONS.map((action) => ({
    action,
    keys: chosenKeys(action, overrides)
      .filter((key) => table.get(slotOf(action, key)) === action)
      .map((key) => key.replace(PREFIX_WORD, `${prefix} `)),
  }));
  return { prefix, bindings, problems, lookup: (layer, label) => table.get(`${layer} ${label}`) };
}

const PREFIX_WORD = /^prefix /;

function slotOf(action: Action, key: string): string {
  if (action.layer !== 'app') return `${action.layer} ${key}`;
  return PREFIX_WORD.test(key) ? key : `global ${key}`;
}

function chosenKeys(action: Action, overrides: KeyOverrides): readonly string[] {
  const chosen = overrides[action.id];
  if (chosen === undefined) return action.keys;
  if (chosen === false || chosen === '') return [];
  return typeof chosen === 'string' ? [chosen] : chosen;
}

/** The first key of an action as a person types it ("ctrl+] n"); '' when it has none. */
export function typedKeys(keymap: Keymap, id: ActionId): string {
  return keymap.bindings.find((one) => one.action.id === id)?.keys[0] ?? '';
}
