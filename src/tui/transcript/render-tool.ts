// A tool call as rows: glyph of its state, title, how it ended and how long it took; then its diff or output, folded. Pure.
import type { ToolContent, ToolStatus } from '../../model/event.js';
import type { ToolItem } from '../../model/transcript-item.js';
import { fit, truncate, width, type Colour } from '../chrome/text.js';
import { elapsed } from '../chrome/title-row.js';
import { diffRows } from './diff-rows.js';
import { cleanLine, outputLines, wrapHard, type Prefix, type RenderContext } from './styled-wrap.js';

/** Lines of output that are shown while it is folded; a failed call shows more of its end. */
const FOLDED_LINES = 4;
const FOLDED_FAILED_LINES = 12;
const FOLDED_DIFF_LINES = 24;
/** Also "show all" has an end: beyond it `agentile read` and the raw view have the rest. */
const EXPANDED_LINES = 2000;
const EXPANDED_LINE_CHARS = 20_000;
/** No grapheme of a title or an output line needs more UTF-16 units than this on the average. */
const UNITS_PER_CELL = 12;

const STATES: Record<ToolStatus, { glyph: string; ascii: string; colour: Colour; word: string }> = {
  pending: { glyph: '◌', ascii: '.', colour: 'gray', word: '' },
  running: { glyph: '⠋', ascii: '~', colour: 'blue', word: '' },
  completed: { glyph: '✓', ascii: '+', colour: 'green', word: '' },
  failed: { glyph: '✗', ascii: 'x', colour: 'red', word: 'failed' },
  cancelled: { glyph: '⊘', ascii: '-', colour: 'yellow', word: 'cancelled' },
  unknown: { glyph: '?', ascii: '?', colour: 'gray', word: 'no result seen' },
};
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'];

export function renderTool(item: ToolItem, context: RenderContext, left: Prefix): string[] {
  const body = { text: `${left.text}  `, cells: left.cells + 2 };
  return [titleLine(item, context, left), ...resultRows(item, context, body)];
}

export function isRunning(item: ToolItem): boolean {
  return item.call.status === 'running' || item.call.status === 'pending';
}

function titleLine(item: ToolItem, context: RenderContext, left: Prefix): string {
  const { call } = item;
  const { theme } = context;
  const state = STATES[call.status];
  const spin =
    call.status === 'running' ? SPINNER[Math.floor(context.now / 1000) % SPINNER.length]! : state.glyph;
  const glyph = theme.unicode ? spin : state.ascii;
  // A title must be readable before anything stands beside it; a bad exit is told by the glyph too.
  const words = endWords(item, context);
  const end = width(words) * 2 < context.width - left.cells ? words : '';
  const room = Math.max(1, context.width - left.cells - 2 - (end === '' ? 0 : width(end) + 1));
  const title = truncate(
    cleanLine(call.title.slice(0, room * UNITS_PER_CELL).replace(/\s*\n\s*/g, ' ')),
    room,
    theme.ellipsis,
  );
  const filled = end === '' ? title : `${fit(title, room)} `;
  const look = call.status === 'failed' ? { colour: 'red' as const } : { dim: true };
  return `${left.text}${theme.paint(glyph, { colour: state.colour, bold: true })} ${filled}${theme.paint(end, look)}`;
}

function endWords(item: ToolItem, { now }: RenderContext): string {
  const { call } = item;
  const words: string[] = [];
  const exitCode = call.exitCode ?? terminalExit(call.content);
  if (exitCode !== undefined && exitCode !== 0) words.push(`exit ${exitCode}`);
  else if (STATES[call.status].word !== '') words.push(STATES[call.status].word);
  if (isHidden(item)) {
    const count = outputOf(item).length;
    if (count > 0) words.push(count === 1 ? '1 line' : `${count} lines`);
  }
  const ms = (item.endedAt ?? (isRunning(item) ? now : item.at)) - item.at;
  if (ms >= 100) words.push(spent(ms, isRunning(item)));
  return words.join('  ');
}

/** "2.1 s", "1:05"; whole seconds while it runs. */
export function spent(ms: number, running: boolean): string {
  if (ms >= 60_000) return elapsed(ms);
  return running ? `${Math.floor(ms / 1000)} s` : `${(ms / 1000).toFixed(1)} s`;
}

function terminalExit(content: readonly ToolContent[] | undefined): number | undefined {
  return content?.find((one) => one.type === 'terminal')?.exitCode;
}

function outputOf(item: ToolItem): string[] {
  const parts = (item.call.content ?? []).flatMap((one) => {
    if (one.type === 'text') return [one.text];
    if (one.type === 'terminal') return [one.output];
    return one.type === 'image' ? [`[image ${one.mimeType}]`] : [];
  });
  const whole = parts.join('\n');
  const text = whole.length >= item.output.length ? whole : item.output;
  return text.trim() === '' ? [] : outputLines(text);
}

/** What an agent read is seldom news: its size says enough. */
function isHidden({ call }: ToolItem): boolean {
  return (call.kind === 'read' || call.kind === 'search') && call.status === 'completed';
}

function resultRows(item: ToolItem, context: RenderContext, left: Prefix): string[] {
  const { call } = item;
  const { expanded, theme } = context;
  const diffs = (call.content ?? []).filter((one) => one.type === 'diff');
  const rows = diffs.flatMap((diff) =>
    diffRows(diff, context, left, expanded ? Infinity : FOLDED_DIFF_LINES),
  );
  const isEdited = diffs.length > 0 && call.status === 'completed';
  if (!expanded && (isHidden(item) || isEdited)) return rows;
  const lines = outputOf(item);
  const cap = expanded ? EXPANDED_LINES : call.status === 'failed' ? FOLDED_FAILED_LINES : FOLDED_LINES;
  if (lines.length <= cap + 1) return [...rows, ...lines.flatMap((line) => outputRow(line, context, left))];
  // While it runs and when it failed, the end tells more than the beginning.
  const fromEnd = isRunning(item) || call.status === 'failed';
  const shown = (fromEnd ? lines.slice(-cap) : lines.slice(0, cap)).flatMap((line) =>
    outputRow(line, context, left),
  );
  const fold = left.text + theme.paint(`${theme.ellipsis} ${lines.length - cap} more lines`, { dim: true });
  return fromEnd ? [...rows, fold, ...shown] : [...rows, ...shown, fold];
}

function outputRow(line: string, context: RenderContext, left: Prefix): string[] {
  if (context.expanded) return wrapHard(line.slice(0, EXPANDED_LINE_CHARS), { dim: true }, context, left);
  const room = Math.max(1, context.width - left.cells);
  return [
    left.text +
      context.theme.paint(truncate(line.slice(0, room * UNITS_PER_CELL), room, context.theme.ellipsis), {
        dim: true,
      }),
  ];
}
