// The screen as text, for `npm start` where there is no terminal: real sessions, drawn once. What it started for the picture
// it ends again.
import type { PaneId } from '../model/ids.js';
import type { HostCaps, SessionView, WorkspaceState } from '../wire/messages.js';
import type { DaemonClient } from '../wire/client.js';
import type { CommandContext } from './context.js';
import { openTour } from './tour.js';

const COLS = 100;
const ROWS = 30;
/** What plain text can show. */
const PLAIN: HostCaps = {
  colors: 'none',
  unicode: true,
  syncOutput: false,
  marginsLR: false,
  kittyKeyboard: false,
  hyperlinks: false,
  clipboard: false,
};
/** A shell shows its prompt in some ten milliseconds; a slow start is drawn as it is. */
const SETTLE_LATEST_MS = 3000;
const LOOK_EVERY_MS = 50;

/** Prints the picture and why it is one. */
export async function printPicture(context: CommandContext): Promise<void> {
  const { tryConnect } = await import('../wire/launch.js');
  const running = await tryConnect(context.paths, { role: 'cli' });
  running?.dispose();
  await context.withDaemon(async (client) => {
    const made = await openTour(client, context.cwd);
    const size = { cols: sizeOf(context.env['COLUMNS'], COLS), rows: sizeOf(context.env['LINES'], ROWS) };
    try {
      // Nobody looks at a workspace that was empty: the programs may draw for the size of the picture.
      if (made.length > 0) client.send({ t: 'attach', cols: size.cols, rows: size.rows - 1, caps: PLAIN });
      await settle(client, made);
      context.print(await draw(client, size));
    } finally {
      for (const view of made)
        await client.request('session/close', { session: view.session.id, force: true });
      if (!running) await client.request('daemon/stop', { children: 'stop' });
    }
  });
  context.print(
    '\nThis is a text picture, because input or output is not a terminal. In a terminal, "agentile" shows it live.',
  );
}

/** Waits until every program has drawn something. */
async function settle(client: DaemonClient, views: readonly SessionView[]): Promise<void> {
  const deadline = Date.now() + SETTLE_LATEST_MS;
  for (const { session } of views) {
    for (;;) {
      const { lines } = await client.request('session/screen', { session: session.id });
      if (lines.some((line) => line.trim() !== '') || Date.now() > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

async function draw(client: DaemonClient, size: { cols: number; rows: number }): Promise<string> {
  const workspace = await client.request('workspace/get', {});
  const texts = await paneTexts(client, workspace);
  const { renderPicture } = await import('../tui/picture.js');
  return renderPicture({
    ...size,
    workspace,
    paneText: (paneId) => texts.get(paneId) ?? [],
  });
}

async function paneTexts(client: DaemonClient, workspace: WorkspaceState): Promise<Map<PaneId, string[]>> {
  const texts = new Map<PaneId, string[]>();
  for (const { id, sessionId } of workspace.panes) {
    const view = workspace.sessions.find((each) => each.session.id === sessionId);
    texts.set(id, view ? await sessionText(client, view) : []);
  }
  return texts;
}

async function sessionText(client: DaemonClient, view: SessionView): Promise<string[]> {
  const { hasScreen } = await import('./read.js');
  if (hasScreen(view)) return (await client.request('session/screen', { session: view.session.id })).lines;
  const { eventOf, readRecords } = await import('./records.js');
  const { TranscriptText } = await import('./transcript-text.js');
  const text = new TranscriptText();
  const records = await readRecords(client, view.session.id);
  return records
    .map((record) => text.push(eventOf(record) ?? { type: 'notice', kind: 'other', level: 'info', text: '' }))
    .join('')
    .split('\n');
}

/** Cells; a number of the environment that makes sense, or the default. */
function sizeOf(text: string | undefined, fallback: number): number {
  const size = Number(text);
  return Number.isInteger(size) && size >= 40 && size <= 500 ? size : fallback;
}
