// Checks values of the settings file against the table of options, and reads values from the command line. Pure.
import { OPTIONS, findOption, type OptionRow, type OptionType, type OptionValue } from './options.js';

/** What is wrong with one setting, in words. */
export interface SettingFault {
  name: string;
  words: string;
}

/** The known settings of a parsed file, and what is wrong with the rest. Good values are kept, bad ones left out. */
export function readSettings(file: Record<string, unknown>): {
  values: Map<string, OptionValue>;
  faults: SettingFault[];
} {
  const values = new Map<string, OptionValue>();
  const faults: SettingFault[] = [];
  for (const [name, value] of flatten(file, '')) {
    const row = findOption(name);
    if (!row) {
      faults.push({ name, words: unknownWords(name) });
      continue;
    }
    const words = faultOf(row.type, value);
    if (words) faults.push({ name, words });
    else values.set(name, value as OptionValue);
  }
  return { values, faults };
}

/** Words for a value that is not of the type, or undefined. */
export function faultOf(type: OptionType, value: unknown): string | undefined {
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'integer':
    case 'number': {
      const range = `a ${type.kind === 'integer' ? 'whole ' : ''}number from ${type.min} to ${type.max}`;
      const fits = typeof value === 'number' && value >= type.min && value <= type.max;
      return fits && (type.kind === 'number' || Number.isInteger(value)) ? undefined : `must be ${range}`;
    }
    case 'text':
      if (typeof value !== 'string') return 'must be a text in quotes';
      return value.length > (type.maxChars ?? Infinity)
        ? `is longer than ${type.maxChars} characters`
        : undefined;
    case 'choice':
      return typeof value === 'string' && type.of.includes(value)
        ? undefined
        : `must be one of ${type.of.map((choice) => `"${choice}"`).join(', ')}`;
    case 'list':
      return isTextList(value) ? undefined : 'must be a list of texts, like ["a", "b"]';
    case 'table':
      return isTextTable(value) ? undefined : 'must be a table of texts or lists of texts';
  }
}

/** A value as typed on the command line: `config set name value…`. Returns words when it does not fit. */
export function readArguments(
  row: OptionRow,
  words: readonly string[],
): { value: OptionValue } | { fault: string } {
  const value = row.type.kind === 'list' ? [...words] : parseText(row.type, words.join(' '));
  const fault = value === undefined ? 'must be written in the file (config path)' : faultOf(row.type, value);
  return fault === undefined ? { value: value! } : { fault };
}

function parseText(type: OptionType, text: string): OptionValue | undefined {
  switch (type.kind) {
    case 'boolean':
      if (['true', 'on', 'yes'].includes(text)) return true;
      return ['false', 'off', 'no'].includes(text) ? false : text;
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'table':
      return undefined;
    case 'text':
    case 'choice':
    case 'list':
      return text;
  }
}

/** Leaves of the file under their dotted names; the table of a "table" option is one leaf. */
function* flatten(table: Record<string, unknown>, prefix: string): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(table)) {
    const name = prefix + key;
    const isGroup = OPTIONS.some((row) => row.name.startsWith(`${name}.`));
    if (isGroup && isPlainTable(value)) yield* flatten(value, `${name}.`);
    else yield [name, value];
  }
}

function unknownWords(name: string): string {
  const leaf = name.slice(name.lastIndexOf('.') + 1);
  const near = OPTIONS.find((row) => row.name.endsWith(`.${leaf}`) || row.name.startsWith(`${name}.`));
  return `is not a setting${near ? `; did you mean ${near.name}?` : ''}`;
}

function isPlainTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTextTable(value: unknown): boolean {
  return (
    isPlainTable(value) && Object.values(value).every((item) => typeof item === 'string' || isTextList(item))
  );
}
