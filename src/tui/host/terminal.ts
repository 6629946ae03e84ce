// Owns the real terminal: raw mode, screen and input modes, bytes in and out, and above all giving it back as it was found
// on every way out (A32, A33, C05) without leaving an answer of the host to the shell (B01). One per client process.
import type { ReadStream, WriteStream } from 'node:tty';
import { systemClock, type Clock } from '../../base/clock.js';
import type { Disposable } from '../../base/disposable.js';
import { Emitter } from '../../base/emitter.js';
import type { HostReply, InputEvent } from '../../model/key.js';
import { InputDecoder } from '../input/decoder.js';
import { DueReplies } from './due-replies.js';
import {
  enterSequence,
  keyboardSequence,
  mouseSequence,
  QUIET_SEQUENCE,
  restoreSequence,
  type HostModes,
} from './modes.js';
import { ProcessHooks, type EndCause } from './process-hooks.js';
import { readUntilSync, writeAllSync } from './tty-io.js';
import { HostWriter } from './writer.js';

export type { EndCause } from './process-hooks.js';

type TtyInput = ReadStream & { fd: number };
type TtyOutput = WriteStream & { fd: number };

/** Answers over a slow link come late; longer than this nobody waits for the prompt. */
const LEAVE_LIMIT_MS = 1000;
/** In an exit handler the loop is over: answers are waited for in place, shorter. */
const DRAIN_SYNC_MS = 300;
const SIZE_FALLBACK = { cols: 80, rows: 24 };

export interface HostTerminalOptions {
  stdin?: TtyInput;
  stdout?: TtyOutput;
  env?: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
  mouse?: boolean;
  onInput(event: InputEvent): void;
  onResize(size: { cols: number; rows: number }): void;
  /** The terminal is ours again after a stop: everything must be painted anew. */
  onResumed?(): void;
  /** About to stop: no paint after this until `onResumed`. */
  onSuspend?(): void;
  /**
   * The terminal has been given back because of a signal, an error or because it is gone. The owner says its words and
   * ends the process; nothing of this class runs afterwards.
   */
  onEnd(cause: EndCause): void;
}

export class HostTerminal {
  readonly #options: HostTerminalOptions;
  readonly #stdin: TtyInput;
  readonly #stdout: TtyOutput;
  readonly #clock: Clock;
  readonly #decoder = new InputDecoder();
  readonly #replies = new Emitter<HostReply>();
  readonly #due = new DueReplies();
  readonly #hooks: ProcessHooks;
  readonly #modes: HostModes;
  /** Writes of the running event loop: paints, queries, bells. */
  readonly writer: HostWriter;
  /** Every answer of the host, in order. They never reach `onInput`. */
  readonly onReply = this.#replies.event;
  #state: 'outside' | 'inside' | 'leaving' = 'outside';
  #ending = false;
  #flushTimer: Disposable | undefined;

