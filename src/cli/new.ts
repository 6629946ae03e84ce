// `agentile new`: starts a session of a provider, or any program in a terminal pane.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentileError } from '../base/errors.js';
import { newCommandId } from '../model/ids.js';
import { PERMISSION_POLICIES, type LaunchOptions } from '../model/session.js';
import type { DaemonClient } from '../wire/client.js';
import type { NewSessionParams, SessionView } from '../wire/messages.js';
import {
  choiceOption,
  sessionLabel,
  textOption,
  type CommandContext,
  type CommandInput,
  type CommandRun,
} from './context.js';
import { watchSession } from './watch.js';

/** A program that is not there, or ends at once, is told by the command itself. */
const START_WAIT_MS = 2000;

export const runNew: CommandRun = async (context, input) => {
  const params = sessionParams(context, input);
  if (input.options['dryRun']) {
    const { printDryRun } = await import('./dry-run.js');
    return printDryRun(context, params, input.options['json'] === true);
  }
  const session = await context.withDaemon(async (client) => {
    const made = await client.request('session/new', params, { commandId: newCommandId() });
    return started(client, made.session);
  });
  const failure = session.status === 'failed' ? session.run?.failure : undefined;
  if (failure) {
    throw new AgentileError('SPAWN_FAILED', failure.message, failure.hint ? { hint: failure.hint } : {});
  }
  if (input.options['json']) context.printJson(session);
  else context.print(`${sessionLabel(session)}  ${session.session.id}`);
};

/** The session once it runs or has failed; as it is when that takes longer (an install on first use). */
async function started(client: DaemonClient, view: SessionView): Promise<SessionView> {
  if (view.status !== 'starting') return view;
  let latest = view;
  const look = (now: SessionView) => {
    latest = now;
    return now.status === 'starting' ? undefined : now;
  };
  await watchSession(client, view.session.id, look, START_WAIT_MS).catch((error: unknown) => {
    if (!(error instanceof AgentileError) || error.code !== 'TIMED_OUT') throw error;
  });
  return latest;
}

function sessionParams(context: CommandContext, input: CommandInput): NewSessionParams {
  const provider = input.args[0] as string | undefined;
  const { options, rest } = input;
  if (provider === undefined && rest.length === 0 && !options['terminal']) {
    throw new AgentileError('USAGE', 'Which provider?', {
      hint: '"agentile provider ls" lists them; "agentile new --terminal -- htop" runs a program.',
    });
  }
  const optional = {
    name: textOption(input, 'name'),
    prompt: textOption(input, 'prompt'),
    task: textOption(input, 'task'),
    parent: context.ownSession,
    providerId: provider,
  };
  return {
    cwd: folder(context, textOption(input, 'cwd')),
    launch: launchOptions(input, provider, rest),
    open: options['open'] !== false,
    ...withoutUndefined(optional),
  };
}

function launchOptions(input: CommandInput, provider: string | undefined, rest: string[]): LaunchOptions {
  const isTerminal = provider === undefined || input.options['terminal'] === true;
  return {
    ...(isTerminal ? { terminal: true } : {}),
    ...(rest.length === 0 ? {} : provider === undefined ? { command: rest } : { args: rest }),
    ...withoutUndefined({
      model: textOption(input, 'model'),
      effort: textOption(input, 'effort'),
      mode: textOption(input, 'mode'),
      permission: textOption(input, 'permission'),
      policy: choiceOption(input, 'policy', PERMISSION_POLICIES),
    }),
  };
}

function folder(context: CommandContext, given: string | undefined): string {
  const path = resolve(context.cwd, given ?? '.');
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  throw new AgentileError('USAGE', `${path} is not a folder.`);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
