// Gemini CLI's stream-json (0.61.0 measured). One translator a process, one turn a process. There is no closing frame for
// text, the exit code tells nothing (0 after SIGTERM), and thoughts are never printed: the result frame is the outcome.
import type { AgentEventBody, ToolContent } from '../model/event.js';
import { defined, numberOf, recordOf, showValue, stringOf } from './fields.js';
import { inputDiffs, planOf, toolKindOf, toolTitle } from './tool-facts.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { TurnLedger, type LedgerState } from './turn-ledger.js';

interface State {
  ledger: LedgerState;
  messages: number;
  inText: boolean;
  error?: string;
}

export class GeminiTranslator implements Translator {
  readonly format = 'gemini-json';
  #ledger = new TurnLedger();
  #prefix: string;
  #messages = 0;
  /** The next delta goes on with the last text. */
  #inText = false;
  /** The last error frame: a result with status "error" may come without a message. */
  #error: string | undefined;

  constructor(options: TranslatorOptions) {
    this.#prefix = options.idPrefix;
  }

  get turnOpen(): boolean {
    return this.#ledger.turnOpen;
  }

  turnStarted(): void {
    this.#ledger.begin();
    this.#inText = false;
    this.#error = undefined;
  }

  translate(frame: Frame): AgentEventBody[] {
    switch (frame['type']) {
      case 'init':
        return [
          defined({
            type: 'session.opened' as const,
            nativeId: stringOf(frame['session_id']),
            model: stringOf(frame['model']),
          }),
        ];
      case 'message':
        return this.#message(frame);
      case 'tool_use':
        return this.#toolUse(frame);
      case 'tool_result':
        return this.#toolResult(frame);
      case 'error':
        return this.#errorFrame(frame);
      case 'result':
        return this.#result(frame);
      default:
        return [{ type: 'unknown', frameType: stringOf(frame['type']) ?? '(no type)', raw: frame }];
    }
  }

  end(context: EndContext): AgentEventBody[] {
    return this.#ledger.endProcess(context, defined({ message: this.#error }));
  }

  abandonTurn(): AgentEventBody[] {
    return this.#ledger.abandon();
  }

  save(): unknown {
    return structuredClone(
      defined({
        ledger: this.#ledger.save(),
        messages: this.#messages,
        inText: this.#inText,
        error: this.#error,
      }),
    );
  }

  load(saved: unknown): void {
    const state = saved as State;
    this.#ledger.load(state.ledger);
    this.#messages = state.messages;
    this.#inText = state.inText;
    this.#error = state.error;
  }

  /** The prompt comes back as a user message: the transcript has it already. */
  #message(frame: Frame): AgentEventBody[] {
    const text = stringOf(frame['content']) ?? '';
    if (frame['role'] !== 'assistant' || text === '') return [];
    const isDelta = frame['delta'] === true;
    if (!this.#inText || !isDelta) this.#messages += 1;
    this.#inText = isDelta;
    this.#ledger.spoke(true);
    const messageId = `${this.#prefix}m${this.#messages}`;
    return [{ type: 'text', messageId, ...(isDelta ? { delta: text } : { final: text }) }];
  }

  #toolUse(frame: Frame): AgentEventBody[] {
    this.#inText = false;
    const toolCallId = stringOf(frame['tool_id']);
    if (!toolCallId) return [{ type: 'unknown', frameType: 'tool_use', raw: frame }];
    const name = stringOf(frame['tool_name']) ?? 'tool';
    const input = frame['parameters'];
    const diffs = inputDiffs(name, input);
    const kind = toolKindOf(name);
    const events = this.#ledger.startTool(
      defined({
        toolCallId,
        name,
        kind,
        title: toolTitle(name, input),
        status: 'running' as const,
        input,
        content: diffs.length > 0 ? diffs : undefined,
      }),
    );
    const entries = kind === 'think' ? planOf(input) : undefined;
    return entries ? [...events, { type: 'plan', entries }] : events;
  }

  /** Edits come back without output: what their input announced stays shown. */
  #toolResult(frame: Frame): AgentEventBody[] {
    this.#inText = false;
    const id = stringOf(frame['tool_id']);
    if (!id) return [{ type: 'unknown', frameType: 'tool_result', raw: frame }];
    const failed = frame['status'] === 'error';
    const text = stringOf(recordOf(frame['error'])?.['message']) ?? showValue(frame['output']);
    const content: ToolContent[] | undefined = text === '' ? undefined : [{ type: 'text', text }];
    return this.#ledger.endTool(id, failed ? 'failed' : 'completed', defined({ content }));
  }

  #errorFrame(frame: Frame): AgentEventBody[] {
    this.#inText = false;
    const text = stringOf(frame['message']) ?? 'error';
    const isWarning = frame['severity'] === 'warning';
    if (!isWarning) this.#error = text;
    return [{ type: 'notice', kind: 'other', level: isWarning ? 'warning' : 'error', text }];
  }

  #result(frame: Frame): AgentEventBody[] {
    const usage = usageEvents(recordOf(frame['stats']) ?? {});
    if (frame['status'] === 'success') return [...usage, ...this.#ledger.endTurn('end_turn')];
    const told = stringOf(recordOf(frame['error'])?.['message']);
    const message = told ?? this.#error ?? 'The turn failed without a cause.';
    return [...usage, ...this.#ledger.failTurn({ message })];
  }
}

/** `stats` counts this process, which is this turn. */
function usageEvents(stats: Frame): AgentEventBody[] {
  const inputTokens = numberOf(stats['input_tokens']);
  const outputTokens = numberOf(stats['output_tokens']);
  const totalTokens = numberOf(stats['total_tokens']);
  if (!totalTokens) return [];
  const usage = {
    scope: 'turn' as const,
    inputTokens,
    outputTokens,
    cachedTokens: numberOf(stats['cached']),
    totalTokens,
  };
  return [{ type: 'usage', usage: defined(usage) }];
}
