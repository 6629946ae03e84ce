// The transcript as plain text for a pipe or a shell, event by event, so that `read` and `read --follow` print the same.
// Pure over its own state: it returns what to write next.
import type { AgentEventBody } from '../model/event.js';
import { visible } from './text.js';

export class TranscriptText {
  #messages = new Map<string, string>();
  #titles = new Map<string, string>();
  /** The message whose text stands at the end of what was written, without a line feed yet. */
  #openMessage: string | undefined;

  /** What to write for this event; often nothing. */
  push(event: AgentEventBody): string {
    switch (event.type) {
      case 'turn.started':
        return event.prompt === undefined ? '' : this.#block(quote(event.prompt));
      case 'user.text':
        return this.#block(quote(event.text));
      case 'text':
        return event.parentId === undefined ? this.#text(event.messageId, event.delta, event.final) : '';
      case 'tool.started':
        this.#titles.set(event.call.toolCallId, event.call.title);
        return '';
      case 'tool.updated':
        if (event.patch.title) this.#titles.set(event.toolCallId, event.patch.title);
        return '';
      case 'tool.finished':
        return this.#line(toolLine(this.#titles.get(event.toolCallId) ?? event.toolCallId, event));
      case 'permission.asked':
        return this.#line(`◆ ${event.request.title}`);
      case 'notice':
        return event.level === 'info' ? '' : this.#line(`! ${event.text}`);
      case 'failed':
        return this.#line(`✗ ${event.failure.message}`);
      case 'turn.done':
        return event.failure ? this.#line(`✗ ${event.failure.message}`) : this.#close();
      default:
        return '';
    }
  }

  #text(messageId: string, delta: string | undefined, final: string | undefined): string {
    const before = this.#messages.get(messageId) ?? '';
    const after = final ?? before + (delta ?? '');
    this.#messages.set(messageId, after);
    const isOpen = this.#openMessage === messageId;
    // A final text that is not a continuation replaces what was printed: it is printed as a whole below.
    const added = after.startsWith(before) && (isOpen || before === '') ? after.slice(before.length) : after;
    if (added === '' || (!isOpen && after === before)) return '';
    const lead = isOpen && after.startsWith(before) ? '' : this.#close();
    this.#openMessage = messageId;
    return lead + visible(added);
  }

  #block(text: string): string {
    return `${this.#close()}\n${visible(text)}\n`;
  }

  #line(text: string): string {
    return `${this.#close()}${visible(text)}\n`;
  }

  /** Ends the open text with a line feed. */
  #close(): string {
    if (this.#openMessage === undefined) return '';
    this.#openMessage = undefined;
    return '\n';
  }
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function toolLine(title: string, event: { status: string; exitCode?: number }): string {
  const glyph = event.status === 'completed' ? '✓' : event.status === 'failed' ? '✗' : '·';
  return `${glyph} ${title}${event.exitCode ? `  exit ${event.exitCode}` : ''}`;
}
