// A controller with everything around it: a local child host, a provider, a session, and what it said. For contract tests of
// the structured controllers. `logged` is called for every mark at once, as a daemon with a quick disk does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { AcpController } from '../../src/controllers/acp.js';
import type {
  AdoptContext,
  Controller,
  MarkedEvent,
  RunEnd,
  StartContext,
} from '../../src/controllers/controller.js';
import type { ControllerDeps, ProgramLaunch, TurnLaunch } from '../../src/controllers/deps.js';
import { PersistentController } from '../../src/controllers/persistent.js';
import { Pump } from '../../src/controllers/pump.js';
import { SubprocessController } from '../../src/controllers/subprocess.js';
import { LocalChildHost } from '../../src/keeper/local-host.js';
import type { AgentEvent, AgentEventType } from '../../src/model/event.js';
import { newRunId, newSessionId, newTurnId } from '../../src/model/ids.js';
import type { Provider, Quirk } from '../../src/model/provider.js';
import type { LaunchOptions, Turn } from '../../src/model/session.js';
import type { RunSignal } from '../../src/model/signal.js';
import { foldTranscript } from '../../src/model/transcript.js';

const AGENTS = new URL('../agents/', import.meta.url);

const KINDS = { persistent: PersistentController, subprocess: SubprocessController, acp: AcpController };

export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;

export interface BenchOptions {
  kind: keyof typeof KINDS;
  /** File in test/agents, or an absolute path. */
  agent: string;
  format: string;
  quirks?: Quirk[];
  clock?: Clock;
  /** Further fields of the catalogue entry. */
  entry?: Partial<Provider>;
  choices?: LaunchOptions;
  resumeId?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Where the argv of a resumed turn goes, as the catalogue would do it. */
  argv?: (resumeId: string | undefined) => string[];
  /** A real provider of the catalogue instead of a fake CLI. */
  real?: {
    provider: Provider;
    cwd: string;
    choices: LaunchOptions;
    launch: ControllerDeps['launch'];
  };
}

