// Sums of usage over the turns of a session. Used by the transcript fold; pure. A number that one turn does not tell is
// the sum of those that do.
import type { Usage } from './event.js';

const SUMMED = ['inputTokens', 'outputTokens', 'cachedTokens', 'totalTokens', 'costUsd'] as const;

/** `total` with the usage of a turn; context and model are those of the last turn. */
export function addTurnUsage(total: Usage | undefined, turn: Usage): Usage {
  const next: Usage = { ...total, ...turn, scope: 'session' };
  for (const key of SUMMED) {
    const sum = sumOf(total?.[key], turn[key]);
    if (sum !== undefined) next[key] = sum;
  }
  return next;
}

function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a + b;
}
