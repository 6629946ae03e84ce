// The tour: what `agentile start` opens in an empty workspace. Two shells and the built-in demo program, all real.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SessionView, WorkspaceState } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';

/** Opens the tour when there is no session; resolves with the sessions it made. */
export async function openTour(client: DaemonClient, cwd: string): Promise<SessionView[]> {
  const workspace: WorkspaceState = await client.request('workspace/get', {});
  if (workspace.sessions.length > 0) return [];
  const made: SessionView[] = [];
  for (const command of [undefined, demoCommand(), undefined]) {
    const { session } = await client.request('session/new', {
      cwd,
      launch: { terminal: true, ...(command ? { command } : {}) },
      ...(command ? { name: 'demo' } : {}),
      open: true,
    });
    made.push(session);
  }
  return made;
}

/** The demo program lies beside this bundle; without it (running from source) a third shell takes its place. */
function demoCommand(): string[] | undefined {
  const file = fileURLToPath(new URL('./demo-screen.js', import.meta.url));
  return existsSync(file) ? [process.execPath, file] : undefined;
}
