// Waits until a session is in a wished state. Used by `wait` and `send --wait`.
import { AgentileError } from '../base/errors.js';
import type { SessionView } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';
import { sessionLabel } from './context.js';

/** A local question that costs the daemon some microseconds; short against any turn. */
const LOOK_EVERY_MS = 200;

/**
 * Looks at the session until `check` gives a value. Rejects with TIMED_OUT after `timeoutMs`, with what `check` throws,
 * and with what the daemon answers (SESSION_NOT_FOUND once the session was closed).
 */
export async function watchSession<T>(
  client: DaemonClient,
  session: string,
  check: (view: SessionView) => T | undefined,
  timeoutMs = Infinity,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const view = await client.request('session/get', { session });
    const found = check(view);
    if (found !== undefined) return found;
    if (Date.now() >= deadline) {
      throw new AgentileError(
        'TIMED_OUT',
        `${sessionLabel(view)} is still ${view.status} after ${timeoutMs / 1000} s.`,
        {
          hint: 'It goes on; the waiting has ended.',
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, deadline - Date.now())));
  }
}

/** The error for a session that waits for a person. */
export function needsYou(view: SessionView): AgentileError {
  const title = view.requests[0]?.title;
  return new AgentileError('NEEDS_YOU', `${sessionLabel(view)} needs you${title ? `: ${title}` : ''}.`, {
    hint: `agentile approve ${view.number}, agentile reject ${view.number}, or look: agentile attach.`,
  });
}
