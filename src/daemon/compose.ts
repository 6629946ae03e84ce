// The daemon with its real surroundings: catalogue, settings, keeper, controllers. Called by main.ts once the socket is ours.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/clock.js';
import { AgentileError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Paths } from '../base/paths.js';
import { loadSettings, type Settings } from '../config.js';
import type { Controller, StartContext } from '../controllers/controller.js';
import { createController, Pump } from '../controllers/index.js';
import { createLauncher } from '../controllers/launch.js';
import { startKeeper } from '../keeper/launch.js';
import { KeeperLink } from '../keeper/link.js';
import type { Provider } from '../model/provider.js';
import { describeProblem, loadCatalogue, resolveGateway, type Catalogue } from '../providers.js';
import { Daemon } from './daemon.js';
import { HooksEndpoint } from './hooks-http.js';
import { KeeperHost } from './keeper-host.js';
import { ProviderRequests } from './provider-requests.js';
import type { SessionState } from './session-state.js';

/** The entry of the catalogue that is the user's own shell says so in its bin. */
const SHELL_BIN = '{shell}';

export interface Surroundings {
  paths: Paths;
  env: NodeJS.ProcessEnv;
  diagnostics: Log;
  onStopped(): void;
}

export interface Composed {
  daemon: Daemon;
  host: KeeperHost;
  /** Connects to the keeper, brings back what was there, answers clients. Never rejects. */
  start(): Promise<void>;
}

export function composeDaemon({ paths, env, diagnostics, onStopped }: Surroundings): Composed {
  const catalogue = loadCatalogue(paths, { log: diagnostics });
  const loaded = loadSettings(paths.configFile);
  const { settings } = loaded;
  const gateway = () =>
    resolveGateway({ url: settings['gateway.url'], apiKey: settings['gateway.api_key'] }, env);
  const host = new KeeperHost(async () => {
    await startKeeper(paths, { entry: keeperEntry(), env });
    return KeeperLink.connect(paths);
  }, diagnostics);
  const hooks = new HooksEndpoint({
    stateDir: paths.stateDir,
    diagnostics,
    onSignal: (signal) => daemon.hookSignal(signal),
  });
  const providers = new ProviderRequests({
    catalogue,
    cliDir: paths.cliDir,
    env,
    gateway,
    tell: (text) => daemon.tell('info', text),
  });
  const makeController = controllerMaker({ paths, env, diagnostics, catalogue, settings, host, hooks });
  const daemon: Daemon = new Daemon({
    clock: systemClock,
    diagnostics,
    logFile: paths.logDatabase,
    socket: paths.daemonSocket,
    host,
    hooks,
    providers: catalogue,
    requireProvider: (id) => (id === undefined ? shellOf(catalogue) : catalogue.require(id)),
    makeController,
    listProviders: (refresh) => providers.list(refresh),
    installProvider: (id) => providers.install(id),
    sessionsMax: settings['sessions.limit'],
    onStopped: () => {
      hooks.dispose();
      catalogue.dispose();
      onStopped();
    },
  });
  if (loaded.problem) daemon.banners.set({ id: 'settings', level: 'warning', text: loaded.problem.message });
  showProblems(daemon, catalogue);
  catalogue.onChange(() => showProblems(daemon, catalogue));
  return { daemon, host, start: () => start({ daemon, host, hooks, catalogue, diagnostics }) };
}

interface Parts {
  daemon: Daemon;
  host: KeeperHost;
  hooks: HooksEndpoint;
  catalogue: Catalogue;
  diagnostics: Log;
}

async function start({ daemon, host, hooks, catalogue, diagnostics }: Parts): Promise<void> {
  catalogue.watch();
  await hooks.start();
  try {
    await host.start();
  } catch (error) {
    diagnostics.error('no keeper', { error });
    const { message, hint } = AgentileError.fromJSON(
      error as { code?: string; message?: string; hint?: string },
    );
    daemon.banners.set({ id: 'keeper', level: 'error', text: [message, hint].filter(Boolean).join(' ') });
  }
  await daemon.start();
}

function showProblems(daemon: Daemon, catalogue: Catalogue): void {
  const [first] = catalogue.problems;
  if (first) daemon.banners.set({ id: 'catalogue', level: 'warning', text: describeProblem(first) });
  else daemon.banners.clear('catalogue');
}

interface ControllerSurroundings {
  paths: Paths;
  env: NodeJS.ProcessEnv;
  diagnostics: Log;
  catalogue: Catalogue;
  settings: Settings;
  host: KeeperHost;
  hooks: HooksEndpoint;
}

function controllerMaker(o: ControllerSurroundings): (state: SessionState, daemon: Daemon) => Controller {
  const pump = new Pump();
  return (state, daemon) => {
    const launch = createLauncher({
      paths: o.paths,
      env: o.env,
      common: () => o.catalogue.common,
      gateway: () =>
        resolveGateway({ url: o.settings['gateway.url'], apiKey: o.settings['gateway.api_key'] }, o.env),
      loopback: (context: StartContext) =>
        o.hooks.url ? { url: o.hooks.url, token: o.hooks.tokenOf(context.run.id) } : undefined,
      paneId: () => daemon.workspace.panesOf(state.session.id)[0]?.id,
      extraPass: () => o.settings['env.pass'],
      onInstall: (_context, { message }) => daemon.tell('info', message, state),
    });
    return createController(state.kind, {
      host: o.host,
      clock: systemClock,
      log: o.diagnostics,
      pump,
      scrollbackLines: o.settings['screen.scrollback'],
      launch: async (context, turn) => {
        const launched = await launch(context, turn);
        state.argv = [launched.file, ...launched.args];
        return launched;
      },
    });
  };
}

function shellOf(catalogue: Catalogue): Provider {
  const shell = catalogue.list('all').find((provider) => provider.bin === SHELL_BIN);
  if (shell) return shell;
  throw new AgentileError('PROVIDER_NOT_FOUND', 'The catalogue has no entry for a shell.', {
    hint: `Put one with bin = "${SHELL_BIN}" into your providers.toml.`,
  });
}

/** Bundles lie side by side in dist/; from source, the built one is used. */
function keeperEntry(): string {
  for (const place of ['./keeper.js', '../../dist/keeper.js']) {
    const file = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(file)) return file;
  }
  throw new AgentileError('KEEPER_UNREACHABLE', 'The keeper is not built.', {
    hint: 'Run "npm run build" in the agentile folder.',
  });
}
