// Folds the events of a session into the items of its transcript. Used by the client (live and from the log) and by `read`.
// The same events give the same items. Messages and tool calls are upserts by id, a tool's status never goes back, and an
// event that changes nothing changes no version. It never throws and never shows the same text twice.
import type { AgentEvent, ConfigOption, ToolCall, Usage } from './event.js';
import type { RunId, TurnId } from './ids.js';
import type { NoticeItem, TextItem, ThoughtItem, ToolItem, TranscriptItem } from './transcript-item.js';
import { advanceCall, endCall, isEnded } from './transcript-tool.js';
import { addTurnUsage } from './transcript-usage.js';

export type * from './transcript-item.js';

/** What the provider told about the session, beside the items. */
export interface TranscriptHead {
  nativeId?: string;
  title?: string;
  model?: string;
  mode?: string;
  cwd?: string;
  version?: string;
  slashCommands?: { name: string; description?: string }[];
  options?: ConfigOption[];
}

interface OpenTurn {
  turnId: TurnId | undefined;
  startedAt: number;
  usage?: Usage;
}

type Draft<T extends TranscriptItem = TranscriptItem> = T extends TranscriptItem
  ? Omit<T, 'version' | 'depth' | 'at' | 'turnId' | 'runId'>
  : never;

export class Transcript {
  #items: TranscriptItem[] = [];
  #indexById = new Map<string, number>();
  /** Item of a message or tool call by the provider's id; a later turn may use an id again. */
  #itemIds = new Map<string, string>();
  #version = 0;
  #head: TranscriptHead = {};
  #turn: OpenTurn | undefined;
  #total: Usage | undefined;
  #serial = 0;

  /** In the order of their first coming. Items are replaced when they change, never altered. */
  get items(): readonly TranscriptItem[] {
    return this.#items;
  }

  /** Rises with every change. */
  get version(): number {
    return this.#version;
  }

  get head(): Readonly<TranscriptHead> {
    return this.#head;
  }

  /** The session so far: as reported, or the sum of its turns. */
  get totalUsage(): Usage | undefined {
    return this.#total;
  }

  get turnOpen(): boolean {
    return this.#turn !== undefined;
  }

  get(id: string): TranscriptItem | undefined {
    const index = this.#indexById.get(id);
    return index === undefined ? undefined : this.#items[index];
  }

  indexOf(id: string): number {
    return this.#indexById.get(id) ?? -1;
  }

  applyAll(events: Iterable<AgentEvent>): void {
    for (const event of events) this.apply(event);
  }

  /** Takes one event. True when an item or the head changed. */
  apply(event: AgentEvent): boolean {
    const before = this.#version;
    this.#apply(event);
    return this.#version !== before;
  }

