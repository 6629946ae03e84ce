// Kimi's `--output-format stream-json`: chat messages, one a line (assistant with tool_calls, tool with tool_call_id, meta).
// Kimi Code 2.1.0 measured; its older Python CLI (kimi-cli) from its documentation and source, not run:
//   https://moonshotai.github.io/kimi-cli/en/customization/print-mode.html, github.com/MoonshotAI/kimi-cli
//   src/kimi_cli/ui/print/visualize.py (JsonPrinter). There is no frame for the end of a turn, no delta and no usage: the turn
// ends with the process, and a final answer with exit 0 is the evidence there is.
import type { AgentEventBody, ToolContent } from '../model/event.js';
import {
  defined,
  isRecord,
  numberOf,
  parseArguments,
  recordOf,
  recordsOf,
  stringOf,
  textOfContent,
  wordsOf,
} from './fields.js';
import { inputDiffs, planOf, toolKindOf, toolTitle } from './tool-facts.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { TurnLedger, type LedgerState } from './turn-ledger.js';

interface State {
  ledger: LedgerState;
  messages: number;
  error?: string;
}

/** Meta frames that tell nothing a person needs. */
const QUIET_META = new Set(['system.version']);

export class KimiTranslator implements Translator {
  readonly format = 'kimi-stream-json';
  #ledger = new TurnLedger();
  #prefix: string;
  #messages = 0;
  #error: string | undefined;

  constructor(options: TranslatorOptions) {
    this.#prefix = options.idPrefix;
  }

  get turnOpen(): boolean {
    return this.#ledger.turnOpen;
  }

  turnStarted(): void {
    this.#ledger.begin();
    this.#error = undefined;
  }

  translate(frame: Frame): AgentEventBody[] {
    switch (frame['role']) {
      case 'assistant':
        return this.#assistant(frame);
      case 'tool':
        return this.#tool(frame);
      case 'meta':
        return this.#meta(frame);
      case 'user':
      case 'system':
        return [];
      default:
        return this.#other(frame);
    }
  }

  end(context: EndContext): AgentEventBody[] {
    const ended = context.exitCode === 0 && !context.signal && !context.stopped;
    if (ended && this.#ledger.hasText && this.#error === undefined) return this.#ledger.endTurn('end_turn');
    return this.#ledger.endProcess(context, defined({ message: this.#error }));
  }

  abandonTurn(): AgentEventBody[] {
    return this.#ledger.abandon();
  }

  save(): unknown {
    return structuredClone(
      defined({ ledger: this.#ledger.save(), messages: this.#messages, error: this.#error }),
    );
  }

  load(saved: unknown): void {
    const state = saved as State;
    this.#ledger.load(state.ledger);
    this.#messages = state.messages;
    this.#error = state.error;
  }

  #assistant(frame: Frame): AgentEventBody[] {
    this.#messages += 1;
    const messageId = `${this.#prefix}m${this.#messages}`;
    const thought = thinkOf(frame);
    const text = textOfContent(frame['content']);
    const events: AgentEventBody[] = [];
    if (thought !== '') events.push({ type: 'thought', messageId: `${messageId}.t`, final: thought });
    if (text.trim() !== '') events.push({ type: 'text', messageId, final: text });
    if (events.length > 0) this.#ledger.spoke(text.trim() !== '');
    return [...events, ...recordsOf(frame['tool_calls']).flatMap((call) => this.#call(call))];
  }

  #call(call: Frame): AgentEventBody[] {
    const toolCallId = stringOf(call['id']);
    const spec = recordOf(call['function']) ?? {};
    if (!toolCallId) return [{ type: 'unknown', frameType: 'tool_call', raw: call }];
    const name = stringOf(spec['name']) ?? 'tool';
    const input = parseArguments(spec['arguments']);
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

  /** Errors of a tool are told in its text only: "<system>ERROR …" (kimi-cli), "Command failed with exit code: 3." */
  #tool(frame: Frame): AgentEventBody[] {
    const id = stringOf(frame['tool_call_id']);
    if (!id) return [{ type: 'unknown', frameType: 'tool', raw: frame }];
    const text = textOfContent(frame['content']);
    const content: ToolContent[] | undefined = text === '' ? undefined : [{ type: 'text', text }];
    const told = /Command failed with exit code: (\d+)\.?\s*$/.exec(text);
    const isShell = toolKindOf(this.#ledger.toolName(id) ?? '') === 'execute';
    const exitCode = isShell ? Number(told?.[1] ?? 0) : undefined;
    const failed = exitCode ? true : /^\s*<system>\s*ERROR\b/.test(text) || frame['is_error'] === true;
    const more = defined({ content, exitCode: failed && !exitCode ? undefined : exitCode });
    return this.#ledger.endTool(id, failed ? 'failed' : 'completed', more);
  }

  #meta(frame: Frame): AgentEventBody[] {
    const type = stringOf(frame['type']) ?? '';
    const nativeId = stringOf(frame['session_id']);
    if (type === 'session.resume_hint' && nativeId) return [{ type: 'session.opened', nativeId }];
    if (QUIET_META.has(type)) return [];
    if (type.includes('retry')) {
      const attempt = numberOf(frame['attempt']) ?? 1;
      const text = wordsOf(frame['content']) ?? 'The CLI tries again.';
      return [{ type: 'notice', kind: 'retry', level: 'warning', text, retry: { attempt } }];
    }
    return [{ type: 'unknown', frameType: `meta/${type}`, raw: frame }];
  }

  /** Notifications, plans and errors have a `type` and no role. */
  #other(frame: Frame): AgentEventBody[] {
    const type = stringOf(frame['type']) ?? stringOf(frame['role']) ?? '(no type)';
    if (type === 'error') {
      this.#error = wordsOf(frame['message']) ?? wordsOf(frame['content']) ?? 'The CLI reported an error.';
      return [{ type: 'notice', kind: 'other', level: 'error', text: this.#error }];
    }
    const words = wordsOf(frame['title']) ?? wordsOf(frame['body']);
    if (words && isRecord(frame)) return [{ type: 'notice', kind: 'other', level: 'info', text: words }];
    return [{ type: 'unknown', frameType: type, raw: frame }];
  }
}

function thinkOf(frame: Frame): string {
  const parts = recordsOf(frame['content']).map((part) => stringOf(part['think']) ?? '');
  return [stringOf(frame['reasoning_content']) ?? '', ...parts].filter((text) => text !== '').join('\n');
}
