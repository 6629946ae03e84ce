// Markdown of a model -> rows. What agents write: headings, lists, quotes, rules, fenced and inline code, bold, links.
// Anything else stays as it was written. Pure; an unfinished text (streaming) renders as far as it goes.
import type { Look } from '../chrome/text.js';
import { highlight } from './highlight.js';
import { cleanLine, indent, wrapSpans, type Prefix, type RenderContext, type Span } from './styled-wrap.js';

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;

export function renderMarkdown(text: string, context: RenderContext, left: Prefix): string[] {
  const rows: string[] = [];
  let fence: { mark: string; language: string } | undefined;
  for (const raw of text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n')) {
    const line = cleanLine(raw);
    const mark = FENCE.exec(line);
    if (fence) {
      if (mark && mark[1]!.startsWith(fence.mark) && mark[2] === '') fence = undefined;
      else rows.push(...codeLine(line, fence.language, context, left));
    } else if (mark) fence = { mark: mark[1]!, language: mark[2]!.toLowerCase() };
    else rows.push(...proseLine(line, context, left));
  }
  return rows;
}

function codeLine(line: string, language: string, context: RenderContext, left: Prefix): string[] {
  const bar = `${context.theme.bar} `;
  const prefix = { text: left.text + context.theme.paint(bar, { dim: true }), cells: left.cells + 2 };
  return wrapSpans(highlight(line, language), context, prefix);
}

function proseLine(line: string, context: RenderContext, left: Prefix): string[] {
  const { theme } = context;
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading) {
    const look: Look = { bold: true, underline: heading[1]!.length === 1 };
    return wrapSpans(inlineSpans(heading[2]!, look), context, left);
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
    const cells = Math.max(1, Math.min(40, context.width - left.cells));
    return [left.text + theme.paint(theme.dash.repeat(cells), { dim: true })];
  }
  const item = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/.exec(line);
  if (item) {
    const mark = /\d/.test(item[2]!) ? item[2]! : theme.unicode ? '•' : '-';
    const at = left.cells + item[1]!.length;
    const first = { text: `${left.text}${item[1]!}${mark} `, cells: at + mark.length + 1 };
    const rest = { text: left.text + ' '.repeat(item[1]!.length + mark.length + 1), cells: first.cells };
    return wrapSpans(inlineSpans(item[3]!), context, first, rest);
  }
  const quote = /^\s*>\s?(.*)$/.exec(line);
  if (quote) {
    const prefix = {
      text: `${left.text}${theme.paint(`${theme.bar} `, { dim: true })}`,
      cells: left.cells + 2,
    };
    return wrapSpans(inlineSpans(quote[1]!, { dim: true }), context, prefix);
  }
  const lead = /^ */.exec(line)![0].length;
  const shift = indent(lead);
  const prefix = { text: left.text + shift.text, cells: left.cells + lead };
  return wrapSpans(inlineSpans(line.slice(lead)), context, prefix);
}

const INLINE =
  /(`+)(.+?)\1(?!`)|\*\*(?=\S)(.+?)\*\*|__(?=\S)(.+?)__|(?<![\w*])\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Bold, emphasis, code and links within a line; `base` is the look of the rest. */
export function inlineSpans(text: string, base: Look = {}): Span[] {
  const spans: Span[] = [];
  let at = 0;
  const plain = (to: number) => {
    if (to > at) spans.push({ text: text.slice(at, to), look: base });
  };
  for (const match of text.matchAll(INLINE)) {
    plain(match.index);
    const [whole, , code, bold, bold2, emphasis, label, url] = match;
    if (code !== undefined) spans.push({ text: code, look: { ...base, colour: 'cyan' } });
    else if (bold !== undefined || bold2 !== undefined)
      spans.push({ text: (bold ?? bold2)!, look: { ...base, bold: true } });
    else if (emphasis !== undefined) spans.push({ text: emphasis, look: { ...base, underline: true } });
    else {
      spans.push({ text: label!, look: { ...base, underline: true } });
      if (label !== url) spans.push({ text: ` (${url!})`, look: { ...base, dim: true } });
    }
    at = match.index + whole.length;
  }
  plain(text.length);
  return spans;
}
