// Opening an ACP session: initialize without a time limit but never silent, then new or reopen, then the mode that asks.
// Used by the acp controller only. Rejects with FailureError.
import type { AcpConnection, SessionOpened } from '../acp/connection.js';
import { AcpConnection as Connection } from '../acp/connection.js';
import { readMcpFile, serversFor } from '../acp/mcp.js';
import type { AgentInfo } from '../acp/shapes.js';
import type { Clock } from '../base/clock.js';
import { CONNECTION_CLOSED, RpcError } from '../io/jsonrpc.js';
import type { AgentEventBody } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import { isUnknownSession } from '../model/failure-classify.js';
import type { Quirk } from '../model/provider.js';
import { failureFromRpc } from '../translators/acp-failure.js';
import { FailureError, type StartContext } from './controller.js';

/** After this the transcript says that the agent is still starting; first runs download for minutes (facts: D19). */
const SLOW_START_MS = 15_000;

export interface OpeningDeps {
  clock: Clock;
  stderrTail: () => string[];
  say: (event: AgentEventBody) => void;
  /** How the process ended, once it has: its words are better than "connection closed". */
  exitFailure: () => Failure | undefined;
}

export async function openSession(
  connection: AcpConnection,
  context: StartContext,
  deps: OpeningDeps,
): Promise<{ info: AgentInfo; opened: SessionOpened }> {
  const slow = deps.clock.every(SLOW_START_MS, () => deps.say(stillStarting(deps)));
  try {
    const info = await connection.initialize();
    return { info, opened: await open(connection, info, context, deps) };
  } catch (error) {
    throw toOpeningFailure(error, connection, context, deps);
  } finally {
    slow.dispose();
  }
}

function open(
  connection: AcpConnection,
  info: AgentInfo,
  context: StartContext,
  deps: OpeningDeps,
): Promise<SessionOpened> {
  const { session, provider, resumeId } = context;
  const { servers, problems } = readMcpFile(session.cwd);
  for (const text of problems) deps.say({ type: 'notice', kind: 'other', level: 'warning', text });
  const usable = serversFor(servers, info, provider.quirks);
  if (usable.length < servers.length) {
    const left = servers.filter((server) => !usable.includes(server)).map((server) => server.name);
    deps.say({
      type: 'notice',
      kind: 'other',
      level: 'info',
      text: `MCP servers this agent cannot take: ${left.join(', ')}`,
    });
  }
  return resumeId === undefined
    ? connection.newSession(session.cwd, usable)
    : connection.reopenSession(resumeId, session.cwd, usable);
}

function stillStarting({ stderrTail }: OpeningDeps): AgentEventBody {
  const last = stderrTail().at(-1);
  const text = `The agent is still starting${last ? `; it said: ${last}` : ''}. Stop it to give up.`;
  return { type: 'notice', kind: 'other', level: 'info', text };
}

function toOpeningFailure(
  error: unknown,
  connection: AcpConnection,
  context: StartContext,
  deps: OpeningDeps,
): FailureError {
  if (error instanceof FailureError) return error;
  if (!(error instanceof RpcError)) throw error;
  if (error.code === CONNECTION_CLOSED) {
    return new FailureError(deps.exitFailure() ?? { kind: 'crash', message: error.message });
  }
  const { resumeId, provider } = context;
  const initialized = connection.info !== undefined;
  if (initialized && resumeId !== undefined && Connection.isUnknownSession(error)) {
    return new FailureError({
      kind: 'request',
      message: `The agent cannot resume the session ${resumeId}: ${error.message}`,
      ...(isMaybeAlive(error, provider.quirks)
        ? { hint: 'This agent cannot load a session in the minute in which it was written: try again then.' }
        : {
            hint: 'Start fresh; the transcript stays and you can send a recap.',
            deadNativeId: resumeId,
          }),
    });
  }
  const failure = failureFromRpc(error);
  if (failure.kind !== 'auth') return new FailureError({ ...failure, stderrTail: deps.stderrTail() });
  return new FailureError({ ...failure, hint: loginHint(connection.info, provider.login?.hint) });
}

/** Some agents fail with no more than "Internal error" while the session is there: it must not be buried. */
function isMaybeAlive({ message, data }: RpcError, quirks: readonly Quirk[]): boolean {
  const words = `${message} ${JSON.stringify(data ?? '')}`;
  return quirks.includes('load-same-minute') && !isUnknownSession(words) && !/not found|invalid/i.test(words);
}

/** What the person can do to sign in: the catalogue's words, else the agent's own methods. */
function loginHint(info: AgentInfo | undefined, hint: string | undefined): string {
  const methods = (info?.authMethods ?? []).map(({ name, description }) =>
    description ? `${name}: ${description}` : name,
  );
  return (
    [hint, ...methods].filter(Boolean).join(' · ') || 'Sign in with the provider, then restart the session.'
  );
}
