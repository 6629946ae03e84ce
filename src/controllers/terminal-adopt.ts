// Takes over a program that outlived a daemon: its screen is rebuilt from the checkpoint that daemon left in the keeper
// and from the output since. Used by the terminal controller.
import { messageOf } from '../base/errors.js';
import type { ChildId } from '../model/ids.js';
import type { ChildHandle } from '../keeper/child-handle.js';
import type { Screen } from '../screen/contract.js';
import type { ControllerDeps } from './deps.js';

export interface AdoptedTerminal {
  handle: ChildHandle;
  /** The screen holds everything before this offset. */
  from: number;
  /** What the earlier daemon has answered; see TerminalFeed. */
  replayUntil: number;
  /** Output between the checkpoint and what is kept is gone: a full-screen program should draw itself anew. */
  hasGap: boolean;
}

export async function adoptChild(
  deps: ControllerDeps,
  screen: Screen,
  childId: ChildId,
): Promise<AdoptedTerminal> {
  // From the first byte that is kept: what the checkpoint holds is left out by the feed.
  const { handle, state, checkpoint } = await deps.host.adopt(childId, { stdout: 0 }, true);
  const kept = state.streams.stdout;
  if (state.cols && state.rows) screen.resize(state.cols, state.rows);
  let from = 0;
  if (checkpoint) {
    try {
      screen.restore(checkpoint.state);
      from = checkpoint.offset;
    } catch (error) {
      // A state that this build cannot read is as good as none: the kept output draws the rest.
      deps.log.warn('checkpoint not usable', { childId, error: messageOf(error) });
    }
  }
  return { handle, from, replayUntil: kept?.acked ?? 0, hasGap: (kept?.start ?? 0) > from };
}
