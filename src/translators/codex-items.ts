// Items of Codex's exec --json: what each says about a tool call, a text or a plan. Used by the Codex translator; pure.
import type { PlanEntry, ToolCall, ToolContent, ToolStatus } from '../model/event.js';
import { defined, numberOf, recordOf, recordsOf, showValue, stringOf, textOfContent } from './fields.js';
import type { Frame } from './translator.js';

/** The tool call an item stands for, or undefined when it stands for none. */
export function codexCall(item: Frame, toolCallId: string): ToolCall | undefined {
  const status = statusOf(item);
  switch (item['type']) {
    case 'command_execution':
      return {
        toolCallId,
        name: 'shell',
        kind: 'execute',
        title: commandTitle(item),
        status,
        input: { command: item['command'] },
        ...commandContent(item),
      };
    case 'file_change':
      return {
        toolCallId,
        name: 'apply_patch',
        kind: 'edit',
        title: changesTitle(item),
        status,
        input: { changes: item['changes'] },
        content: changesContent(item),
      };
    case 'mcp_tool_call':
      return defined({
        toolCallId,
        name: `${stringOf(item['server']) ?? 'mcp'}.${stringOf(item['tool']) ?? 'tool'}`,
        kind: 'other' as const,
        title: `${stringOf(item['server']) ?? 'mcp'}: ${stringOf(item['tool']) ?? 'tool'}`,
        status,
        input: item['arguments'],
        content: resultContent(item),
      });
    case 'web_search':
      return {
        toolCallId,
        name: 'web_search',
        kind: 'search',
        title: `Search ${stringOf(item['query']) ?? 'the web'}`,
        status,
        input: { query: item['query'] },
      };
    case 'collab_tool_call':
      return defined({
        toolCallId,
        name: stringOf(item['tool']) ?? 'agent',
        kind: 'task' as const,
        title: stringOf(item['prompt'])?.split('\n')[0] ?? stringOf(item['tool']) ?? 'agent',
        status,
        content: resultContent(item),
      });
    default:
      return undefined;
  }
}

/** in_progress, completed, failed, declined; an item without a status is running until it is completed. */
function statusOf(item: Frame): ToolStatus {
  const status = stringOf(item['status']);
  if (status === 'completed' || status === 'failed') return status;
  return status === 'declined' ? 'cancelled' : 'running';
}

function commandTitle(item: Frame): string {
  const command = stringOf(item['command']) ?? 'command';
  const inner = /^\S*sh -l?c '([\s\S]*)'$/.exec(command) ?? /^\S*sh -l?c "([\s\S]*)"$/.exec(command);
  const line = (inner?.[1] ?? command).replaceAll(`'\\''`, "'").replace(/\s+/g, ' ').trim();
  return line.slice(0, 200);
}

function commandContent(item: Frame): { content?: ToolContent[]; exitCode?: number } {
  const output = stringOf(item['aggregated_output']) ?? '';
  const exitCode = numberOf(item['exit_code']);
  const content = output === '' ? undefined : [{ type: 'text' as const, text: output }];
  return defined({ content, exitCode });
}

const CHANGE_WORDS: Record<string, string> = { add: 'Add', delete: 'Delete', update: 'Edit' };

function changesTitle(item: Frame): string {
  const changes = recordsOf(item['changes']);
  const [first] = changes;
  if (!first) return 'Edit files';
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : '';
  return `${CHANGE_WORDS[stringOf(first['kind']) ?? ''] ?? 'Edit'} ${stringOf(first['path']) ?? 'a file'}${more}`;
}

/** Codex tells which files changed, not how: there is no diff to show. */
function changesContent(item: Frame): ToolContent[] {
  const lines = recordsOf(item['changes']).map(
    (c) => `${stringOf(c['kind']) ?? 'update'} ${stringOf(c['path']) ?? ''}`,
  );
  return lines.length > 0 ? [{ type: 'text', text: lines.join('\n') }] : [];
}

function resultContent(item: Frame): ToolContent[] | undefined {
  const result = recordOf(item['result']);
  const error = stringOf(recordOf(item['error'])?.['message']);
  const text =
    error ?? (result ? textOfContent(result['content']) || showValue(result['structured_content']) : '');
  return text === '' ? undefined : [{ type: 'text', text }];
}

export function codexPlan(item: Frame): PlanEntry[] {
  return recordsOf(item['items']).map((entry) => ({
    text: stringOf(entry['text']) ?? '',
    status: entry['completed'] === true ? 'completed' : 'pending',
  }));
}
