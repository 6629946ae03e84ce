// What the model server answers: the last thing the user said is a script, one directive a line. Steps after a tool call are
// played once its result is in. Nothing is remembered between requests.

/** A request of any API, in one shape. */
export interface ModelRequest {
  model: string;
  stream: boolean;
  /** In order; a tool result has no text that could be a script. */
  turns: { role: 'user' | 'assistant' | 'tool'; text: string }[];
  system: string;
  tools: ModelTool[];
  /** The client wants JSON of this schema: a side request of the CLI, not the user's. */
  schema?: Record<string, unknown>;
  inputTokens: number;
}

export interface ModelTool {
  name: string;
  /** "custom" tools take text, "function" tools arguments. */
  kind: 'function' | 'custom';
  schema: Record<string, unknown>;
}

export type ModelPart =
  | { type: 'text'; text: string; delayMs: number }
  | { type: 'think'; text: string }
  | { type: 'call'; name: string; args?: Record<string, unknown>; input?: string };

export interface ModelAnswer {
  parts: ModelPart[];
  /** HTTP status instead of an answer. */
  error?: number;
  hang?: boolean;
  /** What was asked, for the log of the server. */
  directive: string;
}

/**
 * say: TEXT · think: TEXT · bash: COMMAND · write: PATH=TEXT · edit: PATH=OLD=>NEW · slow: N (N ticks, 50 ms apart) ·
 * tool: NAME {JSON} · error: STATUS · hang. Anything else is answered `ok: <text>`.
 */
const DIRECTIVE = /^(say|think|bash|write|edit|slow|tool|error|hang)(?::\s?([\s\S]*))?$/;
/** Blocks that CLIs put around or beside what the user typed. */
const WRAPPED =
  /<(system-reminder|environment_context|session_context|user_instructions|INSTRUCTIONS|permissions instructions|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions|recommended_plugins|env|context)(?:\s[^>]*)?>[\s\S]*?<\/\1>/g;
const TICK_MS = 50;

export function answerOf(request: ModelRequest): ModelAnswer {
  if (request.schema) {
    const text = JSON.stringify(instanceOf(request.schema));
    return { parts: [{ type: 'text', text, delayMs: 0 }], directive: 'schema' };
  }
  const { script, results } = lastScript(request);
  let steps = stepsOf(script);
  for (let done = results.length; done > 0 && steps.length > 0; done--) {
    const next = steps.findIndex((step) => isTool(step.op));
    steps = next < 0 ? [] : steps.slice(next + 1);
  }
  if (steps.length === 0) {
    const text = results.length > 0 ? `done: ${firstLine(results.at(-1)!)}` : `ok: ${script}`;
    return {
      parts: [{ type: 'text', text, delayMs: 0 }],
      directive: results.length > 0 ? 'after-tool' : 'ok',
    };
  }
  return play(steps, request);
}

interface Step {
  op: string;
  arg: string;
}

function isTool(op: string): boolean {
  return op === 'bash' || op === 'write' || op === 'edit' || op === 'tool';
}

function lastScript(request: ModelRequest): { script: string; results: string[] } {
  for (let at = request.turns.length - 1; at >= 0; at--) {
    const turn = request.turns[at]!;
    const script = turn.role === 'user' ? turn.text.replace(WRAPPED, '').trim() : '';
    if (script === '' || script.startsWith('# AGENTS.md')) continue;
    const later = request.turns.slice(at + 1).filter((t) => t.role === 'tool');
    return { script, results: later.map((t) => t.text) };
  }
  return { script: '', results: [] };
}

function stepsOf(script: string): Step[] {
  const steps: Step[] = [];
  for (const line of script.split('\n')) {
    const found = DIRECTIVE.exec(line.trim());
    if (found) steps.push({ op: found[1]!, arg: found[2] ?? '' });
    else if (steps.length > 0) steps.at(-1)!.arg += `\n${line}`;
  }
  return steps;
}

function play(steps: Step[], request: ModelRequest): ModelAnswer {
  const answer: ModelAnswer = { parts: [], directive: steps.map((s) => s.op).join('+') };
  for (const { op, arg } of steps) {
    if (op === 'say') answer.parts.push({ type: 'text', text: arg, delayMs: 0 });
    else if (op === 'think') answer.parts.push({ type: 'think', text: arg });
    else if (op === 'slow') {
      const count = Number(arg) || 10;
      const text = Array.from({ length: count }, (_, i) => `tick ${i + 1}/${count}`).join('\n');
      answer.parts.push({ type: 'text', text, delayMs: TICK_MS });
    } else if (op === 'error') answer.error = Number(arg) || 500;
    else if (op === 'hang') answer.hang = true;
    else {
      answer.parts.push(callOf(op, arg, request));
      break;
    }
  }
  return answer;
}

