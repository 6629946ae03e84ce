// Counts the answers that the host still owes, by the two that end a set of them (DA1, DSR). Used by HostTerminal to know
// when nothing can land in the shell any more (B01).
import type { HostReply } from '../../model/key.js';

export class DueReplies {
  #da1 = 0;
  #dsr = 0;
  #answered = false;
  #waiters: (() => void)[] = [];

  get isDue(): boolean {
    return this.#da1 + this.#dsr > 0;
  }

  /** The host has answered something: it is one that answers. */
  get answersAtAll(): boolean {
    return this.#answered;
  }

  add(kind: 'da1' | 'dsr'): void {
    if (kind === 'da1') this.#da1++;
    else this.#dsr++;
  }

  take(reply: HostReply): void {
    this.#answered = true;
    if (reply.kind === 'da1') this.#da1 = Math.max(0, this.#da1 - 1);
    if (reply.kind === 'dsr') this.#dsr = Math.max(0, this.#dsr - 1);
    this.#settle();
  }

  /** Forgets what is due: the host was away, its answers went elsewhere. */
  clear(): void {
    this.#da1 = 0;
    this.#dsr = 0;
    this.#settle();
  }

  /** Resolves when nothing is due. */
  none(): Promise<void> {
    if (!this.isDue) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #settle(): void {
    if (!this.isDue) for (const waiter of this.#waiters.splice(0)) waiter();
  }
}
