// How a tool call changes: fields replace, the status only moves on. Used by the transcript fold; pure.
import type { ToolCall, ToolContent, ToolStatus } from './event.js';

const STEP: Record<ToolStatus, number> = {
  pending: 0,
  running: 1,
  completed: 2,
  failed: 2,
  cancelled: 2,
  unknown: 2,
};

export function isEnded(status: ToolStatus): boolean {
  return STEP[status] === 2;
}

/** The call with the fields of the patch; the same object when nothing changes. */
export function advanceCall(call: ToolCall, patch: Partial<Omit<ToolCall, 'toolCallId'>>): ToolCall {
  if (isEnded(call.status)) return call;
  const { status, ...fields } = patch;
  const next: ToolCall = { ...call };
  let changed = false;
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined || key === 'toolCallId' || call[key as keyof ToolCall] === value) continue;
    Object.assign(next, { [key]: value });
    changed = true;
  }
  if (status !== undefined && status !== call.status && STEP[status] >= STEP[call.status]) {
    next.status = status;
    changed = true;
  }
  return changed ? next : call;
}

/** The call as it ended. A result without a diff keeps the diff that the input announced. */
export function endCall(
  call: ToolCall,
  end: { status: ToolStatus; content?: ToolContent[]; exitCode?: number },
): ToolCall {
  const content = end.content === undefined ? call.content : mergeContent(call.content ?? [], end.content);
  return {
    ...call,
    status: end.status,
    ...(content === undefined ? {} : { content }),
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
  };
}

function mergeContent(before: ToolContent[], result: ToolContent[]): ToolContent[] {
  if (result.some((part) => part.type === 'diff')) return result;
  return [...before.filter((part) => part.type === 'diff'), ...result];
}
