// The ways a process can end or stop, in one place: signals, thrown errors, the exit itself, stop and continue. Knows
// nothing of terminals: HostTerminal says what to do. Installed while the terminal is ours, SIGCONT for longer.

const END_SIGNALS = ['SIGHUP', 'SIGTERM', 'SIGINT', 'SIGQUIT'] as const;
/** Any long time: the timer only keeps the event loop from ending. */
const KEEP_ALIVE_MS = 0x7fffffff;
type EndSignal = (typeof END_SIGNALS)[number];

/** Why the terminal had to be given back. lost: it is gone itself (its window was closed, the link dropped). */
export type EndCause =
  { kind: 'signal'; signal: EndSignal } | { kind: 'error'; error: unknown } | { kind: 'lost' };

export interface ProcessHookActions {
  /** Synchronous and idempotent: called from the exit handler. */
  restore(): void;
  end(cause: EndCause): void;
  suspend(): void;
  resumed(): void;
}

export class ProcessHooks {
  readonly #actions: ProcessHookActions;
  #installed = false;
  #stopped = false;
  #alive: NodeJS.Timeout | undefined;

  constructor(actions: ProcessHookActions) {
    this.#actions = actions;
  }

  install(): void {
    if (this.#installed) return;
    this.#installed = true;
    process.on('exit', this.#handleExit);
    for (const signal of END_SIGNALS) process.on(signal, this.#handleSignal);
    process.on('uncaughtException', this.#handleError);
    process.on('unhandledRejection', this.#handleError);
    process.on('SIGTSTP', this.#handleStop);
    process.on('SIGCONT', this.#handleContinue);
  }

  uninstall(): void {
    if (!this.#installed) return;
    this.#installed = false;
    process.off('exit', this.#handleExit);
    for (const signal of END_SIGNALS) process.off(signal, this.#handleSignal);
    process.off('uncaughtException', this.#handleError);
    process.off('unhandledRejection', this.#handleError);
    process.off('SIGTSTP', this.#handleStop);
    if (!this.#stopped) process.off('SIGCONT', this.#handleContinue);
  }

  /** Stops this process as SIGTSTP would have. SIGCONT ends in `resumed`. */
  stopSelf(): void {
    this.#stopped = true;
    // Nothing else may be left in the loop (stdin is paused): without this it would end before SIGCONT is told.
    this.#alive = setInterval(() => {}, KEEP_ALIVE_MS);
    process.on('SIGCONT', this.#handleContinue);
    process.kill(process.pid, 'SIGSTOP');
  }

  readonly #handleExit = (): void => this.#actions.restore();

  readonly #handleSignal = (signal: NodeJS.Signals): void => {
    this.#actions.end({ kind: 'signal', signal: signal as EndSignal });
  };

  readonly #handleError = (error: unknown): void => this.#actions.end({ kind: 'error', error });

  readonly #handleStop = (): void => this.#actions.suspend();

  readonly #handleContinue = (): void => {
    this.#stopped = false;
    clearInterval(this.#alive);
    process.off('SIGCONT', this.#handleContinue);
    this.install();
    if (!process.listeners('SIGCONT').includes(this.#handleContinue))
      process.on('SIGCONT', this.#handleContinue);
    this.#actions.resumed();
  };
}
