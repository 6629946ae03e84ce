// Agent Client Protocol, v1 and v2, to events. One translator for every ACP agent. Facts: v1 ends a turn with the answer to
// session/prompt, v2 with a state_update "idle" that carries a stop reason; message ids may be missing; tool updates may come
// before the call; updates may come before the session is known (the connection buffers those).
import { failureFromRpc } from './acp-failure.js';
import { AcpTools } from './acp-tools.js';
import {
  asObject,
  asString,
  asArray,
  contentText,
  contextUsage,
  turnUsage,
  type Json,
} from './acp-content.js';
import { configOptions, optionsEvent, sessionOptions, slashCommands } from './acp-options.js';
import type { AgentEventBody, PlanEntry } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { StopReason } from '../model/session.js';
import type { EndContext, Frame, Translator, TranslatorOptions } from './translator.js';
import { failureFromExit } from './acp-failure.js';

/** What the connection hands over: a notification as it came, or the answer to a call of ours with the call's name. */
export type AcpFrame =
  | { kind: 'update'; update: Json; replay: boolean }
  | { kind: 'permission'; toolCall: Json }
  | { kind: 'session'; result: Json; nativeId: string; cwd: string }
  | { kind: 'prompt-result'; result: Json }
  | { kind: 'prompt-error'; error: { code: number; message: string; data?: unknown } }
  | { kind: 'notification'; method: string; params: unknown };

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: 'end_turn',
  max_tokens: 'max_tokens',
  max_turn_requests: 'max_turns',
  refusal: 'refusal',
  cancelled: 'cancelled',
  error: 'error',
};

/** Gemini tells a new mode as a text, between turns. */
const MODE_TEXT = /^\[MODE_UPDATE\] (\S+)$/;

type Handler = (translator: AcpTranslator, update: Json, replay: boolean) => AgentEventBody[];

export class AcpTranslator implements Translator {
  readonly format = 'acp';
  readonly tools = new AcpTools();
  #idPrefix: string;
  #turnOpen = false;
  #hasContent = false;
  #lastChunk: { kind: string; messageId: string } | undefined;
  #messageCount = 0;
  #version = 1;

  constructor(options: TranslatorOptions) {
    this.#idPrefix = options.idPrefix;
  }

  get turnOpen(): boolean {
    return this.#turnOpen;
  }

  /** The version that `initialize` agreed on. */
  set protocolVersion(version: number) {
    this.#version = version;
  }

  turnStarted(): void {
    this.#turnOpen = true;
    this.#hasContent = false;
    this.#lastChunk = undefined;
  }

  translate(frame: Frame): AgentEventBody[] {
    const acp = frame as unknown as AcpFrame;
    switch (acp.kind) {
      case 'update':
        return this.#update(acp.update, acp.replay);
      case 'permission':
        this.#hasContent = true;
        return this.tools.upsert(acp.toolCall);
      case 'session':
        return this.#session(acp.result, acp.nativeId, acp.cwd);
      case 'prompt-result':
        return this.#promptResult(acp.result);
      case 'prompt-error':
        return this.#finishTurn('error', failureFromRpc(acp.error));
      case 'notification':
        return notification(acp.method, acp.params);
      default:
        return [{ type: 'unknown', frameType: 'acp', raw: frame }];
    }
  }

