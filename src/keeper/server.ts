// The keeper's side of its socket: hello, one daemon at a time, commands in, output out. Used by main.ts. Decides nothing
// about children; that is children.ts.
import type { Socket } from 'node:net';
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { VERSION } from '../base/version.js';
import { FrameLink, type LinkFrame } from '../io/frame-link.js';
import type { Children } from './children.js';
import type { ChildReceiver } from './held-child.js';
import { KEEPER_PROTOCOL, type FromKeeper, type ToKeeper } from './protocol.js';

type Link = FrameLink<FromKeeper, ToKeeper>;
type Message<T extends ToKeeper['t']> = Extract<ToKeeper, { t: T }>;

/** Whoever connects says hello at once; one that does not is no daemon of ours. */
const HELLO_TIMEOUT_MS = 5000;

export interface KeeperServerOptions {
  children: Children;
  log: Log;
  startedAt: number;
  /** A daemon came or went. */
  onChange: () => void;
  /** Asked to end; `force`: with the children. */
  onShutdown: (force: boolean) => void;
}

export class KeeperServer {
  #options: KeeperServerOptions;
  #daemon: Link | undefined;
  #isClosing = false;
  #receiver: ChildReceiver = {
    output: ({ spec }, stream, offset, bytes) =>
      this.#daemon?.send({ t: 'output', childId: spec.childId, stream, offset }, bytes),
    closed: ({ spec }, stream, offset) =>
      this.#daemon?.send({ t: 'closed', childId: spec.childId, stream, offset }),
    exit: ({ spec }, exit) => this.#daemon?.send({ t: 'exit', childId: spec.childId, ...exit }),
    inputBlocked: ({ spec }, queued) =>
      this.#daemon?.send({ t: 'input-blocked', childId: spec.childId, queued }),
  };

  constructor(options: KeeperServerOptions) {
    this.#options = options;
  }

  get hasDaemon(): boolean {
    return this.#daemon !== undefined;
  }

  /** From now on nothing is started any more. */
  close(): void {
    this.#isClosing = true;
  }

  accept(socket: Socket): void {
    const link: Link = new FrameLink(socket);
    const timer = setTimeout(() => link.dispose(), HELLO_TIMEOUT_MS);
    let isGreeted = false;
    link.onFrame((frame) => {
      if (isGreeted) {
        this.#handle(link, frame);
      } else {
        clearTimeout(timer);
        isGreeted = this.#greet(link, frame.header);
      }
    });
    link.onClose(() => {
      clearTimeout(timer);
      this.#handleClose(link);
    });
  }

  #greet(link: Link, hello: ToKeeper): boolean {
    if (hello.t !== 'hello') {
      this.#refuse(link, 'The first message was not a hello.');
      return false;
    }
    if (hello.protocol !== KEEPER_PROTOCOL) {
      this.#refuse(link, this.#mismatch(hello));
      return false;
    }
    const { startedAt } = this.#options;
    link.send({ t: 'hello', protocol: KEEPER_PROTOCOL, version: VERSION, pid: process.pid, startedAt });
    if (hello.role === 'daemon') this.#takeDaemon(link);
    return true;
  }

  #mismatch(hello: Message<'hello'>): string {
    return (
      `The keeper that runs (agentile ${VERSION}, process ${process.pid}) speaks protocol ${KEEPER_PROTOCOL}, this ` +
      `agentile (${hello.version}) speaks ${hello.protocol}. End its agents with the version that started them.`
    );
  }

  #refuse(link: Link, reason: string): void {
    this.#options.log.warn('refused a connection', { reason });
    link.send({ t: 'refused', reason });
    link.close();
  }

  #takeDaemon(link: Link): void {
    const old = this.#daemon;
    this.#options.children.detachAll();
    this.#daemon = link;
    if (old) this.#refuse(old, 'Another daemon took over.');
    this.#options.log.info('a daemon came');
    this.#options.onChange();
  }

  #handleClose(link: Link): void {
    if (link !== this.#daemon) return;
    this.#daemon = undefined;
    this.#options.children.detachAll();
    this.#options.log.info('the daemon went');
    this.#options.onChange();
  }

  #handle(link: Link, { header, body }: LinkFrame<ToKeeper>): void {
    try {
      if ('id' in header) this.#handleRequest(link, header);
      else if (link === this.#daemon) this.#handleCommand(header, body);
    } catch (error) {
      if ('id' in header) sendError(link, header.id, error);
      else this.#options.log.error('a command failed', { command: header.t, reason: messageOf(error) });
    }
  }

  #handleRequest(link: Link, header: Extract<ToKeeper, { id: number }>): void {
    const { children } = this.#options;
    switch (header.t) {
      case 'list':
        link.send({ t: 'ok', id: header.id, children: children.list() });
        return;
      case 'shutdown':
        link.send({ t: 'ok', id: header.id });
        this.#options.onShutdown(header.force);
        return;
      case 'spawn':
        void this.#spawn(link, header);
        return;
      case 'attach':
        this.#attach(link, header);
        return;
      default:
        throw new AgentileError('PROTOCOL', `The keeper knows no "${(header as { t: string }).t}".`);
    }
  }

  async #spawn(link: Link, { id, spec }: Message<'spawn'>): Promise<void> {
    try {
      if (link !== this.#daemon) throw new AgentileError('PROTOCOL', 'Only the daemon starts children.');
      if (this.#isClosing) throw new AgentileError('KEEPER_UNREACHABLE', 'The keeper is ending.');
      const child = await this.#options.children.spawn(spec);
      link.send({ t: 'ok', id, child: child.state() });
      if (link === this.#daemon) child.attach(this.#receiver, {});
    } catch (error) {
      sendError(link, id, error);
    }
  }

  #attach(link: Link, { id, childId, from, checkpoint }: Message<'attach'>): void {
    if (link !== this.#daemon) throw new AgentileError('PROTOCOL', 'Only the daemon takes children over.');
    const child = this.#options.children.get(childId);
    child.detach();
    if (checkpoint && child.checkpoint) {
      link.send({ t: 'checkpoint', childId, offset: child.checkpoint.offset }, child.checkpoint.state);
    }
    link.send({ t: 'ok', id, child: child.state() });
    child.attach(this.#receiver, from);
  }

  #handleCommand(header: Exclude<ToKeeper, { id: number }>, body: Uint8Array): void {
    const { children } = this.#options;
    switch (header.t) {
      case 'write':
        return children.write(header.childId, body);
      case 'eof':
        return children.eof(header.childId);
      case 'ack':
        return children.ack(header.childId, header.stream, header.offset);
      case 'resize':
        return children.resize(header.childId, header.cols, header.rows);
      case 'signal':
        return children.signal(header.childId, header.signal);
      case 'stop':
        return children.stop(header.childId, header.ladder);
      case 'checkpoint':
        return children.checkpoint(header.childId, header.offset, body);
      case 'release':
        return children.release(header.childId);
      case 'detach':
        return children.detach(header.childId);
      default:
        // A newer daemon may say more than we know; it must not rely on it.
        this.#options.log.warn('unknown command', { command: (header as { t: string }).t });
    }
  }
}

function sendError(link: Link, id: number, error: unknown): void {
  const known = error instanceof AgentileError ? error : new AgentileError('INTERNAL', messageOf(error));
  const errno = errnoOf(known.cause);
  link.send({
    t: 'error',
    id,
    code: known.code,
    message: known.message,
    ...(known.hint === undefined ? {} : { hint: known.hint }),
    ...(errno === undefined ? {} : { errno }),
  });
}
