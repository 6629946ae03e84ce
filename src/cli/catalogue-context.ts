// What the provider commands share: the catalogue, where programs are looked for, the gateway of the settings.
import { loadSettings } from '../config.js';
import { loadCatalogue, resolveGateway, type Catalogue, type InspectContext } from '../providers.js';
import type { CommandContext } from './context.js';

export function openCatalogue(context: CommandContext): Catalogue {
  return loadCatalogue(context.paths);
}

/** Where to look, and whether a gateway redirects what is found. */
export function inspectContext(context: CommandContext, askVersions = false): InspectContext {
  const { settings } = loadSettings(context.paths.configFile);
  const gateway = resolveGateway(
    { url: settings['gateway.url'], apiKey: settings['gateway.api_key'] },
    context.env,
  );
  return {
    cliDir: context.paths.cliDir,
    env: context.env,
    askVersions,
    ...(gateway ? { gateway } : {}),
  };
}
