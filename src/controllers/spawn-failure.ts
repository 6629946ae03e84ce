// Errors of a start as a Failure: what `start` and `adopt` of a controller reject with. Used by all controllers.
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import { FailureError } from './controller.js';

/** Wraps whatever went wrong while a process was prepared or spawned; a FailureError stays what it is. */
export function toFailureError(error: unknown): FailureError {
  if (error instanceof FailureError) return error;
  const hint = error instanceof AgentileError ? (error.hint ?? hintFor(error)) : undefined;
  return new FailureError({ kind: 'spawn', message: messageOf(error), ...(hint ? { hint } : {}) });
}

function hintFor(error: AgentileError): string | undefined {
  switch (errnoOf(error.cause)) {
    case 'ENOENT':
      return 'Check the name of the program and that the folder exists.';
    case 'EACCES':
      return 'The file is not executable, or the folder may not be entered.';
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many open files: close some sessions or raise the limit (ulimit -n).';
    case 'EAGAIN':
      return 'Too many processes: close some sessions or raise the limit (ulimit -u).';
    default:
      return undefined;
  }
}
