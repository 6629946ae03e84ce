// What an agent that calls agentile from inside its own session may not do: act on that session, or, when it is a child of
// another, start and resume sessions. People in a shell pane are not agents. Pure. Called before every request.
import { AgentileError } from '../base/errors.js';
import type { Method } from '../wire/messages.js';
import type { Caller } from './client-link.js';
import type { Registry } from './registry.js';
import type { SessionState } from './session-state.js';

const ACTS_ON_SESSION: ReadonlySet<Method> = new Set<Method>([
  'session/prompt',
  'session/queue-edit',
  'session/cancel',
  'session/stop',
  'session/resume',
  'session/restart',
  'session/close',
  'session/rename',
  'session/answer',
  'session/policy',
  'session/configure',
  'session/mark',
]);
const STARTS: ReadonlySet<Method> = new Set<Method>([
  'session/new',
  'session/resume',
  'session/restart',
  'session/resume-all',
]);
const ACTS_ON_ALL: ReadonlySet<Method> = new Set<Method>([
  'session/stop-all',
  'session/resume-all',
  'daemon/stop',
]);

/** The session of the agent that calls, or undefined for a person. */
export function callingAgent(registry: Registry, caller: Caller): SessionState | undefined {
  const state = caller.sessionId ? registry.get(caller.sessionId) : undefined;
  const isAgent = state?.provider && state.provider.vendors.length > 0 && !state.session.launch.command;
  return isAgent ? state : undefined;
}

/** Throws NOT_SUPPORTED. */
export function checkCaller(
  registry: Registry,
  caller: Caller,
  method: Method,
  target: SessionState | undefined,
): void {
  const agent = callingAgent(registry, caller);
  if (!agent) return;
  const { name, parent } = agent.session;
  if (target === agent && ACTS_ON_SESSION.has(method)) {
    throw refuse(`The agent of "${name}" cannot act on its own session.`);
  }
  if (ACTS_ON_ALL.has(method)) throw refuse(`The agent of "${name}" cannot act on all sessions.`);
  if (parent !== undefined && STARTS.has(method)) {
    throw refuse(`"${name}" was started by another session; it cannot start or resume sessions.`);
  }
}

function refuse(message: string): AgentileError {
  return new AgentileError('NOT_SUPPORTED', message, { hint: 'Ask the person at the terminal to do it.' });
}