  #apply(event: AgentEvent): void {
    switch (event.type) {
      case 'session.opened':
      case 'session.updated':
        return this.#updateHead(event);
      case 'turn.started':
        return this.#startTurn(event);
      case 'user.text':
        return this.#prompt(event, event.messageId, event.text, event.origin);
      case 'text':
      case 'thought':
        return this.#say(event);
      case 'text.dropped':
        return this.#drop(event);
      case 'tool.started':
      case 'tool.updated':
      case 'tool.finished':
        return this.#tool(event);
      case 'plan':
        return this.#plan(event);
      case 'usage':
        return this.#usage(event);
      case 'turn.done':
        return this.#endTurn(event);
      case 'permission.asked':
      case 'permission.answered':
        return this.#permission(event);
      case 'notice':
        return this.#notice(event);
      case 'failed':
        return this.#add(event, { kind: 'failure', id: this.#newId('f'), failure: event.failure });
      case 'unknown':
        return this.#unknown(event);
    }
  }

  #updateHead(event: Extract<AgentEvent, { type: 'session.opened' | 'session.updated' }>): void {
    const next: TranscriptHead = { ...this.#head };
    for (const key of ['nativeId', 'title', 'model', 'mode', 'cwd', 'version', 'options'] as const) {
      const value = (event as TranscriptHead)[key];
      if (value !== undefined) Object.assign(next, { [key]: value });
    }
    if (event.slashCommands) {
      next.slashCommands = event.slashCommands.map((c) => (typeof c === 'string' ? { name: c } : c));
    }
    this.#head = next;
    this.#version += 1;
  }

  #startTurn(event: Extract<AgentEvent, { type: 'turn.started' }>): void {
    this.#turn = { turnId: event.turnId, startedAt: event.at };
    this.#closeTexts(event.runId);
    if (event.prompt) this.#prompt(event, `turn:${event.turnId ?? this.#newId('t')}`, event.prompt, 'user');
  }

  #prompt(event: AgentEvent, id: string, text: string, origin: 'user' | 'replay' | 'injected'): void {
    const itemId = `prompt:${id}`;
    const known = this.get(itemId);
    // A CLI that echoes the prompt says nothing new: it stands right above.
    if (origin === 'replay' && this.#items.findLast((i) => i.kind === 'prompt')?.text === text) return;
    if (known?.kind === 'prompt') {
      if (known.text !== text) this.#replace({ ...known, text });
      return;
    }
    this.#add(event, { kind: 'prompt', id: itemId, text, origin });
  }

  #say(event: Extract<AgentEvent, { type: 'text' | 'thought' }>): void {
    const kind = event.type;
    const key = `${kind}:${event.messageId}`;
    const known = this.#items[this.#indexById.get(this.#itemIds.get(key) ?? '') ?? -1] as
      TextItem | ThoughtItem | undefined;
    const isDelta = event.final === undefined;
    if (!known) {
      const text = event.final ?? event.delta ?? '';
      if (text === '') return;
      this.#closeOthers(event.parentId);
      const id = this.#freeId(key);
      this.#itemIds.set(key, id);
      const base = { id, messageId: event.messageId, text, open: isDelta, ...parentOf(event) };
      this.#add(event, kind === 'text' ? { kind: 'text', ...base } : { kind: 'thought', ...base });
      return;
    }
    const text = isDelta ? known.text + (event.delta ?? '') : event.final!;
    if (text !== known.text || known.open !== isDelta) this.#replace({ ...known, text, open: isDelta });
  }

  #drop(event: Extract<AgentEvent, { type: 'text.dropped' }>): void {
    for (const kind of ['text', 'thought']) {
      const key = `${kind}:${event.messageId}`;
      const id = this.#itemIds.get(key);
      this.#itemIds.delete(key);
      if (id !== undefined) this.#remove(id);
    }
  }

  #tool(event: Extract<AgentEvent, { type: 'tool.started' | 'tool.updated' | 'tool.finished' }>): void {
    const callId = event.type === 'tool.started' ? event.call.toolCallId : event.toolCallId;
    const key = `tool:${callId}`;
    const known = this.get(this.#itemIds.get(key) ?? '') as ToolItem | undefined;
    if (event.type === 'tool.started') {
      if (known && !(isEnded(known.call.status) && known.turnId !== event.turnId)) {
        return this.#advance(known, event.call, '');
      }
      return this.#addTool(event, event.call, key);
    }
    const stub: ToolCall = {
      toolCallId: callId,
      name: 'tool',
      kind: 'other',
      title: 'tool',
      status: 'running',
    };
    if (!known) this.#addTool(event, stub, key);
    const item = known ?? (this.get(this.#itemIds.get(key)!) as ToolItem);
    if (event.type === 'tool.updated') return this.#advance(item, event.patch, event.outputDelta ?? '');
    if (isEnded(item.call.status)) return;
    this.#replace({ ...item, call: endCall(item.call, event), endedAt: event.at });
  }

  #addTool(event: AgentEvent, call: ToolCall, key: string): void {
    const id = this.#freeId(key);
    this.#itemIds.set(key, id);
    const last = this.#items.at(-1);
    const parent = call.parentId === undefined ? {} : { parentId: call.parentId };
    const groupId = last?.kind === 'tool' && last.parentId === call.parentId ? last.groupId : id;
    this.#add(event, { kind: 'tool', id, call, output: '', groupId, ...parent });
  }

  #advance(item: ToolItem, patch: Partial<Omit<ToolCall, 'toolCallId'>>, outputDelta: string): void {
    const call = advanceCall(item.call, patch);
    if (call === item.call && outputDelta === '') return;
    this.#replace({ ...item, call, output: item.output + outputDelta });
  }

  /** One plan a turn: it changes where it stands. */
  #plan(event: Extract<AgentEvent, { type: 'plan' }>): void {
    const key = `plan:${event.turnId ?? event.runId}`;
    const known = this.get(key);
    if (known?.kind === 'plan') this.#replace({ ...known, entries: event.entries });
    else this.#add(event, { kind: 'plan', id: key, entries: event.entries });
  }

  #usage(event: Extract<AgentEvent, { type: 'usage' }>): void {
    const { usage } = event;
    this.#version += 1;
    if (usage.scope === 'session') {
      this.#total = usage;
      return;
    }
    this.#total = addTurnUsage(this.#total, usage);
    if (this.#turn) {
      this.#turn.usage = usage;
      return;
    }
    const end = this.#items.findLast((item) => item.kind === 'turn-end');
    if (end && end.turnId === event.turnId) this.#replace({ ...end, usage });
  }

  #endTurn(event: Extract<AgentEvent, { type: 'turn.done' }>): void {
    const id = `end:${event.turnId ?? this.#newId('e')}`;
    if (this.#indexById.has(id)) return;
    this.#closeTexts(event.runId);
    const { stopReason, failure, suspicious } = event;
    const usage = this.#turn?.usage;
    const durationMs = event.at - (this.#turn?.startedAt ?? event.at);
    this.#turn = undefined;
    this.#add(event, {
      kind: 'turn-end',
      id,
      stopReason,
      durationMs,
      ...(failure ? { failure } : {}),
      ...(suspicious ? { suspicious } : {}),
      ...(usage ? { usage } : {}),
    });
  }

  #permission(event: Extract<AgentEvent, { type: 'permission.asked' | 'permission.answered' }>): void {
    if (event.type === 'permission.asked') {
      const id = `permission:${event.request.id}`;
      if (!this.#indexById.has(id)) this.#add(event, { kind: 'permission', id, request: event.request });
      return;
    }
    const known = this.get(`permission:${event.permissionId}`);
    if (known?.kind !== 'permission' || known.answer) return;
    this.#replace({ ...known, answer: event.answer, source: event.source });
  }

  /** Retries in a row are one line that counts. */
  #notice(event: Extract<AgentEvent, { type: 'notice' }>): void {
    const { kind, level, text, retry } = event;
    const last = this.#items.at(-1);
    const body = { notice: kind, level, text, ...(retry ? { retry } : {}) };
    if (
      kind === 'retry' &&
      last?.kind === 'notice' &&
      last.notice === 'retry' &&
      last.turnId === event.turnId
    ) {
      this.#replace({ ...last, ...body } satisfies NoticeItem);
      return;
    }
    this.#add(event, { kind: 'notice', id: this.#newId('n'), ...body });
  }

  #unknown(event: Extract<AgentEvent, { type: 'unknown' }>): void {
    const last = this.#items.at(-1);
    if (last?.kind === 'unknown' && last.frameType === event.frameType) {
      this.#replace({ ...last, count: last.count + 1, raw: event.raw });
      return;
    }
    this.#add(event, {
      kind: 'unknown',
      id: this.#newId('u'),
      frameType: event.frameType,
      count: 1,
      raw: event.raw,
    });
  }

  #add(event: AgentEvent, draft: Draft): void {
    const parent =
      draft.parentId === undefined ? undefined : this.get(this.#itemIds.get(`tool:${draft.parentId}`) ?? '');
    const item = {
      ...draft,
      version: 1,
      at: event.at,
      depth: draft.parentId === undefined ? 0 : (parent?.depth ?? 0) + 1,
      runId: event.runId,
      ...(event.turnId === undefined ? {} : { turnId: event.turnId }),
    } as TranscriptItem;
    this.#indexById.set(item.id, this.#items.length);
    this.#items.push(item);
    this.#version += 1;
  }

  #replace(item: TranscriptItem): void {
    const index = this.#indexById.get(item.id);
    if (index === undefined) return;
    this.#items[index] = { ...item, version: item.version + 1 };
    this.#version += 1;
  }

  #remove(id: string): void {
    const index = this.#indexById.get(id);
    if (index === undefined) return;
    this.#items.splice(index, 1);
    this.#indexById.delete(id);
    for (let i = index; i < this.#items.length; i++) this.#indexById.set(this.#items[i]!.id, i);
    this.#version += 1;
  }

  /** A new message of the same agent means that the one before is whole. */
  #closeOthers(parentId: string | undefined): void {
    const last = this.#items.findLast((i) => i.kind === 'text' || i.kind === 'thought');
    if (last && last.open && last.parentId === parentId) this.#replace({ ...last, open: false });
  }

  #closeTexts(runId: RunId): void {
    for (let i = this.#items.length - 1; i >= 0; i--) {
      const item = this.#items[i]!;
      if (item.kind === 'turn-end' || item.runId !== runId) return;
      if ((item.kind === 'text' || item.kind === 'thought') && item.open)
        this.#replace({ ...item, open: false });
    }
  }

  #freeId(key: string): string {
    return this.#indexById.has(key) ? `${key}~${++this.#serial}` : key;
  }

  #newId(prefix: string): string {
    return `${prefix}${++this.#serial}`;
  }
}

function parentOf(event: { parentId?: string }): { parentId?: string } {
  return event.parentId === undefined ? {} : { parentId: event.parentId };
}

/** The transcript of a list of events. */
export function foldTranscript(events: Iterable<AgentEvent>): Transcript {
  const transcript = new Transcript();
  transcript.applyAll(events);
  return transcript;
}
