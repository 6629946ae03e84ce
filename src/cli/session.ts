// `agentile stop|resume|restart|close|mark`: what a person does to one session.
import { AgentileError } from '../base/errors.js';
import { newCommandId } from '../model/ids.js';
import { STATUS_TABLE } from '../model/status.js';
import type { SessionView } from '../wire/messages.js';
import {
  choiceOption,
  sessionLabel,
  textArgument,
  type CommandContext,
  type CommandInput,
  type CommandRun,
} from './context.js';

const CONFIDENCES = ['certain', 'likely', 'unsure'] as const;

const runStop: CommandRun = (context, input) =>
  act(context, input, (client, session) => client.request('session/stop', { session }, command()));

const runResume: CommandRun = (context, input) =>
  act(context, input, (client, session) => {
    const { fresh, fork } = input.options;
    const params = { session, ...(fresh ? { fresh: true } : {}), ...(fork ? { fork: true } : {}) };
    return client.request('session/resume', params, command());
  });

const runRestart: CommandRun = (context, input) =>
  act(context, input, (client, session) => client.request('session/restart', { session }, command()));

const runClose: CommandRun = async (context, input) => {
  const session = textArgument(input, 0, 'session');
  const force = input.options['force'] === true;
  await context.withDaemon((client) => client.request('session/close', { session, force }, command()));
  if (input.options['json']) context.printJson({ closed: session });
  else context.print(`${session} closed`);
};

export const runMark: CommandRun = async (context, input) => {
  const state = textArgument(input, 1, 'state');
  if (state !== 'done') throw new AgentileError('USAGE', `A task can be marked "done", not "${state}".`);
  const confidence = choiceOption(input, 'confidence', CONFIDENCES) ?? 'certain';
  await act(context, input, (client, session) =>
    client.request('session/mark', { session, confidence }, command()),
  );
};

export const SESSION_COMMANDS = { stop: runStop, resume: runResume, restart: runRestart, close: runClose };

type Client = Parameters<Parameters<CommandContext['withDaemon']>[0]>[0];

async function act(
  context: CommandContext,
  input: CommandInput,
  request: (client: Client, session: string) => Promise<SessionView>,
): Promise<void> {
  const session = textArgument(input, 0, 'session');
  const view = await context.withDaemon((client) => request(client, session));
  if (input.options['json']) context.printJson(view);
  else context.print(`${sessionLabel(view)}  ${STATUS_TABLE[view.status].label}`);
}

/** A command that is sent again after a lost answer must not run twice. */
function command(): { commandId: ReturnType<typeof newCommandId> } {
  return { commandId: newCommandId() };
}
