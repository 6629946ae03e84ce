// `agentile new … --dry-run`: the launch that would be made, with the reason of each part; nothing is started, installed or
// written, and no daemon is needed.
import { join } from 'node:path';
import { AgentileError } from '../base/errors.js';
import { buildLaunch, modeOf } from '../controllers/launch.js';
import { explainLaunch, renderLaunch } from '../controllers/launch-explain.js';
import { loadSettings } from '../config.js';
import { searchFolders } from '../io/env.js';
import { newRunId, newSessionId } from '../model/ids.js';
import type { Provider } from '../model/provider.js';
import { resolveBinary, type FoundBinary } from '../providers.js';
import type { NewSessionParams } from '../wire/messages.js';
import { inspectContext, openCatalogue } from './catalogue-context.js';
import type { CommandContext } from './context.js';

/** Prints the launch of a session that would be made by `params`. Rejects as the launch itself would. */
export async function printDryRun(
  context: CommandContext,
  params: Omit<NewSessionParams, 'providerId'> & { providerId?: string },
  asJson: boolean,
): Promise<void> {
  const catalogue = openCatalogue(context);
  const provider =
    params.providerId === undefined
      ? catalogue.list('all').find((each) => each.bin === '{shell}')
      : catalogue.require(params.providerId);
  if (!provider) throw new AgentileError('PROVIDER_NOT_FOUND', 'The catalogue has no entry for a shell.');
  const where = inspectContext(context);
  const session = {
    id: newSessionId(),
    name: params.name ?? provider.id,
    cwd: params.cwd,
    launch: params.launch ?? {},
  };
  const mode = modeOf({ session: { ...session, providerId: provider.id, createdAt: 0 }, provider });
  const { binary, note } = await plannedBinary(provider, where, mode === 'terminal', session.launch.command);
  const { settings } = loadSettings(context.paths.configFile);
  const launch = buildLaunch({
    provider,
    session,
    run: { id: newRunId(), attempt: 1 },
    mode,
    binary,
    ...(params.prompt === undefined || provider.controller !== 'subprocess' ? {} : { prompt: params.prompt }),
    paths: context.paths,
    common: catalogue.common,
    baseEnv: context.env,
    searchFolders: await searchFolders(context.env),
    ...(where.gateway ? { gateway: where.gateway } : {}),
    extraPass: settings['env.pass'],
  });
  const explained = explainLaunch(provider.id, launch);
  if (note) explained.notes.unshift(note);
  if (asJson) context.printJson(explained);
  else context.print(renderLaunch(explained).trimEnd());
}

/** What would run: also what would be installed first. */
async function plannedBinary(
  provider: Provider,
  where: ReturnType<typeof inspectContext>,
  isTerminal: boolean,
  command: string[] | undefined,
): Promise<{ binary: FoundBinary; note?: string }> {
  if (command) return { binary: { file: command[0] ?? '', source: 'path', pathFolders: [] } };
  const resolution = await resolveBinary(provider, where, isTerminal);
  if (resolution.state === 'found') return { binary: resolution.binary };
  if (resolution.state === 'missing')
    throw new AgentileError('PROVIDER_NOT_INSTALLED', `${provider.name}: ${resolution.why}.`, {
      hint: resolution.hint,
    });
  const { plan } = resolution;
  const bin = (isTerminal ? provider.terminal?.bin : undefined) ?? provider.bin;
  return {
    binary: {
      file: join(plan.folder, 'node_modules/.bin', bin),
      source: 'managed',
      pathFolders: plan.pathFolders,
      version: plan.version,
    },
    note: `not installed yet: ${plan.packages.join(', ')} would be installed first`,
  };
}
