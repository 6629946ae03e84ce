// What the requests about providers do: the picker's rows and installs. Called through the request table.
import { installProvider } from '../providers.js';
import { inspectProviders, providerViews, type Catalogue, type Gateway } from '../providers.js';
import type { ProviderView } from '../wire/messages.js';

export interface ProviderRequestOptions {
  catalogue: Catalogue;
  cliDir: string;
  env: NodeJS.ProcessEnv;
  gateway(): Gateway | undefined;
  /** Progress of an install, one line. */
  tell(text: string): void;
}

export class ProviderRequests {
  #options: ProviderRequestOptions;
  #rows: Promise<ProviderView[]> | undefined;

  constructor(options: ProviderRequestOptions) {
    this.#options = options;
    options.catalogue.onChange(() => (this.#rows = undefined));
  }

  /** Asked once and kept: looking at twenty programs takes a while. */
  list(refresh: boolean): Promise<ProviderView[]> {
    if (refresh) this.#rows = undefined;
    this.#rows ??= this.#inspect();
    return this.#rows;
  }

  async install(providerId: string): Promise<{ version: string; path: string }> {
    const { catalogue, cliDir, env, tell } = this.#options;
    const provider = catalogue.require(providerId);
    const onProgress = ({ message }: { message: string }) => tell(`${provider.name}: ${message}`);
    const { version, path } = await installProvider(provider, { cliDir, env }, { onProgress });
    this.#rows = undefined;
    return { version, path };
  }

  async #inspect(): Promise<ProviderView[]> {
    const { catalogue, cliDir, env } = this.#options;
    const providers = catalogue.list('all');
    const gateway = this.#options.gateway();
    const reports = await inspectProviders(providers, { cliDir, env, ...(gateway ? { gateway } : {}) });
    return providerViews(providers, reports);
  }
}
