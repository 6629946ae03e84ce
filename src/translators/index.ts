// The table of translators for CLIs that write one JSON frame a line. Called by the structured controllers, once for each
// process. A format that is not in the table is refused: there is no default translator.
import { AgentileError } from '../base/errors.js';
import type { WireFormat } from '../model/provider.js';
import { AgyTranslator } from './agy-stream-json.js';
import { ClaudeTranslator } from './claude-stream-json.js';
import { CodexTranslator } from './codex-json.js';
import { GeminiTranslator } from './gemini-json.js';
import { KimiTranslator } from './kimi-stream-json.js';
import { QwenTranslator } from './qwen-stream-json.js';
import type { Translator, TranslatorOptions } from './translator.js';

/** ACP is a conversation of requests, not lines of frames: its controller has its own translator. */
export type LineFormat = Exclude<WireFormat, 'acp'>;

const TRANSLATORS: Record<LineFormat, new (options: TranslatorOptions) => Translator> = {
  'claude-stream-json': ClaudeTranslator,
  'qwen-stream-json': QwenTranslator,
  'codex-json': CodexTranslator,
  'gemini-json': GeminiTranslator,
  'kimi-stream-json': KimiTranslator,
  'agy-stream-json': AgyTranslator,
};

/** A translator for one process. Throws NOT_SUPPORTED for a format without one. */
export function createTranslator(format: string | undefined, options: TranslatorOptions): Translator {
  if (format !== undefined && Object.hasOwn(TRANSLATORS, format)) {
    return new TRANSLATORS[format as LineFormat](options);
  }
  throw new AgentileError('NOT_SUPPORTED', `There is no translator for the format "${format ?? '(none)'}".`, {
    hint: `Use one of: ${Object.keys(TRANSLATORS).join(', ')}.`,
  });
}
