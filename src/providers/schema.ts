// What a [providers.<id>] table may hold, checked with zod, and its way into a Provider. Called by load; reads no file.
import { z } from 'zod';
import { QUIRKS, type Provider } from '../model/provider.js';

const words = z.array(z.string());
const names = z.record(z.string(), z.string());
/** Flags as they are written on a command line. */
const flag = z.string().regex(/^--?[A-Za-z0-9]/, 'expected a flag like "--model" or "-m"');
const envName = z
  .string()
  .regex(/^(\*|[A-Za-z_][A-Za-z0-9_]*\*?)$/, 'expected a variable name; a trailing * is a prefix');
const exactVersion = z
  .string()
  .regex(
    /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/,
    'expected an exact version like "1.2.3" (a range picks old packages)',
  );
const exactPackage = z
  .string()
  .regex(/^(@[^/@\s]+\/)?[^/@\s]+@\d+\.\d+\.\d+\S*$/, 'expected name@1.2.3 with an exact version');

const option = z.strictObject({
  values: words.default([]),
  open: z.boolean().optional(),
  default: z.string().optional(),
  args: words.default([]),
  value_args: z.record(z.string(), words).optional(),
  value_env: z.record(z.string(), names).optional(),
  strip: z
    .array(z.strictObject({ flag, takes_value: z.boolean(), value_prefix: z.string().optional() }))
    .default([]),
  protocol: z.enum(['mode', 'model', 'config', 'control']).optional(),
});

const format = z.enum([
  'claude-stream-json',
  'qwen-stream-json',
  'codex-json',
  'gemini-json',
  'kimi-stream-json',
  'agy-stream-json',
  'acp',
]);

const env = z.strictObject({
  set: names.default({}),
  pass: z.array(envName).default([]),
  unset: z.array(envName).default([]),
  config_dir_var: z.string().optional(),
  base_url: z
    .strictObject({ var: z.string(), suffix: z.string().default(''), key_var: z.string().optional() })
    .optional(),
  root: z.strictObject({ set: names, when_permission: words.optional() }).optional(),
});

const install = z.strictObject({
  npm: z.string().optional(),
  as: z.string().optional(),
  version: exactVersion.optional(),
  npm_with: z.array(exactPackage).optional(),
  node: z.string().optional(),
  node_package: exactVersion.optional(),
  size_mb: z.number().positive().optional(),
  fallbacks: z
    .array(
      z.strictObject({ node: z.string(), version: exactVersion, npm_with: z.array(exactPackage).optional() }),
    )
    .optional(),
  prefer: z.enum(['managed', 'path']).optional(),
  command: z.string().optional(),
  url: z.string().optional(),
  paths: words.default([]),
});

const terminal = z.strictObject({
  args: words.default([]),
  tui_type: z.enum(['line_oriented', 'full_screen', 'raw_mode']),
  bin: z.string().optional(),
  resume_args: words.optional(),
  model: option.optional(),
  effort: option.optional(),
  permission: option.optional(),
  env: names.optional(),
});

const call = z.strictObject({
  args: words,
  prompt: z.strictObject({
    via: z.enum(['stdin', 'arg', 'flag']),
    flag: flag.optional(),
    last_args: words.optional(),
  }),
  format: format.optional(),
  permission: option.optional(),
  blocking_hint: z.string().optional(),
});

const beforeLaunch = z.strictObject({
  path: z.string(),
  content: z.string(),
  mode: z.enum(['create', 'merge-toml', 'merge-json', 'own']),
  when: z.enum(['structured', 'terminal', 'gateway']).optional(),
  why: z.string().optional(),
});

