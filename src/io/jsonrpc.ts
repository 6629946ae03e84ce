// A JSON-RPC 2.0 peer over lines: both sides ask and answer. Used by src/acp. It knows no method and no transport: lines come
// in through `receive`, lines go out through `write`. It keeps every field it does not know and answers only what is a message.
import { Emitter, type Event } from '../base/emitter.js';
import type { Disposable } from '../base/disposable.js';

export type RpcId = string | number;

/** An error of the protocol or of the other side. `code` is the JSON-RPC code (some agents put an HTTP status there). */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Our own code for calls that die with their connection; outside the range the specification reserves. */
export const CONNECTION_CLOSED = -1;

export interface RpcRequest {
  id: RpcId;
  method: string;
  params: unknown;
}

export interface RpcNotification {
  method: string;
  params: unknown;
}

/** An answer to a call made with `post`, by us or by an earlier owner of this connection. */
export interface RpcResponse {
  id: RpcId;
  result?: unknown;
  error?: RpcError;
}

interface Pending {
  resolve: (result: unknown) => void;
  reject: (error: RpcError) => void;
}

export type Classified =
  | { kind: 'request'; message: RpcRequest }
  | { kind: 'notification'; message: RpcNotification }
  | { kind: 'response'; message: RpcResponse }
  | { kind: 'junk' };

/**
 * What a JSON value is. Only an object with jsonrpc "2.0" and the shape of a message is one: scalars, arrays and log objects
 * that happen to carry an `id` are junk.
 */
export function classifyMessage(value: unknown): Classified {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'junk' };
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return { kind: 'junk' };
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') {
    return hasId
      ? { kind: 'request', message: { id, method, params } }
      : { kind: 'notification', message: { method, params } };
  }
  if (!hasId) return { kind: 'junk' };
  if (isErrorObject(error)) {
    return { kind: 'response', message: { id, error: new RpcError(error.code, error.message, error.data) } };
  }
  return 'result' in value ? { kind: 'response', message: { id, result } } : { kind: 'junk' };
}

function isErrorObject(value: unknown): value is { code: number; message: string; data?: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { code, message } = value as Record<string, unknown>;
  return typeof code === 'number' && typeof message === 'string';
}

export interface JsonRpcPeerOptions {
  /** Sends one line; the peer adds no line feed. Never throws. */
  write: (line: string) => void;
  /** Ids of our calls count up from here; a daemon that takes over picks another range, so that ids cannot clash. */
  firstId?: number;
}

/**
 * One end of a connection. Nothing here throws or times out: a call ends with the answer, with `close`, or never. Events are
 * fired in the order of the lines.
 */
export class JsonRpcPeer implements Disposable {
  #write: (line: string) => void;
  #nextId: number;
  #pending = new Map<RpcId, Pending>();
  #closed: RpcError | undefined;
  #requests = new Emitter<RpcRequest>();
  #notifications = new Emitter<RpcNotification>();
  #posted = new Emitter<RpcResponse>();
  #junk = new Emitter<string>();
  /** The other side asks; answer with `respond` or `refuse`, once. */
  readonly onRequest: Event<RpcRequest> = this.#requests.event;
  readonly onNotification: Event<RpcNotification> = this.#notifications.event;
  /** Answers to calls made with `post`, by us or by an earlier owner of this connection. */
  readonly onPostedResponse: Event<RpcResponse> = this.#posted.event;
  /** Lines that are not messages. */
  readonly onJunk: Event<string> = this.#junk.event;

  constructor(options: JsonRpcPeerOptions) {
    this.#write = options.write;
    this.#nextId = options.firstId ?? 1;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Takes one line without its line feed. */
  receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#junk.fire(line);
      return;
    }
    if (!this.receiveValue(value)) this.#junk.fire(line);
  }

  /** Takes one parsed line. False: it is no message. */
  receiveValue(value: unknown): boolean {
    const classified = classifyMessage(value);
    if (classified.kind === 'request') this.#requests.fire(classified.message);
    else if (classified.kind === 'notification') this.#notifications.fire(classified.message);
    else if (classified.kind === 'response') this.#settle(classified.message);
    return classified.kind !== 'junk';
  }

  /** Asks. `id` overrides the counted one (a string that a later owner can recognise). Rejects with RpcError only. */
  request<Result = unknown>(method: string, params: unknown, id: RpcId = this.#nextId++): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#send({ id, method, params });
    });
  }

  /**
   * Asks, and hears the answer as `onPostedResponse`, in the order of the lines (a promise would settle after lines that came
   * with it). The id says what it answers, so that a later owner of the connection can take it too.
   */
  post(method: string, params: unknown, id: RpcId): void {
    if (!this.#closed) this.#send({ id, method, params });
  }

  notify(method: string, params: unknown): void {
    if (!this.#closed) this.#send({ method, params });
  }

  respond(id: RpcId, result: unknown): void {
    // A result that is undefined would vanish from the JSON and leave no answer.
    if (!this.#closed) this.#send({ id, result: result ?? null });
  }

  refuse(id: RpcId, error: RpcError): void {
    if (this.#closed) return;
    const { code, message, data } = error;
    this.#send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  /** Ends the connection: every open call rejects with this error, later ones at once. */
  close(reason: string): void {
    if (this.#closed) return;
    this.#closed = new RpcError(CONNECTION_CLOSED, reason);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const call of pending) call.reject(this.#closed);
  }

  dispose(): void {
    this.close('the connection was given up');
  }

  #settle(response: RpcResponse): void {
    const call = this.#pending.get(response.id);
    if (!call) return this.#posted.fire(response);
    this.#pending.delete(response.id);
    if (response.error) call.reject(response.error);
    else call.resolve(response.result);
  }

  #send(message: object): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
