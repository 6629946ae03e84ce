// `agentile send`: a prompt for a session; with --wait also its end and the answer.
import { AgentileError } from '../base/errors.js';
import { newCommandId } from '../model/ids.js';
import type { Turn } from '../model/session.js';
import type { StatusWord } from '../model/status.js';
import type { SessionView } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';
import {
  numberOption,
  sessionLabel,
  textArgument,
  type CommandContext,
  type CommandInput,
  type CommandRun,
} from './context.js';
import { foldTurns, readRecords, type TurnText } from './records.js';
import { visible } from './text.js';
import { needsYou, watchSession } from './watch.js';

export const runSend: CommandRun = async (context, input) => {
  const session = textArgument(input, 0, 'session');
  const timeoutS = numberOption(input, 'timeout', 0);
  const text = await promptText(input);
  await context.withDaemon(async (client) => {
    const { turn, typed } = await client.request(
      'session/prompt',
      { session, text },
      { commandId: newCommandId() },
    );
    if (!input.options['wait']) {
      if (input.options['json']) context.printJson({ turn, typed: typed ?? false });
      else context.print(typed ? 'typed' : `${turn.id}  ${turn.state}`);
      return;
    }
    const timeoutMs = timeoutS === undefined ? Infinity : timeoutS * 1000;
    if (typed) await waitForProgram(client, session, timeoutMs);
    else await waitForTurn(context, input, client, turn, timeoutMs);
  });
};

async function promptText(input: CommandInput): Promise<string> {
  const words = (input.args[1] as string[] | undefined) ?? [];
  if (words.length > 0 && !(words.length === 1 && words[0] === '-')) return words.join(' ');
  if (process.stdin.isTTY)
    throw new AgentileError('USAGE', 'The text is missing.', { hint: 'Add it, or pipe it in.' });
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8').trimEnd();
  if (text === '') throw new AgentileError('USAGE', 'The text is empty.', { hint: 'Add it, or pipe it in.' });
  return text;
}

async function waitForTurn(
  context: CommandContext,
  input: CommandInput,
  client: DaemonClient,
  turn: Turn,
  timeoutMs: number,
): Promise<void> {
  const view = await watchSession(client, turn.sessionId, (view) => endOfTurn(view, turn), timeoutMs);
  const records = await readRecords(client, turn.sessionId);
  const told = foldTurns(records).find((each) => each.turnId === turn.id);
  if (input.options['json'])
    context.printJson({ session: view.session.id, ...(told ?? { turnId: turn.id }) });
  else if (told?.text) context.print(visible(told.text));
  throwIfFailed(view, turn, told);
}

/** The view once the turn is over; throws when it waits for a person. */
function endOfTurn(view: SessionView, turn: Turn): SessionView | undefined {
  if (view.queue.some((queued) => queued.id === turn.id)) return undefined;
  if (view.turn?.id !== turn.id) return view;
  if (view.requests.length > 0) throw needsYou(view);
  return view.turn.state === 'running' || view.turn.state === 'queued' ? undefined : view;
}

function throwIfFailed(view: SessionView, turn: Turn, told: TurnText | undefined): void {
  const state = view.turn?.id === turn.id ? view.turn.state : undefined;
  const failure = (view.turn?.id === turn.id ? view.turn.failure : undefined) ?? told?.failure;
  if (failure || state === 'failed') {
    const words = failure?.message ?? 'The turn failed.';
    throw new AgentileError('TURN_FAILED', words, {
      hint: failure?.hint ?? `agentile explain ${view.number}`,
    });
  }
  if (state === 'cancelled' || told?.stopReason === 'cancelled' || !told) {
    throw new AgentileError('TURN_FAILED', 'The turn was cancelled.');
  }
}

/** A terminal program tells the end only when it reports its status (OSC 7501). */
async function waitForProgram(client: DaemonClient, session: string, timeoutMs: number): Promise<void> {
  let worked = false;
  const over: readonly StatusWord[] = ['done', 'idle', 'exited', 'stopped'];
  await watchSession(
    client,
    session,
    (view) => {
      if (view.status === 'unknown') throw noSignal(view);
      if (view.status === 'needs-you') throw needsYou(view);
      if (view.status === 'failed') throw new AgentileError('TURN_FAILED', `${sessionLabel(view)} failed.`);
      worked ||= view.status === 'working' || view.status === 'done';
      return worked && over.includes(view.status) ? true : undefined;
    },
    timeoutMs,
  );
}

function noSignal(view: SessionView): AgentileError {
  return new AgentileError(
    'NOT_SUPPORTED',
    `${sessionLabel(view)} does not tell when it is done; the text was typed.`,
    {
      hint: `Look at it: agentile read ${view.number}.`,
    },
  );
}
