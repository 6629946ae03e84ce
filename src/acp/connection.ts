// Our side of one ACP connection: the calls we make, in v1 or v2 as the agent answered, and what comes from the agent.
// Knows no process and no session of ours. Made by the acp controller. Calls reject with RpcError only.
import { Emitter, type Event } from '../base/emitter.js';
import { RpcError, type JsonRpcPeer, type RpcId, type RpcRequest, type RpcResponse } from '../io/jsonrpc.js';
import type { McpServer } from './mcp.js';
import { agentInfo, object, string, type AgentInfo } from './shapes.js';

type Json = Record<string, unknown>;

export interface SessionUpdate {
  sessionId: string;
  update: Json;
  /** It came while a session was being loaded: history that is given again. */
  replay: boolean;
}

export interface SessionOpened {
  sessionId: string;
  result: Json;
}

export interface ConnectionOptions {
  clientVersion: string;
  /** Offer fs/read_text_file and fs/write_text_file (v1). */
  offerFiles: boolean;
  offerTerminals: boolean;
}

/** Updates of sessions that we do not know yet are held, at most this many, oldest dropped. */
const EARLY_UPDATES_CAP = 1000;
/** Codes with which agents say "no such session" (facts: cli-acp, "Unknown id on load"). */
const UNKNOWN_SESSION_CODES = new Set([-32002, -32602, -32603]);
const METHOD_NOT_FOUND = -32601;

/** Ids of prompts are strings that name the turn, so that a daemon that takes over knows the answer when it comes. */
export function promptRpcId(turnId: string): RpcId {
  return `prompt-${turnId}`;
}

export function turnIdOfRpcId(id: RpcId): string | undefined {
  return typeof id === 'string' && id.startsWith('prompt-') ? id.slice('prompt-'.length) : undefined;
}

export class AcpConnection {
  #peer: JsonRpcPeer;
  #options: ConnectionOptions;
  #info: AgentInfo | undefined;
  #known = new Set<string>();
  #loading = new Set<string>();
  #early = new Map<string, Json[]>();
  #earlyCount = 0;
  #updates = new Emitter<SessionUpdate>();
  #permissions = new Emitter<RpcRequest>();
  #requests = new Emitter<RpcRequest>();
  #others = new Emitter<{ method: string; params: unknown }>();
  readonly onUpdate: Event<SessionUpdate> = this.#updates.event;
  readonly onPermission: Event<RpcRequest> = this.#permissions.event;
  /** fs/*, terminal/* and what a vendor added; answer with the peer. */
  readonly onClientRequest: Event<RpcRequest> = this.#requests.event;
  readonly onNotification: Event<{ method: string; params: unknown }> = this.#others.event;
  readonly onPostedResponse: Event<RpcResponse>;

  constructor(peer: JsonRpcPeer, options: ConnectionOptions) {
    this.#peer = peer;
    this.#options = options;
    this.onPostedResponse = peer.onPostedResponse;
    peer.onNotification(({ method, params }) => {
      if (method === 'session/update') this.#receiveUpdate(object(params));
      else this.#others.fire({ method, params });
    });
    peer.onRequest((request) => {
      if (request.method === 'session/request_permission') this.#permissions.fire(request);
      else this.#requests.fire(request);
    });
  }

  get info(): AgentInfo | undefined {
    return this.#info;
  }

