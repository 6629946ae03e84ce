// Brings back what was there before this daemon: sessions and tiles from the log, processes from the keeper. What lives is
// taken over at the byte where the log stopped; what does not is marked lost, with the time, and never shown as a blank
// shell (A02). Called at start, and again when a log that could not be read at start can be read.
import { uptime } from 'node:os';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { FailureError } from '../controllers/controller.js';
import type { ChildHost } from '../keeper/child-handle.js';
import type { ChildState } from '../keeper/protocol.js';
import type { PermissionRequest } from '../model/permission.js';
import type { Run } from '../model/session.js';
import type { Banners } from './banners.js';
import type { EventLog } from './event-log.js';
import type { SavedState } from './log-store.js';
import type { Registry } from './registry.js';
import type { RunDesk } from './runs.js';
import { isLive, openTurn, type SessionState } from './session-state.js';
import type { TurnDesk } from './turns.js';
import type { Workspace } from './workspace.js';

/** Requests of one session that can be open at once; far more than any agent asks. */
const REQUESTS_MAX = 1000;

export interface RecoverOptions {
  log: EventLog;
  registry: Registry;
  runs: RunDesk;
  turns: TurnDesk;
  workspace: Workspace;
  banners: Banners;
  host: ChildHost;
  clock: Clock;
  diagnostics: Log;
}

/** Never rejects. Without a readable log it does nothing. */
export async function recover(options: RecoverOptions): Promise<void> {
  const saved = options.log.state();
  if (!saved) return;
  const restored = restoreSessions(options, saved);
  if (saved.workspace)
    options.workspace.restore(saved.workspace, (id) => options.registry.get(id) !== undefined);
  const children = await listChildren(options);
  const lost = lostMoment(saved.lastAt, options.clock.now());
  await Promise.all(
    restored.filter(isLive).map((state) => takeOver(options, state, childOf(children, state.run!), lost)),
  );
  await releaseEnded(options, children);
  tellUnknown(options, children);
}

/** Takes over again what runs, after the link to the keeper (or the keeper) was lost. Never rejects. */
export async function takeOverAll(options: RecoverOptions): Promise<void> {
  const children = await listChildren(options);
  const lost = lostMoment(0, options.clock.now());
  await Promise.all(
    options.registry
      .all()
      .filter(isLive)
      .map((state) => takeOver(options, state, childOf(children, state.run!), lost)),
  );
}

function restoreSessions({ registry, log }: RecoverOptions, saved: SavedState): SessionState[] {
  const restored: SessionState[] = [];
  for (const entry of saved.sessions) {
    const { id } = entry.session;
    if (registry.get(id)) continue;
    const state = registry.add(entry);
    const run = saved.runs.find((candidate) => candidate.sessionId === id);
    if (run) state.run = run;
    const turns = saved.turns.filter((turn) => turn.sessionId === id);
    const last = turns.filter((turn) => turn.state !== 'queued').at(-1);
    if (last) state.turn = last;
    state.queue = turns.filter((turn) => turn.state === 'queued');
    if (run && isLive(state)) restoreRequests(log, state, run);
    registry.changed(state);
    restored.push(state);
  }
  return restored;
}

function restoreRequests(log: EventLog, state: SessionState, run: Run): void {
  const types = ['permission.asked', 'permission.answered'];
  const open = new Map<string, PermissionRequest>();
  for (const { body, runId } of log.readTypes(state.session.id, types, REQUESTS_MAX)) {
    if (body.kind !== 'event' || runId !== run.id) continue;
    if (body.event.type === 'permission.asked') open.set(body.event.request.id, body.event.request);
    if (body.event.type === 'permission.answered') open.delete(body.event.permissionId);
  }
  for (const request of open.values()) state.requests.set(request.id, request);
}

async function listChildren({ host, diagnostics }: RecoverOptions): Promise<ChildState[]> {
  try {
    return await host.list();
  } catch (error) {
    diagnostics.error('the keeper did not tell what lives', { error });
    return [];
  }
}

/** The child of a run; its name holds the run's id. */
function childOf(children: readonly ChildState[], run: Run): ChildState | undefined {
  return children.filter((child) => child.childId.includes(run.id)).at(-1);
}

async function takeOver(
  options: RecoverOptions,
  state: SessionState,
  child: ChildState | undefined,
  lost: string,
): Promise<void> {
  const { runs, log, diagnostics } = options;
  const run = state.run!;
  const turn = openTurn(state);
  // One process a turn: the conversation lives without a process, and the next prompt starts one.
  if (!state.provider || (!child && state.kind !== 'subprocess')) {
    runs.markLost(state, lostFailure(state, lost));
    return;
  }
  const controller = runs.equip(state);
  if (!controller) return;
  const context = runs.contextOf(state, run, state.session.nativeId);
  try {
    if (child) {
      await controller.adopt({
        ...context,
        from: log.marks(run.id),
        ...(turn ? { openTurn: turn } : {}),
        openPermissions: [...state.requests.keys()],
      });
    } else {
      await controller.start(context);
      if (turn) options.turns.finish(state, { stopReason: 'error', failure: lostFailure(state, lost) });
    }
    runs.ready(state, run);
  } catch (error) {
    diagnostics.error('a process could not be taken over', { session: state.session.name, error });
    const why = error instanceof FailureError ? error.failure : lostFailure(state, lost, messageOf(error));
    runs.markLost(state, why);
  }
}

function lostFailure(state: SessionState, lost: string, why?: string) {
  return {
    kind: 'killed' as const,
    message: `process lost at ${lost}${why ? ` (${why})` : ''}`,
    hint: `Restart it: agentile restart ${state.session.name}`,
  };
}

/** HH:MM of the loss: when the machine went down, if it did since the last record; else now, when it is seen. */
function lostMoment(lastAt: number, now: number): string {
  const bootAt = now - uptime() * 1000;
  const at = new Date(lastAt > 0 && lastAt < bootAt ? bootAt : now);
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
}

/** Children that have ended and whose end is in the log already: the keeper may forget them. */
async function releaseEnded(
  { host, registry, diagnostics }: RecoverOptions,
  children: ChildState[],
): Promise<void> {
  for (const child of children) {
    const isOpen = registry.all().some((state) => isLive(state) && child.childId.includes(state.run!.id));
    if (!child.exit || isOpen) continue;
    try {
      const { handle } = await host.adopt(child.childId, {}, false);
      handle.release();
      handle.dispose();
    } catch (error) {
      diagnostics.warn('an ended child could not be released', { childId: child.childId, error });
    }
  }
}

/** Processes that no session knows (their log is gone): say so, they are running and somebody must decide. */
function tellUnknown({ registry, banners }: RecoverOptions, children: ChildState[]): void {
  const known = (child: ChildState) =>
    registry.all().some((state) => state.run && child.childId.includes(state.run.id));
  const strays = children.filter((child) => !child.exit && !known(child));
  if (strays.length === 0) return;
  const names = strays.map((child) => `${child.label ?? child.childId} (pid ${child.pid})`).join(', ');
  const text = `The log does not know ${strays.length} running program(s): ${names}. End them with kill, or all with: agentile daemon stop --children stop`;
  banners.set({ id: 'strays', level: 'warning', text });
}
