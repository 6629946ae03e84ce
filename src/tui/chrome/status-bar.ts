// The last row: tabs, counts by status, cost and tokens, the newest message, and the one hint that matters now. Pure.
import type { TabId } from '../../model/ids.js';
import { isZoomed } from '../../model/layout-ops.js';
import { STATUS_URGENCY, type StatusWord } from '../../model/status.js';
import { typedKeys, type Keymap } from '../keymap.js';
import { takesScrollKeys } from '../panes/kinds.js';
import { activeTab, type UiState } from '../state.js';
import { fit, sanitize, truncate, width, type Look } from './text.js';
import { statusColour, statusGlyph, type Theme } from './theme.js';

export interface TabSpan {
  tabId: TabId;
  /** Cells of the bar that belong to the tab: from, to (exclusive). */
  from: number;
  to: number;
}

export interface StatusBar {
  line: string;
  tabs: TabSpan[];
}

interface Part {
  text: string;
  look: Look;
}

/** Counts of these are shown; idle and ended ones are quiet. */
const COUNTED: readonly StatusWord[] = STATUS_URGENCY.filter(
  (word) => !['unknown', 'idle', 'exited'].includes(word),
);

export function statusBar(state: UiState, keymap: Keymap, theme: Theme): StatusBar {
  const cols = state.host.cols;
  const { parts: tabs, spans } = tabParts(state);
  const bar: Part = { text: ` ${theme.bar} `, look: { dim: true } };
  const left: Part[] = [...tabs];
  for (const part of [countParts(state, theme), usageParts(state, theme)])
    if (part.length > 0) left.push(bar, ...part);
  const hint = hintWords(state, keymap, theme);
  const message = messagePart(state);
  const room = cols - width(hint) - 1;
  const line = paintParts(message ? [...tabs, bar, message] : left, room, theme);
  return {
    line: line + theme.paint(fit(` ${hint}`, cols - Math.max(0, room), theme.ellipsis), { dim: true }),
    tabs: spans.filter((span) => span.from < room),
  };
}

function tabParts(state: UiState): { parts: Part[]; spans: TabSpan[] } {
  const active = activeTab(state);
  const parts: Part[] = [];
  const spans: TabSpan[] = [];
  let at = 0;
  for (const [index, tab] of (state.workspace?.tabs ?? []).entries()) {
    const text = ` ${index + 1}:${sanitize(tab.name)}${isZoomed(tab) ? ' (zoomed)' : ''} `;
    const on = tab.id === active?.id;
    parts.push({ text, look: on ? { inverse: true, bold: true } : {} });
    spans.push({ tabId: tab.id, from: at, to: at + width(text) });
    at += width(text);
  }
  return { parts, spans };
}

function countParts(state: UiState, theme: Theme): Part[] {
  const sessions = state.workspace?.sessions ?? [];
  if (sessions.length === 0) return [];
  const parts: Part[] = [{ text: sessions.length === 1 ? '1 pane' : `${sessions.length} panes`, look: {} }];
  for (const word of COUNTED) {
    const count = sessions.filter((view) => view.status === word).length;
    if (count > 0)
      parts.push({ text: ` ${statusGlyph(theme, word)}${count}`, look: { colour: statusColour(word) } });
  }
  return parts;
}

function usageParts(state: UiState, theme: Theme): Part[] {
  const sum = { cost: 0, input: 0, output: 0 };
  for (const { usage } of state.workspace?.sessions ?? []) {
    sum.cost += usage?.costUsd ?? 0;
    sum.input += usage?.inputTokens ?? 0;
    sum.output += usage?.outputTokens ?? 0;
  }
  const cost = sum.cost > 0 ? `$${sum.cost.toFixed(2)} ` : '';
  const tokens = sum.input + sum.output;
  if (cost === '' && tokens === 0) return [];
  const flow = tokens > 0 ? `${theme.up}${short(sum.input)} ${theme.down}${short(sum.output)}` : '';
  return [{ text: `${cost}${flow}`.trim(), look: {} }];
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

const LEVEL_COLOUR = { info: undefined, warning: 'yellow', error: 'red' } as const;

/** The newest message, else a lasting banner of the daemon. */
function messagePart(state: UiState): Part | null {
  const message = state.messages[state.messages.length - 1] ?? state.workspace?.banners[0];
  if (!message) return null;
  const colour = LEVEL_COLOUR[message.level];
  return { text: sanitize(message.text), look: { colour, bold: message.level !== 'info' } };
}

function hintWords(state: UiState, keymap: Keymap, theme: Theme): string {
  const keys = (id: Parameters<typeof typedKeys>[1], words: string) => {
    const typed = typedKeys(keymap, id);
    return typed === '' ? words : `${typed} ${words}`;
  };
  if (state.link === 'lost') return 'the daemon is gone, starting it again';
  if (state.prefixOpen) return `${keymap.prefix} ${theme.dot} ? keys ${theme.dot} esc`;
  if (state.dialog) return 'esc closes';
  if (takesScrollKeys(state)) return `scrolling ${theme.dot} g G pgup pgdn ${theme.dot} q leaves`;
  const waiting = (state.workspace?.sessions ?? []).filter((view) => view.status === 'needs-you').length;
  if (waiting > 0) return `${statusGlyph(theme, 'needs-you')} ${keys('goto-needs-you', 'goes there')}`;
  const tab = activeTab(state);
  if (tab && isZoomed(tab)) return keys('zoom', 'shows all');
  return state.tour ?? keys('help', 'keys');
}

function paintParts(parts: readonly Part[], cells: number, theme: Theme): string {
  let out = '';
  let used = 0;
  for (const { text, look } of parts) {
    const cut = truncate(text, cells - used, theme.ellipsis);
    out += theme.paint(cut, look);
    used += width(cut);
  }
  return out + ' '.repeat(Math.max(0, cells - used));
}
