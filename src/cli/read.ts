// `agentile read`: the transcript of a structured session, or the screen of a terminal pane, as text or JSON.
import { AgentileError } from '../base/errors.js';
import type { LogRecord } from '../model/log-record.js';
import type { ScreenText, SessionView } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';
import {
  numberOption,
  sessionLabel,
  textArgument,
  type CommandContext,
  type CommandInput,
  type CommandRun,
} from './context.js';
import { eventOf, foldTurns, readRecords } from './records.js';
import { TranscriptText } from './transcript-text.js';

/** More history than any pane keeps. */
const ALL_LINES = 1_000_000;

export const runRead: CommandRun = async (context, input) => {
  const session = textArgument(input, 0, 'session');
  const last = numberOption(input, 'last', 1);
  await context.withDaemon(async (client) => {
    const view = await client.request('session/get', { session });
    if (hasScreen(view)) await readScreen(context, input, client, view, last);
    else await readTranscript(context, input, client, view, last);
  });
};

/** True for a session whose screen is its own. */
export function hasScreen(view: SessionView): boolean {
  const { launch } = view.session;
  return view.controller === 'terminal' || launch.terminal === true || launch.command !== undefined;
}

async function readScreen(
  context: CommandContext,
  input: CommandInput,
  client: DaemonClient,
  view: SessionView,
  last: number | undefined,
): Promise<void> {
  if (input.options['follow']) {
    throw new AgentileError('NOT_SUPPORTED', `${sessionLabel(view)} is a screen, not a stream.`, {
      hint: `Watch it with "agentile attach", or wait: agentile wait ${view.number}.`,
    });
  }
  const screen = await client.request('session/screen', {
    session: view.session.id,
    lines: last === undefined ? ALL_LINES : last,
  });
  if (input.options['json']) {
    context.printJson(last === undefined ? screen : { ...screen, lines: lastLines(screen, last) });
    return;
  }
  context.print(lastLines(screen, last).join('\n'));
  if (screen.historyLines === 0) {
    context.note(
      screen.altScreen
        ? 'agentile: this is a full-screen program; it has no scrollback.'
        : 'agentile: there is no scrollback yet; this is the whole screen.',
    );
  }
}

/** Blank rows below the last text are not lines of the program. */
function lastLines(screen: ScreenText, last: number | undefined): string[] {
  const end = screen.lines.findLastIndex((line) => line.trim() !== '') + 1;
  return screen.lines.slice(last === undefined ? 0 : Math.max(0, end - last), end);
}

async function readTranscript(
  context: CommandContext,
  input: CommandInput,
  client: DaemonClient,
  view: SessionView,
  last: number | undefined,
): Promise<void> {
  const records = lastTurns(await readRecords(client, view.session.id), last);
  if (input.options['json'] && !input.options['follow']) {
    context.printJson(foldTurns(records));
    return;
  }
  const text = new TranscriptText();
  const write = (record: LogRecord) => {
    const event = eventOf(record);
    if (!event) return;
    context.write(input.options['json'] ? `${JSON.stringify(record)}\n` : text.push(event));
  };
  records.forEach(write);
  if (input.options['follow']) await follow(client, view, records.at(-1)?.seq ?? 0, write);
}

function lastTurns(records: LogRecord[], last: number | undefined): LogRecord[] {
  if (last === undefined) return records;
  const starts = records.flatMap((record, i) => (eventOf(record)?.type === 'turn.started' ? [i] : []));
  return records.slice(starts.at(-Math.min(last, starts.length)) ?? 0);
}

/** Writes what comes until the connection ends (Ctrl-C ends the command). */
async function follow(
  client: DaemonClient,
  view: SessionView,
  after: number,
  write: (record: LogRecord) => void,
): Promise<void> {
  const sessionId = view.session.id;
  const ended = new Promise<void>((resolve) => client.onClose(() => resolve()));
  client.onPush(({ message }) => {
    if (message.t !== 'events' || message.sessionId !== sessionId) return;
    for (const { seq, event } of message.records) {
      const { sessionId, runId, turnId, at, ...body } = event;
      const turn = turnId ? { turnId } : {};
      write({ seq, at, sessionId, runId, body: { kind: 'event', event: body, ...turn } });
    }
  });
  client.send({ t: 'follow', sessionId, after, on: true });
  await ended;
}
