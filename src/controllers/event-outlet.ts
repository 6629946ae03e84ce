// What a structured controller says: events with their stamp and mark, signals, the end of the run. Used by the persistent and
// the subprocess controller. It holds the outcome of turns to what is known on our side: a turn we interrupted is cancelled,
// a native id that was refused is dead, a conversation that began anew is told.
import type { Clock } from '../base/clock.js';
import { Emitter } from '../base/emitter.js';
import type { NdjsonItem } from '../io/ndjson.js';
import { stampEvent, type AgentEventBody } from '../model/event.js';
import type { Failure } from '../model/failure.js';
import { isUnknownSession } from '../model/failure-classify.js';
import { retryOfStderr } from '../model/failure-retry.js';
import type { ByteMark } from '../model/log-record.js';
import type { Turn } from '../model/session.js';
import type { RunSignal, RunSignalBody } from '../model/signal.js';
import type { MarkedEvent, RunEnd, StartContext } from './controller.js';

export class EventOutlet {
  readonly events = new Emitter<MarkedEvent>();
  readonly signals = new Emitter<RunSignal>();
  readonly ends = new Emitter<RunEnd>();
  #context: StartContext | undefined;
  #clock: Clock;
  #turn: Turn | undefined;
  #cancelAsked = false;
  #succeeded = false;
  #ended = false;
  /** The conversation this run works in, as the CLI told it or as it was asked to resume. */
  nativeId: string | undefined;
  /** The id the process that runs now was asked to resume. */
  asked: string | undefined;
  /** True while output is read again that the log knows already. */
  muted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Before anything is said. */
  open(context: StartContext): void {
    this.#context = context;
    this.nativeId = context.resumeId;
    this.asked = context.resumeId;
  }

  get turn(): Turn | undefined {
    return this.#turn;
  }

  get cancelAsked(): boolean {
    return this.#cancelAsked;
  }

  beginTurn(turn: Turn): void {
    this.#turn = turn;
    this.#cancelAsked = false;
  }

  askCancel(): void {
    this.#cancelAsked = true;
  }

  fireAll(bodies: readonly AgentEventBody[], mark?: () => ByteMark): void {
    for (const body of bodies) this.fire(body, mark);
  }

  fire(body: AgentEventBody, mark?: () => ByteMark): void {
    const told = this.#settle(body);
    const turnId = this.#turn?.id;
    if (told.type === 'turn.done') this.#turn = undefined;
    if (this.muted) return;
    const { session, run } = this.#context!;
    const event = stampEvent(told, {
      sessionId: session.id,
      runId: run.id,
      at: this.#clock.now(),
      ...(turnId === undefined ? {} : { turnId }),
    });
    const marked = mark?.();
    this.events.fire({ event, ...(marked ? { mark: marked } : {}) });
    if (told.type === 'session.opened') this.#checkResumed(told.nativeId, mark);
  }

  signal(body: RunSignalBody): void {
    const { run } = this.#context!;
    const at = this.#clock.now();
    this.signals.fire({ ...body, runId: run.id, attempt: run.attempt, source: 'protocol', at });
  }

  end(end: RunEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    const { exitCode, signal } = end;
    this.signal({
      type: 'finished',
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { exitSignal: signal }),
    });
    this.ends.fire(end);
  }

  /** The failure with the native id that it says is dead. */
  withDeadId(failure: Failure): Failure {
    const dead = this.asked;
    if (dead === undefined || this.#succeeded) return failure;
    const words = [failure.message, ...(failure.stderrTail ?? [])];
    if (!words.some(isUnknownSession)) return failure;
    if (this.nativeId === dead) this.nativeId = undefined;
    const hint = 'The conversation is gone: start fresh (the old transcript stays).';
    return { ...failure, kind: 'request', deadNativeId: dead, hint };
  }

  /** Lines that could not be read as frames. */
  noteItem(item: Exclude<NdjsonItem, { type: 'frame' }>, mark: () => ByteMark): void {
    if (item.type === 'side' || (item.type === 'oversize' && item.ended)) return;
    const text =
      item.type === 'bad'
        ? `A frame of ${item.bytes} bytes could not be read: ${item.text.slice(0, 120)}`
        : 'A frame above the size limit is skipped; the next line is read again.';
    this.fire({ type: 'notice', kind: 'parse', level: 'warning', text }, mark);
  }

  /** Some CLIs tell their retries on stderr only. */
  noteStderr(line: string): void {
    const retry = retryOfStderr(line);
    if (!retry || !this.#turn) return;
    const { attempt, max, text } = retry;
    const counts = { attempt, ...(max === undefined ? {} : { max }) };
    this.fire({ type: 'notice', kind: 'retry', level: 'warning', text, retry: counts });
  }

  #settle(body: AgentEventBody): AgentEventBody {
    if (body.type === 'session.opened' && body.nativeId !== undefined) this.nativeId = body.nativeId;
    if (body.type !== 'turn.done') return body;
    if (this.#cancelAsked && body.stopReason !== 'end_turn')
      return { type: 'turn.done', stopReason: 'cancelled' };
    if (!body.failure) {
      this.#succeeded = body.stopReason === 'end_turn' || this.#succeeded;
      return body;
    }
    return { ...body, failure: this.withDeadId(body.failure) };
  }

  /** A CLI may begin a new conversation instead of the one it was asked for, and say nothing. */
  #checkResumed(nativeId: string | undefined, mark?: () => ByteMark): void {
    if (nativeId === undefined || this.asked === undefined || this.#context?.fork) return;
    if (nativeId === this.asked) return;
    const text = `The CLI began a new conversation instead of ${this.asked}: it does not know what was said before.`;
    this.asked = nativeId;
    this.fire({ type: 'notice', kind: 'context-reset', level: 'warning', text }, mark);
  }
}
