// Lines of an ACP agent's stdout on their way to the peer; those that are no messages are counted. Used by the acp controller only.
import type { JsonRpcPeer } from '../io/jsonrpc.js';
import type { NdjsonItem } from '../io/ndjson.js';
import type { AgentEventBody } from '../model/event.js';

/** So many lines in a row that are no messages: this is hardly an ACP agent (facts: D01). */
const JUNK_LINES_LIMIT = 50;

export class LineIntake {
  #peer: JsonRpcPeer;
  #say: (event: AgentEventBody) => void;
  #junkInRow = 0;

  constructor(peer: JsonRpcPeer, say: (event: AgentEventBody) => void) {
    this.#peer = peer;
    this.#say = say;
  }

  take(item: NdjsonItem): void {
    if (item.type === 'oversize' && item.ended) {
      const text = `A line of ${item.bytes} bytes was left out.`;
      this.#say({ type: 'notice', kind: 'parse', level: 'warning', text });
    }
    const isMessage = item.type === 'frame' && this.#peer.receiveValue(item.value);
    this.#junkInRow = isMessage ? 0 : this.#junkInRow + 1;
    if (this.#junkInRow !== JUNK_LINES_LIMIT) return;
    const text = `${JUNK_LINES_LIMIT} lines in a row were no ACP messages; explain shows the last of them.`;
    this.#say({ type: 'notice', kind: 'parse', level: 'error', text });
  }
}
