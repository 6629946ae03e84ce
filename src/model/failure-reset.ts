// When a limit lifts, out of the words of an error: "resets 7pm", "try again in 5 minutes", "|1764601200". Used by the
// classification of failures. Pure; a text that names no time gives undefined, never a guess.

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DAY_MS = 86_400_000;

/** Milliseconds since the epoch, or undefined. A clock time is the next such time in the local zone. */
export function parseResetsAt(text: string, nowMs: number): number | undefined {
  return fromEpoch(text) ?? fromIso(text) ?? fromDuration(text, nowMs) ?? fromClock(text, nowMs);
}

/** "limit reached|1764601200" */
function fromEpoch(text: string): number | undefined {
  const found = /\|(\d{10})(\d{3})?\b/.exec(text);
  return found ? Number(found[1]) * 1000 + Number(found[2] ?? 0) : undefined;
}

function fromIso(text: string): number | undefined {
  const found =
    /(?:reset|again|until|retry)\D{0,20}(\d{4}-\d\d-\d\dT\d\d:\d\d[0-9:.]*(?:Z|[+-]\d\d:?\d\d)?)/i.exec(text);
  const at = found?.[1] ? Date.parse(found[1]) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** "in 5 minutes", "retry after 30s", "reset after 18h22m" */
function fromDuration(text: string, nowMs: number): number | undefined {
  const found =
    /(?:\b(?:again|resets?|retry|wait)(?:ting)?\b[^.\d]{0,20}(?:in|after|for)|retry[- ]after:?)\s+((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?|d|days?)\b[\s,]*(?:and\s+)?|\d+(?:\.\d+)?[dhms](?=\d))+)/i.exec(
      text,
    );
  if (!found?.[1]) return undefined;
  let total = 0;
  for (const part of found[1].matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|d|h|m|s)/gi)) {
    const unit = part[2]?.toLowerCase() === 'milli' ? 'ms' : (part[2]?.toLowerCase() ?? 's');
    total += Number(part[1]) * (UNIT_MS[unit] ?? 0);
  }
  return total > 0 ? nowMs + total : undefined;
}

/** "resets 7pm", "resets at 19:00", "until 3:30 PM" */
function fromClock(text: string, nowMs: number): number | undefined {
  const found = /(?:resets?|until|again)(?:\s+at)?\s+(\d{1,2})(?::(\d\d))?\s*(am|pm)?(?![\d:])/i.exec(text);
  if (!found?.[1] || (!found[2] && !found[3])) return undefined;
  const half = found[3]?.toLowerCase();
  const hour = half ? (Number(found[1]) % 12) + (half === 'pm' ? 12 : 0) : Number(found[1]);
  if (hour > 23) return undefined;
  const at = new Date(nowMs).setHours(hour, Number(found[2] ?? 0), 0, 0);
  return at > nowMs ? at : at + DAY_MS;
}
