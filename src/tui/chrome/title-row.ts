// The title row of a tile: number, provider, name on the left; scroll place, status and its time on the right. Pure.
import { FAILURE_LABELS } from '../../model/failure.js';
import { STATUS_TABLE, type StatusWord } from '../../model/status.js';
import type { SessionView } from '../../wire/messages.js';
import type { ScrollState } from '../state.js';
import { fit, sanitize, truncate, width, type Look } from './text.js';
import { statusColour, statusGlyph, type Theme } from './theme.js';

/** "0:42 ", "59:59", "3h05 ": the compositor repaints these cells each second without a new chrome frame. */
export const TIME_CELLS = 5;
/** Statuses whose duration matters to the person. */
const TIMED: readonly StatusWord[] = ['starting', 'working', 'needs-you'];
/** PRODUCT: after this long without output "maybe idle" is shown, dimmed. It never changes the status. */
export const QUIET_MS = 10 * 60_000;
/** With less room than this for the name, the status loses its word. */
const NAME_CELLS = 12;

export interface TitleInput {
  view: SessionView | null;
  /** What the child calls itself (OSC 0/2). */
  childTitle: string;
  focused: boolean;
  zoomed: boolean;
  scroll: ScrollState | undefined;
  scrollMode: boolean;
  width: number;
  now: number;
}

export interface TitleRow {
  line: string;
  /** Cells of the time, from the left edge of the tile. */
  timeAt?: number;
  look: Look;
}

export function titleRow(input: TitleInput, theme: Theme): TitleRow {
  const look: Look = input.focused ? { inverse: true, bold: true } : {};
  const right = rightSide(input, theme);
  const mark = input.focused ? theme.focusMark : ' ';
  const cells = Math.max(0, input.width - width(right.plain));
  const left = fit(truncate(mark + leftSide(input), cells - 1, theme.ellipsis), cells);
  const colour = input.view ? statusColour(input.view.status) : undefined;
  const line =
    theme.paint(left, look) +
    theme.paint(right.plain, { ...look, colour, bold: input.focused || right.urgent });
  const timeAt = right.timed && input.width >= width(right.plain) ? { timeAt: input.width - TIME_CELLS } : {};
  return { line: input.width > 0 ? line : '', look: { ...look, colour }, ...timeAt };
}

function leftSide({ view, childTitle }: TitleInput): string {
  if (!view) return '';
  const { name, title } = view.session;
  const provider = view.providerName.toLowerCase() === name.toLowerCase() ? '' : `${view.providerName} `;
  const about = sanitize(title ?? childTitle).trim();
  return `${view.number} ${sanitize(provider)}${sanitize(name)}${about && about !== name ? `  ${about}` : ''}`;
}

function rightSide(input: TitleInput, theme: Theme): { plain: string; timed: boolean; urgent: boolean } {
  const { view, now } = input;
  const scroll = scrollWords(input, theme) + (input.zoomed ? 'zoomed ' : '');
  if (!view) return { plain: scroll, timed: false, urgent: false };
  const { status } = view;
  const timed = TIMED.includes(status);
  const glyph = statusGlyph(theme, status);
  const time = timed ? elapsed(now - view.statusSince).padEnd(TIME_CELLS) : '';
  const long = `${scroll}${glyph} ${statusWords(view, now)} ${time}`;
  const urgent = status === 'needs-you' || status === 'failed';
  if (input.width - width(long) >= NAME_CELLS) return { plain: long, timed, urgent };
  const short = `${scroll}${glyph} `;
  return { plain: width(short) < input.width ? short : '', timed: false, urgent };
}

function statusWords(view: SessionView, now: number): string {
  const { label } = STATUS_TABLE[view.status];
  if (view.status === 'failed' && view.run?.failure)
    return `${label}: ${FAILURE_LABELS[view.run.failure.kind]}`;
  if (view.status === 'exited' && view.run?.exitCode !== undefined) return `${label} ${view.run.exitCode}`;
  const quiet = view.status === 'working' && now - (view.lastOutputAt ?? now) >= QUIET_MS;
  return quiet ? `${label}, maybe idle` : label;
}

function scrollWords({ scroll, scrollMode, focused }: TitleInput, theme: Theme): string {
  const on = (scroll?.offset ?? 0) > 0 || (scrollMode && focused);
  return on ? `${theme.up}${scroll?.offset ?? 0}/${scroll?.historyLines ?? 0} ` : '';
}

/** A duration for people: 0:42, 12:05, 3h05, 2d. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 24) return `${hours}h${two(Math.floor((seconds % 3600) / 60))}`;
  return `${Math.floor(hours / 24)}d`;
}
