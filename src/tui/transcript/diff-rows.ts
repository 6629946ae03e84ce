// A change of a file as rows: "-" and "+" lines with a little context, readable with and without colour. Pure.
import type { DiffContent } from '../../model/diff.js';
import { textLines, wrapHard, type Prefix, type RenderContext } from './styled-wrap.js';

export interface DiffLine {
  sign: ' ' | '-' | '+' | '@';
  text: string;
}

const CONTEXT_LINES = 2;
/** Beyond this many lines on both sides (product) the middle is shown as replaced whole. */
const LCS_CELLS = 250_000;

/** Lines of the change; runs of unchanged ones are cut to their ends, with an "@" line where lines are left out. */
export function diffLines({ oldText, newText, startLine }: DiffContent): DiffLine[] {
  const before = oldText ? textLines(oldText) : [];
  const after = newText === '' ? [] : textLines(newText);
  return withContext(compare(before, after), startLine ?? 1);
}

export function diffRows(
  diff: DiffContent,
  context: RenderContext,
  left: Prefix,
  maxLines: number = Infinity,
): string[] {
  const lines = diffLines(diff);
  const shown = lines.slice(0, maxLines);
  const { theme } = context;
  const rows = shown.flatMap(({ sign, text }) => {
    if (sign === '@') return wrapHard(text, { dim: true }, context, left);
    const look =
      sign === '+' ? { colour: 'green' as const } : sign === '-' ? { colour: 'red' as const } : { dim: true };
    return wrapHard(`${sign} ${text}`, look, context, left);
  });
  const more = lines.length - shown.length;
  if (more > 0) rows.push(left.text + theme.paint(`${theme.ellipsis} ${more} more lines`, { dim: true }));
  return rows;
}

function compare(before: string[], after: string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: string[], after: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: '-', text });
  const added = (text: string): DiffLine => ({ sign: '+', text });
  if (before.length * after.length > LCS_CELLS) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i * width + j] =
        before[i] === after[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i++]! });
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && table[(i + 1) * width + j]! >= table[i * width + j + 1]!)
    )
      lines.push(removed(before[i++]!));
    else lines.push(added(after[j++]!));
  }
  return lines;
}

function withContext(lines: DiffLine[], startLine: number): DiffLine[] {
  const near = new Set<number>();
  for (const [at, line] of lines.entries())
    if (line.sign !== ' ') for (let i = at - CONTEXT_LINES; i <= at + CONTEXT_LINES; i++) near.add(i);
  const out: DiffLine[] = [];
  let lineNumber = startLine;
  let skipped = false;
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) {
      if (skipped) out.push({ sign: '@', text: `@@ line ${lineNumber} @@` });
      out.push(line);
      skipped = false;
    } else skipped = true;
    if (line.sign !== '+') lineNumber++;
  }
  return out;
}
