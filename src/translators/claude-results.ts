// Tool results and usage in Claude's shape. Used by the Claude and Qwen translators; pure, without state.
import type { DiffContent } from '../model/diff.js';
import type { ToolContent, Usage } from '../model/event.js';
import {
  defined,
  isRecord,
  listOf,
  numberOf,
  recordOf,
  recordsOf,
  stringOf,
  stringsOf,
  textOfContent,
} from './fields.js';
import type { Frame } from './translator.js';
import { toolKindOf } from './tool-facts.js';

/** What a tool_result block says, with the structured twin beside it where the CLI sends one. */
export function resultContent(
  name: string,
  block: Frame,
  structured: unknown,
): { content: ToolContent[]; exitCode?: number } {
  const text = textOfContent(block['content']);
  const diffs = isRecord(structured) ? structuredDiffs(structured) : [];
  const images = recordsOf(block['content']).flatMap((part): ToolContent[] =>
    part['type'] === 'image'
      ? [{ type: 'image', mimeType: stringOf(recordOf(part['source'])?.['media_type']) ?? 'image' }]
      : [],
  );
  const content: ToolContent[] = [
    ...diffs,
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images,
  ];
  const exitCode = toolKindOf(name) === 'execute' ? exitCodeOf(text, block['is_error'] === true) : undefined;
  return defined({ content, exitCode });
}

/** The shell tool tells its exit code at the head of a failure ("Exit code 3") or as a field of its report. */
function exitCodeOf(text: string, isError: boolean): number | undefined {
  const found = /^Exit code (\d+)/.exec(text) ?? (isError ? /^Exit Code: (\d+)/m.exec(text) : null);
  if (found) return Number(found[1]);
  return isError ? undefined : 0;
}

/** The hunks that were really applied. */
function structuredDiffs(result: Frame): DiffContent[] {
  const path = stringOf(result['filePath']);
  if (!path) return [];
  const hunks = recordsOf(result['structuredPatch']).map((hunk): DiffContent => {
    const lines = stringsOf(hunk['lines']).filter((line) => !line.startsWith('\\'));
    const side = (drop: string) =>
      lines
        .filter((l) => !l.startsWith(drop))
        .map((l) => l.slice(1))
        .join('\n');
    return defined({
      type: 'diff' as const,
      path,
      oldText: side('+'),
      newText: side('-'),
      startLine: numberOf(hunk['oldStart']),
    });
  });
  if (hunks.length > 0) return hunks;
  const content = stringOf(result['content']);
  return content === undefined
    ? []
    : [defined({ type: 'diff' as const, path, oldText: oldTextOf(result), newText: content })];
}

/** A new file has no old text; a file whose old text is not told has null. */
function oldTextOf(result: Frame): string | null | undefined {
  if (result['type'] === 'create') return undefined;
  return stringOf(result['originalFile']) ?? null;
}

/** Why a call ended without having run, when the CLI says so. */
export function nonExecution(frame: Frame, toolCallId: string): boolean {
  const meta = recordsOf(frame['tool_result_meta']).find((m) => m['id'] === toolCallId);
  return typeof meta?.['non_execution_kind'] === 'string';
}

/**
 * Token counts: `inputTokens` is all input, of which `cachedTokens` came from the cache. Anthropic counts cached input
 * apart (`cachedApart`), OpenAI within.
 */
export function usageOf(usage: unknown, cachedApart: boolean): Omit<Usage, 'scope'> | undefined {
  if (!isRecord(usage)) return undefined;
  const fresh = numberOf(usage['input_tokens']);
  const output = numberOf(usage['output_tokens']);
  if (fresh === undefined && output === undefined) return undefined;
  const cached = numberOf(usage['cache_read_input_tokens']) ?? 0;
  const written = numberOf(usage['cache_creation_input_tokens']) ?? 0;
  const inputTokens = (fresh ?? 0) + (cachedApart ? cached + written : 0);
  return {
    inputTokens,
    outputTokens: output ?? 0,
    cachedTokens: cached,
    totalTokens: inputTokens + (output ?? 0),
  };
}

/** The largest context window among the models of a result. */
export function contextSizeOf(result: Frame): number | undefined {
  const models = recordOf(result['modelUsage']);
  const sizes = models ? Object.values(models).map((m) => numberOf(recordOf(m)?.['contextWindow']) ?? 0) : [];
  const size = Math.max(0, ...sizes);
  return size > 0 ? size : undefined;
}

/** Error texts of a result: `errors`, `error.message`, or the text of a failed result. */
export function errorTextOf(result: Frame): string | undefined {
  const listed = listOf(result['errors']).map((e) =>
    typeof e === 'string' ? e : stringOf(recordOf(e)?.['message']),
  );
  const first = listed.find((text) => text !== undefined && text !== '');
  return (
    first ?? stringOf(recordOf(result['error'])?.['message']) ?? (stringOf(result['result']) || undefined)
  );
}
