// What one agent asked of its client and has no answer for yet: files and terminals. A new daemon answers what the one before
// left open; the terminals of that one are gone, and the agent is told so. Used by the acp controller only.
import { answerClientRequest, type ClientSide } from '../acp/client-requests.js';
import { ConfinedFiles } from '../acp/confined-files.js';
import { AcpTerminals } from '../acp/terminals.js';
import { spawnChild } from '../io/child.js';
import type { JsonRpcPeer, RpcId, RpcRequest } from '../io/jsonrpc.js';
import type { StartContext } from './controller.js';

export class ClientRequests {
  #peer: JsonRpcPeer;
  #answered: () => void;
  #open = new Map<RpcId, RpcRequest>();
  #terminals = new AcpTerminals(spawnChild);
  #side: ClientSide | undefined;

  /** `answered` is called after each answer was sent. */
  constructor(peer: JsonRpcPeer, answered: () => void) {
    this.#peer = peer;
    this.#answered = answered;
  }

  get list(): RpcRequest[] {
    return [...this.#open.values()];
  }

  /** Before the first request. */
  open({ session, provider }: StartContext, env: Record<string, string>): void {
    const { cwd } = session;
    const files = new ConfinedFiles([cwd]);
    this.#side = { cwd, files, terminals: this.#terminals, env, quirks: provider.quirks };
  }

  async take(request: RpcRequest): Promise<void> {
    if (!this.#side) return;
    this.#open.set(request.id, request);
    await answerClientRequest(this.#peer, this.#side, request);
    this.#open.delete(request.id);
    this.#answered();
  }

  dispose(): void {
    this.#open.clear();
    this.#terminals.dispose();
  }
}
