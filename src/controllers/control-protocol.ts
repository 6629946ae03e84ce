// The control protocol of persistent CLIs that speak Claude's stream-json: what we write, and our calls that wait for an answer.
// Used by the persistent controller. Every line must be JSON: one that is not ends the process (facts: cli-stream §3).
import { recordOf, stringOf } from '../translators/fields.js';
import type { Frame } from '../translators/translator.js';

export type ControlRequest =
  | { subtype: 'initialize' }
  | { subtype: 'interrupt' }
  | { subtype: 'set_model'; model: string }
  | { subtype: 'set_permission_mode'; mode: string }
  | { subtype: 'set_effort'; effort: string };

export interface ControlReply {
  ok: boolean;
  /** Body of a success, or {}. */
  body: Frame;
  /** Words of an error. */
  error?: string;
}

/** A prompt as a frame. */
export function userLine(text: string): string {
  return line({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    session_id: '',
  });
}

export function responseLine(requestId: string, response: Frame): string {
  return line({
    type: 'control_response',
    response: { subtype: 'success', request_id: requestId, response },
  });
}

/** We do not know what is asked; the CLI goes on without us. */
export function refusalLine(requestId: string, error: string): string {
  return line({ type: 'control_response', response: { subtype: 'error', request_id: requestId, error } });
}

export function requestLine(requestId: string, request: ControlRequest): string {
  return line({ type: 'control_request', request_id: requestId, request });
}

/** Our calls that wait for an answer; they end with the process at the latest. */
export class PendingControls {
  #waiting = new Map<string, (reply: ControlReply) => void>();
  #serial = 0;
  #prefix: string;
  #write: (text: string) => void;

  /** `prefix` keeps the ids of two daemons apart that speak to the same process. */
  constructor(prefix: string, write: (text: string) => void) {
    this.#prefix = prefix;
    this.#write = write;
  }

  send(request: ControlRequest): Promise<ControlReply> {
    const id = this.nextId();
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write(requestLine(id, request));
    });
  }

  nextId(): string {
    this.#serial += 1;
    return `${this.#prefix}${this.#serial}`;
  }

  /** Takes a control_response frame; one for somebody else is ignored. */
  settle(frame: Frame): void {
    const response = recordOf(frame['response']) ?? {};
    const id = stringOf(response['request_id']) ?? '';
    const resolve = this.#waiting.get(id);
    if (!resolve) return;
    this.#waiting.delete(id);
    const error = response['subtype'] === 'error' ? (stringOf(response['error']) ?? 'refused') : undefined;
    resolve({
      ok: error === undefined,
      body: recordOf(response['response']) ?? {},
      ...(error === undefined ? {} : { error }),
    });
  }

  closeAll(error: string): void {
    for (const resolve of this.#waiting.values()) resolve({ ok: false, body: {}, error });
    this.#waiting.clear();
  }
}

function line(value: Frame): string {
  return `${JSON.stringify(value)}\n`;
}
