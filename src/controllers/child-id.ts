// Names of children in the keeper: the run id with a kind in front. Used by controllers when they spawn, and by the
// daemon when it asks the keeper what lives. Must not know what a run is.
import type { ChildId, RunId } from '../model/ids.js';

const RUN_PREFIX = 'run:';

/** The keeper's name of the process of a run. */
export function childIdOf(runId: RunId): ChildId {
  return `${RUN_PREFIX}${runId}` as ChildId;
}

/** The run a child serves, or undefined when it is not the process of a run (a tool's terminal). */
export function runIdOf(childId: ChildId): RunId | undefined {
  return childId.startsWith(RUN_PREFIX) ? (childId.slice(RUN_PREFIX.length) as RunId) : undefined;
}
