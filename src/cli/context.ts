// What every command gets: environment, paths, output, a connection to the daemon. Made once by src/cli/program.ts.
// Heavy parts (the wire, settings) are imported only when a command asks for them.
import { AgentileError } from '../base/errors.js';
import { resolvePaths, type Paths } from '../base/paths.js';
import type { SessionId } from '../model/ids.js';
import type { SessionView } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';

/** What was typed: operands in the order of the usage line, options by name, and what came behind "--" where a command takes that. */
export interface CommandInput {
  args: (string | string[] | undefined)[];
  options: Record<string, unknown>;
  rest: string[];
}

/** Runs one command; resolves with the exit code, 0 when it resolves with nothing. Rejects with an AgentileError. */
export type CommandRun = (context: CommandContext, input: CommandInput) => Promise<number | void>;

export class CommandContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  #paths: Paths | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()) {
    this.env = env;
    this.cwd = cwd;
  }

  /** Throws USAGE or SOCKET_PATH_TOO_LONG, so only a command that needs paths fails of them. */
  get paths(): Paths {
    return (this.#paths ??= resolvePaths(this.env));
  }

  /** The session whose process runs this command, when an agent or a pane does. */
  get ownSession(): SessionId | undefined {
    return (this.env['AGENTILE_SESSION_ID'] || undefined) as SessionId | undefined;
  }

  /** True when a person can look at a full screen here. */
  get hasTerminal(): boolean {
    return Boolean(process.stdin.isTTY && process.stdout.isTTY);
  }

  /** A part of the answer: stdout. */
  write(text: string): void {
    process.stdout.write(text);
  }

  /** A line, or several, of the answer. */
  print(text: string): void {
    this.write(`${text}\n`);
  }

  printJson(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  /** Something beside the answer: stderr. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Runs `use` with a connection, starting the daemon when none answers; the connection ends afterwards. */
  async withDaemon<T>(use: (client: DaemonClient) => Promise<T>): Promise<T> {
    const { connectOrStart } = await import('../wire/launch.js');
    return this.#using(await connectOrStart(this.paths, this.#identity()), use);
  }

  /** As `withDaemon`, but starts nothing: resolves with undefined when no daemon runs. */
  async withRunningDaemon<T>(use: (client: DaemonClient) => Promise<T>): Promise<T | undefined> {
    const { tryConnect } = await import('../wire/launch.js');
    const client = await tryConnect(this.paths, this.#identity());
    return client && this.#using(client, use);
  }

  #identity(): { role: 'cli'; sessionId?: SessionId; env: NodeJS.ProcessEnv } {
    const sessionId = this.ownSession;
    return { role: 'cli', env: this.env, ...(sessionId ? { sessionId } : {}) };
  }

  async #using<T>(client: DaemonClient, use: (client: DaemonClient) => Promise<T>): Promise<T> {
    const { versionNote } = await import('../wire/client.js');
    const note = versionNote(client.daemon);
    if (note) this.note(`agentile: ${note}`);
    try {
      return await use(client);
    } finally {
      client.dispose();
    }
  }
}

/** The operand at `index` as text. Throws USAGE when it is missing. */
export function textArgument(input: CommandInput, index: number, name: string): string {
  const value = input.args[index];
  if (typeof value === 'string' && value !== '') return value;
  throw new AgentileError('USAGE', `The ${name} is missing.`, { hint: 'Add --help for the usage.' });
}

/** A whole number of an option. Throws USAGE when it is none, or below `min`. */
export function numberOption(input: CommandInput, name: string, min: number): number | undefined {
  const value = textOption(input, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= min) return number;
  throw new AgentileError('USAGE', `--${name} must be a number from ${min} up, not "${value}".`);
}

/** A text option, or undefined. */
export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** An option with a few values. Throws USAGE with the list when it is another one. */
export function choiceOption<T extends string>(
  input: CommandInput,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = textOption(input, name);
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new AgentileError('USAGE', `--${name} must be one of ${choices.join(', ')}, not "${value}".`);
}

/** "2 codex tests": how a session is named in messages. */
export function sessionLabel(view: SessionView): string {
  return `${view.number} ${view.session.name}`;
}
