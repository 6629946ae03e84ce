// The log of a session as a command reads it: all records, and the turns they tell of. Pure but for `readRecords`.
import type { AgentEventBody, Usage } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import type { LogRecord } from '../model/log-record.js';
import type { StopReason } from '../model/session.js';
import type { DaemonClient } from '../wire/client.js';

const PAGE = 1000;

/** One turn, as JSON of `read --json` and `send --wait --json`. */
export interface TurnText {
  turnId?: string;
  prompt?: string;
  /** The last message of the agent; the result the CLI names, when it names one. */
  text: string;
  tools: { title: string; status: string; exitCode?: number }[];
  stopReason?: StopReason;
  failure?: Failure;
  usage?: Usage;
}

/** All records of a session after `after`, oldest first. */
export async function readRecords(client: DaemonClient, session: string, after = 0): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (let from = after; ; from = all.at(-1)!.seq) {
    const page = await client.request('session/records', { session, after: from, limit: PAGE });
    all.push(...page.records);
    if (!page.more || page.records.length === 0) return all;
  }
}

/** The event of a record, or undefined when it is a command or a signal. */
export function eventOf(record: LogRecord): AgentEventBody | undefined {
  return record.body.kind === 'event' ? record.body.event : undefined;
}

/** The turns that the records tell of, oldest first. */
export function foldTurns(records: readonly LogRecord[]): TurnText[] {
  const turns: TurnText[] = [];
  const messages = new Map<string, string>();
  const tools = new Map<string, TurnText['tools'][number]>();
  for (const record of records) {
    const event = eventOf(record);
    if (!event) continue;
    if (event.type === 'turn.started') {
      messages.clear();
      const turnId = record.body.kind === 'event' ? record.body.turnId : undefined;
      turns.push({
        ...(turnId ? { turnId } : {}),
        ...(event.prompt === undefined ? {} : { prompt: event.prompt }),
        text: '',
        tools: [],
      });
    }
    const turn = turns.at(-1);
    if (turn) addEvent(turn, event, messages, tools);
  }
  return turns;
}

function addEvent(
  turn: TurnText,
  event: AgentEventBody,
  messages: Map<string, string>,
  tools: Map<string, TurnText['tools'][number]>,
): void {
  switch (event.type) {
    case 'text':
      if (event.parentId !== undefined) return;
      messages.set(
        event.messageId,
        event.final ?? (messages.get(event.messageId) ?? '') + (event.delta ?? ''),
      );
      turn.text = messages.get(event.messageId)!;
      return;
    case 'text.dropped':
      messages.delete(event.messageId);
      turn.text = [...messages.values()].at(-1) ?? '';
      return;
    case 'tool.started': {
      const tool = { title: event.call.title, status: event.call.status as string };
      tools.set(event.call.toolCallId, tool);
      turn.tools.push(tool);
      return;
    }
    case 'tool.finished': {
      const tool = tools.get(event.toolCallId);
      if (!tool) return;
      tool.status = event.status;
      if (event.exitCode !== undefined) tool.exitCode = event.exitCode;
      return;
    }
    case 'usage':
      if (event.usage.scope === 'turn') turn.usage = event.usage;
      return;
    case 'turn.done':
      turn.stopReason = event.stopReason;
      if (event.failure) turn.failure = event.failure;
      if (event.result !== undefined) turn.text = event.result;
      return;
    default:
      return;
  }
}
