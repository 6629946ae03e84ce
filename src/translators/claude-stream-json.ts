// Claude Code's stream-json (2.1.332 and 2.1.197 measured; Mux Code writes the same shape). One translator a process.
// The outcome of a turn is its result frame, judged by `is_error` and `terminal_reason`: `subtype` says "success" of
// every API error. Control frames are the controller's business and give no events. Qwen's dialect builds on this.
import type { AgentEventBody, ToolStatus, Usage } from '../model/event.js';
import type { FailureEvidence } from '../model/failure-classify.js';
import type { WireFormat } from '../model/provider.js';
import { BlockBook, textEvent, type BookState } from './claude-blocks.js';
import { contextSizeOf, errorTextOf, nonExecution, resultContent, usageOf } from './claude-results.js';
import { systemEvents, type SystemState } from './claude-system.js';
import { defined, isRecord, numberOf, recordOf, recordsOf, stringOf, textOfContent } from './fields.js';
import { inputDiffs, planOf, toolKindOf, toolTitle } from './tool-facts.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { TurnLedger, type LedgerState } from './turn-ledger.js';

/** What differs between the CLIs that write this shape. */
export interface ClaudeDialect {
  format: WireFormat;
  /** Each block of a message has a message id of its own. */
  looseIds: boolean;
  /** Cached input is not part of input_tokens. */
  cachedApart: boolean;
  /** `result.usage` counts the whole process so far. */
  usageOfProcess: boolean;
}

const CLAUDE: ClaudeDialect = {
  format: 'claude-stream-json',
  looseIds: false,
  cachedApart: true,
  usageOfProcess: false,
};

interface State {
  ledger: LedgerState;
  book: BookState;
  system: SystemState;
  /** The last API error told as an assistant frame, until the model answers again. */
  apiError?: FailureEvidence;
  /** `total_cost_usd` and, where usage counts the process, usage at the last result. */
  costUsd: number;
  used: Omit<Usage, 'scope'>;
  contextUsed?: number;
}

/** Frames that say nothing a person needs; the raw view shows them. */
const QUIET = new Set([
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'tool_progress',
  'tool_use_summary',
  'prompt_suggestion',
]);

export class ClaudeTranslator implements Translator {
  readonly format: WireFormat;
  protected readonly ledger = new TurnLedger();
  protected readonly book: BlockBook;
  #dialect: ClaudeDialect;
  #system: SystemState = {};
  #apiError: FailureEvidence | undefined;
  #costUsd = 0;
  #used: Omit<Usage, 'scope'> = {};
  #contextUsed: number | undefined;
  #now: () => number;

  constructor(options: TranslatorOptions, dialect: ClaudeDialect = CLAUDE) {
    this.format = dialect.format;
    this.#dialect = dialect;
    this.book = new BlockBook(options.idPrefix, dialect.looseIds);
    this.#now = options.now ?? Date.now;
  }

  get turnOpen(): boolean {
    return this.ledger.turnOpen;
  }

  turnStarted(): void {
    this.ledger.begin();
    this.book.beginTurn(this.ledger.turns);
    this.#apiError = undefined;
  }

