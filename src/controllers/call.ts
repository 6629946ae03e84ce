// One shot of a provider's CLI, headless: a process, its answer, its end, under a time limit. Called by `agentile call`, without
// a daemon. It installs nothing, asks nobody and resumes nothing.
import type { Clock } from '../base/clock.js';
import { NdjsonDecoder, type NdjsonItem } from '../io/ndjson.js';
import type { ChildExit, ChildHandle, ChildHost } from '../keeper/child-handle.js';
import type { StopRung } from '../keeper/protocol.js';
import type { AgentEventBody } from '../model/event.js';
import { classifyFailure } from '../model/failure-classify.js';
import type { Failure } from '../model/failure.js';
import type { ChildId } from '../model/ids.js';
import type { WireFormat } from '../model/provider.js';
import { createTranslator } from '../translators/index.js';
import type { Translator } from '../translators/translator.js';
import { AnswerText, PlainText } from './call-output.js';
import type { ProgramLaunch } from './deps.js';
import { StderrTail } from './stderr-tail.js';

/** After its last frame a CLI has so long to end by itself. */
const LINGER_MS = 2000;
const STOP_LADDER: readonly StopRung[] = [
  { step: 'sigterm', graceMs: 3000 },
  { step: 'sigkill', graceMs: 2000 },
];
/** `exitCode` of an answer that the time limit cut. */
export const CUT_EXIT_CODE = -1;

export interface CallRequest {
  launch: ProgramLaunch;
  /** Missing: stdout is the answer as it stands. */
  format?: WireFormat;
  timeoutMs: number;
  /** Ends the call as the time limit would, without its words. */
  abort?: AbortSignal;
  /** Answer text as it comes, free of terminal codes. */
  onText?(text: string): void;
  onEvent?(event: AgentEventBody): void;
}

export interface CallOutcome {
  text: string;
  /** The CLI's own; -1 when the time limit cut it; missing when a signal ended it. */
  exitCode?: number;
  timedOut: boolean;
  aborted: boolean;
  failure?: Failure;
  stderrTail: string[];
  durationMs: number;
}

/** Rejects with SPAWN_FAILED or NOT_SUPPORTED; every other end is an outcome. Nothing of the CLI is left behind. */
export async function callProvider(
  host: ChildHost,
  clock: Clock,
  request: CallRequest,
): Promise<CallOutcome> {
  const translator =
    request.format === undefined ? undefined : createTranslator(request.format, { idPrefix: '' });
  const { file, args, cwd, env, stdin } = request.launch;
  const handle = await host.spawn({ childId: 'call' as ChildId, stdio: 'pipe', file, args, cwd, env });
  if (stdin !== undefined) handle.write(stdin);
  handle.eof();
  const call = new Call(handle, clock, request, translator);
  return call.outcome;
}

class Call {
  readonly outcome: Promise<CallOutcome>;
  #handle: ChildHandle;
  #request: CallRequest;
  #clock: Clock;
  #translator: Translator | undefined;
  #decoder = new NdjsonDecoder();
  #answer = new AnswerText();
  #plain = new PlainText();
  #stderr = new StderrTail();
  #failure: Failure | undefined;
  #ended = false;
  #timedOut = false;
  #startedAt: number;

  constructor(handle: ChildHandle, clock: Clock, request: CallRequest, translator: Translator | undefined) {
    this.#handle = handle;
    this.#request = request;
    this.#clock = clock;
    this.#translator = translator;
    this.#startedAt = clock.now();
    translator?.turnStarted();
    handle.onOutput(({ stream, offset, bytes }) => {
      if (stream === 'stderr') this.#stderr.push(bytes);
      else this.#takeStdout(bytes);
      handle.ack(stream, offset + bytes.length);
    });
    const limit = clock.after(request.timeoutMs, () => {
      this.#timedOut = !this.#ended;
      handle.stop(STOP_LADDER);
    });
    const abort = () => handle.stop(STOP_LADDER);
    request.abort?.addEventListener('abort', abort, { once: true });
    this.outcome = new Promise((resolve) => {
      handle.onExit((exit) => {
        limit.dispose();
        request.abort?.removeEventListener('abort', abort);
        resolve(this.#finish(exit));
      });
    });
  }

  #takeStdout(bytes: Uint8Array): void {
    if (this.#translator) for (const item of this.#decoder.push(bytes)) this.#item(item);
    else this.#say(this.#plain.take(bytes));
  }

  #item(item: NdjsonItem): void {
    if (item.type === 'frame') this.#events(this.#translator!.translate(item.value));
  }

  #events(events: readonly AgentEventBody[]): void {
    for (const event of events) {
      this.#request.onEvent?.(event);
      this.#say(this.#answer.take(event));
      if (event.type !== 'turn.done') continue;
      this.#ended = true;
      this.#failure = event.failure;
      this.#clock.after(LINGER_MS, () => this.#handle.stop(STOP_LADDER));
    }
  }

  #say(text: string): void {
    if (text !== '') this.#request.onText?.(text);
  }

  #finish(exit: ChildExit): CallOutcome {
    const aborted = this.#request.abort?.aborted ?? false;
    const stopped = this.#timedOut || aborted;
    const stderrTail = this.#stderr.lines;
    if (this.#translator) {
      for (const item of this.#decoder.end()) this.#item(item);
      this.#events(this.#translator.end({ ...exit, stopped, stderrTail }));
    } else this.#say(this.#plain.end());
    const text = this.#translator ? this.#answer.text : this.#plain.text;
    const failure = stopped ? undefined : (this.#failure ?? this.#plainFailure(exit, text, stderrTail));
    this.#handle.release();
    const exitCode = this.#timedOut ? CUT_EXIT_CODE : exit.exitCode;
    const durationMs = this.#clock.now() - this.#startedAt;
    return {
      text,
      timedOut: this.#timedOut,
      aborted,
      stderrTail,
      durationMs,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(failure ? { failure } : {}),
    };
  }

  /** A CLI without frames has its exit code and stderr only. */
  #plainFailure(exit: ChildExit, text: string, stderrTail: string[]): Failure | undefined {
    if (this.#translator) return undefined;
    if (exit.exitCode === 0 && !exit.signal && text !== '') return undefined;
    return classifyFailure({ ...exit, stderrTail, hadOutput: text !== '' });
  }
}
