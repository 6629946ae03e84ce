// Accepts clients and keeps their links. Made by the daemon, which gives the services; knows nothing of sessions.
import type { Socket } from 'node:net';
import type { Disposable } from '../base/disposable.js';
import { FrameLink } from '../io/frame-link.js';
import type { SessionId } from '../model/ids.js';
import type { FromDaemon, ToDaemon } from '../wire/messages.js';
import { ClientLink, type ClientServices } from './client-link.js';

/** A client that said nothing for so long after it connected is none. */
const HELLO_WITHIN_MS = 10_000;

export class Server implements Disposable {
  #services: ClientServices;
  #links = new Set<ClientLink>();

  constructor(services: ClientServices) {
    this.#services = services;
  }

  /** Clients that said hello. */
  get count(): number {
    return [...this.#links].filter((link) => link.isGreeted).length;
  }

  accept(socket: Socket): void {
    const frames = new FrameLink<FromDaemon, ToDaemon>(socket);
    const link = new ClientLink(frames, this.#services);
    this.#links.add(link);
    const timer = this.#services.clock.after(HELLO_WITHIN_MS, () => {
      if (!link.isGreeted) link.dispose();
    });
    frames.onClose((error) => {
      timer.dispose();
      this.#links.delete(link);
      link.dispose();
      if (error) this.#services.diagnostics.info('a client went', { error });
    });
  }

  /** To everybody who looks at the screen. */
  tell(message: Extract<FromDaemon, { t: 'message' | 'bell' | 'clipboard' | 'notification' }>): void {
    for (const link of this.#links) link.tell(message);
  }

  sourceChanged(sessionId: SessionId): void {
    for (const link of this.#links) link.sourceChanged(sessionId);
  }

  bye(reason: 'restart' | 'stop'): void {
    for (const link of this.#links) link.bye(reason);
  }

  dispose(): void {
    for (const link of [...this.#links]) link.dispose();
    this.#links.clear();
  }
}
