// Writes changed settings into the text of a TOML file and leaves the rest, comments included, as the user wrote it.
// Used when conf writes the settings; what it cannot edit in place is written anew from the values.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';

/** The text with these values in it: edited in place, or written anew where that is not possible. */
export function editToml(text: string, store: Record<string, unknown>): string {
  const edited = tryEdit(text, store);
  return edited ?? stringify(store);
}

function tryEdit(text: string, store: Record<string, unknown>): string | undefined {
  try {
    const lines = text.split('\n');
    for (const [path, value] of changesBetween(parse(text), store, [])) setLine(lines, path, value);
    const edited = lines.join('\n');
    return isDeepStrictEqual(plain(parse(edited)), plain(store)) ? edited : undefined;
  } catch {
    // Not editable by lines (dotted keys, values over several lines): the caller writes the file anew.
    return undefined;
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

type Change = [path: string[], value: unknown];

/** Leaves that differ; undefined stands for "to be removed". */
function changesBetween(before: unknown, after: Record<string, unknown>, path: string[]): Change[] {
  const old = isTable(before) ? before : {};
  const changes: Change[] = [];
  for (const key of new Set([...Object.keys(old), ...Object.keys(after)])) {
    const [was, is] = [old[key], after[key]];
    if (isDeepStrictEqual(plain({ was }), plain({ was: is }))) continue;
    if (isTable(is)) changes.push(...changesBetween(was, is, [...path, key]));
    else changes.push([[...path, key], is]);
  }
  return changes;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function setLine(lines: string[], path: string[], value: unknown): void {
  const key = quoted(path.at(-1)!);
  const table = path.slice(0, -1).map(quoted).join('.');
  const { from, to } = sectionOf(lines, table);
  const at = lines.findIndex((line, i) => i >= from && i < to && keyOf(line) === key);
  if (value === undefined) {
    if (at >= 0) lines.splice(at, 1);
    return;
  }
  const line = stringify({ [path.at(-1)!]: value }).trimEnd();
  if (at >= 0) lines[at] = line + commentOf(lines[at]!);
  else lines.splice(insertionPoint(lines, from, to), 0, line);
}

/** Lines of a table, header excluded; the table is added at the end when it is not there. */
function sectionOf(lines: string[], table: string): { from: number; to: number } {
  const isHeader = (line: string) => /^\s*\[/.test(line);
  const headerEnd = (from: number) => {
    const next = lines.findIndex((line, i) => i >= from && isHeader(line));
    return next < 0 ? lines.length : next;
  };
  if (table === '') return { from: 0, to: headerEnd(0) };
  const header = lines.findIndex((line) => /^\s*\[([^[\]]+)\]/.exec(line)?.[1]?.trim() === table);
  if (header >= 0) return { from: header + 1, to: headerEnd(header + 1) };
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > 0) lines.push('');
  lines.push(`[${table}]`, '');
  return { from: lines.length - 1, to: lines.length };
}

/** Behind the last line of the section that is not blank. */
function insertionPoint(lines: string[], from: number, to: number): number {
  let at = to;
  while (at > from && lines[at - 1]!.trim() === '') at--;
  return at;
}

function keyOf(line: string): string | undefined {
  return /^\s*([A-Za-z0-9_-]+|"[^"]*")\s*=/.exec(line)?.[1];
}

/** A comment behind a value, when the value holds no "#" itself. */
function commentOf(line: string): string {
  const first = line.indexOf('#');
  if (first < 0 || /["'][^"']*#/.test(line)) return '';
  return ` ${line.slice(first)}`;
}

function quoted(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}
