// One item of a transcript -> rows of text with SGR, none wider than the context says. Pure; the row cache calls it, once for
// each version of an item and width. Text of models and tools is made harmless on the way (see styled-wrap).
import type { PlanEntry, Usage } from '../../model/event.js';
import type { Failure } from '../../model/failure.js';
import { FAILURE_LABELS } from '../../model/failure.js';
import type { PermissionRequest } from '../../model/permission.js';
import type { TranscriptItem } from '../../model/transcript-item.js';
import { truncate, type Look } from '../chrome/text.js';
import { diffRows } from './diff-rows.js';
import { renderMarkdown } from './markdown.js';
import { isRunning, renderTool, spent } from './render-tool.js';
import {
  cleanLine,
  indent,
  textLines,
  wrapHard,
  wrapSpans,
  type Prefix,
  type RenderContext,
} from './styled-wrap.js';

type Of<K extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: K }>;

export function renderItem(item: TranscriptItem, context: RenderContext): string[] {
  const left = indent(Math.min(item.depth * 2, 8, Math.max(0, context.width - 10)));
  switch (item.kind) {
    case 'prompt':
      return promptRows(item, context);
    case 'text':
      return renderMarkdown(item.text, context, left);
    case 'thought':
      return thoughtRows(item, context, left);
    case 'tool':
      return renderTool(item, context, left);
    case 'plan':
      return item.entries.flatMap((entry) => planRow(entry, context, left));
    case 'notice':
      return noticeRows(item, context, left);
    case 'permission':
      return permissionRows(item, context, left);
    case 'turn-end':
      return endRows(item, context);
    case 'failure':
      return failureRows(item.failure, context);
    case 'unknown':
      return unknownRows(item, context, left);
  }
}

/** The rows change with time alone. */
export function isLive(item: TranscriptItem): boolean {
  return item.kind === 'tool' && isRunning(item);
}

function promptRows(item: Of<'prompt'>, context: RenderContext): string[] {
  const look: Look = item.origin === 'injected' ? { dim: true } : { bold: true };
  const mark = { text: context.theme.paint('> ', { colour: 'cyan', bold: true }), cells: 2 };
  const lines = textLines(item.text);
  const rows = lines.flatMap((text, at) =>
    wrapSpans([{ text, look }], context, at === 0 ? mark : indent(2), indent(2)),
  );
  return ['', ...rows];
}

function thoughtRows(item: Of<'thought'>, context: RenderContext, left: Prefix): string[] {
  const { theme } = context;
  const lines = textLines(item.text).filter((line) => line.trim() !== '');
  if (context.expanded)
    return lines.flatMap((text) =>
      wrapSpans([{ text, look: { dim: true } }], context, indent(left.cells + 2)),
    );
  const words = item.open ? (lines.at(-1) ?? '') : (lines[0] ?? '');
  const more = lines.length > 1 && !item.open ? ` (${lines.length} lines)` : '';
  const label = `${theme.unicode ? '✻' : '*'} ${item.open ? 'thinking' : 'thought'}: `;
  const room = Math.max(1, context.width - left.cells);
  const text =
    truncate(label + words.replaceAll('**', ''), Math.max(1, room - more.length), theme.ellipsis) + more;
  return [left.text + theme.paint(truncate(text, room, theme.ellipsis), { dim: true })];
}

const PLAN_MARKS = {
  pending: { glyph: '☐', ascii: '[ ]', look: {} },
  in_progress: { glyph: '▸', ascii: '[>]', look: { bold: true } },
  completed: { glyph: '☑', ascii: '[x]', look: { dim: true } },
} as const;

function planRow(entry: PlanEntry, context: RenderContext, left: Prefix): string[] {
  const { glyph, ascii, look } = PLAN_MARKS[entry.status];
  const mark = context.theme.unicode ? glyph : ascii;
  const first = { text: `${left.text}${mark} `, cells: left.cells + mark.length + 1 };
  return wrapSpans([{ text: cleanLine(entry.text), look }], context, first, indent(first.cells));
}

function noticeRows(item: Of<'notice'>, context: RenderContext, left: Prefix): string[] {
  const { theme } = context;
  const colour = { info: 'gray', warning: 'yellow', error: 'red' } as const;
  const mark = item.level === 'info' ? theme.dot : '!';
  const attempt = item.retry
    ? ` (attempt ${item.retry.attempt}${item.retry.max ? ` of ${item.retry.max}` : ''})`
    : '';
  const text = item.text.includes(String(item.retry?.attempt)) ? item.text : item.text + attempt;
  const look: Look = item.level === 'info' ? { dim: true } : { colour: colour[item.level] };
  const first = { text: `${left.text}${theme.paint(`${mark} `, look)}`, cells: left.cells + 2 };
  const rows = textLines(text).flatMap((line, at) =>
    wrapSpans([{ text: line, look }], context, at === 0 ? first : indent(first.cells), indent(first.cells)),
  );
  if (item.notice !== 'context-reset') return rows;
  return [theme.paint(theme.dash.repeat(context.width), { dim: true }), ...rows];
}

