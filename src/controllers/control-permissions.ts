// Permission requests and questions of the control protocol: a can_use_tool frame as a card, an answer as the frame that the
// CLI waits for. Used by the persistent controller; pure. Claude suggests rules to write, Qwen labels; both are read.
import { createHash } from 'node:crypto';
import type { PermissionId, RunId } from '../model/ids.js';
import type { PermissionAnswer, PermissionOption, PermissionRequest, Question } from '../model/permission.js';
import { defined, recordOf, recordsOf, stringOf, stringsOf, wordsOf } from '../translators/fields.js';
import { commandOf, inputDiffs, pathOf, toolKindOf, toolTitle } from '../translators/tool-facts.js';
import type { Frame } from '../translators/translator.js';

const ALLOW_ONCE = 'allow';
const ALLOW_ALWAYS = 'always';
const REJECT = 'deny';
/** Ids are 10 characters of base 32, as those of ids.ts. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The same request has the same id for every daemon that reads it. */
export function permissionIdOf(runId: RunId, requestId: string): PermissionId {
  const digest = createHash('sha256').update(`${runId}\n${requestId}`).digest();
  let id = '';
  for (const byte of digest.subarray(0, 10)) id += ALPHABET[byte & 31];
  return `q-${id}` as PermissionId;
}

export type AskStamp = Pick<PermissionRequest, 'sessionId' | 'runId' | 'turnId' | 'askedAt'>;

/** The card of a can_use_tool control_request. */
export function askedRequest(frame: Frame, stamp: AskStamp): PermissionRequest {
  const request = recordOf(frame['request']) ?? {};
  const name = stringOf(request['tool_name']) ?? 'tool';
  const input = request['input'];
  const questions = toolKindOf(name) === 'question' ? questionsOf(input) : [];
  const diffs = inputDiffs(name, input);
  return defined({
    ...stamp,
    id: permissionIdOf(stamp.runId, stringOf(frame['request_id']) ?? ''),
    kind: questions.length > 0 ? ('question' as const) : ('permission' as const),
    title: questions[0]?.question ?? toolTitle(stringOf(request['display_name']) ?? name, input),
    toolCallId: stringOf(request['tool_use_id']),
    toolKind: toolKindOf(name),
    command: toolKindOf(name) === 'execute' ? commandOf(input) : undefined,
    path: pathOf(input) ?? stringOf(request['blocked_path']),
    description: wordsOf(request['description']) ?? wordsOf(request['decision_reason']),
    diffs: diffs.length > 0 ? diffs : undefined,
    options:
      questions.length > 0 ? questionOptions() : toolOptions(recordsOf(request['permission_suggestions'])),
    questions: questions.length > 0 ? questions : undefined,
    raw: frame,
  });
}

/** The body of the control_response that the answer becomes. */
export function answerBody(request: PermissionRequest, answer: PermissionAnswer): Frame {
  const raw = recordOf(recordOf(request.raw)?.['request']) ?? {};
  const input = recordOf(raw['input']) ?? {};
  if (answer.outcome === 'answers') {
    return { behavior: 'allow', updatedInput: { ...input, answers: answer.answers } };
  }
  if (answer.outcome === 'cancelled') {
    return { behavior: 'deny', message: 'The request was cancelled.', interrupt: true };
  }
  const option = request.options.find((candidate) => candidate.optionId === answer.optionId);
  if (option?.kind === 'allow_once') return { behavior: 'allow', updatedInput: input };
  if (option?.kind === 'allow_always') {
    const rules = writableRules(recordsOf(raw['permission_suggestions']));
    return { behavior: 'allow', updatedInput: input, updatedPermissions: rules };
  }
  return { behavior: 'deny', message: answer.message ?? 'The user rejected this.' };
}

function questionOptions(): PermissionOption[] {
  return [{ optionId: REJECT, kind: 'reject_once', label: 'Do not answer' }];
}

function toolOptions(suggestions: Frame[]): PermissionOption[] {
  const rules = writableRules(suggestions);
  const always: PermissionOption[] =
    rules.length > 0
      ? [
          {
            optionId: ALLOW_ALWAYS,
            kind: 'allow_always',
            label: 'Always allow',
            effect: rules.map(effectOf).join('; '),
          },
        ]
      : [];
  return [
    { optionId: ALLOW_ONCE, kind: 'allow_once', label: 'Allow once' },
    ...always,
    { optionId: REJECT, kind: 'reject_once', label: 'Reject' },
  ];
}

/**
 * What "always" writes: rules and folders. A suggested change of the whole mode ("acceptEdits") is left out unless it is all
 * there is: one yes to one command must not open everything.
 */
function writableRules(suggestions: Frame[]): Frame[] {
  const known = suggestions.filter((s) =>
    ['addRules', 'addDirectories', 'setMode', 'replaceRules'].includes(stringOf(s['type']) ?? ''),
  );
  const narrow = known.filter((s) => s['type'] !== 'setMode');
  return narrow.some((s) => s['type'] === 'addRules') ? narrow : known;
}

const PLACES: Record<string, string> = {
  localSettings: 'in .claude/settings.local.json',
  projectSettings: 'in .claude/settings.json',
  userSettings: 'in your own settings',
  session: 'for this session',
};

function effectOf(rule: Frame): string {
  const place = PLACES[stringOf(rule['destination']) ?? ''] ?? '';
  switch (rule['type']) {
    case 'addRules':
    case 'replaceRules': {
      const names = recordsOf(rule['rules']).map((r) => {
        const content = stringOf(r['ruleContent']);
        return `${stringOf(r['toolName']) ?? 'tool'}${content ? `(${content})` : ''}`;
      });
      return `${stringOf(rule['behavior']) ?? 'allow'} ${names.join(', ')} ${place}`.trim();
    }
    case 'addDirectories':
      return `allow the folder ${stringsOf(rule['directories']).join(', ')} ${place}`.trim();
    default:
      return `change the mode to ${stringOf(rule['mode']) ?? '?'} ${place}`.trim();
  }
}

function questionsOf(input: unknown): Question[] {
  return recordsOf(recordOf(input)?.['questions']).flatMap((q): Question[] => {
    const question = wordsOf(q['question']);
    if (!question) return [];
    const choices = recordsOf(q['options']).map((option) =>
      defined({ label: stringOf(option['label']) ?? '', description: wordsOf(option['description']) }),
    );
    return [
      defined({ question, header: wordsOf(q['header']), choices, multiple: q['multiSelect'] === true }),
    ];
  });
}