  translate(frame: Frame): AgentEventBody[] {
    const type = stringOf(frame['type']) ?? '';
    if (this.ledger.owed && !this.#endsOwedTurn(type, frame)) return [];
    switch (type) {
      case 'system':
        return this.system(frame);
      case 'stream_event':
        return this.#streamEvent(recordOf(frame['event']) ?? {}, parentOf(frame), frame);
      case 'assistant':
        return this.#assistant(frame);
      case 'user':
        return this.#user(frame);
      case 'result':
        return this.#result(frame);
      case 'rate_limit_event':
        return systemEvents(frame, this.#system, this.#now());
      default:
        return QUIET.has(type) ? [] : [{ type: 'unknown', frameType: type || '(no type)', raw: frame }];
    }
  }

  end(context: EndContext): AgentEventBody[] {
    return this.ledger.endProcess(context, this.#apiError ?? {});
  }

  abandonTurn(): AgentEventBody[] {
    return this.ledger.abandon();
  }

  save(): unknown {
    const state: State = {
      ledger: this.ledger.save(),
      book: this.book.save(),
      system: this.#system,
      costUsd: this.#costUsd,
      used: this.#used,
      ...defined({ apiError: this.#apiError, contextUsed: this.#contextUsed }),
    };
    return structuredClone(state);
  }

  load(saved: unknown): void {
    const state = structuredClone(saved) as State;
    this.ledger.load(state.ledger);
    this.book.load(state.book);
    this.book.beginTurn(this.ledger.turns);
    this.#system = state.system;
    this.#apiError = state.apiError;
    this.#costUsd = state.costUsd;
    this.#used = state.used;
    this.#contextUsed = state.contextUsed;
  }

  protected system(frame: Frame): AgentEventBody[] {
    return systemEvents(frame, this.#system, this.#now());
  }

  /** A turn that we ended ourselves still runs on the wire: its frames are dropped until its result or the next init. */
  #endsOwedTurn(type: string, frame: Frame): boolean {
    const isInit = type === 'system' && frame['subtype'] === 'init';
    if (isInit || type === 'result') this.ledger.settle();
    return isInit;
  }

  #streamEvent(event: Frame, parent: string, frame: Frame): AgentEventBody[] {
    const index = numberOf(event['index']) ?? 0;
    switch (event['type']) {
      case 'message_start': {
        const message = recordOf(event['message']) ?? {};
        if (parent === '') this.#noteContext(message['usage']);
        return this.book.startMessage(parent, stringOf(message['id']) ?? 'message');
      }
      case 'content_block_start':
        return this.#blockStart(recordOf(event['content_block']) ?? {}, index, parent);
      case 'content_block_delta':
        return this.#delta(recordOf(event['delta']) ?? {}, index, parent);
      case 'content_block_stop':
        this.book.stopBlock(parent, index);
        return [];
      case 'message_stop': {
        const from = numberOf(recordOf(frame['abandoned_blocks'])?.['from_block_index']);
        return from === undefined ? [] : this.book.abandonFrom(parent, from);
      }
      case 'error':
        return [{ type: 'notice', kind: 'other', level: 'warning', text: streamErrorText(event) }];
      default:
        return [];
    }
  }

  #blockStart(block: Frame, index: number, parent: string): AgentEventBody[] {
    const type = stringOf(block['type']) ?? '';
    if (type === 'text' || type === 'thinking') {
      const kind = type === 'text' ? 'text' : 'thought';
      const { id } = this.book.startBlock(parent, index, kind);
      const delta = stringOf(block[type]) ?? '';
      return delta === '' ? [] : this.#say(kind, id, { delta }, parent);
    }
    if (!type.endsWith('tool_use')) return [];
    this.book.startBlock(parent, index, 'tool');
    return this.#tool(block, parent, 'pending');
  }

  #delta(delta: Frame, index: number, parent: string): AgentEventBody[] {
    const text = stringOf(delta['text']);
    const thinking = stringOf(delta['thinking']);
    if (text !== undefined && text !== '') {
      return this.#say('text', this.book.blockOfDelta(parent, index, 'text').id, { delta: text }, parent);
    }
    if (thinking !== undefined && thinking !== '') {
      return this.#say(
        'thought',
        this.book.blockOfDelta(parent, index, 'thought').id,
        { delta: thinking },
        parent,
      );
    }
    return [];
  }

  #assistant(frame: Frame): AgentEventBody[] {
    const message = recordOf(frame['message']) ?? {};
    const parent = parentOf(frame);
    const error = apiErrorOf(frame, message);
    if (error) {
      this.#apiError = error;
      return [];
    }
    if (parent === '') {
      this.#apiError = undefined;
      this.#noteContext(message['usage']);
    }
    const id = stringOf(message['id']) ?? 'message';
    const content = message['content'];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
    return blocks.flatMap((block) => this.#wholeBlock(block, id, parent));
  }

  #wholeBlock(block: Frame, messageId: string, parent: string): AgentEventBody[] {
    const type = stringOf(block['type']) ?? '';
    if (type === 'text' || type === 'thinking') {
      const final = stringOf(block[type]) ?? '';
      const kind = type === 'text' ? 'text' : 'thought';
      const { id } = this.book.finishBlock(parent, messageId, kind);
      return final === '' ? [] : this.#say(kind, id, { final }, parent);
    }
    if (type.endsWith('tool_use')) {
      this.book.finishBlock(parent, messageId, 'tool');
      return this.#tool(block, parent, 'running');
    }
    if (type.endsWith('tool_result')) return this.#toolResult(block, {});
    return [];
  }

