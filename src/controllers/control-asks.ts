// Open permission requests and questions of one process: added when the CLI asks, closed by an answer, by the CLI, by an
// interrupt or by the end. Used by the persistent controller. Time never closes one.
import type { AgentEventBody } from '../model/event.js';
import type { PermissionId } from '../model/ids.js';
import type { AnswerSource, PermissionAnswer, PermissionRequest } from '../model/permission.js';
import { recordOf, stringOf } from '../translators/fields.js';
import { answerBody } from './control-permissions.js';
import { responseLine } from './control-protocol.js';

export class OpenAsks {
  #open = new Map<PermissionId, PermissionRequest>();
  #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  get list(): PermissionRequest[] {
    return [...this.#open.values()];
  }

  restore(requests: readonly PermissionRequest[]): void {
    for (const request of requests) this.#open.set(request.id, request);
  }

  add(request: PermissionRequest): AgentEventBody {
    this.#open.set(request.id, request);
    return { type: 'permission.asked', request };
  }

  /** Answers a request to the CLI. One that is not open gives no event. */
  answer(id: PermissionId, answer: PermissionAnswer, source: AnswerSource): AgentEventBody[] {
    const request = this.#open.get(id);
    if (!request) return [];
    this.#write(responseLine(requestIdOf(request), answerBody(request, answer)));
    return this.#close(id, answer, source);
  }

  /** The CLI took a request back: there is nobody to answer any more. */
  withdraw(requestId: string): AgentEventBody[] {
    const request = this.list.find((candidate) => requestIdOf(candidate) === requestId);
    return request ? this.#close(request.id, { outcome: 'cancelled' }, 'cancel') : [];
  }

  /** The CLI closes its requests itself (interrupt), or is gone (exit): nothing is written. */
  closeAll(source: 'cancel' | 'exit'): AgentEventBody[] {
    return this.list.flatMap(({ id }) => this.#close(id, { outcome: 'cancelled' }, source));
  }

  #close(permissionId: PermissionId, answer: PermissionAnswer, source: AnswerSource): AgentEventBody[] {
    this.#open.delete(permissionId);
    return [{ type: 'permission.answered', permissionId, answer, source }];
  }
}

function requestIdOf(request: PermissionRequest): string {
  return stringOf(recordOf(request.raw)?.['request_id']) ?? '';
}
