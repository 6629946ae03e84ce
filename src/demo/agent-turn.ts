// One turn of the demo agent: the updates it can send, the questions it can ask, and the cancel that ends it.
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonRpcPeer } from '../io/jsonrpc.js';
import type { StoredSession } from './agent-store.js';

/** Thrown inside a turn when the client cancelled it. */
export class TurnCancelled extends Error {}

export type ToolResult = 'completed' | 'failed';

let toolCount = 0;
let messageCount = 0;

export class DemoTurn {
  readonly #abort = new AbortController();
  readonly #openTools = new Set<string>();

  constructor(
    readonly peer: JsonRpcPeer,
    readonly session: StoredSession,
  ) {}

  get abortSignal(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(): void {
    this.#abort.abort();
  }

  update(update: Record<string, unknown>): void {
    this.session.updates.push(update);
    this.peer.notify('session/update', { sessionId: this.session.sessionId, update });
  }

  /** Waits; a cancel ends the wait at once. */
  async pause(ms: number): Promise<void> {
    try {
      await delay(ms, undefined, { signal: this.#abort.signal });
    } catch {
      throw new TurnCancelled();
    }
  }

  newMessageId(): string {
    return `m-${process.pid}-${messageCount++}`;
  }

  /** Streams text word by word, about as fast as a model does; on to a message that has begun when its id is given. */
  async say(
    text: string,
    kind: 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk',
    messageId = this.newMessageId(),
  ): Promise<void> {
    for (const word of text.split(/(?<=\s)/)) {
      this.update({ sessionUpdate: kind, messageId, content: { type: 'text', text: word } });
      await this.pause(15);
    }
  }

  startTool(title: string, kind: string, rawInput: unknown, content: unknown[] = []): string {
    const toolCallId = `demo-tool-${process.pid}-${toolCount++}`;
    this.#openTools.add(toolCallId);
    this.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title,
      kind,
      status: 'pending',
      rawInput,
      content,
    });
    return toolCallId;
  }

  updateTool(toolCallId: string, fields: Record<string, unknown>): void {
    this.update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields });
  }

  finishTool(toolCallId: string, status: ToolResult, content: unknown[]): void {
    this.#openTools.delete(toolCallId);
    this.updateTool(toolCallId, { status, content });
  }

  /** Asks before a tool runs. True: go on. Auto mode and "always" answers ask nothing. */
  async mayRun(
    toolCallId: string,
    title: string,
    kind: string,
    rawInput: unknown,
    content: unknown[] = [],
  ): Promise<boolean> {
    if (this.session.mode === 'auto' || this.session.alwaysAllowed.includes(kind)) return true;
    const question = this.peer.request<{ outcome: { outcome: string; optionId?: string } }>(
      'session/request_permission',
      {
        sessionId: this.session.sessionId,
        toolCall: { toolCallId, title, kind, status: 'pending', rawInput, content },
        options: [
          { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
          { optionId: 'always', kind: 'allow_always', name: `Always allow "${kind}" in this session` },
          { optionId: 'no', kind: 'reject_once', name: 'Reject' },
        ],
      },
    );
    const { outcome } = await question;
    if (outcome.outcome !== 'selected') throw new TurnCancelled();
    if (outcome.optionId === 'always') this.session.alwaysAllowed.push(kind);
    return outcome.optionId === 'once' || outcome.optionId === 'always';
  }
}
