// Installs a provider's npm package into our own folder, at the exact version the catalogue names: one process at a time,
// complete or not at all, and going on where a killed install stopped. Called by the daemon and by `provider install`.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AgentileError, messageOf } from '../base/errors.js';
import { isExecutable } from '../io/env.js';
import { freeBytes, npmInstall, type NpmFault, type NpmOutcome } from '../io/npm-install.js';
import { withLock } from '../io/lock-file.js';
import type { Provider } from '../model/provider.js';
import { isInstalled, MARKER_FILE, type InstallMarker, type InstallPlan } from './install-plan.js';
import { decideInstall, type ResolveContext } from './resolve.js';

export interface InstallProgress {
  phase: 'waiting' | 'checking' | 'fetching' | 'finishing' | 'done';
  /** One line for people. */
  message: string;
  /** Files fetched so far. */
  fetched?: number;
}

export interface InstallOptions {
  onProgress?: (progress: InstallProgress) => void;
  abort?: AbortSignal;
}

export interface InstallResult {
  version: string;
  /** The executable. */
  path: string;
  plan: InstallPlan;
  /** False when it was there already. */
  fresh: boolean;
}

/** Free space asked for when the catalogue names no size, MB; most of these CLIs unpack to 100-450 MB. */
const USUAL_SIZE_MB = 500;

const running = new Map<string, Promise<InstallResult>>();

/**
 * Rejects with PROVIDER_NOT_INSTALLED (hint: what to do). Two callers at once, in one process or in two, get the same
 * install. A progress callback is heard only by the caller that began it.
 */
export async function installProvider(
  provider: Provider,
  context: ResolveContext,
  options: InstallOptions = {},
): Promise<InstallResult> {
  const decision = await decideInstall(provider, context);
  if (!('plan' in decision))
    throw new AgentileError('PROVIDER_NOT_INSTALLED', `${decision.impossible}.`, { hint: decision.hint });
  const { plan } = decision;
  const known = running.get(plan.folder);
  if (known) return known;
  const work = installPlan(provider, plan, context, options).finally(() => running.delete(plan.folder));
  running.set(plan.folder, work);
  return work;
}

async function installPlan(
  provider: Provider,
  plan: InstallPlan,
  context: ResolveContext,
  options: InstallOptions,
): Promise<InstallResult> {
  const tell = (progress: InstallProgress) => options.onProgress?.(progress);
  const path = join(plan.folder, 'node_modules/.bin', provider.bin);
  const result = (fresh: boolean): InstallResult => ({ version: plan.version, path, plan, fresh });
  if (isInstalled(plan) && isExecutable(path)) return result(false);
  const home = dirname(plan.folder);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const waiting = () => tell({ phase: 'waiting', message: 'another process is installing it' });
  return whenAlone(join(home, '.lock'), waiting, options.abort, async () => {
    if (isInstalled(plan) && isExecutable(path)) return result(false);
    tell({ phase: 'checking', message: plan.note ?? `${plan.packages[0]} with Node ${plan.node.version}` });
    checkSpace(provider, home);
    const partial = join(home, `.partial-${basename(plan.folder)}`);
    await fetchInto(partial, plan, context.env, provider, options);
    tell({ phase: 'finishing', message: 'checking what was installed' });
    verify(provider, plan, partial);
    finish(partial, plan);
    tell({ phase: 'done', message: `${provider.name} ${plan.version} is installed` });
    return result(true);
  });
}

/** How long the lock is tried at a time; between two tries a waiting person is told and an abort is seen. */
const LOCK_SLICE_MS = 1000;

async function whenAlone<T>(
  file: string,
  onWait: () => void,
  abort: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  for (;;) {
    let entered = false;
    try {
      return await withLock(
        file,
        () => {
          entered = true;
          return action();
        },
        LOCK_SLICE_MS,
      );
    } catch (error) {
      const isBusy = !entered && error instanceof AgentileError && error.code === 'TIMED_OUT';
      if (!isBusy) throw error;
      onWait();
      if (abort?.aborted)
        throw new AgentileError('PROVIDER_NOT_INSTALLED', 'The install was stopped while it waited.');
    }
  }
}

function checkSpace(provider: Provider, folder: string): void {
  const needMb = provider.install.sizeMb ?? USUAL_SIZE_MB;
  const free = freeBytes(folder);
  if (free === undefined || free / 1e6 >= needMb) return;
  throw new AgentileError(
    'PROVIDER_NOT_INSTALLED',
    `${provider.name} needs about ${needMb} MB; ${Math.floor(free / 1e6)} MB are free on the disk of ${folder}.`,
    { hint: 'Make room, or set XDG_DATA_HOME to a larger disk.' },
  );
}

