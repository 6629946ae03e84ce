// Tool calls of one ACP turn: upserts by id in any order, a status that never goes back, output of terminals the agent owns.
import type { AgentEventBody, ToolCall, ToolStatus } from '../model/event.js';
import {
  asObject,
  asString,
  terminalChanges,
  toolContent,
  toolKind,
  toolStatus,
  type Json,
  type TerminalOutput,
} from './acp-content.js';

const RANK: Record<ToolStatus, number> = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
  unknown: 2,
};
const FINAL_RANK = 2;

interface Known {
  status: ToolStatus;
  /** Raw content as it came last, to be drawn again when a terminal in it changes. */
  content: unknown;
}

export class AcpTools {
  #known = new Map<string, Known>();
  #terminals = new Map<string, TerminalOutput>();
  #finished = new Set<string>();

  /** `tool_call`, `tool_call_update` or the toolCall of a permission request: whichever comes first creates the call. */
  upsert(update: Json): AgentEventBody[] {
    const toolCallId = asString(update['toolCallId']);
    if (toolCallId === undefined)
      return [{ type: 'unknown', frameType: 'tool_call without an id', raw: update }];
    const terminals = this.#applyTerminals(update);
    const known = this.#known.get(toolCallId);
    return [
      ...terminals,
      ...(known ? this.#change(toolCallId, known, update) : this.#create(toolCallId, update)),
    ];
  }

  /** v2 `terminal_update` and `terminal_output_chunk`. */
  terminal(update: Json): AgentEventBody[] {
    return this.#applyTerminals(update);
  }

  /** v2 `tool_call_content_chunk`: one more entry of content. */
  appendContent(update: Json): AgentEventBody[] {
    const toolCallId = asString(update['toolCallId']);
    const known = toolCallId === undefined ? undefined : this.#known.get(toolCallId);
    if (toolCallId === undefined || !known) return this.upsert({ ...update, content: [update['content']] });
    known.content = [
      ...(Array.isArray(known.content) ? (known.content as unknown[]) : []),
      update['content'],
    ];
    return [this.#redraw(toolCallId, known)];
  }

  /** Closes what the turn left open, in the order it was begun. */
  closeAll(status: 'unknown' | 'cancelled'): AgentEventBody[] {
    const events: AgentEventBody[] = [];
    for (const [toolCallId, known] of this.#known) {
      if (RANK[known.status] === FINAL_RANK) continue;
      known.status = status;
      events.push({ type: 'tool.finished', toolCallId, status });
    }
    return events;
  }

  /** JSON of what the calls look like now; content only of those that are open. */
  save(): unknown {
    const open = [...this.#known].filter(([, { status }]) => RANK[status] < FINAL_RANK);
    const shown = [...this.#terminals].filter(([id]) =>
      open.some(([, { content }]) => showsAny(content, new Set([id]))),
    );
    const done = [...this.#known].filter(([, { status }]) => RANK[status] === FINAL_RANK);
    return { open, shown, done: done.map(([id, { status }]) => [id, status]), finished: [...this.#finished] };
  }

  load(state: unknown): void {
    const { open, shown, done, finished } = asObject(state);
    if (!Array.isArray(open) || !Array.isArray(shown) || !Array.isArray(done) || !Array.isArray(finished))
      return;
    this.#known = new Map([
      ...(done as [string, ToolStatus][]).map(([id, status]): [string, Known] => [
        id,
        { status, content: undefined },
      ]),
      ...(open as [string, Known][]),
    ]);
    this.#terminals = new Map(shown as [string, TerminalOutput][]);
    this.#finished = new Set(finished as string[]);
  }

  #create(toolCallId: string, update: Json): AgentEventBody[] {
    const status = toolStatus(update['status']) ?? 'pending';
    const known: Known = { status, content: update['content'] };
    this.#known.set(toolCallId, known);
    const final = RANK[status] === FINAL_RANK;
    const call: ToolCall = {
      toolCallId,
      name: toolName(update),
      kind: toolKind(update['kind']),
      title: asString(update['title']) ?? toolName(update),
      status: final ? 'running' : status,
      ...(update['rawInput'] === undefined ? {} : { input: update['rawInput'] }),
      ...(update['content'] === undefined
        ? {}
        : { content: toolContent(update['content'], this.#terminals) }),
    };
    const events: AgentEventBody[] = [{ type: 'tool.started', call }];
    if (final) events.push(this.#finish(toolCallId, known));
    return events;
  }

  #change(toolCallId: string, known: Known, update: Json): AgentEventBody[] {
    const status = toolStatus(update['status']);
    if (update['content'] !== undefined && update['content'] !== null) known.content = update['content'];
    if (status !== undefined && RANK[status] >= RANK[known.status] && RANK[known.status] !== FINAL_RANK)
      known.status = status;
    const patch = this.#patchOf(update, known);
    const events: AgentEventBody[] = [];
    if (Object.keys(patch).length > 0) events.push({ type: 'tool.updated', toolCallId, patch });
    if (
      status !== undefined &&
      RANK[status] === FINAL_RANK &&
      known.status === status &&
      !this.#finished.has(toolCallId)
    ) {
      events.push(this.#finish(toolCallId, known));
    }
    return events;
  }

  #finish(toolCallId: string, known: Known): AgentEventBody {
    this.#finished.add(toolCallId);
    const content = known.content === undefined ? undefined : toolContent(known.content, this.#terminals);
    const exitCode = content?.find((entry) => entry.type === 'terminal')?.exitCode;
    return {
      type: 'tool.finished',
      toolCallId,
      status: known.status as 'completed' | 'failed' | 'cancelled',
      ...(content ? { content } : {}),
      ...(exitCode === undefined ? {} : { exitCode }),
    };
  }

  #patchOf(update: Json, known: Known): Partial<Omit<ToolCall, 'toolCallId'>> {
    const title = asString(update['title']);
    const running = RANK[known.status] < FINAL_RANK && toolStatus(update['status']) !== undefined;
    return {
      ...(title === undefined ? {} : { title }),
      ...(asString(update['kind']) === undefined ? {} : { kind: toolKind(update['kind']) }),
      ...(update['rawInput'] === undefined ? {} : { input: update['rawInput'] }),
      ...(Array.isArray(update['content'])
        ? { content: toolContent(update['content'], this.#terminals) }
        : {}),
      ...(running ? { status: known.status } : {}),
    };
  }

  #applyTerminals(update: Json): AgentEventBody[] {
    const touched = new Set<string>();
    for (const change of terminalChanges(update)) {
      const before = this.#terminals.get(change.terminalId) ?? { output: '' };
      const output = change.output ?? before.output + (change.delta ?? '');
      const exitCode = change.exitCode ?? before.exitCode;
      this.#terminals.set(change.terminalId, { output, ...(exitCode === undefined ? {} : { exitCode }) });
      touched.add(change.terminalId);
    }
    if (touched.size === 0) return [];
    return [...this.#known]
      .filter(([, known]) => showsAny(known.content, touched))
      .map(([id, known]) => this.#redraw(id, known));
  }

  #redraw(toolCallId: string, known: Known): AgentEventBody {
    return {
      type: 'tool.updated',
      toolCallId,
      patch: { content: toolContent(known.content, this.#terminals) },
    };
  }
}

function showsAny(content: unknown, terminalIds: ReadonlySet<string>): boolean {
  return (
    Array.isArray(content) &&
    content.some((entry) => terminalIds.has(asString(asObject(entry)['terminalId']) ?? ''))
  );
}

function toolName(update: Json): string {
  const claude = asString(asObject(asObject(update['_meta'])['claudeCode'])['toolName']);
  return asString(update['name']) ?? claude ?? asString(update['kind']) ?? 'tool';
}