  #say(
    kind: 'text' | 'thought',
    id: string,
    part: { delta: string } | { final: string },
    parent: string,
  ): AgentEventBody[] {
    this.ledger.spoke(kind === 'text' && parent === '');
    return [textEvent(kind, id, part, parent)];
  }

  #tool(block: Frame, parent: string, status: ToolStatus): AgentEventBody[] {
    const toolCallId = stringOf(block['id']);
    if (!toolCallId) return [];
    const name = stringOf(block['name']) ?? 'tool';
    const input = status === 'running' ? block['input'] : undefined;
    const diffs = inputDiffs(name, input);
    const events = this.ledger.startTool(
      defined({
        toolCallId,
        name,
        kind: toolKindOf(name),
        title: toolTitle(name, input),
        status,
        input,
        content: diffs.length > 0 ? diffs : undefined,
        parentId: parent === '' ? undefined : parent,
      }),
    );
    const entries = toolKindOf(name) === 'think' ? planOf(input) : undefined;
    return entries ? [...events, { type: 'plan', entries }] : events;
  }

  #user(frame: Frame): AgentEventBody[] {
    const message = recordOf(frame['message']) ?? {};
    const results = recordsOf(message['content']).filter((b) => stringOf(b['type'])?.endsWith('tool_result'));
    if (results.length > 0) return results.flatMap((block) => this.#toolResult(block, frame));
    const text = textOfContent(message['content']);
    if (text === '' || parentOf(frame) !== '') return [];
    const origin = frame['isReplay'] === true ? 'replay' : 'injected';
    return [{ type: 'user.text', messageId: stringOf(frame['uuid']) ?? text.slice(0, 40), text, origin }];
  }

  #toolResult(block: Frame, frame: Frame): AgentEventBody[] {
    const id = stringOf(block['tool_use_id']);
    if (!id) return [];
    const failed = block['is_error'] === true;
    const status = failed && nonExecution(frame, id) ? 'cancelled' : failed ? 'failed' : 'completed';
    return this.ledger.endTool(
      id,
      status,
      resultContent(this.ledger.toolName(id) ?? '', block, frame['tool_use_result']),
    );
  }

  #result(frame: Frame): AgentEventBody[] {
    const usage = this.#usage(frame);
    if (!this.ledger.turnOpen) return usage;
    return [...usage, ...this.#outcome(frame)];
  }

  #outcome(frame: Frame): AgentEventBody[] {
    const reason = stringOf(frame['terminal_reason']) ?? '';
    const text = stringOf(frame['result']);
    if (reason.startsWith('aborted') || errorTextOf(frame) === 'Operation cancelled.')
      return this.ledger.endTurn('cancelled');
    if (frame['is_error'] === true || this.#apiError) return this.#failed(frame);
    const lost =
      !this.ledger.hasText && text ? this.#say('text', this.book.idOf('result'), { final: text }, '') : [];
    const stop = frame['stop_reason'];
    const stopReason = stop === 'refusal' ? 'refusal' : stop === 'max_tokens' ? 'max_tokens' : 'end_turn';
    return [...lost, ...this.ledger.endTurn(stopReason, defined({ result: text }))];
  }

  #failed(frame: Frame): AgentEventBody[] {
    const subtype = stringOf(frame['subtype']) ?? '';
    const isMaxTurns = /max_turns/.test(subtype) || frame['terminal_reason'] === 'max_turns';
    const evidence = defined({
      ...this.#apiError,
      status: numberOf(frame['api_error_status']) ?? this.#apiError?.status,
      code: isMaxTurns ? 'max_turns' : this.#apiError?.code,
      message:
        (frame['is_error'] === true ? errorTextOf(frame) : undefined) ??
        this.#apiError?.message ??
        `The turn failed (${subtype || 'no cause told'}).`,
      resetsAt: this.#system.resetsAt,
      now: this.#now(),
    });
    return this.ledger.failTurn(evidence, isMaxTurns ? 'max_turns' : 'error');
  }

  #usage(frame: Frame): AgentEventBody[] {
    const total = usageOf(frame['usage'], this.#dialect.cachedApart);
    if (!total || total.totalTokens === 0) return [];
    const turn = this.#dialect.usageOfProcess ? minus(total, this.#used) : total;
    this.#used = total;
    const cost = numberOf(frame['total_cost_usd']);
    const costUsd = cost === undefined ? undefined : Math.max(0, cost - this.#costUsd);
    if (cost !== undefined) this.#costUsd = cost;
    const contextUsed = this.#contextUsed;
    return [
      {
        type: 'usage',
        usage: defined({
          scope: 'turn' as const,
          ...turn,
          costUsd,
          contextUsed,
          contextSize: contextSizeOf(frame),
          model: this.#system.model,
        }),
      },
    ];
  }

  #noteContext(usage: unknown): void {
    const used = usageOf(usage, this.#dialect.cachedApart)?.inputTokens;
    if (used) this.#contextUsed = used;
  }
}

function parentOf(frame: Frame): string {
  return stringOf(frame['parent_tool_use_id']) ?? '';
}

/** An API error dressed as an answer of the model. */
function apiErrorOf(frame: Frame, message: Frame): FailureEvidence | undefined {
  const flagged = frame['is_api_error_message'] === true || frame['isApiErrorMessage'] === true;
  const code = stringOf(frame['error']) ?? stringOf(recordOf(frame['error'])?.['type']);
  if (!flagged && (code === undefined || message['model'] !== '<synthetic>')) return undefined;
  const cause = stringOf(frame['api_error']);
  return defined({
    status: numberOf(frame['api_error_status']),
    code: cause?.startsWith('connection') ? cause : code,
    message: textOfContent(message['content']) || undefined,
  });
}

function streamErrorText(event: Frame): string {
  const error = event['error'];
  return (isRecord(error) ? stringOf(error['message']) : stringOf(error)) ?? 'The stream reported an error.';
}

function minus(total: Omit<Usage, 'scope'>, before: Omit<Usage, 'scope'>): Omit<Usage, 'scope'> {
  const less = (a: number | undefined, b: number | undefined) =>
    a === undefined ? undefined : Math.max(0, a - (b ?? 0));
  return defined({
    inputTokens: less(total.inputTokens, before.inputTokens),
    outputTokens: less(total.outputTokens, before.outputTokens),
    cachedTokens: less(total.cachedTokens, before.cachedTokens),
    totalTokens: less(total.totalTokens, before.totalTokens),
  });
}