export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentile-bench-'));
  readonly logFile = join(this.folder, 'fake.log');
  readonly host = new LocalChildHost();
  readonly context: StartContext;
  readonly events: AgentEvent[] = [];
  readonly signals: RunSignal[] = [];
  controller: Controller;
  end: RunEnd | undefined;
  /** How far the log is in stdout. */
  loggedOffset = 0;
  /** False: nothing is logged, as with a daemon that just died. */
  logging = true;
  #options: BenchOptions;
  #waiters = new Set<() => void>();

  constructor(options: BenchOptions) {
    this.#options = options;
    this.context = this.#makeContext();
    this.controller = this.#make();
  }

  async start(): Promise<void> {
    await this.controller.start(this.context);
  }

  /** The daemon dies: its controller is gone, the process lives. */
  die(): void {
    this.logging = false;
    this.controller.dispose();
  }

  /** Another daemon takes over: the old controller is gone, a new one goes on where the log stopped. */
  async handOver(openTurn: Turn | undefined): Promise<void> {
    const openPermissions = this.#openRequests().map((request) => request.id);
    this.controller.dispose();
    this.controller = this.#make();
    this.logging = true;
    const context: AdoptContext = {
      ...this.context,
      from: { stdout: this.loggedOffset, stderr: 0 },
      openPermissions,
      ...(openTurn ? { openTurn } : {}),
    };
    await this.controller.adopt(context);
  }

  turn(prompt: string): Turn {
    return {
      id: newTurnId(),
      sessionId: this.context.session.id,
      prompt,
      state: 'running',
      createdAt: Date.now(),
    };
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(prompt: string): Promise<EventOf<'turn.done'>> {
    const turn = this.turn(prompt);
    await this.controller.prompt(turn);
    return this.ended(turn);
  }

  ended(turn: Turn): Promise<EventOf<'turn.done'>> {
    return this.seen('turn.done', (event) => event.turnId === turn.id);
  }

  all<T extends AgentEventType>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** Waits for an event; one that was seen already counts. */
  async seen<T extends AgentEventType>(
    type: T,
    fits: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    await this.until(() => this.all(type).some(fits));
    return this.all(type).find(fits)!;
  }

  /** Waits until the process has printed more than the log knows. */
  async printedMore(): Promise<void> {
    let end = 0;
    const look = async () => (end = (await this.host.list())[0]?.streams.stdout?.end ?? 0);
    await this.until(() => {
      void look();
      return end > this.loggedOffset;
    }, 'more output');
  }

  async until(condition: () => boolean, what = 'the condition'): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`waited in vain for ${what}: ${JSON.stringify(this.events.slice(-5))}`)),
        this.#options.real ? 90_000 : 15_000,
      );
      const poll = setInterval(() => check(), 20);
      const check = () => {
        if (!condition()) return;
        clearTimeout(timer);
        clearInterval(poll);
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
    });
  }

  /** Assistant texts as a reader sees them. */
  get texts(): string[] {
    return foldTranscript(this.events).items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));
  }

  /** What the fake program noted. */
  get fakeLog(): { argv?: string[]; prompt?: string; stdin?: string; pid?: number }[] {
    const lines = readFileSync(this.logFile, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as object);
  }

  async dispose(): Promise<void> {
    await this.controller.stop();
    this.controller.dispose();
    this.host.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openRequests() {
    const answered = new Set(this.all('permission.answered').map((event) => event.permissionId));
    return this.all('permission.asked')
      .map((event) => event.request)
      .filter((request) => !answered.has(request.id));
  }

  #make(): Controller {
    const deps: ControllerDeps = {
      host: this.host,
      clock: this.#options.clock ?? systemClock,
      log: silentLog,
      pump: new Pump(),
      scrollbackLines: 100,
      launch: this.#options.real?.launch ?? (async (context, turn) => this.#launch(context, turn)),
    };
    const controller = new KINDS[this.#options.kind](deps);
    controller.onEvent((marked) => this.#take(marked));
    controller.onSignal((signal) => this.signals.push(signal));
    controller.onEnd((end) => {
      this.end = end;
      this.#wake();
    });
    return controller;
  }

  #take({ event, mark }: MarkedEvent): void {
    if (!this.logging) return;
    this.events.push(event);
    if (mark) {
      this.loggedOffset = Math.max(this.loggedOffset, mark.offset);
      const { controller } = this;
      queueMicrotask(() => controller.logged?.(mark));
    }
    this.#wake();
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  #launch(context: StartContext, turn?: TurnLaunch): ProgramLaunch {
    const { agent, env, args, argv } = this.#options;
    const resume = context.resumeId === undefined ? [] : ['--resume', context.resumeId];
    const own = argv ? argv(context.resumeId) : [...(args ?? []), ...resume];
    return {
      file: process.execPath,
      args: [new URL(agent, AGENTS).pathname, ...own],
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.folder, FAKE_LOG: this.logFile, ...env },
      ...(turn ? { stdin: turn.prompt } : {}),
    };
  }

  #makeContext(): StartContext {
    const { kind, format, quirks, resumeId, real } = this.#options;
    const provider =
      real?.provider ??
      ({
        id: 'fake',
        name: 'Fake',
        controller: kind,
        stdio: 'pipe',
        format,
        quirks: quirks ?? [],
        model: { values: [], args: [], strip: [], protocol: 'control' },
        permission: { values: ['default', 'plan'], args: [], strip: [], protocol: 'control' },
        ...this.#options.entry,
      } as unknown as Provider);
    const sessionId = newSessionId();
    return {
      session: {
        id: sessionId,
        name: 'fake',
        providerId: 'fake',
        cwd: real?.cwd ?? this.folder,
        launch: real?.choices ?? this.#options.choices ?? {},
        createdAt: Date.now(),
      },
      run: { id: newRunId(), sessionId, attempt: 1, status: 'starting', startedAt: Date.now() },
      provider,
      cols: 80,
      rows: 24,
      ...(resumeId === undefined ? {} : { resumeId }),
    };
  }
}
