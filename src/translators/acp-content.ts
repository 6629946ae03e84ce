// ACP content blocks, tool content and terminals in our words. Pure; used by acp.ts and by src/acp for permission cards.
import { Buffer } from 'node:buffer';
import type { ToolContent, ToolKind, ToolStatus, Usage } from '../model/event.js';

export type Json = Record<string, unknown>;

export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a content block; what is no text is named in brackets, so that it is seen. */
export function blockText(block: unknown): string {
  const { type, text, uri, mimeType, resource, name } = asObject(block);
  if (typeof text === 'string') return text;
  if (type === 'resource_link') return asString(name) ?? asString(uri) ?? '';
  if (type === 'resource')
    return asString(asObject(resource)['text']) ?? `[${asString(asObject(resource)['uri']) ?? 'resource'}]`;
  return typeof type === 'string' ? `[${type}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}]` : '';
}

/** Content is one block (chunks) or a list (v2 messages). */
export function contentText(content: unknown): string {
  return Array.isArray(content) ? content.map(blockText).join('') : blockText(content);
}

const KINDS: Record<string, ToolKind> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'execute',
  think: 'think',
  fetch: 'fetch',
};

export function toolKind(kind: unknown): ToolKind {
  return (typeof kind === 'string' ? KINDS[kind] : undefined) ?? 'other';
}

const STATUSES: Record<string, ToolStatus> = {
  pending: 'pending',
  in_progress: 'running',
  paused: 'running',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Undefined for a status that is missing or not known: the call keeps the one it has. */
export function toolStatus(status: unknown): ToolStatus | undefined {
  return typeof status === 'string' ? STATUSES[status] : undefined;
}

/** Output of terminals that the agent owns, by terminal id. */
export interface TerminalOutput {
  output: string;
  exitCode?: number;
}

export function toolContent(content: unknown, terminals: ReadonlyMap<string, TerminalOutput>): ToolContent[] {
  return asArray(content).map((entry) => {
    const item = asObject(entry);
    if (item['type'] === 'diff') {
      const oldText = item['oldText'];
      return {
        type: 'diff',
        path: asString(item['path']) ?? '',
        newText: asString(item['newText']) ?? '',
        ...(typeof oldText === 'string' || oldText === null ? { oldText } : {}),
      };
    }
    if (item['type'] === 'terminal') {
      const terminalId = asString(item['terminalId']) ?? '';
      return { type: 'terminal', terminalId, ...(terminals.get(terminalId) ?? { output: '' }) };
    }
    const block = asObject(item['content']);
    if (block['type'] === 'image') return { type: 'image', mimeType: asString(block['mimeType']) ?? 'image' };
    return { type: 'text', text: blockText(block) };
  });
}

/** What an update says about a terminal: v2 `terminal_update`, or `_meta.terminal_*` of v1 agents that own their terminals. */
export interface TerminalChange {
  terminalId: string;
  /** Replaces all output. */
  output?: string;
  delta?: string;
  exitCode?: number;
}

export function terminalChanges(update: Json): TerminalChange[] {
  const meta = asObject(update['_meta']);
  const changes: TerminalChange[] = [];
  const add = (entry: unknown, fill: (entry: Json) => Omit<TerminalChange, 'terminalId'>) => {
    const item = asObject(entry);
    const terminalId = asString(item['terminal_id']);
    if (terminalId !== undefined) changes.push({ terminalId, ...fill(item) });
  };
  add(meta['terminal_output'], (item) => ({ output: asString(item['data']) ?? '' }));
  add(meta['terminal_output_delta'], (item) => ({ delta: asString(item['data']) ?? '' }));
  add(meta['terminal_exit'], (item) => exitOf(item['exit_code']));
  const own = asString(update['terminalId']);
  if (own !== undefined && update['sessionUpdate'] === 'terminal_update') {
    const data = asString(asObject(update['output'])['data']);
    changes.push({
      terminalId: own,
      ...(data === undefined ? {} : { output: decode(data) }),
      ...exitOf(asObject(update['exitStatus'])['exitCode']),
    });
  }
  if (own !== undefined && update['sessionUpdate'] === 'terminal_output_chunk') {
    changes.push({ terminalId: own, delta: decode(asString(update['data']) ?? '') });
  }
  return changes;
}

function exitOf(code: unknown): { exitCode?: number } {
  const exitCode = asNumber(code);
  return exitCode === undefined ? {} : { exitCode };
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** `usage` of a prompt's result or of the closing state_update: the turn's own numbers. */
export function turnUsage(usage: unknown): Usage | undefined {
  const item = asObject(usage);
  const numbers = {
    inputTokens: asNumber(item['inputTokens']),
    outputTokens: asNumber(item['outputTokens']),
    cachedTokens: asNumber(item['cachedReadTokens']),
    totalTokens: asNumber(item['totalTokens']),
  };
  const known = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return known.length > 0 ? { scope: 'turn', ...Object.fromEntries(known) } : undefined;
}

/** `usage_update`: the state of the context window, and the cost of the session so far. */
export function contextUsage(update: Json): Usage {
  const cost = asObject(update['cost']);
  const numbers = {
    contextUsed: asNumber(update['used']),
    contextSize: asNumber(update['size']),
    costUsd:
      cost['currency'] === undefined || cost['currency'] === 'USD' ? asNumber(cost['amount']) : undefined,
  };
  return {
    scope: 'session',
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
  };
}
