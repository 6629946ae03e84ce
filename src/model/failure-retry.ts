// Retries that a CLI tells on stderr only. Used by the controllers of CLIs on pipes: such a line is a notice, and silence
// between two of them is never a failure. Pure.

export interface StderrRetry {
  attempt: number;
  max?: number;
  /** HTTP status, when the line names one. */
  status?: number;
  text: string;
}

/** "Attempt 2 failed with status 429. Retrying with backoff...", "Retrying provider attempt (1 b…", "Retry 2/5 …" */
export function retryOfStderr(line: string): StderrRetry | undefined {
  const failed = /^\s*Attempt (\d+)(?:\/(\d+))? failed(?: with status (\d+))?/i.exec(line);
  if (failed) {
    const [, attempt, max, status] = failed;
    const cause = status ? ` with status ${status}` : '';
    return {
      attempt: Number(attempt),
      ...(max ? { max: Number(max) } : {}),
      ...(status ? { status: Number(status) } : {}),
      text: `Attempt ${attempt} failed${cause}; the CLI tries again.`,
    };
  }
  const numbered = /\bretry(?:ing)?\b[^\d\n]{0,24}(\d+)\s*(?:\/|of)\s*(\d+)/i.exec(line);
  if (!numbered) return undefined;
  return {
    attempt: Number(numbered[1]),
    max: Number(numbered[2]),
    text: `Retry ${numbered[1]} of ${numbered[2]}.`,
  };
}
