// Colours for a line of code: comments, strings, numbers and the words that most languages share. A line at a time and
// without a grammar: good enough to read by, quick enough to stream. Pure.
import type { Span } from './styled-wrap.js';

const HASH_COMMENTS = new Set([
  'sh',
  'bash',
  'zsh',
  'shell',
  'py',
  'python',
  'rb',
  'ruby',
  'yaml',
  'yml',
  'toml',
  'r',
]);
const PLAIN = new Set(['', 'text', 'txt', 'output', 'console', 'log', 'diff']);
const WORDS =
  'as async await break case catch class const continue def default defer del do done elif else end enum except export extends fi finally fn for from func function if impl import in interface is let match mod mut new not null None nil or pass private pub public raise return self static struct super switch then this throw trait true True false False try type typeof undefined use var void while with yield';
const KEYWORDS = new Set(WORDS.split(' '));
const TOKEN =
  /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|(\/\/.*$|#.*$|--\s.*$)|(\b\d[\w.]*\b)|([A-Za-z_]\w*)/g;

export function highlight(line: string, language: string): Span[] {
  if (language === 'diff') return [{ text: line, look: diffLook(line) }];
  if (PLAIN.has(language)) return [{ text: line }];
  const spans: Span[] = [];
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [text, string, comment, number] = match;
    if (comment !== undefined && !isComment(comment, language)) continue;
    const look = string
      ? ({ colour: 'green' } as const)
      : comment
        ? ({ dim: true } as const)
        : number
          ? ({ colour: 'yellow' } as const)
          : KEYWORDS.has(text)
            ? ({ colour: 'magenta' } as const)
            : undefined;
    if (!look) continue;
    if (match.index > at) spans.push({ text: line.slice(at, match.index) });
    spans.push({ text, look });
    at = match.index + text.length;
  }
  if (at < line.length) spans.push({ text: line.slice(at) });
  return spans;
}

function isComment(text: string, language: string): boolean {
  if (text.startsWith('#')) return HASH_COMMENTS.has(language);
  if (text.startsWith('--')) return language === 'sql' || language === 'lua';
  return !HASH_COMMENTS.has(language);
}

function diffLook(line: string) {
  if (line.startsWith('+')) return { colour: 'green' } as const;
  if (line.startsWith('-')) return { colour: 'red' } as const;
  return line.startsWith('@@') ? ({ colour: 'cyan' } as const) : {};
}
