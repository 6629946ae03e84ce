// A paste as bytes for a child. It can neither end its own bracket nor send control characters (DESIGN: safety rules).
// Exported through encode-key.ts. Pure.
import type { PaneModes } from '../model/patch.js';

const START = '\x1b[200~';
const END = '\x1b[201~';
/** C0 but tab and carriage return, DEL, and C1, whose U+009B is a CSI of its own. */
const CONTROLS = /[\u0000-\u0008\u000a-\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The text as it is typed: line ends are CR; in brackets when the child asked for them. */
export function encodePaste(text: string, modes: PaneModes): string {
  const clean = withoutBrackets(text)
    .replace(/\r\n|\n/g, '\r')
    .replace(CONTROLS, '');
  return modes.bracketedPaste ? START + clean + END : clean;
}

/**
 * Takes out bracket sequences until none is left: one that only comes about when another is taken out goes as well.
 * One pass, so that a paste made of nothing else costs no more than its length.
 */
function withoutBrackets(text: string): string {
  if (!text.includes('\x1b')) return text;
  const kept: string[] = [];
  for (const char of text) {
    kept.push(char);
    if (char !== '~' || kept.length < START.length) continue;
    const end = kept.slice(-START.length).join('');
    if (end === START || end === END) kept.length -= START.length;
  }
  return kept.join('');
}
