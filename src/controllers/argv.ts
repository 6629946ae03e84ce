// Builds the arguments of a provider's CLI from catalogue fields alone: base → strip → permission → model → effort → resume
// → prompt, each with the reason why it is there. Pure. Called by launch; golden tests cover every provider.
import { AgentileError } from '../base/errors.js';
import type { OptionSpec, Provider } from '../model/provider.js';
import { gatewayArgs, type Gateway } from '../providers/vendor.js';
import { hasFlag, stripFlags } from './argv-strip.js';

/** structured: our transcript; terminal: the CLI's own screen; call: one shot, headless. */
export type LaunchMode = 'structured' | 'terminal' | 'call';

export const OPTION_NAMES = ['permission', 'model', 'effort', 'mode'] as const;
export type OptionName = (typeof OPTION_NAMES)[number];

export interface ArgvChoices extends Partial<Record<OptionName, string>> {
  /** The user's own, for this session. */
  args?: readonly string[];
  resumeId?: string;
  fork?: boolean;
  prompt?: string;
  gateway?: Gateway;
  /** Path of the instructions file, when it is there. */
  instructions?: string;
}

export interface ArgvPart {
  args: string[];
  why: string;
}

export interface ArgvEnv {
  name: string;
  value: string;
  why: string;
  /** False: from a default of the catalogue; the user's own variable is stronger. */
  chosen: boolean;
}

export interface Argv {
  args: string[];
  parts: ArgvPart[];
  env: ArgvEnv[];
  /** The prompt, when it goes to stdin. */
  stdin?: string;
  /** What was asked for and cannot be given this way. */
  notes: string[];
}

/** Templates that belong to us rather than to the session: {cwd}, {dist}, {provider_dir} … undefined leaves it as it is. */
export type Fill = (name: string) => string | undefined;

/** Throws USAGE for a value that the entry does not have. */
export function buildArgv(provider: Provider, mode: LaunchMode, choices: ArgvChoices, fill: Fill): Argv {
  const notes: string[] = [];
  const base = baseArgs(provider, mode);
  const options = OPTION_NAMES.map((name) =>
    applyOption(name, optionOf(provider, mode, name), choices, mode, base, notes),
  );
  const rules = options.flatMap((option) => option.stripBase);
  const userRules = options.flatMap((option) => option.stripUser);
  const middle: ArgvPart[] = [
    ...options.map((option) => option.part),
    { args: choices.gateway ? gatewayArgs(provider, choices.gateway) : [], why: 'the gateway' },
    {
      args: instructionArgs(provider, choices),
      why: 'the instructions file, which it does not read by itself',
    },
    { args: stripFlags(choices.args ?? [], userRules), why: 'given by you for this session' },
  ];
  const resume = resumeParts(provider, mode, choices, notes);
  const prompt = promptParts(provider, mode, choices, base);
  const first = withSubcommand(stripFlags(base, rules), resume.subcommand);
  const parts = place(first, [...middle, ...resume.flags], prompt.parts)
    .map((part) => ({ ...part, args: fillArgs(part.args, choices, fill) }))
    .filter((part) => part.args.length > 0);
  return {
    args: parts.flatMap((part) => part.args),
    parts,
    env: options.flatMap((option) => option.env),
    ...(prompt.stdin === undefined ? {} : { stdin: prompt.stdin }),
    notes,
  };
}

function baseArgs(provider: Provider, mode: LaunchMode): string[] {
  if (mode === 'call' && provider.call) return provider.call.args;
  if (mode === 'terminal' && provider.terminal && provider.controller !== 'terminal')
    return provider.terminal.args;
  return provider.args;
}

function optionOf(provider: Provider, mode: LaunchMode, name: OptionName): OptionSpec | undefined {
  if (mode === 'terminal' && name !== 'mode') return provider.terminal?.[name] ?? provider[name];
  if (mode === 'call' && name === 'permission') return provider.call?.permission ?? provider.permission;
  return provider[name];
}

interface AppliedOption {
  part: ArgvPart;
  stripBase: OptionSpec['strip'];
  stripUser: OptionSpec['strip'];
  env: ArgvEnv[];
}

/** A chosen value beats the user's own flag, that beats the default of the catalogue. */
function applyOption(
  name: OptionName,
  spec: OptionSpec | undefined,
  choices: ArgvChoices,
  mode: LaunchMode,
  base: readonly string[],
  notes: string[],
): AppliedOption {
  const chosen = choices[name];
  const nothing: AppliedOption = { part: { args: [], why: '' }, stripBase: [], stripUser: [], env: [] };
  if (!spec) {
    if (chosen !== undefined)
      notes.push(`${name} "${chosen}" was left out: this provider has no such choice`);
    return nothing;
  }
  if (chosen !== undefined) checkValue(name, spec, chosen);
  if (chosen === undefined && hasFlag(choices.args ?? [], spec.strip))
    return { ...nothing, stripBase: spec.strip };
  // In its own screen the CLI goes by its own settings unless something was chosen.
  const value = chosen ?? (mode === 'terminal' ? undefined : spec.default);
  if (value === undefined) return nothing;
  const hasOwnTemplate = base.some((arg) => arg.includes(`{${name}}`));
  const args = hasOwnTemplate ? [] : (spec.valueArgs?.[value] ?? spec.args);
  const why =
    chosen === undefined ? `${name} ${value}: the default of the catalogue` : `${name} ${value}: chosen`;
  const variables = { ...spec.valueEnv?.['*'], ...spec.valueEnv?.[value] };
  if (chosen !== undefined && args.length === 0 && spec.protocol && Object.keys(variables).length === 0)
    notes.push(
      mode === 'terminal'
        ? `${name} "${chosen}" was left out: in its own screen it is chosen there`
        : `${name} "${chosen}" is set through the protocol once it runs`,
    );
  return {
    part: { args: args.map((arg) => arg.replaceAll('{value}', value)), why },
    stripBase: spec.strip,
    stripUser: chosen === undefined ? [] : spec.strip,
    env: Object.entries(variables).map(([variable, text]) => ({
      name: variable,
      value: text.replaceAll('{value}', value),
      why,
      chosen: chosen !== undefined,
    })),
  };
}

