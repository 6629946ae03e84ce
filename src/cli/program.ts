// The commander program, made from the table of commands, and the one place where errors become a line on stderr and an
// exit code. Called by src/cli.ts.
import { Command, CommanderError } from 'commander';
import { AgentileError, EXIT_CODES, messageOf } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import type { CommandRow } from './command-row.js';
import { COMMANDS } from './commands.js';
import { CommandContext } from './context.js';

const GROUPS: Record<string, string> = {
  daemon: 'the process that holds the sessions',
  config: 'your settings',
  log: 'the event log',
  provider: 'the agent CLIs',
};

/** Runs a command line (without node and script); resolves with the exit code. Never rejects. */
export async function runProgram(argv: readonly string[], context = new CommandContext()): Promise<number> {
  let exitCode: number = EXIT_CODES.ok;
  const { own, rest } = splitRest(argv);
  const program = makeProgram(async (row, args, options) => {
    const run = await row.load();
    exitCode = (await run(context, { args, options, rest })) ?? EXIT_CODES.ok;
  });
  try {
    await program.parseAsync([...own], { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, context);
  }
}

type Act = (
  row: CommandRow,
  args: (string | string[] | undefined)[],
  options: Record<string, unknown>,
) => Promise<void>;

function makeProgram(act: Act): Command {
  const program = new Command('agentile')
    .description('Tiles coding agents in one terminal; they go on when the connection drops.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError(true)
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 turn failed, 5 needs you, 6 no daemon, 7 not installed, 8 conflict, 9 bad settings, 124 timed out.',
    );
  quiet(program);
  for (const row of COMMANDS) addCommand(program, row, act);
  return program;
}

function addCommand(program: Command, row: CommandRow, act: Act): void {
  const [first, ...words] = row.usage.split(' ');
  const isGrouped = words[0] !== undefined && /^[a-z]/.test(words[0]);
  const parent = isGrouped ? groupOf(program, first!) : program;
  const usage = isGrouped ? words.join(' ') : row.usage;
  const command = parent.command(usage, { isDefault: row.isDefault ?? false }).description(row.summary);
  if (row.takesRest) command.usage(`${command.usage()} [-- arguments...]`);
  for (const [flags, words] of row.options ?? []) command.option(flags, words);
  if (row.help) command.addHelpText('after', `\n${row.help}`);
  quiet(command);
  command.action(async () => act(row, command.processedArgs as string[], command.opts()));
}

function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  if (known) return known;
  const group = program.command(name).description(GROUPS[name] ?? name);
  quiet(group);
  return group;
}

/** Errors are thrown to `runProgram`, which prints them in one line. */
function quiet(command: Command): void {
  command
    .exitOverride()
    .configureOutput({ writeErr: (text) => void (isHelp(text) && process.stderr.write(text)) });
}

function isHelp(text: string): boolean {
  return text.startsWith('Usage:');
}

/** Commands that take a foreign command line get what is behind "--" as it stands. */
function splitRest(argv: readonly string[]): { own: readonly string[]; rest: string[] } {
  const at = argv.indexOf('--');
  const name = argv.find((word) => !word.startsWith('-'));
  const takesRest = COMMANDS.some((row) => row.takesRest && row.usage.split(' ')[0] === name);
  if (at < 0 || !takesRest) return { own: argv, rest: [] };
  return { own: argv.slice(0, at), rest: argv.slice(at + 1) };
}

function reportError(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_CODES.ok;
    const words = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    if (error.code !== 'commander.help') context.note(`agentile: ${words} Try "agentile --help".`);
    return EXIT_CODES.usage;
  }
  if (error instanceof AgentileError) {
    const hint = error.hint ? ` ${error.hint}` : '';
    context.note(`agentile: ${error.message}${hint}`.replace(/\s*\n\s*/g, ' '));
    return error.exitCode;
  }
  context.note(`agentile: ${messageOf(error)} (a fault of agentile itself)`.replace(/\s*\n\s*/g, ' '));
  if (context.env['AGENTILE_DEBUG'] && error instanceof Error && error.stack) context.note(error.stack);
  return EXIT_CODES.failure;
}
