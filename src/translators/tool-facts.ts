// What a tool call is about, from its name and input: kind, one line for people, the diff it will make. Used by all
// translators and by permission cards. It knows common tool names, not providers; an unknown tool is "other".
import type { DiffContent } from '../model/diff.js';
import type { PlanEntry, ToolKind } from '../model/event.js';
import { isRecord, listOf, recordsOf, stringOf, wordsOf } from './fields.js';

/** Names in lower case without separators. */
const KINDS: [RegExp, ToolKind][] = [
  [/^(askuserquestion|askuser|askquestion)$/, 'question'],
  [/^(task|agent|spawnagent|subagent|delegate|invokesubagent|browsersubagent)$/, 'task'],
  [
    /^(bash|shell|exec|execcommand|runshellcommand|shellcommand|runcommand|terminal|powershell|commandexecution)$/,
    'execute',
  ],
  [/^(bashoutput|killshell|killbash|taskstop|commandstatus|sendcommandinput)$/, 'execute'],
  [/^(read|readfile|viewfile|readmanyfiles|notebookread|readmediafile|cat|view)$/, 'read'],
  [
    /^(edit|multiedit|replace|editfile|strreplace|strreplacefile|applypatch|write|writefile|writetofile)$/,
    'edit',
  ],
  [/^(notebookedit|createfile|filechange|replacefilecontent|multireplacefilecontent)$/, 'edit'],
  [/^(delete|deletefile|rm|remove)$/, 'delete'],
  [/^(move|rename|movefile|mv)$/, 'move'],
  [
    /^(grep|glob|ls|search|searchfile|grepsearch|searchfilecontent|listdirectory|listdir|findfiles|findbyname)$/,
    'search',
  ],
  [/^(toolsearch|codesearch|websearch|searchweb|googlewebsearch)$/, 'search'],
  [/^(webfetch|fetch|fetchurl|readurlcontent)$/, 'fetch'],
  [/^(think|todowrite|todo|settodolist|writetodos|enterplanmode|exitplanmode)$/, 'think'],
];

export function toolKindOf(name: string): ToolKind {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return KINDS.find(([pattern]) => pattern.test(plain))?.[1] ?? 'other';
}

const COMMAND_FIELDS = ['command', 'cmd', 'CommandLine', 'script'];
const PATH_FIELDS = [
  'file_path',
  'path',
  'absolute_path',
  'filePath',
  'notebook_path',
  'AbsolutePath',
  'TargetFile',
  'target_file',
  'dir_path',
  'DirectoryPath',
];
const OTHER_FIELDS = ['pattern', 'query', 'url', 'description', 'prompt', 'name', 'skill', 'Query', 'Url'];

export function commandOf(input: unknown): string | undefined {
  return firstField(input, COMMAND_FIELDS);
}

export function pathOf(input: unknown): string | undefined {
  return firstField(input, PATH_FIELDS);
}

/** "Read src/auth.ts", "npm test": one line, at most 200 characters. */
export function toolTitle(name: string, input: unknown): string {
  const command = commandOf(input);
  if (command && toolKindOf(name) === 'execute') return oneLine(command);
  const about = pathOf(input) ?? command ?? firstField(input, OTHER_FIELDS) ?? firstQuestion(input);
  return oneLine(about ? `${name} ${about}` : name);
}

/** The changes an edit or write tool is asked to make, as far as its input tells. */
export function inputDiffs(name: string, input: unknown): DiffContent[] {
  if (toolKindOf(name) !== 'edit' || !isRecord(input)) return [];
  const path = pathOf(input);
  if (!path) return [];
  const edits = input['edits'] ?? input['edit'];
  const list = Array.isArray(edits) ? recordsOf(edits) : isRecord(edits) ? [edits] : [input];
  return list.flatMap((edit) => diffOfEdit(path, edit));
}

function diffOfEdit(path: string, edit: Record<string, unknown>): DiffContent[] {
  const oldText = stringOf(edit['old_string'] ?? edit['old'] ?? edit['oldText'] ?? edit['TargetContent']);
  const newText = stringOf(
    edit['new_string'] ?? edit['new'] ?? edit['newText'] ?? edit['ReplacementContent'],
  );
  if (newText !== undefined && oldText !== undefined) return [{ type: 'diff', path, oldText, newText }];
  const whole = stringOf(edit['content'] ?? edit['CodeContent']);
  return whole === undefined ? [] : [{ type: 'diff', path, oldText: null, newText: whole }];
}

/** A todo list in the input of a tool, in any of the usual shapes. */
export function planOf(input: unknown): PlanEntry[] | undefined {
  if (!isRecord(input)) return undefined;
  const todos = recordsOf(input['todos'] ?? input['items']);
  const entries = todos.flatMap((todo): PlanEntry[] => {
    const text = wordsOf(todo['content'] ?? todo['text'] ?? todo['title'] ?? todo['description']);
    return text ? [{ text, status: planStatus(todo['status'] ?? todo['completed']) }] : [];
  });
  return entries.length > 0 && entries.length === todos.length ? entries : undefined;
}

function planStatus(status: unknown): PlanEntry['status'] {
  if (status === true || status === 'completed' || status === 'done') return 'completed';
  return status === 'in_progress' || status === 'active' ? 'in_progress' : 'pending';
}

function firstField(input: unknown, names: string[]): string | undefined {
  if (!isRecord(input)) return undefined;
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Array.isArray(value) && value.every((v) => typeof v === 'string') && value.length > 0)
      return value.join(' ');
  }
  return undefined;
}

function firstQuestion(input: unknown): string | undefined {
  const first = listOf(isRecord(input) ? input['questions'] : undefined)[0];
  return isRecord(first) ? wordsOf(first['question']) : undefined;
}

const TITLE_CHARS = 200;

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1)}…` : line;
}
