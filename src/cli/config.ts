// `agentile config path|get|set|check`.
import {
  OPTIONS,
  findOption,
  loadSettings,
  saveSetting,
  type OptionName,
  type OptionRow,
} from '../config.js';
import { readArguments } from '../config/check.js';
import { AgentileError } from '../base/errors.js';
import { textArgument, type CommandContext, type CommandRun } from './context.js';

export const runConfigPath: CommandRun = async (context) => context.print(context.paths.configFile);

export const runConfigGet: CommandRun = async (context, { args, options }) => {
  const name = args[0] as string | undefined;
  const { settings, problem } = loadSettings(context.paths.configFile);
  if (problem) context.note(`agentile: ${problem.message}`);
  const rows: readonly OptionRow[] = name === undefined ? OPTIONS : [optionOf(name)];
  const shown = rows.map(
    (row) => [row.name, shownValue(row, settings[row.name as OptionName], name !== undefined)] as const,
  );
  if (options['json']) context.printJson(name === undefined ? Object.fromEntries(shown) : shown[0]![1]);
  else if (name === undefined)
    context.print(shown.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n'));
  else context.print(plain(shown[0]![1]));
};

export const runConfigSet: CommandRun = async (context, input) => {
  const row = optionOf(textArgument(input, 0, 'name'));
  const words = (input.args[1] as string[] | undefined) ?? [];
  const name = row.name as OptionName;
  if (input.options['unset']) {
    await saveSetting(context.paths.configFile, name, undefined);
    return;
  }
  if (words.length === 0 && row.type.kind !== 'list') {
    throw new AgentileError('USAGE', 'The value is missing.', { hint: row.doc });
  }
  const read = readArguments(row, words);
  if ('fault' in read) throw new AgentileError('USAGE', `${row.name} ${read.fault}.`, { hint: row.doc });
  await saveSetting(context.paths.configFile, name, read.value);
};

export const runConfigCheck: CommandRun = async (context: CommandContext) => {
  const { problem, fromFile } = loadSettings(context.paths.configFile);
  if (problem) throw problem;
  context.print(
    `${context.paths.configFile}: ${fromFile.size === 0 ? 'nothing set, all defaults' : `${fromFile.size} set`}, no faults.`,
  );
};

function optionOf(name: string): OptionRow {
  const row = findOption(name);
  if (row) return row;
  throw new AgentileError('USAGE', `There is no setting "${name}".`, {
    hint: '"agentile config get" lists them.',
  });
}

/** A secret is printed only when it is asked for by name. */
function shownValue(row: OptionRow, value: unknown, isAskedFor: boolean): unknown {
  return row.secret && !isAskedFor && value !== '' ? '(set)' : value;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
