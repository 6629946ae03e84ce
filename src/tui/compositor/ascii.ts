// ASCII stand-ins for hosts that take no UTF-8. Used by the diff when it writes a cell.

const LINES: Readonly<Record<string, string>> = {
  '─': '-',
  '━': '-',
  '═': '=',
  '│': '|',
  '┃': '|',
  '║': '|',
  '…': '.',
  '·': '.',
  '•': '*',
  '●': '*',
  '○': 'o',
  '◆': '!',
  '✓': '+',
  '✗': 'x',
  '■': '#',
  '▌': '|',
  '█': '#',
  '›': '>',
  '‹': '<',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
};
const FIRST_BOX = 0x2500;
const LAST_BOX = 0x257f;

/** As many ASCII characters as the glyph is wide. */
export function asciiOf(glyph: string, wide: boolean): string {
  const code = glyph.codePointAt(0) ?? 0x20;
  if (code < 0x80) return wide ? `${String.fromCharCode(code)} ` : String.fromCharCode(code);
  const found = LINES[glyph] ?? (code >= FIRST_BOX && code <= LAST_BOX ? '+' : '?');
  return wide ? `${found} ` : found;
}
