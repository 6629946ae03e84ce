// The open permission requests of one ACP session. Each is answered once: by the person or a policy, by a cancel, or by the end
// of the process. Used by the acp controller only.
import { permissionRequest, permissionResult, type RequestStamp } from '../acp/permissions.js';
import type { JsonRpcPeer, RpcId, RpcRequest } from '../io/jsonrpc.js';
import type { AgentEventBody } from '../model/event.js';
import type { PermissionId } from '../model/ids.js';
import type { AnswerSource, PermissionAnswer, PermissionRequest } from '../model/permission.js';

export class OpenRequests {
  #peer: JsonRpcPeer;
  #open = new Map<PermissionId, PermissionRequest>();

  constructor(peer: JsonRpcPeer) {
    this.#peer = peer;
  }

  get list(): PermissionRequest[] {
    return [...this.#open.values()];
  }

  add(rpc: RpcRequest, stamp: RequestStamp): AgentEventBody {
    const request = permissionRequest(rpc, stamp);
    this.#open.set(request.id, request);
    return { type: 'permission.asked', request };
  }

  /** Those of an earlier daemon that the log says are still open. */
  restore(requests: readonly PermissionRequest[], stillOpen: readonly PermissionId[]): void {
    for (const request of requests) if (stillOpen.includes(request.id)) this.#open.set(request.id, request);
  }

  /** Answers the agent. No event for an id that is not open. */
  answer(permissionId: PermissionId, answer: PermissionAnswer, source: AnswerSource): AgentEventBody[] {
    const request = this.#open.get(permissionId);
    if (!request) return [];
    this.#open.delete(permissionId);
    if (source !== 'exit') this.#peer.respond(rpcIdOf(request), permissionResult(request, answer));
    return [{ type: 'permission.answered', permissionId, answer, source }];
  }

  cancelAll(source: AnswerSource): AgentEventBody[] {
    return [...this.#open.keys()].flatMap((id) => this.answer(id, { outcome: 'cancelled' }, source));
  }
}

function rpcIdOf(request: PermissionRequest): RpcId {
  return (request.raw as { rpcId: RpcId }).rpcId;
}