/** With a Node of its own: that first, then npm runs under it, so that install scripts see the Node they ask for. */
async function fetchInto(
  partial: string,
  plan: InstallPlan,
  env: NodeJS.ProcessEnv,
  provider: Provider,
  options: InstallOptions,
): Promise<void> {
  let before = 0;
  let nodeFile = plan.node.file;
  const steps = plan.bringsNode ? [[`node@${plan.bringsNode}`], plan.packages] : [plan.packages];
  for (const packages of steps) {
    const outcome = await npmInstall({
      folder: partial,
      packages,
      scriptsFor: plan.packages,
      nodeFile,
      env,
      ...(options.abort ? { abort: options.abort } : {}),
      onFetch: (count, name) =>
        options.onProgress?.({
          phase: 'fetching',
          message: `${packages[0]}: ${before + count} fetched (${decodeURIComponent(name)})`,
          fetched: before + count,
        }),
    });
    if (outcome.fault) throw faultError(outcome, outcome.fault, provider, plan);
    before += 1;
    if (plan.bringsNode) nodeFile = join(partial, 'node_modules/.bin/node');
  }
}

const FAULT_WORDS: Record<NpmFault, { message: string; hint: string }> = {
  'disk-full': {
    message: 'the disk is full',
    hint: 'Make room and try again; the install goes on where it stopped.',
  },
  offline: {
    message: 'the npm registry could not be reached',
    hint: 'Check the network and HTTPS_PROXY, then try again; what was fetched is kept.',
  },
  'not-published': {
    message: 'this version is not in the npm registry (or a package it needs is not)',
    hint: 'Name another exact version under [providers.<id>.install] in your providers.toml.',
  },
  refused: {
    message: 'its install script refused',
    hint: 'See the lines above; often another Node is needed.',
  },
  'no-npm': { message: 'npm was not found', hint: 'Install npm, or put the CLI on PATH yourself.' },
  aborted: { message: 'the install was stopped', hint: 'Start it again; it goes on where it stopped.' },
  failed: { message: 'npm failed', hint: 'See the lines above.' },
};

function faultError(
  outcome: NpmOutcome,
  fault: NpmFault,
  provider: Provider,
  plan: InstallPlan,
): AgentileError {
  const words = FAULT_WORDS[fault];
  const detail = outcome.detail ? `\n${outcome.detail}` : '';
  return new AgentileError(
    'PROVIDER_NOT_INSTALLED',
    `${provider.name} (${plan.packages[0]}) was not installed: ${words.message}.${detail}`,
    { hint: words.hint.replace('<id>', provider.id) },
  );
}

/** npm on an old Node may bring another version than it was asked for; that is no install of ours. */
function verify(provider: Provider, plan: InstallPlan, partial: string): void {
  const wrong = plan.packages.filter((spec) => installedVersion(partial, spec) !== versionOf(spec));
  const bin = join(partial, 'node_modules/.bin', provider.bin);
  const fault =
    wrong.length > 0
      ? `npm brought another version of ${wrong.join(', ')}`
      : isExecutable(bin)
        ? undefined
        : `the package has no program "${provider.bin}"`;
  if (!fault) return;
  rmSync(partial, { recursive: true, force: true });
  throw new AgentileError('PROVIDER_NOT_INSTALLED', `${provider.name} was not installed: ${fault}.`, {
    hint: 'Report this: a pin of the catalogue is wrong for this machine.',
  });
}

function versionOf(spec: string): string {
  return spec.slice(spec.lastIndexOf('@') + 1);
}

function installedVersion(folder: string, spec: string): string | undefined {
  const name = spec.slice(0, spec.lastIndexOf('@'));
  try {
    const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    return (JSON.parse(text) as { version?: string }).version;
  } catch {
    // Missing or unreadable is the same to the caller: this package is not there.
    return undefined;
  }
}

function finish(partial: string, plan: InstallPlan): void {
  const marker: InstallMarker = { packages: plan.packages, installedAt: Date.now() };
  writeFileSync(join(partial, MARKER_FILE), `${JSON.stringify(marker, null, 2)}\n`, { mode: 0o600 });
  // A folder without a marker, or with other packages, is in the way; ours is complete.
  rmSync(plan.folder, { recursive: true, force: true });
  renameSync(partial, plan.folder);
}

/** Removes every other version of this provider; gives the folders that went. Running agents keep their open files. */
export function pruneInstalls(provider: Provider, cliDir: string, keep: readonly string[]): string[] {
  const home = join(cliDir, provider.install.as ?? provider.id);
  if (!existsSync(home)) return [];
  const kept = new Set(keep.map((folder) => basename(folder)));
  const old = readdirSync(home).filter((name) => name !== '.lock' && !kept.has(name));
  const removed: string[] = [];
  for (const name of old) {
    try {
      rmSync(join(home, name), { recursive: true, force: true });
      removed.push(join(home, name));
    } catch (error) {
      throw new AgentileError('INTERNAL', `${join(home, name)} cannot be removed: ${messageOf(error)}`);
    }
  }
  return removed;
}