  /** One message with the v1 and the v2 shape; the answer's version decides. Has no time limit. */
  async initialize(): Promise<AgentInfo> {
    const client = { name: 'agentile', title: 'agentile', version: this.#options.clientVersion };
    const fs = { readTextFile: this.#options.offerFiles, writeTextFile: this.#options.offerFiles };
    const result = await this.#peer.request('initialize', {
      protocolVersion: 2,
      info: client,
      capabilities: {},
      clientInfo: client,
      clientCapabilities: { fs, terminal: this.#options.offerTerminals },
    });
    this.#info = agentInfo(result);
    return this.#info;
  }

  /** A daemon that takes over knows these from the log. */
  adopt(info: AgentInfo, sessionId: string): void {
    this.#info = info;
    this.#known.add(sessionId);
  }

  async newSession(cwd: string, mcpServers: readonly McpServer[]): Promise<SessionOpened> {
    const result = object(await this.#peer.request('session/new', { cwd, mcpServers }));
    const sessionId = string(result['sessionId']);
    if (sessionId === undefined) throw new RpcError(0, 'session/new was answered without a session id');
    this.#release(sessionId);
    return { sessionId, result };
  }

  /** Resume where the agent can, else load; updates that come meanwhile are marked as replay. */
  async reopenSession(
    sessionId: string,
    cwd: string,
    mcpServers: readonly McpServer[],
  ): Promise<SessionOpened> {
    const params = { sessionId, cwd, mcpServers };
    const methods = this.#reopenMethods();
    if (methods.length === 0) throw new RpcError(METHOD_NOT_FOUND, 'this agent cannot reopen a session');
    this.#loading.add(sessionId);
    this.#known.add(sessionId);
    try {
      let last: unknown;
      for (const method of methods) {
        try {
          return { sessionId, result: object(await this.#peer.request(method, params)) };
        } catch (error) {
          last = error;
        }
      }
      throw last;
    } finally {
      this.#loading.delete(sessionId);
    }
  }

  /** The answer comes as onPostedResponse with the id `promptRpcId(turnId)`; in v2 the turn goes on after it. */
  prompt(sessionId: string, turnId: string, text: string): void {
    this.#peer.post('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }, promptRpcId(turnId));
  }

  cancel(sessionId: string): void {
    this.#peer.notify('session/cancel', { sessionId });
  }

  /** v2 and config options take session/set_config_option; older agents session/set_mode and session/set_model. */
  async setOption(
    sessionId: string,
    option: { id: string; value: string; legacy: 'mode' | 'model' | undefined },
  ): Promise<Json> {
    const { id, value, legacy } = option;
    if (legacy === 'mode')
      return object(await this.#peer.request('session/set_mode', { sessionId, modeId: value }));
    if (legacy === 'model')
      return object(await this.#peer.request('session/set_model', { sessionId, modelId: value }));
    const typed = (this.#info?.protocolVersion ?? 1) >= 2 ? { type: 'id' } : {};
    return object(
      await this.#peer.request('session/set_config_option', { sessionId, configId: id, value, ...typed }),
    );
  }

  async listSessions(cwd: string): Promise<Json[]> {
    const result = object(await this.#peer.request('session/list', { cwd }));
    return Array.isArray(result['sessions']) ? result['sessions'].map(object) : [];
  }

  /** True when this error of `reopenSession` means that the agent no longer has the session. */
  static isUnknownSession(error: unknown): boolean {
    return error instanceof RpcError && UNKNOWN_SESSION_CODES.has(error.code);
  }

  #reopenMethods(): string[] {
    const info = this.#info;
    if (!info) return [];
    if (info.protocolVersion >= 2) return ['session/resume'];
    return [...(info.resumeSession ? ['session/resume'] : []), ...(info.loadSession ? ['session/load'] : [])];
  }

  #receiveUpdate(params: Json): void {
    const sessionId = string(params['sessionId']) ?? '';
    const update = object(params['update']);
    if (this.#known.has(sessionId)) {
      this.#updates.fire({ sessionId, update, replay: this.#loading.has(sessionId) });
      return;
    }
    if (this.#earlyCount >= EARLY_UPDATES_CAP) return;
    this.#earlyCount++;
    this.#early.set(sessionId, [...(this.#early.get(sessionId) ?? []), update]);
  }

  /** The session is known from now on: what came early is fired after the caller has seen the id. */
  #release(sessionId: string): void {
    const early = this.#early.get(sessionId) ?? [];
    this.#early.clear();
    this.#earlyCount = 0;
    queueMicrotask(() => {
      this.#known.add(sessionId);
      for (const update of early) this.#updates.fire({ sessionId, update, replay: false });
    });
  }
}
