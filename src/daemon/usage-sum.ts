// Tokens and cost of a session: reports of a turn are added, reports of the session replace. Pure.
import type { Usage } from '../model/event.js';

const COUNTS = ['inputTokens', 'outputTokens', 'cachedTokens', 'totalTokens', 'costUsd'] as const;

/** A number that no report gave stays missing: never a guess. */
export function addUsage(total: Usage | undefined, report: Usage): Usage {
  if (report.scope === 'session') return { ...total, ...report };
  const sum: Usage = { ...total, scope: 'session' };
  for (const name of COUNTS) {
    const value = report[name];
    if (value !== undefined) sum[name] = (total?.[name] ?? 0) + value;
  }
  for (const name of ['contextUsed', 'contextSize'] as const) {
    if (report[name] !== undefined) sum[name] = report[name];
  }
  if (report.model !== undefined) sum.model = report.model;
  return sum;
}
