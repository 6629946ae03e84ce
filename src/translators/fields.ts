// Reading fields of frames that nobody promises: every accessor gives undefined instead of throwing. Used by translators.
import type { Frame } from './translator.js';

export function isRecord(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Frame | undefined {
  return isRecord(value) ? value : undefined;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that says something. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordsOf(value: unknown): Frame[] {
  return listOf(value).filter(isRecord);
}

export function stringsOf(value: unknown): string[] {
  return listOf(value).filter((v): v is string => typeof v === 'string');
}

/** The text of a content field: a string, or blocks of which the text ones are joined. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map((block) => stringOf(block['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Any value as text for people. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** What JSON text holds when it is an object; anything else stays what it is. */
export function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // Arguments that are not JSON are shown as the text they are.
    return value;
  }
}

/** Drops members that are undefined, so that events compare and serialise alike. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
}