function permissionRows(item: Of<'permission'>, context: RenderContext, left: Prefix): string[] {
  const { theme } = context;
  const { request, answer } = item;
  const mark = theme.paint(answer ? theme.dot : theme.unicode ? '◆' : '!', {
    colour: 'magenta',
    bold: !answer,
  });
  const first = { text: `${left.text}${mark} `, cells: left.cells + 2 };
  const verdict = answer ? ` ${theme.ellipsis} ${answerWords(item)}` : ' waits for you';
  const spans = [
    { text: cleanLine(request.title.replace(/\s*\n\s*/g, ' ')) },
    { text: verdict, look: { bold: true } },
  ];
  return [
    ...wrapSpans(spans, context, first, indent(first.cells)),
    ...(answer && !context.expanded ? [] : requestRows(request, context, indent(first.cells))),
  ];
}

/** What the request is about, whole: the command, the path, the change. */
export function requestRows(request: PermissionRequest, context: RenderContext, left: Prefix): string[] {
  const { command, path, diffs, description } = request;
  const lines = (text: string, look?: Look) =>
    textLines(text).flatMap((line) => wrapHard(line, look, context, left));
  return [
    ...(command ? lines(`$ ${command}`, { bold: true }) : []),
    ...(path && !request.title.includes(path) ? lines(path) : []),
    ...(diffs ?? []).flatMap((diff) => diffRows(diff, context, left)),
    ...(description && description !== command ? lines(description, { dim: true }) : []),
  ];
}

function answerWords({ request, answer, source }: Of<'permission'>): string {
  if (!answer) return '';
  const by = source === 'policy' ? ' by policy' : '';
  if (answer.outcome === 'cancelled') return `withdrawn${by}`;
  if (answer.outcome === 'answers')
    return cleanLine(Object.values(answer.answers).join(', ').replace(/\n/g, ' '));
  const option = request.options.find((one) => one.optionId === answer.optionId);
  const reason = answer.message ? `: ${cleanLine(answer.message.replace(/\n/g, ' '))}` : '';
  return cleanLine(option?.label ?? answer.optionId) + reason + by;
}

const END_WORDS = {
  end_turn: 'done',
  max_tokens: 'answer cut: token limit',
  max_turns: 'turn limit',
  refusal: 'refused',
  cancelled: 'interrupted',
  error: 'failed',
  unknown: 'ended, the CLI does not say how',
} as const;

function endRows(item: Of<'turn-end'>, context: RenderContext): string[] {
  const { theme } = context;
  const words = [
    END_WORDS[item.stopReason],
    ...(item.suspicious ? ['it said nothing'] : []),
    ...(item.durationMs >= 1000 ? [spent(item.durationMs, false)] : []),
    ...(item.usage ? usageWords(item.usage, theme) : []),
  ];
  const look: Look = item.stopReason === 'cancelled' ? { colour: 'yellow' } : { dim: true };
  const text = truncate(`${theme.dash} ${words.join(` ${theme.dot} `)}`, context.width, theme.ellipsis);
  return [...(item.failure ? failureRows(item.failure, context) : []), theme.paint(text, look)];
}

export function usageWords(usage: Usage, theme: RenderContext['theme']): string[] {
  const count = (n: number) =>
    n < 1000 ? String(n) : n < 1e6 ? `${(n / 1000).toFixed(1)}k` : `${(n / 1e6).toFixed(1)}M`;
  const tokens = [
    ...(usage.inputTokens === undefined ? [] : [`${theme.up}${count(usage.inputTokens)}`]),
    ...(usage.outputTokens === undefined ? [] : [`${theme.down}${count(usage.outputTokens)}`]),
  ].join(' ');
  const cost = !usage.costUsd ? [] : [`$${usage.costUsd.toFixed(usage.costUsd < 0.1 ? 4 : 2)}`];
  return [...(tokens === '' ? [] : [tokens]), ...cost];
}

function failureRows(failure: Failure, context: RenderContext): string[] {
  const look: Look = { colour: 'red' };
  const { theme } = context;
  const first = { text: theme.paint(theme.unicode ? '✗ ' : 'x ', { ...look, bold: true }), cells: 2 };
  const label = { text: `${FAILURE_LABELS[failure.kind]}: `, look: { ...look, bold: true } };
  const message = cleanLine(failure.message.replace(/\s*\n\s*/g, ' '));
  const until = failure.resetsAt ? ` Lifts at ${new Date(failure.resetsAt).toLocaleString()}.` : '';
  const rows = wrapSpans([label, { text: message + until, look }], context, first, indent(2));
  const hint = failure.hint
    ? wrapSpans([{ text: cleanLine(failure.hint), look: { bold: true } }], context, indent(2))
    : [];
  const tail = context.expanded ? (failure.stderrTail ?? []) : [];
  const stderr = tail.flatMap((line) => wrapHard(cleanLine(line), { dim: true }, context, indent(2)));
  return [...rows, ...hint, ...stderr];
}

function unknownRows(item: Of<'unknown'>, context: RenderContext, left: Prefix): string[] {
  const times = item.count > 1 ? ` ${item.count} times` : '';
  const text = cleanLine(`? unknown frame "${item.frameType}"${times}`);
  const { theme } = context;
  const row =
    left.text + theme.paint(truncate(text, context.width - left.cells, theme.ellipsis), { dim: true });
  if (!context.expanded) return [row];
  return [
    row,
    ...wrapHard(cleanLine(JSON.stringify(item.raw)), { dim: true }, context, indent(left.cells + 2)),
  ];
}