  constructor(options: HostTerminalOptions) {
    this.#options = options;
    this.#stdin = options.stdin ?? process.stdin;
    this.#stdout = options.stdout ?? process.stdout;
    this.#clock = options.clock ?? systemClock;
    const term = (options.env ?? process.env).TERM ?? '';
    this.#modes = {
      mouse: options.mouse ?? true,
      motion: false,
      kittyFlags: 0,
      modifyOtherKeys: 0,
      isFull: term !== 'linux' && term !== 'dumb' && !term.startsWith('vt'),
    };
    this.writer = new HostWriter(this.#stdout);
    this.#hooks = new ProcessHooks({
      restore: () => this.restore(),
      end: (cause) => void this.#end(cause),
      suspend: () => void this.#suspend(),
      resumed: () => this.#reenter(),
    });
  }

  get size(): { cols: number; rows: number } {
    const [cols, rows] = this.#stdout.getWindowSize();
    return cols > 0 && rows > 0 ? { cols, rows } : SIZE_FALLBACK;
  }

  /** Takes the terminal over. Every way out of the process gives it back from now on. */
  enter(): void {
    if (this.#state !== 'outside') return;
    this.#hooks.install();
    this.#stdin.on('data', this.#handleData).on('end', this.#handleLost).on('error', this.#handleLost);
    this.#stdout.on('error', this.#handleLost).on('resize', this.#handleResize);
    this.#takeOver();
    this.#stdin.resume();
  }

  /** Writes a question; its answers are eaten whenever they come. See ProbeTerminal. */
  query(text: string, expect: 'da1' | 'dsr', cursorReports = 0): void {
    this.expect(expect, cursorReports);
    this.writer.write(text);
  }

  /** Says that an answer is due to a question that somebody else writes (the scheduler's DSR). */
  expect(kind: 'da1' | 'dsr', cursorReports = 0): void {
    this.#due.add(kind);
    this.#decoder.cursorReportsExpected += cursorReports;
    this.#decoder.expectingReplies = true;
  }

  /** Keyboard protocols the probe found; undone on leaving. Kitty flags and modifyOtherKeys level, 0 for none. */
  setKeyboard(kittyFlags: number, modifyOtherKeys: number): void {
    if (this.#state !== 'inside') return;
    const pop = this.#modes.kittyFlags > 0 ? '\x1b[<u' : '';
    const off = this.#modes.modifyOtherKeys > 0 && modifyOtherKeys === 0 ? '\x1b[>4m' : '';
    this.#modes.kittyFlags = kittyFlags;
    this.#modes.modifyOtherKeys = modifyOtherKeys;
    this.writer.write(pop + off + keyboardSequence(this.#modes));
  }

  /** Reports of motion without a button: on only while a pane asks for them (B10). */
  setMotion(on: boolean): void {
    if (this.#modes.motion === on) return;
    this.#modes.motion = on;
    if (this.#state === 'inside') this.writer.write(mouseSequence(this.#modes));
  }

  /**
   * Gives the terminal back and resolves when it is: paints in flight end first, reports are switched off and answers that
   * are still on their way are waited for (one second at most), so that none lands in the shell.
   */
  async leave(): Promise<void> {
    if (this.#state !== 'inside') return;
    this.#state = 'leaving';
    this.writer.close();
    await this.#within(LEAVE_LIMIT_MS, this.writer.idle());
    if (this.#due.answersAtAll) {
      // An answer to this one comes behind all reports that were on their way.
      this.#due.add('dsr');
      writeAllSync(this.#stdout.fd, `\x1b\\${QUIET_SEQUENCE}\x1b[5n`);
    }
    await this.#within(LEAVE_LIMIT_MS, this.#due.none());
    this.restore();
  }

  /** Gives the terminal back at once, synchronously. Safe in exit handlers and when called again. */
  restore(): void {
    if (this.#state === 'outside') return;
    const waited = this.#state === 'leaving';
    this.#state = 'outside';
    this.#flushTimer?.dispose();
    this.writer.close();
    const gone = !writeAllSync(this.#stdout.fd, restoreSequence(this.#modes));
    if (!gone && !waited && this.#due.isDue) {
      readUntilSync(this.#stdin.fd, DRAIN_SYNC_MS, (bytes) => {
        for (const event of this.#decoder.push(bytes))
          if (event.type === 'reply') this.#due.take(event.reply);
        return !this.#due.isDue;
      });
    }
    this.#setRawMode(false);
    this.#detachStreams();
  }

  #takeOver(): void {
    this.#state = 'inside';
    this.#setRawMode(true);
    this.writer.reopen();
    this.writer.write(enterSequence(this.#modes));
  }

  #setRawMode(on: boolean): void {
    try {
      this.#stdin.setRawMode(on);
    } catch {
      // The terminal is gone: there is no mode left to set.
    }
  }

  #detachStreams(): void {
    this.#stdin.off('data', this.#handleData).off('end', this.#handleLost);
    this.#stdout.off('resize', this.#handleResize);
    this.#stdin.pause();
    this.#hooks.uninstall();
  }

  readonly #handleResize = (): void => this.#options.onResize(this.size);

  readonly #handleLost = (): void => {
    void this.#end({ kind: 'lost' });
  };

  readonly #handleData = (chunk: Uint8Array): void => {
    this.#deliver(this.#decoder.push(chunk));
    this.#flushTimer?.dispose();
    this.#flushTimer = this.#decoder.pendingEscape
      ? this.#clock.after(this.#decoder.flushDelayMs, () => this.#deliver(this.#decoder.flush()))
      : undefined;
  };

  #deliver(events: InputEvent[]): void {
    for (const event of events) {
      if (event.type === 'reply') {
        this.#due.take(event.reply);
        this.#decoder.expectingReplies = this.#due.isDue;
        this.#replies.fire(event.reply);
      } else if (this.#state === 'inside') this.#options.onInput(event);
    }
  }

  async #end(cause: EndCause): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    if (cause.kind === 'lost') this.restore();
    else await this.leave();
    this.#options.onEnd(cause);
  }

  async #suspend(): Promise<void> {
    if (this.#state !== 'inside') return;
    this.#options.onSuspend?.();
    await this.leave();
    this.#hooks.stopSelf();
  }

  /** After SIGCONT: whoever had the terminal meanwhile may have changed anything, raw mode included. */
  #reenter(): void {
    if (this.#ending) return;
    if (this.#state === 'inside') {
      // Stopped without a word (SIGSTOP): what we had set is undone first, so that nothing is set twice.
      this.#setRawMode(false);
      this.writer.write(restoreSequence(this.#modes));
    } else {
      this.#stdin.on('data', this.#handleData).on('end', this.#handleLost);
      this.#stdout.on('resize', this.#handleResize);
    }
    this.#due.clear();
    this.#takeOver();
    this.#stdin.resume();
    this.#options.onResize(this.size);
    this.#options.onResumed?.();
  }

  /** Waits for `promise`, `limitMs` at most. */
  #within(limitMs: number, promise: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(limitMs, resolve);
      void promise.then(() => {
        timer.dispose();
        resolve();
      });
    });
  }
}
