// How the end of a program in a terminal pane is told: status and, where it failed, the cause in words. Pure.
import type { Failure } from '../model/failure.js';
import type { ChildExit } from '../keeper/child-handle.js';
import type { RunEnd } from './controller.js';

/** Signals that a fault of the program itself ends it with. */
const CRASH_SIGNALS = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT', 'SIGSYS', 'SIGTRAP']);
const TAIL_LINES = 40;

export interface ProgramEnd {
  exit: ChildExit;
  /** We climbed the stop ladder. */
  stopped: boolean;
  /** Name for people: "codex", "htop". */
  label: string;
  /** A program of the user's own (a shell, a command line): its exit code is its own business. */
  plain: boolean;
  /** The last screen, oldest line first. */
  lastLines: readonly string[];
}

export function describeEnd(end: ProgramEnd): RunEnd {
  const { exitCode, signal } = end.exit;
  const info = {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
  };
  if (end.stopped) return { ...info, status: 'stopped' };
  const failure = failureOf(end);
  return failure ? { ...info, status: 'failed', failure } : { ...info, status: 'exited' };
}

function failureOf(end: ProgramEnd): Failure | undefined {
  const { exitCode, signal } = end.exit;
  const stderrTail = end.lastLines.filter((line) => line.trim() !== '').slice(-TAIL_LINES);
  const hint = 'Its last screen is in the pane; restart it when the cause is gone.';
  if (signal && CRASH_SIGNALS.has(signal)) {
    return { kind: 'crash', message: `${end.label} crashed (${signal}).`, hint, stderrTail };
  }
  // A program that gets SIGHUP, SIGINT or SIGTERM from outside was asked to end; SIGKILL is never the user's wish.
  if (signal === 'SIGKILL') {
    return {
      kind: 'killed',
      message: `${end.label} was killed (SIGKILL).`,
      hint: 'Often the system was out of memory.',
      stderrTail,
    };
  }
  if (end.plain || exitCode === undefined || exitCode === 0) return undefined;
  return { kind: 'crash', message: `${end.label} ended with exit code ${exitCode}.`, hint, stderrTail };
}
