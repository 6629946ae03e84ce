// A small diagnostics log: one line a message, to a file that is cut at a size. Never to the terminal.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from './errors.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

const ORDER: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
/** At this size the file becomes <file>.1 and a new one begins; two files are kept at most. */
const ROTATE_BYTES = 4 * 1024 * 1024;

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A log that appends to `file`. A write that fails (full disk) is dropped: diagnostics never stop the work. */
export function openFileLog(file: string, level: LogLevel = 'info'): Log {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const write = (at: LogLevel, message: string, fields?: Record<string, unknown>) => {
    if (ORDER[at] < ORDER[level]) return;
    const line = `${new Date().toISOString()} ${at} [${process.pid}] ${message}${fields ? ' ' + stringify(fields) : ''}\n`;
    try {
      rotate(file);
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // Nowhere left to say it: the disk that should hold this message is the one that fails.
    }
  };
  return {
    debug: (m, f) => write('debug', m, f),
    info: (m, f) => write('info', m, f),
    warn: (m, f) => write('warn', m, f),
    error: (m, f) => write('error', m, f),
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > ROTATE_BYTES) renameSync(file, `${file}.1`);
}

function stringify(fields: Record<string, unknown>): string {
  return JSON.stringify(fields, (_key, value: unknown) =>
    value instanceof Error ? messageOf(value) : value,
  );
}
