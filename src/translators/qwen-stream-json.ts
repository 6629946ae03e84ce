// Qwen Code's stream-json (0.24.4 measured): Claude's shape, with a message id for each block, one block index per kind,
// usage of the whole process, and retries that may throw away the text so far. One translator a process.
import type { AgentEventBody } from '../model/event.js';
import { ClaudeTranslator, type ClaudeDialect } from './claude-stream-json.js';
import { recordOf } from './fields.js';
import type { Frame, TranslatorOptions } from './translator.js';

const QWEN: ClaudeDialect = {
  format: 'qwen-stream-json',
  looseIds: true,
  cachedApart: false,
  usageOfProcess: true,
};

export class QwenTranslator extends ClaudeTranslator {
  #retries = 0;

  constructor(options: TranslatorOptions) {
    super(options, QWEN);
  }

  override turnStarted(): void {
    super.turnStarted();
    this.#retries = 0;
  }

  override save(): unknown {
    return { claude: super.save(), retries: this.#retries };
  }

  override load(saved: unknown): void {
    const state = saved as { claude: unknown; retries: number };
    super.load(state.claude);
    this.#retries = state.retries;
  }

  protected override system(frame: Frame): AgentEventBody[] {
    if (frame['subtype'] !== 'retry') return super.system(frame);
    const keepsText = recordOf(frame['data'])?.['preserveText'] === true;
    const dropped = keepsText ? [] : this.book.discardMessage('');
    this.#retries += 1;
    return [
      ...dropped,
      {
        type: 'notice',
        kind: 'retry',
        level: 'warning',
        text: keepsText
          ? 'The answer was cut; the CLI asks for the rest.'
          : 'The answer was cut; the CLI asks again.',
        retry: { attempt: this.#retries },
      },
    ];
  }
}
