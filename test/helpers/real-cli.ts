// A real CLI of the catalogue, installed at its pinned version into a cache, launched as the daemon would launch it, with a
// scripted model server for its vendor and a home of its own. For `npm run test:real`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/base/errors.js';
import { createLauncher } from '../../src/controllers/launch.js';
import type { LaunchOptions } from '../../src/model/session.js';
import type { Provider } from '../../src/model/provider.js';
import { installProvider, loadCatalogue, resolveBinary } from '../../src/providers.js';
import { ROOT } from './build.js';
import { Bench } from './controller-bench.js';
import { startModelServer, type ModelServer } from './model-server.js';

/** CLIs are large: they stay between runs. */
const CLI_DIR = join(ROOT, 'node_modules/.cache/agentile-real-cli');

/** Not in the temp folder: Gemini CLI does not read settings below a folder that everybody can write to. */
const HOMES = join(ROOT, 'node_modules/.cache/agentile-real-home');

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

export interface RealCli {
  provider: Provider;
  /** Why it cannot be run here; the tests are skipped with these words. */
  missing?: string;
}

/** Installs the CLI unless the cache has it. Never rejects. */
export async function realCli(providerId: string): Promise<RealCli> {
  const provider = catalogue().require(providerId);
  const where = { cliDir: CLI_DIR, env: process.env };
  try {
    const found = await resolveBinary(provider, where);
    if (found.state !== 'found' || found.binary.source !== 'managed') await installProvider(provider, where);
    return { provider };
  } catch (error) {
    return { provider, missing: `${provider.name} cannot be installed here: ${messageOf(error)}` };
  }
}

function catalogue() {
  return loadCatalogue({ userCatalogueFile: join(tmpdir(), 'agentile-no-user-catalogue.toml') });
}

/** A home, a project folder and a model server: what several sessions of one CLI share. */
export class RealHome {
  readonly folder = mkdtempSync(join(makeFolder(HOMES), 'home-'));
  readonly project = join(this.folder, 'project');
  readonly cli: RealCli;
  server!: ModelServer;
  #env: Record<string, string>;

  /** `files`: contents by path below HOME. */
  constructor(cli: RealCli, env: Record<string, string> = {}, files: Record<string, string> = {}) {
    this.cli = cli;
    this.#env = env;
    mkdirSync(this.project);
    for (const [path, text] of Object.entries(files)) {
      makeFolder(dirname(join(this.folder, path)));
      writeFileSync(join(this.folder, path), text);
    }
  }

  async open(): Promise<void> {
    this.server = await startModelServer();
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A session of the CLI, not started yet. */
  session(choices: LaunchOptions, resumeId?: string): Bench {
    const { provider } = this.cli;
    const launch = createLauncher({
      paths: { dataDir: join(this.folder, 'data'), cliDir: CLI_DIR },
      env: { PATH: process.env['PATH'], HOME: this.folder, LANG: 'C.UTF-8', ...this.#env },
      common: () => catalogue().common,
      gateway: () => ({ url: this.server.url, apiKey: 'sk-test-000', from: 'the config file' }),
      install: false,
    });
    return new Bench({
      kind: provider.controller === 'terminal' ? 'subprocess' : provider.controller,
      agent: '',
      format: provider.format ?? '',
      real: { provider, cwd: this.project, choices, launch },
      ...(resumeId === undefined ? {} : { resumeId }),
    });
  }
}