/** One entry, written in snake_case as TOML has it. */
const entry = z
  .strictObject({
    name: z.string().min(1),
    kind: z.enum(['agent', 'variant', 'builtin']).default('agent'),
    aliases: words.default([]),
    vendors: words.default([]),
    controller: z.enum(['persistent', 'subprocess', 'acp', 'terminal']),
    stdio: z.enum(['pipe', 'pty']).optional(),
    bin: z.string().min(1),
    args: words.default([]),
    prompt: z
      .strictObject({
        via: z.enum(['stdin', 'arg', 'flag', 'frame', 'type']),
        flag: flag.optional(),
        last_args: words.optional(),
      })
      .optional(),
    format: format.optional(),
    resume: z
      .strictObject({
        kind: z.enum(['flag', 'subcommand', 'acp', 'none']),
        args: words.default([]),
        after_args: z.number().int().min(0).optional(),
        fork_args: words.optional(),
      })
      .default({ kind: 'none', args: [] }),
    native_id_field: z.string().optional(),
    config_dir: z.string().optional(),
    default_config_dir: z.string().optional(),
    env: env.default({ set: {}, pass: [], unset: [] }),
    gateway: z
      .strictObject({ env: names.default({}), args: words.default([]), note: z.string().optional() })
      .optional(),
    model: option.optional(),
    effort: option.optional(),
    permission: option.optional(),
    mode: option.optional(),
    signals: z.array(z.enum(['protocol', 'osc7501', 'hook', 'exit_code', 'none'])).default(['exit_code']),
    hooks: z.strictObject({ file: z.string(), template: z.string() }).optional(),
    instructions: z.strictObject({ file: z.string(), args: words.optional() }).optional(),
    before_launch: z.array(beforeLaunch).default([]),
    detect: z
      .strictObject({
        version_args: words.default(['--version']),
        version_pattern: z.string().refine(isPattern, 'expected a regular expression').optional(),
        signed_in_files: words.default([]),
        signed_in_env: words.default([]),
      })
      .default({ version_args: ['--version'], signed_in_files: [], signed_in_env: [] }),
    install: install.default({ paths: [] }),
    login: z.strictObject({ args: words, hint: z.string() }).optional(),
    terminal: terminal.optional(),
    call: call.optional(),
    quirks: z.array(z.enum(QUIRKS)).default([]),
    unverified: z.boolean().optional(),
    source: z.string().optional(),
    disabled: z.boolean().optional(),
    notes: z.string().optional(),
  })
  .superRefine(checkTogether);

type Entry = z.infer<typeof entry>;

/** Rules over several fields. The path names the field a person has to change. */
function checkTogether(value: Entry, context: z.RefinementCtx): void {
  const fault = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  if (value.controller === 'terminal') {
    if (value.format) fault(['format'], 'a terminal entry has no wire format; leave it out');
  } else {
    if (!value.format)
      fault(['format'], `expected a wire format, because controller is "${value.controller}"`);
    if (value.controller === 'acp' && value.format && value.format !== 'acp')
      fault(['format'], 'expected "acp", because controller is "acp"');
    if (value.controller === 'subprocess' && !value.prompt)
      fault(['prompt'], 'expected { via = "stdin" | "arg" | "flag" }, because controller is "subprocess"');
  }
  if (value.prompt?.via === 'flag' && !value.prompt.flag)
    fault(['prompt', 'flag'], 'expected the flag that carries the prompt, because via is "flag"');
  if (value.install.npm && !value.install.version)
    fault(['install', 'version'], 'expected an exact version beside npm');
  for (const key of ['model', 'effort', 'permission', 'mode'] as const) {
    const spec = value[key];
    if (spec?.default && spec.values.length > 0 && !spec.open && !spec.values.includes(spec.default))
      fault([key, 'default'], `expected one of ${spec.values.join(', ')}`);
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    // That it does not compile is the answer.
    return false;
  }
}

export interface SchemaFault {
  /** Path inside the entry, in the spelling of the file. */
  path: (string | number)[];
  expected: string;
}

/** Checks one entry. Never throws. */
export function checkEntry(id: string, table: unknown): { provider: Provider } | { faults: SchemaFault[] } {
  const result = entry.safeParse(table);
  if (!result.success) return { faults: result.error.issues.map(faultOf) };
  return { provider: toProvider(id, result.data) };
}

function faultOf(issue: z.core.$ZodIssue): SchemaFault {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0] ?? ''], expected: 'no such field (is it misspelt?)' };
  return { path, expected: issue.message.replace(/^Invalid (input|option): /, '') };
}

function toProvider(id: string, value: Entry): Provider {
  const defaultStdio = value.controller === 'terminal' ? 'pty' : 'pipe';
  const defaultVia = value.controller === 'terminal' ? 'type' : 'frame';
  const full = {
    ...value,
    stdio: value.stdio ?? defaultStdio,
    prompt: value.prompt ?? { via: defaultVia },
  };
  return { id, ...(camelize(full) as Omit<Provider, 'id'>) };
}

/** Tables whose keys are data, not field names. */
const DATA_TABLES = new Set(['set', 'value_args', 'value_env']);
/** Tables whose inner `env` is data; the entry's own `env` is not. */
const WITH_ENV_DATA = new Set(['gateway', 'terminal']);

function camelize(value: unknown, key = '', parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => camelize(item, '', key));
  if (typeof value !== 'object' || value === null) return value;
  const isData = DATA_TABLES.has(key) || (key === 'env' && WITH_ENV_DATA.has(parent));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => {
        const next = isData
          ? name
          : name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
        return [next, isData ? inner : camelize(inner, name, key === '' ? 'entry' : key)];
      }),
  );
}
