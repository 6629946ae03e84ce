// Plays a tape in VHS syntax against a Host: what a person would type, and what they wait to see. Unknown words are errors.
import type { Host } from './host.js';

export type TapeCommand =
  | { type: 'set'; name: string; value: string }
  | { type: 'ignored'; name: string; value: string }
  | { type: 'type'; text: string }
  | { type: 'key'; name: string; count: number }
  | { type: 'chord'; modifiers: string[]; key: string }
  | { type: 'sleep'; ms: number }
  | { type: 'wait'; scope: 'line' | 'screen'; pattern: RegExp; timeoutMs: number | undefined };

const KEYS: Record<string, string> = {
  Enter: '\r',
  Escape: '\x1b',
  Backspace: '\x7f',
  Delete: '\x1b[3~',
  Insert: '\x1b[2~',
  Tab: '\t',
  Space: ' ',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
  Home: '\x1b[H',
  End: '\x1b[F',
};

/** Commands that only matter when a picture is made: a test passes over them. */
const PICTURE_ONLY = new Set(['Output', 'Require', 'Hide', 'Show', 'Screenshot', 'Env', 'Source']);

export function parseTape(source: string): TapeCommand[] {
  return source.split('\n').flatMap((line, index) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    const command = parseLine(text);
    if (!command) throw new Error(`tape line ${index + 1}: not understood: ${text}`);
    return [command];
  });
}

function parseLine(text: string): TapeCommand | undefined {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(text) ?? [];
  if (PICTURE_ONLY.has(word)) return { type: 'ignored', name: word, value: rest };
  if (word === 'Set') {
    const [, name = '', value = ''] = /^(\S+)\s+(.*)$/.exec(rest) ?? [];
    return { type: 'set', name, value: unquote(value) };
  }
  if (/^Type(@\S+)?$/.test(word)) return { type: 'type', text: unquote(rest) };
  if (word === 'Sleep') return { type: 'sleep', ms: duration(rest) };
  if (/^Wait([+@].*)?$/.test(word)) return parseWait(word, rest);
  const chord = /^((?:(?:Ctrl|Alt|Shift)\+)+)(.+)$/.exec(word);
  if (chord) return { type: 'chord', modifiers: chord[1]!.split('+').filter(Boolean), key: chord[2]! };
  const key = /^([A-Z][A-Za-z]+)(@\S+)?$/.exec(word);
  if (key && key[1]! in KEYS) return { type: 'key', name: key[1]!, count: rest === '' ? 1 : Number(rest) };
  return undefined;
}

function parseWait(word: string, rest: string): TapeCommand | undefined {
  const pattern = /^\/(.*)\/$/.exec(rest);
  if (!pattern) return undefined;
  const timeout = /@(\d+(?:ms|s))/.exec(word);
  return {
    type: 'wait',
    scope: word.includes('+Screen') ? 'screen' : 'line',
    pattern: new RegExp(pattern[1]!),
    timeoutMs: timeout ? duration(timeout[1]!) : undefined,
  };
}

function unquote(text: string): string {
  const quoted = /^(["'`])(.*)\1$/.exec(text.trim());
  return quoted ? quoted[2]! : text.trim();
}

function duration(text: string): number {
  const [, amount = '0', unit = 's'] = /^([\d.]+)\s*(ms|s)?$/.exec(text.trim()) ?? [];
  return Number(amount) * (unit === 'ms' ? 1 : 1000);
}

function chordBytes(modifiers: string[], key: string): string {
  const named = KEYS[key];
  let bytes = named ?? key;
  if (modifiers.includes('Shift') && !named) bytes = bytes.toUpperCase();
  if (modifiers.includes('Ctrl') && !named)
    bytes = String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f);
  return modifiers.includes('Alt') ? `\x1b${bytes}` : bytes;
}

/** Plays every command in order; a Wait that does not come true fails with the screen. Sleeps are for pictures, not for us. */
export async function playTape(commands: readonly TapeCommand[], host: Host): Promise<void> {
  for (const command of commands) {
    if (command.type === 'type') host.type(command.text);
    else if (command.type === 'key') host.type(KEYS[command.name]!.repeat(command.count));
    else if (command.type === 'chord') host.type(chordBytes(command.modifiers, command.key));
    else if (command.type === 'wait') await playWait(command, host);
  }
}

async function playWait(command: Extract<TapeCommand, { type: 'wait' }>, host: Host): Promise<void> {
  const seen = (h: Host) => (command.scope === 'screen' ? h.text() : (h.screen()[h.cursor.y] ?? ''));
  await host.waitFor(`tape: ${command.pattern}`, (h) => command.pattern.test(seen(h)), command.timeoutMs);
}
