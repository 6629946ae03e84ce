// Recordings of real CLIs for contract tests: what a process printed, how it ended, and what a translator makes of it.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { StderrTail } from '../../src/controllers/stderr-tail.js';
import { NdjsonDecoder, type NdjsonItem } from '../../src/io/ndjson.js';
import type { AgentEventBody } from '../../src/model/event.js';
import { createTranslator } from '../../src/translators/index.js';
import type { Frame, Translator } from '../../src/translators/translator.js';

const ROOT = new URL('../recordings/', import.meta.url);

/** Folder of each real CLI's recordings, and the wire format it speaks. */
export const RECORDED = {
  'claude-2.1.332': 'claude-stream-json',
  'codex-0.171.0': 'codex-json',
  'gemini-0.61.0': 'gemini-json',
  'qwen-0.24.4': 'qwen-stream-json',
  'kimi-2.1.0': 'kimi-stream-json',
} as const;

export interface Recording {
  folder: string;
  name: string;
  format: string;
  stdout: Buffer;
  stderrLines: string[];
  argv: string[];
  exitCode?: number;
  signal?: string;
}

export function recordingsOf(folder: keyof typeof RECORDED): Recording[] {
  const names = readdirSync(new URL(`${folder}/`, ROOT))
    .filter((file) => file.endsWith('.meta.json'))
    .map((file) => file.replace(/\.meta\.json$/, ''));
  return names.sort().map((name) => readRecording(folder, name));
}

export function readRecording(folder: keyof typeof RECORDED, name: string): Recording {
  const meta = JSON.parse(read(folder, `${name}.meta.json`).toString()) as {
    argv: string[];
    exitCode: number | null;
    signal: string | null;
  };
  const stderr = new StderrTail();
  stderr.push(read(folder, `${name}.stderr`));
  return {
    folder,
    name,
    format: RECORDED[folder],
    stdout: read(folder, `${name}.ndjson`),
    stderrLines: stderr.lines,
    argv: meta.argv,
    ...(meta.exitCode === null ? {} : { exitCode: meta.exitCode }),
    ...(meta.signal === null ? {} : { signal: meta.signal }),
  };
}

/** A file of a recording that may be missing because it was empty. */
export function read(folder: string, file: string): Buffer {
  const url = new URL(`${folder}/${file}`, ROOT);
  return existsSync(url) ? readFileSync(url) : Buffer.alloc(0);
}

export function decodeAll(bytes: Uint8Array): NdjsonItem[] {
  const decoder = new NdjsonDecoder();
  return [...decoder.push(bytes), ...decoder.end()];
}

export function framesOf(bytes: Uint8Array): Frame[] {
  return decodeAll(bytes).flatMap((item) => (item.type === 'frame' ? [item.value] : []));
}

/** True at a frame with which a further turn of a persistent process begins. */
function beginsTurn(frame: Frame): boolean {
  return frame['type'] === 'system' && frame['subtype'] === 'init';
}

/** Runs a recording through a translator the way a controller does: our turn begins, frames come, the process ends. */
export function translateRecording(recording: Recording, translator?: Translator): AgentEventBody[] {
  const t = translator ?? createTranslator(recording.format, { idPrefix: 'p:' });
  t.turnStarted();
  const events: AgentEventBody[] = [];
  for (const frame of framesOf(recording.stdout)) {
    if (!t.turnOpen && beginsTurn(frame)) t.turnStarted();
    events.push(...t.translate(frame));
  }
  const { exitCode, signal, stderrLines } = recording;
  events.push(
    ...t.end({
      stopped: false,
      stderrTail: stderrLines,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return events;
}

/** Texts of the assistant as a reader ends up with them, by message. */
export function textsOf(events: readonly AgentEventBody[], type: 'text' | 'thought' = 'text'): string[] {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'text.dropped') texts.delete(event.messageId);
    if (event.type !== type) continue;
    texts.set(event.messageId, event.final ?? (texts.get(event.messageId) ?? '') + (event.delta ?? ''));
  }
  return [...texts.values()];
}
