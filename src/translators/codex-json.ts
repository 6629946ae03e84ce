// Codex's exec --json (0.171.0 measured). One translator a process: item ids begin again at 0 in each. Usage counts the
// whole thread, also across resumed processes: this turn's part is told only when the totals before it are known.
import type { AgentEventBody, Usage } from '../model/event.js';
import { codexCall, codexPlan } from './codex-items.js';
import { defined, numberOf, recordOf, stringOf } from './fields.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { TurnLedger, type LedgerState } from './turn-ledger.js';

type Totals = Omit<Usage, 'scope'>;
interface State {
  ledger: LedgerState;
  baseline?: Totals;
  error?: string;
}

const RECONNECTING = /^Reconnecting\.{3} (\d+)\/(\d+)/;

export class CodexTranslator implements Translator {
  readonly format = 'codex-json';
  #ledger = new TurnLedger();
  #prefix: string;
  /** Thread totals before this turn; undefined when an older part of the thread was not counted by us. */
  #baseline: Totals | undefined;
  /** An error frame that may be the cause of a failed turn, or a passing warning. */
  #error: string | undefined;

  constructor(options: TranslatorOptions) {
    this.#prefix = options.idPrefix;
    this.#baseline = options.usageBaseline ?? (options.resumed ? undefined : {});
  }

  get turnOpen(): boolean {
    return this.#ledger.turnOpen;
  }

  turnStarted(): void {
    this.#ledger.begin();
    this.#error = undefined;
  }

  translate(frame: Frame): AgentEventBody[] {
    const type = stringOf(frame['type']) ?? '';
    if (type === 'error') return this.#errorFrame(stringOf(frame['message']) ?? 'unknown error');
    if (type === 'turn.failed') return this.#failed(stringOf(recordOf(frame['error'])?.['message']));
    return [...this.#passedError(), ...this.#frame(type, frame)];
  }

  end(context: EndContext): AgentEventBody[] {
    return this.#ledger.endProcess(context, defined({ message: this.#error }));
  }

  abandonTurn(): AgentEventBody[] {
    return this.#ledger.abandon();
  }

  save(): unknown {
    return structuredClone(
      defined({ ledger: this.#ledger.save(), baseline: this.#baseline, error: this.#error }),
    );
  }

  load(saved: unknown): void {
    const state = saved as State;
    this.#ledger.load(state.ledger);
    this.#baseline = state.baseline;
    this.#error = state.error;
  }

  #frame(type: string, frame: Frame): AgentEventBody[] {
    switch (type) {
      case 'thread.started':
        return [defined({ type: 'session.opened' as const, nativeId: stringOf(frame['thread_id']) })];
      case 'turn.started':
        return [];
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return this.#item(recordOf(frame['item']) ?? {}, type === 'item.completed', frame);
      case 'turn.completed':
        return [...this.#usage(recordOf(frame['usage']) ?? {}), ...this.#ledger.endTurn('end_turn')];
      default:
        return [{ type: 'unknown', frameType: type || '(no type)', raw: frame }];
    }
  }

  #item(item: Frame, completed: boolean, frame: Frame): AgentEventBody[] {
    const id = `${this.#prefix}${stringOf(item['id']) ?? 'item'}`;
    switch (item['type']) {
      case 'agent_message':
        return this.#say('text', id, item);
      case 'reasoning':
        return this.#say('thought', id, item);
      case 'todo_list':
        return [{ type: 'plan', entries: codexPlan(item) }];
      case 'error':
        return [
          { type: 'notice', kind: 'other', level: 'warning', text: stringOf(item['message']) ?? 'warning' },
        ];
      default:
        return this.#toolItem(item, id, completed, frame);
    }
  }

  #say(type: 'text' | 'thought', messageId: string, item: Frame): AgentEventBody[] {
    const final = stringOf(item['text']) ?? '';
    if (final === '') return [];
    this.#ledger.spoke(type === 'text');
    return [{ type, messageId, final }];
  }

  #toolItem(item: Frame, id: string, completed: boolean, frame: Frame): AgentEventBody[] {
    const call = codexCall(item, id);
    if (!call) return [{ type: 'unknown', frameType: `item/${stringOf(item['type']) ?? '?'}`, raw: frame }];
    if (!completed) return this.#ledger.startTool(call);
    const events = this.#ledger.isOpenTool(id) ? [] : this.#ledger.startTool({ ...call, status: 'running' });
    const status = call.status === 'failed' || call.status === 'cancelled' ? call.status : 'completed';
    return [
      ...events,
      ...this.#ledger.endTool(id, status, defined({ content: call.content, exitCode: call.exitCode })),
    ];
  }

  /** "Reconnecting... 2/5" is a retry; any other error is kept until the next frame says whether it was the end. */
  #errorFrame(text: string): AgentEventBody[] {
    const passed = this.#passedError();
    const retry = RECONNECTING.exec(text);
    if (!retry) {
      this.#error = text;
      return passed;
    }
    const counts = { attempt: Number(retry[1]), max: Number(retry[2]) };
    return [...passed, { type: 'notice', kind: 'retry', level: 'warning', text, retry: counts }];
  }

  #passedError(): AgentEventBody[] {
    const text = this.#error;
    this.#error = undefined;
    return text === undefined ? [] : [{ type: 'notice', kind: 'other', level: 'error', text }];
  }

  #failed(told: string | undefined): AgentEventBody[] {
    const message = told ?? this.#error ?? 'The turn failed without a cause.';
    this.#error = undefined;
    return this.#ledger.failTurn({ message }, /max_output_tokens/.test(message) ? 'max_tokens' : 'error');
  }

  #usage(usage: Frame): AgentEventBody[] {
    const total = totalsOf(usage);
    if (!total) return [];
    const before = this.#baseline;
    this.#baseline = total;
    const session: AgentEventBody = { type: 'usage', usage: { scope: 'session', ...total } };
    return before
      ? [{ type: 'usage', usage: { scope: 'turn', ...minus(total, before) } }, session]
      : [session];
  }
}

/** OpenAI counts cached input within input_tokens and reasoning within output_tokens. */
function totalsOf(usage: Frame): Totals | undefined {
  const inputTokens = numberOf(usage['input_tokens']);
  const outputTokens = numberOf(usage['output_tokens']);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cachedTokens = numberOf(usage['cached_input_tokens']) ?? 0;
  return { inputTokens, outputTokens, cachedTokens, totalTokens: inputTokens + outputTokens };
}

function minus(total: Totals, before: Totals): Totals {
  const less = (key: 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'totalTokens') =>
    Math.max(0, (total[key] ?? 0) - (before[key] ?? 0));
  return {
    inputTokens: less('inputTokens'),
    outputTokens: less('outputTokens'),
    cachedTokens: less('cachedTokens'),
    totalTokens: less('totalTokens'),
  };
}
