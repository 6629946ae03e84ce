// The table of requests: method → what runs. Checks parameters and the caller first, and lets every command run once.
// Called by the client links through the daemon.
import { AgentileError } from '../base/errors.js';
import type { CommandId, SessionId } from '../model/ids.js';
import type { DaemonStatus, Method, ProviderView, Requests, WorkspaceState } from '../wire/messages.js';
import { parseRequest } from '../wire/validate.js';
import { checkCaller } from './caller-guard.js';
import type { Caller } from './client-link.js';
import type { CommandGate } from './command-gate.js';
import type { SavedReply } from './log-names.js';
import type { Registry } from './registry.js';
import type { SessionRequests } from './session-requests.js';
import type { SessionState } from './session-state.js';
import type { Workspace } from './workspace.js';

type Result<M extends Method> = Requests[M]['result'];

export interface RequestTableOptions {
  gate: CommandGate;
  registry: Registry;
  workspace: Workspace;
  sessions: SessionRequests;
  snapshot(): WorkspaceState;
  status(): DaemonStatus;
  /** Stops the daemon after the reply has left. */
  stop(params: Requests['daemon/stop']['params']): Promise<object>;
  /** True: admitted. Throws USAGE for a token of another run. */
  signal(params: Requests['session/signal']['params'], caller: Caller): boolean;
  listProviders(refresh: boolean): Promise<ProviderView[]>;
  installProvider(providerId: string): Promise<Result<'provider/install'>>;
}

type Handler<M extends Method> = (
  params: Requests[M]['params'],
  caller: Caller,
  commandId?: CommandId,
) => Result<M> | Promise<Result<M>>;
type Handlers = { [M in Method]: Handler<M> };

export class RequestTable {
  #options: RequestTableOptions;
  #handlers: Handlers;

  constructor(options: RequestTableOptions) {
    this.#options = options;
    this.#handlers = { ...sessionHandlers(options.sessions), ...otherHandlers(options) };
  }

  /** Never rejects. */
  async run(method: string, params: unknown, caller: Caller, commandId?: CommandId): Promise<SavedReply> {
    const { gate } = this.#options;
    let checked: Requests[Method]['params'];
    let target: SessionState | undefined;
    try {
      checked = parseRequest(method as Method, params);
      target = this.#target(checked);
      checkCaller(this.#options.registry, caller, method as Method, target);
    } catch (error) {
      const known = AgentileError.fromJSON(error instanceof AgentileError ? error.toJSON() : {});
      return { ok: false, error: known.toJSON() };
    }
    const handler = this.#handlers[method as Method] as (
      params: unknown,
      caller: Caller,
      commandId?: CommandId,
    ) => unknown;
    return gate.run(method as Method, checked, commandId, target?.session.id, () =>
      handler(checked, caller, commandId),
    );
  }

  /** The session a request names; a wrong name is told by the handler, in its own words. */
  #target(params: object): SessionState | undefined {
    if (!('session' in params) || typeof params.session !== 'string') return undefined;
    try {
      return this.#options.registry.find(params.session);
    } catch {
      // A repeated "close" names a session that is gone: its first reply is still to be had.
      return undefined;
    }
  }
}

function sessionHandlers(sessions: SessionRequests) {
  return {
    'session/new': (params, caller) => sessions.create(params, caller),
    'session/get': (params) => sessions.view(params),
    'session/prompt': (params, _caller, commandId) => sessions.prompt(params, commandId),
    'session/queue-edit': (params) => sessions.queueEdit(params),
    'session/cancel': (params) => sessions.cancel(params),
    'session/stop': (params) => sessions.stop(params),
    'session/resume': (params) => sessions.resume(params),
    'session/restart': (params) => sessions.restart(params),
    'session/close': (params) => sessions.close(params),
    'session/rename': (params) => sessions.rename(params),
    'session/answer': (params) => sessions.answer(params),
    'session/policy': (params) => sessions.policy(params),
    'session/configure': (params) => sessions.configure(params),
    'session/mark': (params) => sessions.mark(params),
    'session/seen': (params) => sessions.seen(params),
    'session/explain': (params) => sessions.explain(params),
    'session/stop-all': () => sessions.stopAll(),
    'session/resume-all': () => sessions.resumeAll(),
    'session/screen': (params) => sessions.screen(params),
    'session/records': (params) => sessions.records(params),
  } satisfies Partial<Handlers>;
}

function otherHandlers(options: RequestTableOptions) {
  return {
    'workspace/get': () => options.snapshot(),
    'session/signal': (params, caller) => ({ admitted: options.signal(params, caller) }),
    'layout/apply': (op) => {
      if (op.op === 'open') checkOpen(options.registry, op.sessionId);
      return options.workspace.apply(op);
    },
    'provider/list': ({ refresh }) => options.listProviders(refresh ?? false),
    'provider/install': ({ providerId }) => options.installProvider(providerId),
    'daemon/status': () => options.status(),
    'daemon/stop': (params) => options.stop(params),
  } satisfies Partial<Handlers>;
}

function checkOpen(registry: Registry, sessionId: SessionId): void {
  if (!registry.get(sessionId)) throw new AgentileError('SESSION_NOT_FOUND', 'That session is closed.');
}
