// Antigravity's `agy --output-format stream-json`: init, step_update and result events under an `event` key.
// NOT RUN against the real CLI. Built from public descriptions of agy 1.1.8 to 1.2.9:
//   https://sourceforge.net/projects/antigravity-cli.mirror/files/1.1.8/ (release notes: init, step_update, result, tool_info),
//   https://docs.rs/devflow-core/2.9.0/devflow_core/agents/antigravity/ and https://docs.rs/crate/ag-agent/0.18.1 (parsers: fields of
//   step_update and result, status ERROR). A step is known by its step_index; its state is ACTIVE, DONE or ERROR.
import type { AgentEventBody, ToolContent, Usage } from '../model/event.js';
import { defined, numberOf, recordOf, showValue, stringOf, wordsOf } from './fields.js';
import { inputDiffs, toolKindOf, toolTitle } from './tool-facts.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { TurnLedger, type LedgerState } from './turn-ledger.js';

interface State {
  ledger: LedgerState;
  opened?: string;
}

/** Steps that repeat what the transcript has, or are bookkeeping. */
const QUIET_STEPS = new Set(['user_input', 'checkpoint', 'unknown']);

export class AgyTranslator implements Translator {
  readonly format = 'agy-stream-json';
  #ledger = new TurnLedger();
  #prefix: string;
  #opened: string | undefined;

  constructor(options: TranslatorOptions) {
    this.#prefix = options.idPrefix;
  }

  get turnOpen(): boolean {
    return this.#ledger.turnOpen;
  }

  turnStarted(): void {
    this.#ledger.begin();
  }

  translate(frame: Frame): AgentEventBody[] {
    const event = stringOf(frame['event']) ?? stringOf(frame['type']) ?? '(no event)';
    const body = recordOf(frame[event]) ?? frame;
    const opened = this.#open(frame, body, event);
    switch (event) {
      case 'init':
        return opened;
      case 'step_update':
        return [...opened, ...this.#step(body, frame)];
      case 'result':
        return [...opened, ...this.#result(body)];
      default:
        return [...opened, { type: 'unknown', frameType: event, raw: frame }];
    }
  }

  end(context: EndContext): AgentEventBody[] {
    return this.#ledger.endProcess(context);
  }

  abandonTurn(): AgentEventBody[] {
    return this.#ledger.abandon();
  }

  save(): unknown {
    return structuredClone(defined({ ledger: this.#ledger.save(), opened: this.#opened }));
  }

  load(saved: unknown): void {
    const state = saved as State;
    this.#ledger.load(state.ledger);
    this.#opened = state.opened;
  }

  /** The conversation id stands on the frame or in its body, and may come later than init. */
  #open(frame: Frame, body: Frame, event: string): AgentEventBody[] {
    const nativeId = stringOf(frame['conversation_id']) ?? stringOf(body['conversation_id']);
    if (event !== 'init' && (nativeId === undefined || nativeId === this.#opened)) return [];
    this.#opened = nativeId ?? this.#opened;
    const mode = stringOf(body['permission_mode']);
    return [
      defined({
        type: 'session.opened' as const,
        nativeId,
        model: stringOf(body['model']),
        mode,
        cwd: stringOf(body['cwd']),
      }),
    ];
  }

  #step(step: Frame, frame: Frame): AgentEventBody[] {
    const type = stringOf(step['step_type']) ?? '';
    const id = `${this.#prefix}${this.#ledger.turns}:${numberOf(step['step_index']) ?? 0}`;
    const delta = stringOf(step['text_delta']) ?? '';
    if (type === 'agent_response') return delta === '' ? [] : this.#say('text', id, delta);
    if (/^think|^reason|^thought/.test(type)) return delta === '' ? [] : this.#say('thought', id, delta);
    if (type === 'tool' || type === 'tool_call') return this.#tool(step, id);
    return QUIET_STEPS.has(type) ? [] : [{ type: 'unknown', frameType: `step/${type}`, raw: frame }];
  }

  #say(type: 'text' | 'thought', messageId: string, delta: string): AgentEventBody[] {
    this.#ledger.spoke(type === 'text');
    return [{ type, messageId, delta }];
  }

  #tool(step: Frame, id: string): AgentEventBody[] {
    const info = recordOf(step['tool_info']) ?? {};
    const name = stringOf(step['tool_name']) ?? stringOf(info['name']) ?? 'tool';
    const input = info['parameters'];
    const diffs = inputDiffs(name, input);
    const state = stringOf(step['state']) ?? '';
    const ended = /^(DONE|ERROR|FAILED|CANCEL)/.test(state);
    const begun =
      this.#ledger.isOpenTool(id) && ended
        ? []
        : this.#ledger.startTool(
            defined({
              toolCallId: id,
              name,
              kind: toolKindOf(name),
              title: toolTitle(name, input),
              status: 'running' as const,
              input,
              content: diffs.length > 0 ? diffs : undefined,
            }),
          );
    if (!ended) return begun;
    const error = wordsOf(recordOf(info['error'])?.['message']) ?? wordsOf(info['error']);
    const text = error ?? showValue(info['output'] ?? info['result']);
    const content: ToolContent[] | undefined = text === '' ? undefined : [{ type: 'text', text }];
    const status =
      state === 'DONE' && !error ? 'completed' : state.startsWith('CANCEL') ? 'cancelled' : 'failed';
    return [...begun, ...this.#ledger.endTool(id, status, defined({ content }))];
  }

  #result(result: Frame): AgentEventBody[] {
    const usage = usageEvents(recordOf(result['usage']) ?? {});
    const response = stringOf(result['response']) ?? '';
    if (result['status'] !== 'SUCCESS') {
      const message =
        wordsOf(result['error']) ??
        wordsOf(recordOf(result['error'])?.['message']) ??
        wordsOf(response) ??
        `The turn ended with status ${showValue(result['status']) || '?'}.`;
      return [...usage, ...this.#ledger.failTurn({ message })];
    }
    const isLost = !this.#ledger.hasText && response.trim() !== '';
    const lost: AgentEventBody[] = isLost
      ? [{ type: 'text', messageId: `${this.#prefix}${this.#ledger.turns}:result`, final: response }]
      : [];
    if (isLost) this.#ledger.spoke(true);
    return [
      ...lost,
      ...usage,
      ...this.#ledger.endTurn('end_turn', defined({ result: response || undefined })),
    ];
  }
}

function usageEvents(usage: Frame): AgentEventBody[] {
  const input = numberOf(usage['input_tokens']);
  const outputTokens = numberOf(usage['output_tokens']);
  if (input === undefined && outputTokens === undefined) return [];
  const told: Usage = defined({
    scope: 'turn' as const,
    inputTokens: input,
    outputTokens,
    cachedTokens: numberOf(usage['cache_read_tokens']),
    totalTokens: numberOf(usage['total_tokens']),
  });
  return [{ type: 'usage', usage: told }];
}
