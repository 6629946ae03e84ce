// What a one-shot call says while it runs: text of the assistant as it grows, each piece once, free of terminal codes. Used by
// call.ts, for structured CLIs (events) and for those that print plain text (bytes).
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { AgentEventBody } from '../model/event.js';

/** Pieces of text in the order of a reader: messages are parted by a blank line. */
export class AnswerText {
  #messages = new Map<string, string>();
  #last: string | undefined;

  /** The answer so far: all messages at the top level that are not void. */
  get text(): string {
    return [...this.#messages.values()].filter((text) => text.trim() !== '').join('\n\n');
  }

  /** What is to be printed for an event; '' when it adds nothing. */
  take(event: AgentEventBody): string {
    if (event.type === 'text.dropped') {
      this.#messages.delete(event.messageId);
      return '';
    }
    if (event.type !== 'text' || event.parentId !== undefined) return '';
    const before = this.#messages.get(event.messageId) ?? '';
    const after = stripVTControlCharacters(event.final ?? before + (event.delta ?? ''));
    this.#messages.set(event.messageId, after);
    // A final that differs from what was streamed cannot be taken back from a pipe: `text` has it right.
    const piece = after.startsWith(before) ? after.slice(before.length) : '';
    if (piece === '') return '';
    const gap = this.#last !== undefined && this.#last !== event.messageId ? '\n\n' : '';
    this.#last = event.messageId;
    return gap + piece;
  }
}

/** Plain stdout: whole lines without terminal codes, for a sequence may be cut anywhere but not over a line end. */
export class PlainText {
  #decoder = new StringDecoder('utf8');
  #partial = '';
  #text = '';

  get text(): string {
    return (this.#text + stripVTControlCharacters(this.#partial)).trim();
  }

  take(bytes: Uint8Array): string {
    const all = this.#partial + this.#decoder.write(Buffer.from(bytes));
    const end = all.lastIndexOf('\n') + 1;
    this.#partial = all.slice(end);
    return this.#add(all.slice(0, end));
  }

  end(): string {
    const rest = this.#partial + this.#decoder.end();
    this.#partial = '';
    return this.#add(rest);
  }

  #add(raw: string): string {
    const text = stripVTControlCharacters(raw).replaceAll('\r', '');
    this.#text += text;
    return text;
  }
}