function checkValue(name: OptionName, spec: OptionSpec, value: string): void {
  if (spec.open || spec.values.length === 0 || spec.values.includes(value)) return;
  throw new AgentileError('USAGE', `"${value}" is not a ${name} of this provider.`, {
    hint: `Choose one of: ${spec.values.join(', ')}.`,
  });
}

function instructionArgs(provider: Provider, choices: ArgvChoices): string[] {
  return choices.instructions === undefined ? [] : (provider.instructions?.args ?? []);
}

interface ResumeParts {
  subcommand?: ArgvPart & { after: number };
  flags: ArgvPart[];
}

function resumeParts(
  provider: Provider,
  mode: LaunchMode,
  choices: ArgvChoices,
  notes: string[],
): ResumeParts {
  if (choices.resumeId === undefined) return { flags: [] };
  const why = 'goes on with the recorded conversation';
  const { resume } = provider;
  if (mode === 'terminal' && provider.controller !== 'terminal') {
    const args = provider.terminal?.resumeArgs;
    if (!args) notes.push('its own screen cannot go on with a given conversation');
    return { flags: [{ args: args ?? [], why }] };
  }
  const fork = choices.fork ? (resume.forkArgs ?? []) : [];
  if (choices.fork && resume.kind !== 'acp' && fork.length === 0)
    notes.push('this CLI cannot fork a conversation');
  if (resume.kind === 'subcommand')
    return { subcommand: { args: resume.args, why, after: resume.afterArgs ?? 0 }, flags: [] };
  if (resume.kind === 'flag') return { flags: [{ args: [...resume.args, ...fork], why }] };
  return { flags: [] };
}

function promptParts(
  provider: Provider,
  mode: LaunchMode,
  choices: ArgvChoices,
  base: readonly string[],
): { parts: ArgvPart[]; stdin?: string } {
  const spec = mode === 'call' ? (provider.call?.prompt ?? provider.prompt) : provider.prompt;
  if (mode === 'terminal') return { parts: [] };
  const last: ArgvPart = { args: spec.lastArgs ?? [], why: 'reads the prompt from stdin' };
  const prompt = choices.prompt;
  if (prompt === undefined || base.includes('{prompt}')) return { parts: [last] };
  const why = 'the prompt';
  if (spec.via === 'flag') return { parts: [{ args: [spec.flag ?? '-p', prompt], why }, last] };
  if (spec.via === 'arg')
    return { parts: [{ args: prompt.startsWith('-') ? ['--', prompt] : [prompt], why }] };
  return spec.via === 'stdin' ? { parts: [last], stdin: prompt } : { parts: [last] };
}

/** Puts the subcommand behind the words it belongs to ("exec" → "exec resume <id>"). */
function withSubcommand(base: readonly string[], subcommand: ResumeParts['subcommand']): ArgvPart[] {
  const why = 'base arguments of the catalogue';
  if (!subcommand) return [{ args: [...base], why }];
  return [
    { args: base.slice(0, subcommand.after), why },
    { args: subcommand.args, why: subcommand.why },
    { args: base.slice(subcommand.after), why },
  ];
}

/** Options go where the base says {args}, else behind it; the prompt is always last. */
function place(first: ArgvPart[], middle: ArgvPart[], last: ArgvPart[]): ArgvPart[] {
  const holder = first.findIndex((part) => part.args.includes('{args}'));
  if (holder < 0) return [...first, ...middle, ...last];
  const { args, why } = first[holder]!;
  const at = args.indexOf('{args}');
  return [
    ...first.slice(0, holder),
    { args: args.slice(0, at), why },
    ...middle,
    { args: args.slice(at + 1), why },
    ...first.slice(holder + 1),
    ...last,
  ];
}

/** A word that is one template without a value goes, and the flag in front of it with it. The prompt is never filled. */
function fillArgs(args: readonly string[], choices: ArgvChoices, fill: Fill): string[] {
  const filled: string[] = [];
  for (const arg of args) {
    const whole = /^\{([a-z_]+)\}$/.exec(arg)?.[1];
    if (arg === choices.prompt) filled.push(arg);
    else if (whole !== undefined && isKnown(whole)) {
      const value = valueOf(whole, choices, fill);
      if (value !== undefined) filled.push(value);
      else if (filled.at(-1)?.startsWith('-')) filled.pop();
    } else
      filled.push(
        arg.replace(/\{([a-z_]+)\}/g, (text, name: string) => valueOf(name, choices, fill) ?? text),
      );
  }
  return filled;
}

const OWN_TEMPLATES = [
  'prompt',
  'model',
  'effort',
  'permission',
  'mode',
  'session_id',
  'instructions',
  'cwd',
];

function isKnown(name: string): boolean {
  return OWN_TEMPLATES.includes(name);
}

function valueOf(name: string, choices: ArgvChoices, fill: Fill): string | undefined {
  switch (name) {
    case 'prompt':
    case 'model':
    case 'effort':
    case 'permission':
    case 'mode':
    case 'instructions':
      return choices[name];
    case 'session_id':
      return choices.resumeId;
    default:
      return fill(name);
  }
}
