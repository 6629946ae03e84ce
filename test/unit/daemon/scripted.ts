// A daemon core with controllers that do what the test says. In-process, no sockets, no children.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../src/base/clock.js';
import { Emitter } from '../../../src/base/emitter.js';
import { silentLog } from '../../../src/base/log.js';
import type {
  AdoptContext,
  Controller,
  MarkedEvent,
  RunEnd,
  StartContext,
} from '../../../src/controllers/controller.js';
import { Daemon } from '../../../src/daemon/daemon.js';
import { HooksEndpoint } from '../../../src/daemon/hooks-http.js';
import { KeeperHost } from '../../../src/daemon/keeper-host.js';
import type { AgentEventBody } from '../../../src/model/event.js';
import type { PermissionAnswer, PermissionRequest } from '../../../src/model/permission.js';
import {
  newPermissionId,
  type CommandId,
  type PermissionId,
  type RunId,
  type TurnId,
} from '../../../src/model/ids.js';
import type { ByteMark } from '../../../src/model/log-record.js';
import type { ControllerKind, Provider } from '../../../src/model/provider.js';
import type { Turn } from '../../../src/model/session.js';
import type { RunSignal } from '../../../src/model/signal.js';
import type { ChildState } from '../../../src/keeper/protocol.js';
import type { Caller } from '../../../src/daemon/client-link.js';
import type { Method, Requests } from '../../../src/wire/messages.js';

export class ScriptedController implements Controller {
  readonly kind: ControllerKind = 'persistent';
  readonly prompts: Turn[] = [];
  readonly answers: [PermissionId, PermissionAnswer][] = [];
  readonly marks: ByteMark[] = [];
  readonly sizes: [number, number][] = [];
  context: StartContext | undefined;
  adopted: AdoptContext | undefined;
  cancels = 0;
  disposed = false;
  #events = new Emitter<MarkedEvent>();
  #signals = new Emitter<RunSignal>();
  #ends = new Emitter<RunEnd>();
  readonly onEvent = this.#events.event;
  readonly onSignal = this.#signals.event;
  readonly onEnd = this.#ends.event;

  async start(context: StartContext): Promise<void> {
    this.context = context;
  }
  async adopt(context: AdoptContext): Promise<void> {
    this.context = this.adopted = context;
  }
  async prompt(turn: Turn): Promise<void> {
    this.prompts.push(turn);
  }
  answer(id: PermissionId, answer: PermissionAnswer): void {
    this.answers.push([id, answer]);
  }
  async cancel(): Promise<void> {
    this.cancels += 1;
  }
  async stop(): Promise<void> {
    this.end({ status: 'stopped' });
  }
  resize(cols: number, rows: number): void {
    this.sizes.push([cols, rows]);
  }
  logged(mark: ByteMark): void {
    this.marks.push(mark);
  }
  dispose(): void {
    this.disposed = true;
  }

  say(body: AgentEventBody, more: { offset?: number; turnId?: TurnId } = {}): void {
    const { session, run } = this.context!;
    const event = {
      ...body,
      sessionId: session.id,
      runId: run.id,
      at: 5,
      ...(more.turnId ? { turnId: more.turnId } : {}),
    };
    const { offset } = more;
    this.#events.fire({
      event,
      ...(offset === undefined ? {} : { mark: { runId: run.id, stream: 'stdout' as const, offset } }),
    });
  }
  ask(more: Partial<PermissionRequest> = {}): PermissionRequest {
    const { session, run } = this.context!;
    const request: PermissionRequest = {
      id: newPermissionId(),
      sessionId: session.id,
      runId: run.id,
      kind: 'permission',
      title: 'write src/a.ts',
      options: [
        { optionId: 'n', kind: 'reject_once', label: 'no' },
        { optionId: 'y', kind: 'allow_once', label: 'yes' },
      ],
      raw: {},
      askedAt: 5,
      ...more,
    };
    this.say({ type: 'permission.asked', request });
    return request;
  }
  end(end: RunEnd): void {
    this.#ends.fire(end);
  }
}

const provider = {
  id: 'agent',
  name: 'Agent',
  aliases: [],
  vendors: ['v'],
  controller: 'persistent',
  bin: 'agent',
} as unknown as Provider;

export interface Core {
  daemon: Daemon;
  clock: ManualClock;
  controllers: ScriptedController[];
  /** The newest controller. */
  last(): ScriptedController;
  request<M extends Method>(
    method: M,
    params: Requests[M]['params'],
    more?: { caller?: Caller; commandId?: string },
  ): Promise<Requests[M]['result']>;
  /** Lets everything that is due happen. */
  settle(ms?: number): Promise<void>;
}

export class ScriptedHome {
  readonly dir = mkdtempSync(join(tmpdir(), 'agentile-core-'));
  readonly children: ChildState[] = [];
  #cores: Core[] = [];

  /** Another daemon over the same log: what a restart is. */
  async core(options: { sessionsMax?: number } = {}): Promise<Core> {
    const clock = new ManualClock(1_000_000);
    const controllers: ScriptedController[] = [];
    const host = new KeeperHost(
      async () => ({
        spawn: () => Promise.reject(new Error('no children here')),
        list: async () => this.children,
        adopt: () => Promise.reject(new Error('no children here')),
        dispose() {},
      }),
      silentLog,
    );
    await host.start();
    const daemon = new Daemon({
      clock,
      diagnostics: silentLog,
      logFile: join(this.dir, 'log.sqlite'),
      socket: 'none',
      host,
      hooks: new HooksEndpoint({ stateDir: this.dir, diagnostics: silentLog, onSignal: () => false }),
      providers: { get: (id) => (id === provider.id ? provider : undefined) },
      requireProvider: () => provider,
      makeController: () => {
        const controller = new ScriptedController();
        controllers.push(controller);
        return controller;
      },
      listProviders: async () => [],
      installProvider: () => Promise.reject(new Error('nothing to install')),
      ...options,
      onStopped() {},
    });
    await daemon.start();
    const core: Core = {
      daemon,
      clock,
      controllers,
      last: () => controllers.at(-1)!,
      request: async (method, params, more = {}) => {
        const caller = more.caller ?? { role: 'cli' };
        const commandId = more.commandId as CommandId | undefined;
        const reply = await daemon.services.request(method, params, caller, commandId);
        if (!reply.ok) throw Object.assign(new Error(reply.error!.message), reply.error);
        return reply.result as never;
      },
      settle: async (ms = 50) => {
        for (let i = 0; i < 5; i++) await Promise.resolve();
        clock.advance(ms);
        for (let i = 0; i < 5; i++) await Promise.resolve();
      },
    };
    this.#cores.push(core);
    return core;
  }

  /** As kill -9: what is written is written. */
  kill(core: Core): void {
    core.daemon.log.flush();
    core.daemon.dispose();
    this.#cores = this.#cores.filter((other) => other !== core);
  }

  child(runId: RunId): void {
    this.children.push({
      childId: `run:${runId}` as never,
      stdio: 'pipe',
      pid: 7,
      startedAt: 1,
      streams: {},
      inputQueued: 0,
    });
  }

  dispose(): void {
    for (const core of this.#cores) core.daemon.dispose();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
