// Runs a request at most once for each command id: a repeated one gets the first reply, also after a restart of the
// daemon. A command that changes something is in the log before it runs. Called by the server for every request.
import { AgentileError, messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { CommandId, SessionId } from '../model/ids.js';
import type { Method } from '../wire/messages.js';
import type { EventLog } from './event-log.js';
import { REPLY, WORKSPACE, type SavedReply } from './log-names.js';

/** Requests that change nothing worth keeping: they may run as often as they are asked. */
const READS: ReadonlySet<Method> = new Set<Method>([
  'workspace/get',
  'session/get',
  'session/seen',
  'session/explain',
  'session/screen',
  'session/records',
  'provider/list',
  'daemon/status',
]);

export class CommandGate {
  #log: EventLog;
  #diagnostics: Log;
  #running = new Map<CommandId, Promise<SavedReply>>();

  constructor(log: EventLog, diagnostics: Log) {
    this.#log = log;
    this.#diagnostics = diagnostics;
  }

  /** Never rejects. `sessionId`: the session the command is about, for its place in the log. */
  run(
    method: Method,
    params: unknown,
    commandId: CommandId | undefined,
    sessionId: SessionId | undefined,
    action: () => unknown,
  ): Promise<SavedReply> {
    if (READS.has(method)) return this.#settle(action);
    const running = commandId && this.#running.get(commandId);
    if (running) return running;
    const known = commandId ? this.#log.reply(commandId) : undefined;
    if (known !== undefined) return Promise.resolve(known ?? outcomeUnknown());
    const place = sessionId ?? WORKSPACE;
    const identity = commandId ? { commandId } : {};
    this.#log.append({
      sessionId: place,
      body: { kind: 'command', name: method, body: withoutSecrets(params), ...identity },
    });
    this.#log.flush();
    const reply = this.#settle(action);
    if (!commandId) return reply;
    const saved = reply.then((result) => {
      this.#log.append({ sessionId: place, body: { kind: 'command', name: REPLY, body: result, commandId } });
      this.#log.flush();
      this.#running.delete(commandId);
      return result;
    });
    this.#running.set(commandId, saved);
    return saved;
  }

  async #settle(action: () => unknown): Promise<SavedReply> {
    try {
      return { ok: true, result: await action() };
    } catch (error) {
      if (error instanceof AgentileError) return { ok: false, error: error.toJSON() };
      this.#diagnostics.error('a request failed', {
        error,
        stack: error instanceof Error ? error.stack : undefined,
      });
      return { ok: false, error: new AgentileError('INTERNAL', messageOf(error)).toJSON() };
    }
  }
}

/** The daemon died while the command ran: repeating it could do it twice. */
function outcomeUnknown(): SavedReply {
  const error = new AgentileError(
    'CONNECTION_CLOSED',
    'The daemon ended while this command ran; nobody saw how it went.',
    {
      hint: 'Look with: agentile ls. Then give the command anew.',
    },
  );
  return { ok: false, error: error.toJSON() };
}

/** Tokens and the user's environment variables do not belong in a log. */
function withoutSecrets(params: unknown): unknown {
  return JSON.parse(
    JSON.stringify(params ?? {}, (name, value: unknown) =>
      name === 'token' || name === 'env' ? undefined : value,
    ),
  );
}
