// Permission requests of ACP agents as cards, and the way back. Options are chosen by their kind, never by position or id.
import type { PermissionId, RunId, SessionId, TurnId } from '../model/ids.js';
import type { DiffContent } from '../model/diff.js';
import type {
  PermissionAnswer,
  PermissionOption,
  PermissionOptionKind,
  PermissionRequest,
} from '../model/permission.js';
import type { RpcRequest } from '../io/jsonrpc.js';
import { object, string } from './shapes.js';

const KINDS = new Set<PermissionOptionKind>(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

export interface RequestStamp {
  id: PermissionId;
  sessionId: SessionId;
  runId: RunId;
  turnId?: TurnId;
  askedAt: number;
}

/** v1 carries `toolCall`; v2 carries `title` and `subject` (a tool call or a command). */
export function toolCallOf(params: unknown): Record<string, unknown> {
  const { toolCall, subject } = object(params);
  const inner = object(subject);
  return object(
    toolCall ?? inner['toolCall'] ?? (inner['type'] === 'command' ? { rawInput: inner } : undefined),
  );
}

export function permissionRequest(request: RpcRequest, stamp: RequestStamp): PermissionRequest {
  const params = object(request.params);
  const call = toolCallOf(params);
  const input = object(call['rawInput']);
  const command = commandOf(input['command'] ?? input['cmd']);
  const toolCallId = string(call['toolCallId']);
  const toolKind = string(call['kind']);
  const path =
    string(input['path']) ?? string(input['file_path']) ?? string(object(first(call['locations']))['path']);
  const description = string(params['description']) ?? string(input['description']);
  const diffs = diffsOf(call['content']);
  return {
    ...stamp,
    kind: 'permission',
    title: string(params['title']) ?? string(call['title']) ?? command ?? 'a tool call',
    ...(toolCallId ? { toolCallId } : {}),
    ...(toolKind ? { toolKind } : {}),
    ...(command ? { command } : {}),
    ...(path ? { path } : {}),
    ...(description ? { description } : {}),
    ...(diffs.length > 0 ? { diffs } : {}),
    options: optionsOf(params['options']),
    raw: { rpcId: request.id, params: request.params },
  };
}

/** The `result` that answers the agent. An option that the agent did not offer counts as cancelled: never as a yes. */
export function permissionResult(request: PermissionRequest, answer: PermissionAnswer): object {
  if (
    answer.outcome === 'selected' &&
    request.options.some((option) => option.optionId === answer.optionId)
  ) {
    return { outcome: { outcome: 'selected', optionId: answer.optionId } };
  }
  return { outcome: { outcome: 'cancelled' } };
}

function optionsOf(list: unknown): PermissionOption[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const item = object(entry);
    const optionId = string(item['optionId']) ?? string(item['id']);
    if (optionId === undefined) return [];
    const kind = string(item['kind']) as PermissionOptionKind | undefined;
    return [
      { optionId, kind: kind && KINDS.has(kind) ? kind : 'other', label: string(item['name']) ?? optionId },
    ];
  });
}

function diffsOf(content: unknown): DiffContent[] {
  if (!Array.isArray(content)) return [];
  return content.map(object).flatMap((item) => {
    if (item['type'] !== 'diff') return [];
    const oldText = item['oldText'];
    return [
      {
        type: 'diff' as const,
        path: string(item['path']) ?? '',
        newText: string(item['newText']) ?? '',
        ...(typeof oldText === 'string' || oldText === null ? { oldText } : {}),
      },
    ];
  });
}

function commandOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(String).join(' ') : undefined;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}
