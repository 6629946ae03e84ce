// The agent side of ACP v1 for the demo agent: sessions, prompts, cancel. What a turn does is in agent-script.ts.
import { VERSION } from '../base/version.js';
import { messageOf } from '../base/errors.js';
import {
  INTERNAL_ERROR,
  METHOD_NOT_FOUND,
  RpcError,
  type JsonRpcPeer,
  type RpcRequest,
} from '../io/jsonrpc.js';
import type { StartFault } from './agent-faults.js';
import { runScript } from './agent-script.js';
import { listSessions, loadSession, newSession, saveSession, type StoredSession } from './agent-store.js';
import { DemoTurn } from './agent-turn.js';

const RESOURCE_NOT_FOUND = -32002;
const AUTH_REQUIRED = -32000;
const MODES = [
  { id: 'ask', name: 'Ask', description: 'Asks before it runs or writes anything' },
  { id: 'auto', name: 'Auto', description: 'Runs and writes without asking' },
];
const COMMANDS = [
  { name: 'tour', description: 'everything the demo can do, in one turn' },
  { name: 'help', description: 'what the demo understands' },
];

type Params = Record<string, unknown>;

export class DemoAgent {
  #peer: JsonRpcPeer;
  #faults: ReadonlySet<StartFault>;
  #sessions = new Map<string, StoredSession>();
  #turns = new Map<string, DemoTurn>();

  constructor(peer: JsonRpcPeer, faults: ReadonlySet<StartFault>) {
    this.#peer = peer;
    this.#faults = faults;
    peer.onRequest((request) => void this.#answer(request));
    peer.onNotification(({ method, params }) => {
      if (method === 'session/cancel') this.#turns.get(String((params as Params)['sessionId']))?.cancel();
    });
  }

  /** Ends open turns and writes what is remembered. */
  async close(): Promise<void> {
    for (const turn of this.#turns.values()) turn.cancel();
    for (const session of this.#sessions.values()) saveSession(session);
  }

  async #answer({ id, method, params }: RpcRequest): Promise<void> {
    try {
      const result = await this.#handle(method, (params ?? {}) as Params);
      if (result !== undefined) this.#peer.respond(id, result);
    } catch (error) {
      this.#peer.refuse(
        id,
        error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, messageOf(error)),
      );
    }
  }

  async #handle(method: string, params: Params): Promise<unknown> {
    switch (method) {
      case 'initialize':
        return this.#initialize();
      case 'session/new':
        return this.#new(params);
      case 'session/load':
        return this.#load(params, true);
      case 'session/resume':
        return this.#load(params, this.#faults.has('replay-on-resume'));
      case 'session/list':
        return {
          sessions: listSessions().map(({ sessionId, cwd, title, updatedAt }) => ({
            sessionId,
            cwd,
            title,
            updatedAt,
          })),
        };
      case 'session/close':
        return {};
      case 'session/set_mode':
        return this.#setMode(params, String(params['modeId']));
      case 'session/set_config_option':
        this.#setMode(params, String(params['value']));
        return { configOptions: configOptions(this.#session(params)) };
      case 'session/prompt':
        return this.#prompt(params);
      case 'authenticate':
        return {};
      default:
        throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    }
  }

  async #initialize(): Promise<unknown> {
    if (this.#faults.has('no-initialize')) return undefined;
    if (this.#faults.has('slow-initialize')) await new Promise((resolve) => setTimeout(resolve, 3000));
    return {
      protocolVersion: 1,
      agentInfo: { name: 'agentile-demo', title: 'agentile demo agent', version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: this.#faults.has('needs-login')
        ? [
            {
              id: 'demo-login',
              name: 'Demo login',
              description: 'Open https://example.invalid/login and enter the code DEMO-1234',
            },
          ]
        : [],
    };
  }

  #new(params: Params): unknown {
    if (this.#faults.has('needs-login')) throw new RpcError(AUTH_REQUIRED, 'Authentication required');
    const session = newSession(typeof params['cwd'] === 'string' ? params['cwd'] : process.cwd());
    this.#sessions.set(session.sessionId, session);
    saveSession(session);
    this.#announce(session);
    return { sessionId: session.sessionId, modes: modes(session), configOptions: configOptions(session) };
  }

  #load(params: Params, replay: boolean): unknown {
    const id = String(params['sessionId']);
    const session = this.#faults.has('refuse-load') ? undefined : (this.#sessions.get(id) ?? loadSession(id));
    if (!session) throw new RpcError(RESOURCE_NOT_FOUND, `Resource not found: ${id}`, { uri: id });
    this.#sessions.set(id, session);
    if (replay)
      for (const update of session.updates) this.#peer.notify('session/update', { sessionId: id, update });
    this.#announce(session);
    return { modes: modes(session), configOptions: configOptions(session) };
  }

  #setMode(params: Params, mode: string): object {
    const session = this.#session(params);
    if (mode !== 'ask' && mode !== 'auto') throw new RpcError(-32602, `no such mode: ${mode}`);
    session.mode = mode;
    saveSession(session);
    this.#peer.notify('session/update', {
      sessionId: session.sessionId,
      update: { sessionUpdate: 'current_mode_update', currentModeId: mode },
    });
    return {};
  }

  async #prompt(params: Params): Promise<unknown> {
    const session = this.#session(params);
    const running = this.#turns.get(session.sessionId);
    // One that was cancelled only winds up: the next prompt may come right behind the cancel.
    if (running && !running.abortSignal.aborted)
      throw new RpcError(INTERNAL_ERROR, 'a turn is running in this session');
    const turn = new DemoTurn(this.#peer, session);
    this.#turns.set(session.sessionId, turn);
    try {
      return await runScript(turn, promptText(params['prompt']));
    } finally {
      if (this.#turns.get(session.sessionId) === turn) this.#turns.delete(session.sessionId);
      saveSession(session);
    }
  }

  #session(params: Params): StoredSession {
    const session = this.#sessions.get(String(params['sessionId']));
    if (!session) throw new RpcError(RESOURCE_NOT_FOUND, `unknown session: ${String(params['sessionId'])}`);
    return session;
  }

  #announce(session: StoredSession): void {
    setImmediate(() =>
      this.#peer.notify('session/update', {
        sessionId: session.sessionId,
        update: { sessionUpdate: 'available_commands_update', availableCommands: COMMANDS },
      }),
    );
  }
}

function modes(session: StoredSession) {
  return { currentModeId: session.mode, availableModes: MODES };
}

function configOptions(session: StoredSession) {
  const options = MODES.map(({ id, name, description }) => ({ value: id, name, description }));
  return [
    { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: session.mode, options },
  ];
}

function promptText(prompt: unknown): string {
  if (!Array.isArray(prompt)) return '';
  return prompt
    .map((block: { text?: string }) => block.text ?? '')
    .join('\n')
    .trim();
}
