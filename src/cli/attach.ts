// `agentile attach` and `agentile start`: the tiles, or a text picture of them where there is no terminal.
import { AgentileError } from '../base/errors.js';
import { loadSettings } from '../config.js';
import type { CommandContext, CommandRun } from './context.js';

export const runAttach: CommandRun = async (context) => {
  refuseNesting(context);
  if (!context.hasTerminal) return showPicture(context);
  return showTiles(context, 'attach');
};

export const runStart: CommandRun = async (context) => {
  refuseNesting(context);
  if (!context.hasTerminal) return showPicture(context);
  if (loadSettings(context.paths.configFile).settings['start.tour']) {
    const { openTour } = await import('./tour.js');
    await context.withDaemon((client) => openTour(client, context.cwd));
  }
  return showTiles(context, 'tour');
};

async function showTiles(context: CommandContext, start: 'attach' | 'tour'): Promise<number> {
  const { runTui } = await import('../tui/main.js');
  return runTui({ paths: context.paths, env: context.env, folder: context.cwd, start });
}

async function showPicture(context: CommandContext): Promise<void> {
  const { printPicture } = await import('./picture.js');
  await printPicture(context);
}

/** The tiles inside one of their own tiles would show themselves without end. */
function refuseNesting(context: CommandContext): void {
  if (!context.env['AGENTILE_PANE_ID']) return;
  throw new AgentileError('USAGE', 'This is a pane of agentile already.', {
    hint: 'All other commands work here (agentile ls, new, send); "env -u AGENTILE_PANE_ID agentile" insists.',
  });
}