  end(context: EndContext): AgentEventBody[] {
    if (!this.#turnOpen) return [];
    if (context.stopped) return this.#finishTurn('cancelled');
    return this.#finishTurn('error', failureFromExit(context));
  }

  abandonTurn(): AgentEventBody[] {
    return this.#turnOpen ? this.#finishTurn('cancelled') : [];
  }

  save(): unknown {
    return {
      messageCount: this.#messageCount,
      hasContent: this.#hasContent,
      version: this.#version,
      turnOpen: this.#turnOpen,
      idPrefix: this.#idPrefix,
      lastChunk: this.#lastChunk,
      tools: this.tools.save(),
    };
  }

  load(state: unknown): void {
    const saved = asObject(state);
    this.#messageCount = Number(saved['messageCount'] ?? 0);
    this.#hasContent = saved['hasContent'] === true;
    this.#version = Number(saved['version'] ?? 1);
    this.#turnOpen = saved['turnOpen'] === true;
    // The ids of messages go on, so that a text that streams now stays one message.
    this.#idPrefix = asString(saved['idPrefix']) ?? this.#idPrefix;
    this.#lastChunk = saved['lastChunk'] as { kind: string; messageId: string } | undefined;
    this.tools.load(saved['tools']);
  }

  /** Text or thought of a chunk; a replay of what our log holds already is left out. */
  chunk(kind: 'text' | 'thought', update: Json, replay: boolean): AgentEventBody[] {
    const delta = contentText(update['content']);
    const mode = this.#turnOpen ? undefined : MODE_TEXT.exec(delta)?.[1];
    if (mode !== undefined) return [{ type: 'session.updated', mode }];
    const messageId = this.#messageId(kind, update);
    if (replay || delta === '') return [];
    this.#hasContent = true;
    return [{ type: kind, messageId, delta }];
  }

  /** A whole message (v2): it replaces what its chunks said; an empty one only announces the id. */
  message(kind: 'text' | 'thought', update: Json, replay: boolean): AgentEventBody[] {
    const final = contentText(update['content']);
    const messageId = this.#messageId(kind, update);
    if (replay || final === '') return [];
    this.#hasContent = true;
    return [{ type: kind, messageId, final }];
  }

  userText(update: Json, replay: boolean): AgentEventBody[] {
    this.#lastChunk = undefined;
    // v2 agents echo our own prompt before the turn runs; a replay repeats what our log has.
    if (replay || this.#turnOpen || this.#version >= 2) return [];
    const text = contentText(update['content']);
    return text === ''
      ? []
      : [{ type: 'user.text', messageId: this.#messageId('user', update), text, origin: 'injected' }];
  }

  toolUpdate(update: Json, replay: boolean): AgentEventBody[] {
    if (replay) return [];
    this.#lastChunk = undefined;
    this.#hasContent = true;
    return this.tools.upsert(update);
  }

  /** v2: the state of the session; "idle" with a stop reason ends the turn. */
  state(update: Json, replay: boolean): AgentEventBody[] {
    const stopReason = asString(update['stopReason']);
    if (replay || update['state'] !== 'idle' || stopReason === undefined || !this.#turnOpen) return [];
    const usage = turnUsage(update['usage']);
    const error = asObject(update['error']);
    const failure =
      stopReason === 'error'
        ? failureFromRpc({
            code: Number(error['code'] ?? 0),
            message: asString(error['message']) ?? 'the turn failed',
          })
        : undefined;
    return [
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      ...this.#finishTurn(stopOf(stopReason), failure),
    ];
  }

  #update(update: Json, replay: boolean): AgentEventBody[] {
    const name = asString(update['sessionUpdate']) ?? '';
    const handler = HANDLERS[name];
    if (handler) return handler(this, update, replay);
    return replay ? [] : [{ type: 'unknown', frameType: name || 'session/update', raw: update }];
  }

  #session(result: Json, nativeId: string, cwd: string): AgentEventBody[] {
    const options = sessionOptions(result);
    const commands = slashCommands(result['availableCommands']);
    return [
      { type: 'session.opened', nativeId, cwd },
      ...(options.length > 0 ? [optionsEvent(options)] : []),
      ...(commands.length > 0 ? [{ type: 'session.updated' as const, slashCommands: commands }] : []),
    ];
  }

  #promptResult(result: Json): AgentEventBody[] {
    // v2 answers at once with the message id; its turn ends with state_update.
    if (this.#version >= 2 && result['stopReason'] === undefined) return [];
    const usage = turnUsage(result['usage']);
    const stopReason = stopOf(asString(result['stopReason']));
    return [...(usage ? [{ type: 'usage' as const, usage }] : []), ...this.#finishTurn(stopReason)];
  }

  #finishTurn(stopReason: StopReason, failure?: Failure): AgentEventBody[] {
    if (!this.#turnOpen) return [];
    this.#turnOpen = false;
    const suspicious = stopReason === 'end_turn' && !this.#hasContent;
    return [
      ...this.tools.closeAll(stopReason === 'cancelled' ? 'cancelled' : 'unknown'),
      {
        type: 'turn.done',
        stopReason,
        ...(failure ? { failure } : {}),
        ...(suspicious ? { suspicious } : {}),
      },
    ];
  }

  /** Given by the agent, or made: without one a new message begins when another kind of update came between. */
  #messageId(kind: string, update: Json): string {
    const given = asString(update['messageId']);
    if (given !== undefined) {
      this.#lastChunk = undefined;
      return `${given}${kind === 'thought' ? ':thought' : ''}`;
    }
    if (this.#lastChunk?.kind !== kind) {
      this.#lastChunk = { kind, messageId: `${this.#idPrefix}${this.#messageCount++}` };
    }
    return this.#lastChunk.messageId;
  }
}

function stopOf(reason: string | undefined): StopReason {
  return (reason === undefined ? undefined : STOP_REASONS[reason]) ?? 'unknown';
}

function plan(update: Json): AgentEventBody[] {
  const entries = asArray(update['entries']).map((entry): PlanEntry => {
    const item = asObject(entry);
    const status =
      item['status'] === 'completed' || item['status'] === 'in_progress' ? item['status'] : 'pending';
    return { text: asString(item['content']) ?? '', status };
  });
  return [{ type: 'plan', entries }];
}

function notice(update: Json): AgentEventBody[] {
  const severity = update['severity'];
  const level = severity === 'error' || severity === 'warning' ? severity : 'info';
  const text = [asString(update['title']), asString(update['description'])].filter(Boolean).join(': ');
  return [{ type: 'notice', kind: 'other', level, text }];
}

function compaction(update: Json): AgentEventBody[] {
  const status = asString(update['status']);
  return [
    {
      type: 'notice',
      kind: 'compaction',
      level: 'info',
      text: status ? `context compaction: ${status}` : 'context compacted',
    },
  ];
}

/** What vendors add. A mode is a mode under any name (facts: Qwen tells its own beside the protocol's). */
function notification(method: string, params: unknown): AgentEventBody[] {
  const mode = modeUpdate(asObject(params));
  if (mode.length > 0 || method.startsWith('_')) return mode;
  return [{ type: 'unknown', frameType: method, raw: params }];
}

function modeUpdate(update: Json): AgentEventBody[] {
  const mode = asString(update['currentModeId']) ?? asString(update['modeId']);
  return mode === undefined ? [] : [{ type: 'session.updated', mode }];
}

function title(update: Json): AgentEventBody[] {
  const text = asString(update['title']);
  return text === undefined ? [] : [{ type: 'session.updated', title: text }];
}

/** One row for each kind of session/update; a kind that is not here becomes an `unknown` event. */
const HANDLERS: Record<string, Handler> = {
  agent_message_chunk: (t, u, replay) => t.chunk('text', u, replay),
  agent_thought_chunk: (t, u, replay) => t.chunk('thought', u, replay),
  agent_message: (t, u, replay) => t.message('text', u, replay),
  agent_thought: (t, u, replay) => t.message('thought', u, replay),
  user_message_chunk: (t, u, replay) => t.userText(u, replay),
  user_message: (t, u, replay) => t.userText(u, replay),
  tool_call: (t, u, replay) => t.toolUpdate(u, replay),
  tool_call_update: (t, u, replay) => t.toolUpdate(u, replay),
  tool_call_content_chunk: (t, u, replay) => (replay ? [] : t.tools.appendContent(u)),
  terminal_update: (t, u, replay) => (replay ? [] : t.tools.terminal(u)),
  terminal_output_chunk: (t, u, replay) => (replay ? [] : t.tools.terminal(u)),
  plan: (_t, u, replay) => (replay ? [] : plan(u)),
  notice: (_t, u, replay) => (replay ? [] : notice(u)),
  compaction_update: (_t, u, replay) => (replay ? [] : compaction(u)),
  state_update: (t, u, replay) => t.state(u, replay),
  usage_update: (_t, u) => [{ type: 'usage', usage: contextUsage(u) }],
  session_info_update: (_t, u) => title(u),
  available_commands_update: (_t, u) => [
    { type: 'session.updated', slashCommands: slashCommands(u['availableCommands']) },
  ],
  current_mode_update: (_t, u) => modeUpdate(u),
  config_option_update: (_t, u) => [optionsEvent(configOptions(u['configOptions']))],
};
