// Messages and their blocks in Claude's stream: which text a delta belongs to, which finished block a whole one replaces,
// and what a cut stream makes void. Used by the Claude and Qwen translators; pure over its state.
import type { AgentEventBody } from '../model/event.js';
import { defined } from './fields.js';

export type BlockKind = 'text' | 'thought' | 'tool';

interface Block {
  kind: BlockKind;
  /** Our message id of the block. */
  id: string;
  /** The wire's index; Qwen begins again at 0 for each kind. */
  index: number;
  open: boolean;
  /** The whole block was seen. */
  final: boolean;
}

interface Message {
  /** The wire's id. */
  id: string;
  attempt: number;
  /** Blocks begun so far, also void ones. */
  begun: number;
  blocks: Block[];
}

export type BookState = Record<string, Message>;

/** The current message of the main agent ('') and of each sub-agent (its parent tool call). */
export class BlockBook {
  #messages: BookState = {};
  #prefix: string;
  #turn = 0;
  /** True where every block of a message has an id of its own (Qwen). */
  #looseIds: boolean;

  constructor(prefix: string, looseIds: boolean) {
    this.#prefix = prefix;
    this.#looseIds = looseIds;
  }

  /** Ids of messages are only surely unique within one turn. */
  beginTurn(turn: number): void {
    this.#turn = turn;
  }

  /** A message began. The same id again means that a cut stream starts over: what was unfinished is void. */
  startMessage(parent: string, id: string): AgentEventBody[] {
    const last = this.#messages[parent];
    const again = last?.id === id;
    const events = again ? this.#drop(last, (block) => !block.final) : [];
    this.#messages[parent] = { id, attempt: again ? last.attempt + 1 : 0, begun: 0, blocks: [] };
    return events;
  }

  startBlock(parent: string, index: number, kind: BlockKind): Block {
    const message = this.#messageOf(parent, 'message');
    return this.#add(message, index, kind, false);
  }

  /** The block a delta of this kind belongs to; made when its beginning was not seen. */
  blockOfDelta(parent: string, index: number, kind: BlockKind): Block {
    const message = this.#messageOf(parent, 'message');
    const found = message.blocks.findLast(
      (block) => block.index === index && block.open && block.kind === kind,
    );
    return found ?? this.#add(message, index, kind, false);
  }

  stopBlock(parent: string, index: number): void {
    const block = this.#messages[parent]?.blocks.findLast((b) => b.index === index && b.open);
    if (block) block.open = false;
  }

  /** The block that a whole one replaces: the first of its kind that is not whole yet, or a new one. */
  finishBlock(parent: string, messageId: string, kind: BlockKind): Block {
    const current = this.#messages[parent];
    const fits = current && (current.id === messageId || this.#looseIds);
    const found = fits ? current.blocks.find((block) => block.kind === kind && !block.final) : undefined;
    if (found) {
      found.final = true;
      return found;
    }
    if (current?.id !== messageId) this.startMessage(parent, messageId);
    const message = this.#messageOf(parent, messageId);
    const block = this.#add(message, message.begun, kind, true);
    block.open = false;
    return block;
  }

  /** The stream of a message was cut: blocks from `index` on that are not whole are void. */
  abandonFrom(parent: string, index: number): AgentEventBody[] {
    const message = this.#messages[parent];
    return message ? this.#drop(message, (block) => !block.final && block.index >= index) : [];
  }

  /** The CLI throws away the last answer and asks again: all text of it is void. */
  discardMessage(parent: string): AgentEventBody[] {
    const message = this.#messages[parent];
    return message ? this.#drop(message, () => true) : [];
  }

  idOf(wireId: string): string {
    return `${this.#prefix}${this.#turn}:${wireId}`;
  }

  save(): BookState {
    return structuredClone(this.#messages);
  }

  load(state: BookState): void {
    this.#messages = structuredClone(state);
  }

  #messageOf(parent: string, id: string): Message {
    return (this.#messages[parent] ??= { id, attempt: 0, begun: 0, blocks: [] });
  }

  #add(message: Message, index: number, kind: BlockKind, final: boolean): Block {
    const again = message.attempt > 0 ? `~${message.attempt}` : '';
    const block = {
      kind,
      id: this.idOf(`${message.id}.${message.begun}${again}`),
      index,
      open: true,
      final,
    };
    message.begun += 1;
    message.blocks.push(block);
    return block;
  }

  #drop(message: Message, isVoid: (block: Block) => boolean): AgentEventBody[] {
    const dropped = message.blocks.filter((block) => block.kind !== 'tool' && isVoid(block));
    message.blocks = message.blocks.filter((block) => !dropped.includes(block));
    return dropped.map((block) => ({ type: 'text.dropped', messageId: block.id }));
  }
}

/** A piece of text or thought, or the whole of it. */
export function textEvent(
  kind: 'text' | 'thought',
  messageId: string,
  part: { delta: string } | { final: string },
  parent: string,
): AgentEventBody {
  return defined({ type: kind, messageId, ...part, parentId: parent === '' ? undefined : parent });
}
