// The catalogue: every provider agentile knows, from the shipped providers.toml and the user's. Used by the daemon, the
// controllers and the commands. Everything that differs between two providers is a field here; no code asks for an id.
import { join } from 'node:path';
import type { Disposable } from './base/disposable.js';
import { Emitter } from './base/emitter.js';
import { AgentileError } from './base/errors.js';
import { silentLog, type Log } from './base/log.js';
import type { Paths } from './base/paths.js';
import type { Provider } from './model/provider.js';
import {
  loadContent,
  packageRoot,
  type CatalogueContent,
  type CatalogueProblem,
  type CommonEnv,
} from './providers/load.js';
import { watchCatalogueFile } from './providers/watch.js';

export { describeProblem, packageRoot, type CatalogueProblem, type CommonEnv } from './providers/load.js';
export * from './providers/resolve.js';
export * from './providers/install.js';
export * from './providers/inspect.js';
export * from './providers/vendor.js';
export * from './providers/views.js';

export interface CatalogueChange {
  /** Ids that are new, gone or different. Empty when only the problems changed. */
  changed: string[];
  problems: readonly CatalogueProblem[];
}

export interface CatalogueOptions {
  log?: Log;
  /** The shipped file; tests give their own. */
  shippedFile?: string;
}

/**
 * A live view of both files. Providers are frozen values: whoever started a run keeps the object it started with.
 * A user file that became faulty keeps the catalogue as it was and appears in `problems`.
 */
export class Catalogue implements Disposable {
  #content: CatalogueContent;
  readonly #shippedFile: string;
  readonly #userFile: string;
  readonly #log: Log;
  readonly #changed = new Emitter<CatalogueChange>();
  #watch: Disposable | undefined;

  constructor(shippedFile: string, userFile: string, log: Log = silentLog) {
    this.#shippedFile = shippedFile;
    this.#userFile = userFile;
    this.#log = log;
    this.#content = loadContent(shippedFile, userFile);
  }

  readonly onChange = this.#changed.event;

  /** By id or alias; also disabled ones. */
  get(idOrAlias: string): Provider | undefined {
    const { providers } = this.#content;
    const found = providers.get(idOrAlias);
    if (found) return found;
    const wanted = idOrAlias.toLowerCase();
    return [...providers.values()].find(
      (provider) => provider.id === wanted || provider.aliases.includes(wanted),
    );
  }

  /** Like `get`, for what a user typed: throws PROVIDER_NOT_FOUND and names the ones there are. */
  require(idOrAlias: string): Provider {
    const provider = this.get(idOrAlias);
    if (!provider)
      throw new AgentileError('PROVIDER_NOT_FOUND', `There is no provider "${idOrAlias}".`, {
        hint: `Known: ${this.list()
          .map((known) => known.id)
          .join(', ')}.`,
      });
    if (provider.disabled)
      throw new AgentileError('PROVIDER_NOT_FOUND', `The provider "${provider.id}" is switched off.`, {
        hint: `Remove "disabled = true" from [providers.${provider.id}] in ${this.#userFile}.`,
      });
    return provider;
  }

  /** In the order of the files; `all` includes those that the user switched off. */
  list(which: 'enabled' | 'all' = 'enabled'): Provider[] {
    const providers = [...this.#content.providers.values()];
    return which === 'all' ? providers : providers.filter((provider) => !provider.disabled);
  }

  get common(): CommonEnv {
    return this.#content.common;
  }

  get problems(): readonly CatalogueProblem[] {
    return this.#content.problems;
  }

  get userFile(): string {
    return this.#userFile;
  }

  /** Starts to follow the user's file. */
  watch(): void {
    this.#watch ??= watchCatalogueFile(this.#userFile, () => this.reload(), this.#log);
  }

  /** Reads the files again; fires onChange when something is different. Never throws. */
  reload(): void {
    const old = this.#content;
    let next: CatalogueContent;
    try {
      next = loadContent(this.#shippedFile, this.#userFile);
    } catch (error) {
      // The shipped file is being replaced by an update; the next event reads it whole.
      this.#log.warn('catalogue not read', { error });
      return;
    }
    if (next.problems.length > 0) next = { ...old, problems: next.problems };
    const changed = differingIds(old.providers, next.providers);
    const sameProblems = JSON.stringify(old.problems) === JSON.stringify(next.problems);
    const sameCommon = JSON.stringify(old.common) === JSON.stringify(next.common);
    this.#content = next;
    if (changed.length === 0 && sameProblems && sameCommon) return;
    this.#changed.fire({ changed, problems: next.problems });
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#changed.dispose();
  }
}

function differingIds(before: Map<string, Provider>, after: Map<string, Provider>): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].filter((id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id)));
}

/** Opens the catalogue. Throws CATALOGUE_INVALID only when the shipped file is broken. Call `watch()` to follow edits. */
export function loadCatalogue(
  paths: Pick<Paths, 'userCatalogueFile'>,
  options: CatalogueOptions = {},
): Catalogue {
  const shipped = options.shippedFile ?? join(packageRoot(), 'providers.toml');
  return new Catalogue(shipped, paths.userCatalogueFile, options.log);
}
