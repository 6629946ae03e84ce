// What is known of a provider on this machine without asking the network: where it is, which version, signed in or not, and
// the next step. Called by `provider ls`, `provider doctor` and the daemon's provider/list.
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expandHome } from '../io/env.js';
import { runCommand } from '../io/run-command.js';
import type { ControllerKind, Provider } from '../model/provider.js';
import { resolveBinary, type FoundBinary, type ResolveContext, type Resolution } from './resolve.js';
import { effectiveVendor, type Gateway } from './vendor.js';

export type SignedIn = 'yes' | 'no-sign-of-it' | 'not-needed';

export interface ProviderReport {
  id: string;
  name: string;
  kind: NonNullable<Provider['kind']>;
  tier: ControllerKind;
  state: 'installed' | 'installable' | 'missing' | 'disabled';
  /** The executable, when there is one. */
  path?: string;
  source?: FoundBinary['source'];
  version?: string;
  /** The version the catalogue names for this machine. */
  pinned?: string;
  signedIn: SignedIn;
  /** What tells that it is signed in: a file or a variable. */
  signedInBy?: string;
  vendor: string;
  unverified: boolean;
  /** Where it was found, or why it cannot be had. */
  detail: string;
  /** The exact next step; missing when there is nothing to do. */
  nextStep?: string;
}

export interface InspectContext extends ResolveContext {
  gateway?: Gateway;
  /** Run `--version` of programs that were found on PATH. */
  askVersions?: boolean;
}

/** `--version` of a CLI that checks for updates first may take seconds; then the version stays unknown. */
const VERSION_TIMEOUT_MS = 8000;
/** CLIs started at the same time: each may be a whole Node with a large bundle. */
const PARALLEL = 3;

/** Never rejects. The order of the answers is the order of the providers. */
export async function inspectProviders(
  providers: readonly Provider[],
  context: InspectContext,
): Promise<ProviderReport[]> {
  const reports = new Array<ProviderReport>(providers.length);
  let next = 0;
  const worker = async () => {
    while (next < providers.length) {
      const index = next++;
      reports[index] = await inspectProvider(providers[index]!, context);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return reports;
}

export async function inspectProvider(provider: Provider, context: InspectContext): Promise<ProviderReport> {
  const resolution = await resolveBinary(provider, context);
  const signed = signedInState(provider, context.env);
  const base = {
    id: provider.id,
    name: provider.name,
    kind: provider.kind ?? ('agent' as const),
    tier: provider.controller,
    ...signed,
    vendor: effectiveVendor(provider, context.env, context.gateway),
    unverified: provider.unverified ?? false,
    ...(provider.install.version ? { pinned: pinnedVersion(resolution, provider.install.version) } : {}),
  };
  if (provider.disabled)
    return {
      ...base,
      state: 'disabled',
      detail: 'switched off in your providers.toml',
      nextStep: `remove "disabled = true" from [providers.${provider.id}]`,
    };
  if (resolution.state === 'missing')
    return { ...base, state: 'missing', detail: resolution.why, nextStep: resolution.hint };
  if (resolution.state === 'installable')
    return {
      ...base,
      state: 'installable',
      detail: installableDetail(resolution),
      nextStep: `agentile provider install ${provider.id}`,
    };
  const { binary } = resolution;
  const version = binary.version ?? (await versionIfAsked(provider, binary, context));
  const step = nextStepOf(provider, signed.signedIn, binary, version);
  return {
    ...base,
    state: 'installed',
    path: binary.file,
    source: binary.source,
    ...(version ? { version } : {}),
    detail: foundDetail(binary, resolution.plan?.note),
    ...(step ? { nextStep: step } : {}),
  };
}

function pinnedVersion(resolution: Resolution, catalogueVersion: string): string {
  return resolution.state !== 'missing' && resolution.plan ? resolution.plan.version : catalogueVersion;
}

function installableDetail(resolution: Extract<Resolution, { state: 'installable' }>): string {
  const { plan, alternative } = resolution;
  const own = `${plan.packages[0]}${plan.note ? ` (${plan.note})` : ''}`;
  return alternative ? `${own}; another version is at ${alternative.file}` : own;
}

function foundDetail(binary: FoundBinary, note: string | undefined): string {
  const where: Record<FoundBinary['source'], string> = {
    managed: 'installed by agentile',
    path: `on PATH: ${binary.file}`,
    'vendor-folder': `in the vendor's folder: ${binary.file}`,
    builtin: 'part of agentile or of the system',
  };
  return note ? `${where[binary.source]} (${note})` : where[binary.source];
}

function nextStepOf(
  provider: Provider,
  signedIn: SignedIn,
  binary: FoundBinary,
  version: string | undefined,
): string | undefined {
  if (signedIn === 'no-sign-of-it')
    return provider.login
      ? `agentile provider login ${provider.id}  (${provider.login.hint})`
      : `set ${provider.detect.signedInEnv.join(' or ')}`;
  const pinned = provider.install.version;
  if (binary.source === 'path' && pinned && version && version !== pinned)
    return `agentile provider install ${provider.id}  (tested version: ${pinned})`;
  return undefined;
}

/** Files and variables only: whether a key is still good is for the CLI to find out. */
function signedInState(
  provider: Provider,
  env: NodeJS.ProcessEnv,
): { signedIn: SignedIn; signedInBy?: string } {
  const { signedInEnv, signedInFiles } = provider.detect;
  if (signedInEnv.length === 0 && signedInFiles.length === 0) return { signedIn: 'not-needed' };
  const variable = signedInEnv.find((name) => env[name]);
  if (variable) return { signedIn: 'yes', signedInBy: variable };
  const file = signedInFiles
    .map((path) => expandHome(inConfigFolder(path, provider, env), env))
    .find((path) => existsSync(path) && statSync(path).size > 2);
  return file ? { signedIn: 'yes', signedInBy: file } : { signedIn: 'no-sign-of-it' };
}

/** "{config_dir}/auth.json" under the folder that this user's CLI uses. */
function inConfigFolder(path: string, provider: Provider, env: NodeJS.ProcessEnv): string {
  return path.replace('{config_dir}', configFolder(provider, env));
}

/** The CLI's config folder: the entry's own, the variable of the CLI, or its default. */
export function configFolder(provider: Provider, env: NodeJS.ProcessEnv): string {
  const byVariable = provider.env.configDirVar ? env[provider.env.configDirVar] : undefined;
  const folder = provider.configDir ?? (byVariable || undefined) ?? provider.defaultConfigDir;
  return folder ? expandHome(folder, env) : join(homedir(), `.${provider.id}`);
}

const versions = new Map<string, Promise<string | undefined>>();

function versionIfAsked(
  provider: Provider,
  binary: FoundBinary,
  context: InspectContext,
): Promise<string | undefined> | undefined {
  if (!context.askVersions || provider.detect.versionArgs.length === 0) return undefined;
  const changed = statSync(binary.file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const key = `${binary.file}\n${changed}`;
  const known = versions.get(key) ?? askVersion(provider, binary, context.env);
  versions.set(key, known);
  return known;
}

async function askVersion(
  provider: Provider,
  binary: FoundBinary,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const path = [...binary.pathFolders, env['PATH'] ?? ''].join(':');
  const outcome = await runCommand(binary.file, provider.detect.versionArgs, {
    env: { ...env, ...provider.env.set, PATH: path },
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  const pattern = provider.detect.versionPattern ?? '(\\d+\\.\\d+\\.\\d+[-+.0-9A-Za-z]*)';
  return new RegExp(pattern).exec(outcome.output)?.[1];
}
