// System frames in Claude's shape: who the session is, retries, limits, compaction. Used by the Claude and Qwen
// translators. `init` comes at the start of every turn; only what changed is told again.
import type { AgentEventBody, NoticeLevel } from '../model/event.js';
import { defined, numberOf, recordOf, stringOf, stringsOf, wordsOf } from './fields.js';
import type { Frame } from './translator.js';

export interface SystemState {
  nativeId?: string;
  model?: string;
  mode?: string;
  /** When a refused limit lifts, milliseconds since the epoch. */
  resetsAt?: number;
}

/** Subtypes of system frames without news for people. */
const QUIET = new Set([
  'thinking_tokens',
  'ui_invalidate',
  'hook_started',
  'hook_progress',
  'hook_response',
  'files_persisted',
  'session_state_changed',
  'task_progress',
  'loading',
]);

/** Events of a `system` or `rate_limit_event` frame; remembers in `state` what was told. */
export function systemEvents(frame: Frame, state: SystemState, nowMs: number): AgentEventBody[] {
  if (frame['type'] === 'rate_limit_event') return limitEvents(frame, state, nowMs);
  const subtype = stringOf(frame['subtype']) ?? '';
  switch (subtype) {
    case 'init':
      return initEvents(frame, state);
    case 'status':
      return modeEvents(stringOf(frame['permissionMode']), undefined, state);
    case 'api_retry':
      return [retryEvent(frame)];
    case 'compact_boundary':
      return [{ type: 'notice', kind: 'compaction', level: 'info', text: 'The conversation was compacted.' }];
    case 'permission_denied':
      return [{ type: 'notice', kind: 'other', level: 'warning', text: deniedText(frame) }];
    default:
      return otherEvents(subtype, frame);
  }
}

function initEvents(frame: Frame, state: SystemState): AgentEventBody[] {
  const nativeId = stringOf(frame['session_id']);
  const model = stringOf(frame['model']);
  const mode = stringOf(frame['permissionMode'] ?? frame['permission_mode']);
  if (nativeId !== undefined && nativeId === state.nativeId) return modeEvents(mode, model, state);
  Object.assign(state, defined({ nativeId, model, mode }));
  const event = {
    type: 'session.opened' as const,
    nativeId,
    model,
    mode,
    cwd: stringOf(frame['cwd']),
    version: stringOf(frame['claude_code_version'] ?? frame['qwen_code_version']),
    slashCommands: stringsOf(frame['slash_commands']),
    tools: stringsOf(frame['tools']),
  };
  return [defined(event)];
}

function modeEvents(
  mode: string | undefined,
  model: string | undefined,
  state: SystemState,
): AgentEventBody[] {
  const changed = defined({
    mode: mode === state.mode ? undefined : mode,
    model: model === state.model ? undefined : model,
  });
  Object.assign(state, changed);
  return Object.keys(changed).length > 0 ? [{ type: 'session.updated', ...changed }] : [];
}

function retryEvent(frame: Frame): AgentEventBody {
  const attempt = numberOf(frame['attempt']) ?? 1;
  const max = numberOf(frame['max_retries']);
  const delayMs = numberOf(frame['retry_delay_ms']);
  const status = numberOf(frame['error_status']);
  const cause =
    status === undefined
      ? 'no answer from the API'
      : `${stringOf(frame['error']) ?? 'error'}, HTTP ${status}`;
  const of = max === undefined ? '' : ` of ${max}`;
  return {
    type: 'notice',
    kind: 'retry',
    level: 'warning',
    text: `Retry ${attempt}${of} (${cause}).`,
    retry: defined({ attempt, max, delayMs }),
  };
}

function deniedText(frame: Frame): string {
  const tool = stringOf(frame['tool_name']) ?? 'A tool';
  return `${tool} was denied: ${stringOf(frame['decision_reason']) ?? 'nobody could be asked'}.`;
}

function otherEvents(subtype: string, frame: Frame): AgentEventBody[] {
  if (QUIET.has(subtype)) return [];
  const words = wordsOf(frame['content']) ?? wordsOf(frame['message']);
  if (!words) return [{ type: 'unknown', frameType: `system/${subtype}`, raw: frame }];
  const given = stringOf(frame['level']);
  const level: NoticeLevel = given === 'error' || given === 'warning' ? given : 'info';
  return [{ type: 'notice', kind: 'other', level, text: words }];
}

/** An allowed limit is only information (a meter); a refused one tells when it lifts. */
function limitEvents(frame: Frame, state: SystemState, nowMs: number): AgentEventBody[] {
  const waitMs = numberOf(frame['retry_after_ms']);
  const info = recordOf(frame['rate_limit_info']);
  if (!info) {
    const text =
      waitMs === undefined
        ? 'The model is rate limited.'
        : `The model is rate limited; next try in ${Math.ceil(waitMs / 1000)} s.`;
    return 'retry_after_ms' in frame
      ? [
          {
            type: 'notice',
            kind: 'retry',
            level: 'warning',
            text,
            retry: defined({ attempt: 1, delayMs: waitMs }),
          },
        ]
      : [];
  }
  const status = stringOf(info['status']);
  const seconds = numberOf(info['resetsAt']);
  const resetsAt = seconds === undefined ? undefined : seconds * 1000;
  if (status === 'rejected') {
    if (resetsAt !== undefined && resetsAt > nowMs) state.resetsAt = resetsAt;
    return [{ type: 'notice', kind: 'limit', level: 'error', text: 'The usage limit is reached.' }];
  }
  if (status !== 'allowed_warning') return [];
  return [{ type: 'notice', kind: 'limit', level: 'warning', text: 'The usage limit is near.' }];
}