function callOf(op: string, arg: string, request: ModelRequest): ModelPart {
  if (op === 'tool') {
    const [, name = 'tool', json = '{}'] = /^(\S+)\s*([\s\S]*)$/.exec(arg) ?? [];
    return { type: 'call', name, args: JSON.parse(json) as Record<string, unknown> };
  }
  if (op === 'bash') return shellCall(arg, request);
  const [, path = '', rest = ''] = /^([^=]+)=([\s\S]*)$/.exec(arg) ?? [];
  const text = rest.replaceAll('\\n', '\n');
  return op === 'write' ? writeCall(path, text, request) : editCall(path, text, request);
}

function find(request: ModelRequest, names: string[]): ModelTool | undefined {
  return names.map((name) => request.tools.find((tool) => tool.name === name)).find((tool) => tool);
}

/** Codex's "code mode": one custom tool that runs JavaScript. */
function codeTool(request: ModelRequest): ModelTool | undefined {
  return request.tools.find((tool) => tool.kind === 'custom' && tool.name === 'exec');
}

function shellCall(command: string, request: ModelRequest): ModelPart {
  const code = codeTool(request);
  if (code)
    return {
      type: 'call',
      name: code.name,
      input: `const r = await tools.exec_command({ cmd: ${JSON.stringify(command)} });\ntext(r.output);`,
    };
  const tool = find(request, ['Bash', 'exec_command', 'run_shell_command', 'shell_command', 'shell']);
  if (!tool) return { type: 'text', text: `ok: no tool for ${command}`, delayMs: 0 };
  return {
    type: 'call',
    name: tool.name,
    args: filled(tool, { [hasProperty(tool, 'cmd') ? 'cmd' : 'command']: command }),
  };
}

function writeCall(path: string, content: string, request: ModelRequest): ModelPart {
  const body = content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n');
  const patch = patchCall(`*** Add File: ${path}\n${body}`, request);
  if (patch) return patch;
  const tool = find(request, ['Write', 'write_file']);
  if (!tool) return { type: 'text', text: `ok: no tool for ${path}`, delayMs: 0 };
  return {
    type: 'call',
    name: tool.name,
    args: filled(tool, { file_path: absolute(path, request), content }),
  };
}

function editCall(path: string, change: string, request: ModelRequest): ModelPart {
  const [before = '', after = ''] = change.split('=>');
  const patch = patchCall(`*** Update File: ${path}\n@@\n-${before}\n+${after}`, request);
  if (patch) return patch;
  const tool = find(request, ['Edit', 'replace', 'edit']);
  if (!tool) return { type: 'text', text: `ok: no tool for ${path}`, delayMs: 0 };
  const args = { file_path: absolute(path, request), old_string: before, new_string: after };
  return { type: 'call', name: tool.name, args: filled(tool, args) };
}

function patchCall(body: string, request: ModelRequest): ModelPart | undefined {
  const patch = `*** Begin Patch\n${body}\n*** End Patch\n`;
  const code = codeTool(request);
  if (code)
    return {
      type: 'call',
      name: code.name,
      input: `text(await tools.apply_patch(${JSON.stringify(patch)}));`,
    };
  const tool = request.tools.find((each) => each.name === 'apply_patch');
  if (!tool) return undefined;
  return tool.kind === 'custom'
    ? { type: 'call', name: tool.name, input: patch }
    : { type: 'call', name: tool.name, args: { input: patch } };
}

/** The folder the CLI told the model it works in. */
function absolute(path: string, request: ModelRequest): string {
  if (path.startsWith('/')) return path;
  const told = [request.system, ...request.turns.map((turn) => turn.text)].join('\n');
  const found =
    /(?:working directory(?: is)?|working in the directory|Workspace Directories)[^/\n]*\n?[^/\n]*(\/[^\s`<]+)/i.exec(
      told,
    );
  return found ? `${found[1]!.replace(/[.,;)]+$/, '')}/${path}` : path;
}

function hasProperty(tool: ModelTool, name: string): boolean {
  return name in ((tool.schema['properties'] as object | undefined) ?? {});
}

/** The arguments with everything else that the tool requires. */
function filled(tool: ModelTool, args: Record<string, unknown>): Record<string, unknown> {
  const properties = (tool.schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
  const required = (tool.schema['required'] ?? []) as string[];
  const missing = required.filter((name) => !(name in args));
  return {
    ...Object.fromEntries(missing.map((name) => [name, instanceOf(properties[name] ?? {}, name)])),
    ...args,
  };
}

/** The least that fits a JSON schema. */
function instanceOf(schema: Record<string, unknown>, hint = 'x'): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const type = String(
    Array.isArray(schema['type']) ? schema['type'][0] : (schema['type'] ?? 'string'),
  ).toLowerCase();
  if (type === 'object' || schema['properties']) {
    const properties = (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
    const names = (schema['required'] as string[] | undefined) ?? Object.keys(properties);
    return Object.fromEntries(names.map((name) => [name, instanceOf(properties[name] ?? {}, name)]));
  }
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 1 : hint;
}

function firstLine(text: string): string {
  const body = /^(?:Output|output):[ \t]*\n?([\s\S]*)$/m.exec(text)?.[1] ?? text;
  return (body.split('\n').find((line) => line.trim() !== '') ?? '(empty)').trim();
}
