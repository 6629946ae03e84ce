// Carries out what a dialog asked for. Called by the app.
import type { ActionContext } from './action-context.js';
import { focusPane, performAction } from './actions.js';
import type { Intent } from './dialog.js';
import { EMPTY_COMPOSER } from './panes/composer.js';
import { startRow } from './start-session.js';
import { sessionById } from './state.js';

export async function performIntent(intent: Intent, context: ActionContext): Promise<void> {
  const { ask } = context;
  switch (intent.do) {
    case 'action':
      return performAction(intent.id, context);
    case 'start':
      return startRow(context, intent.row, intent);
    case 'rename-session':
      return void (await ask('session/rename', { session: intent.sessionId, name: intent.name }));
    case 'rename-tab':
      return void (await ask('layout/apply', { op: 'tab-rename', tabId: intent.tabId, name: intent.name }));
    case 'close-pane':
      return void (intent.stop
        ? await ask('session/close', { session: intent.sessionId, force: true })
        : await ask('layout/apply', { op: 'close-pane', paneId: intent.paneId }));
    case 'close-tab':
      return void (await ask('layout/apply', { op: 'tab-close', tabId: intent.tabId }));
    case 'restart':
      return void (await ask('session/restart', { session: intent.sessionId }));
    case 'stop-all':
      return void (await ask('session/stop-all', {}));
    case 'resume-all':
      return void (await ask('session/resume-all', {}));
    case 'mark':
      return void (await ask('session/mark', { session: intent.sessionId, confidence: intent.confidence }));
    case 'broadcast':
      return broadcast(intent.sessionIds, intent.text, context);
    case 'goto-session':
      return gotoSession(intent.sessionId, context);
    case 'detach':
      return context.detach();
    case 'quit':
      return quit(context);
  }
}

async function broadcast(
  sessionIds: readonly string[],
  text: string,
  { ask, say }: ActionContext,
): Promise<void> {
  const sent = await Promise.all(sessionIds.map((session) => ask('session/prompt', { session, text })));
  const count = sent.filter((answer) => answer !== undefined).length;
  say(count === sent.length ? 'info' : 'warning', `sent to ${count} of ${sent.length}`);
}

function gotoSession(sessionId: string, context: ActionContext): void {
  const pane = context.store.state.workspace?.panes.find((one) => one.sessionId === sessionId);
  if (!pane) return context.say('info', 'It has no pane.');
  focusPane(context, pane.id);
  // Straight to its card: the person came to answer.
  const { state } = context.store;
  const view = sessionById(state, pane.sessionId);
  const request = view?.requests[0];
  if (!view || !request) return;
  const composer = { ...(state.composers[pane.sessionId] ?? EMPTY_COMPOSER), cardFocus: request.id };
  context.store.dispatch({ type: 'composer', sessionId: pane.sessionId, composer });
}

/** Stops every program, then leaves. When that failed the screen stays, with the reason on it. */
async function quit(context: ActionContext): Promise<void> {
  const stopped = await context.ask('session/stop-all', {});
  if (stopped) context.detach('stopped: nothing runs any more; "agentile" brings the tiles back');
}
