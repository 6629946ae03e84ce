// Named differences between structured CLIs that are not arguments: which ids can be resumed, where a process's output
// stands in its run. Used by the subprocess controller; pure.
import type { Provider } from '../model/provider.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** False for an id with which the CLI would silently begin a new conversation. */
export function isResumable(provider: Pick<Provider, 'quirks'>, nativeId: string): boolean {
  return !provider.quirks.includes('native-id-uuid-only') || UUID.test(nativeId);
}

/** More output than a process prints in a second. */
const BYTES_A_SECOND = 2 ** 28;

/**
 * Place of a process's first byte in the output of its run, where a run has one process a turn. It rises from process to
 * process without anybody having to remember the last one: it is made of the time the process was started.
 */
export function outputBase(spawnedAt: number, runStartedAt: number, lastBase: number): number {
  const seconds = Math.max(0, Math.floor((spawnedAt - runStartedAt) / 1000));
  const base = seconds * BYTES_A_SECOND;
  return base > lastBase ? base : lastBase + BYTES_A_SECOND;
}
