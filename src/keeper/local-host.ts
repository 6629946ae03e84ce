// Children held by this very process: for `call`, for tests, and where no keeper can run. The same children code as the
// keeper's, without a socket. They end with the process.
import type { Clock } from '../base/clock.js';
import type { ChildId } from '../model/ids.js';
import type { AdoptedChild, ChildHandle, ChildHost } from './child-handle.js';
import { Children } from './children.js';
import type { ChildReceiver } from './held-child.js';
import type { ChildSpec, ChildState, StreamName } from './protocol.js';
import { RoutedChild } from './routed-child.js';

export class LocalChildHost implements ChildHost {
  #children: Children;
  #handles = new Map<ChildId, RoutedChild>();
  #receiver: ChildReceiver = {
    output: (child, stream, offset, bytes) =>
      this.#handles.get(child.spec.childId)?.deliverOutput({ stream, offset, bytes }),
    closed: (child, stream) => this.#handles.get(child.spec.childId)?.deliverClosed(stream),
    exit: (child, exit) => this.#handles.get(child.spec.childId)?.deliverExit(exit),
    inputBlocked: (child, queued) => this.#handles.get(child.spec.childId)?.deliverInputBlocked(queued),
  };
  #killAll = () => this.#children.killAll();

  constructor(options: { clock?: Clock } = {}) {
    this.#children = new Children(options);
    process.once('exit', this.#killAll);
  }

  async spawn(spec: ChildSpec): Promise<ChildHandle> {
    const child = await this.#children.spawn(spec);
    const handle = this.#replaceHandle(spec.childId, child.pid);
    child.attach(this.#receiver, {});
    handle.open();
    return handle;
  }

  async list(): Promise<ChildState[]> {
    return this.#children.list();
  }

  async adopt(
    childId: ChildId,
    from: Partial<Record<StreamName, number>>,
    wantCheckpoint: boolean,
  ): Promise<AdoptedChild> {
    const child = this.#children.get(childId);
    const handle = this.#replaceHandle(childId, child.pid);
    const { checkpoint } = child;
    child.attach(this.#receiver, from);
    handle.open();
    return { handle, state: child.state(), ...(wantCheckpoint && checkpoint ? { checkpoint } : {}) };
  }

  /** Kills every child that is left. */
  dispose(): void {
    process.removeListener('exit', this.#killAll);
    this.#children.detachAll();
    this.#children.killAll();
    for (const handle of this.#handles.values()) handle.abandon();
    this.#handles.clear();
  }

  #replaceHandle(childId: ChildId, pid: number): RoutedChild {
    this.#handles.get(childId)?.abandon();
    const handle = new RoutedChild(childId, pid, this.#children);
    this.#handles.set(childId, handle);
    return handle;
  }
}
