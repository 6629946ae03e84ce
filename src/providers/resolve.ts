// Finds the program of a provider: our managed install at the pinned version, PATH (also the login shell's), the vendor's
// own folder, or a part of agentile itself. Called before each launch and by ls and doctor. Installs nothing.
import { dirname, join } from 'node:path';
import { expandHome, findExecutables, findNodes, isExecutable, searchFolders, splitPath } from '../io/env.js';
import type { Provider } from '../model/provider.js';
import { packageRoot } from './load.js';
import { isInstalled, planInstall, type InstallDecision, type InstallPlan } from './install-plan.js';

export type { InstallPlan } from './install-plan.js';

export type BinarySource = 'managed' | 'path' | 'vendor-folder' | 'builtin';

export interface FoundBinary {
  file: string;
  source: BinarySource;
  /** Folders that must come first in the child's PATH. */
  pathFolders: string[];
  /** Known without running it: managed installs only. */
  version?: string;
}

export type Resolution =
  | { state: 'found'; binary: FoundBinary; plan?: InstallPlan }
  /** Not there yet; `alternative` is another version on PATH that could run instead. */
  | { state: 'installable'; plan: InstallPlan; alternative?: FoundBinary }
  | { state: 'missing'; why: string; hint: string };

export interface ResolveContext {
  /** paths.cliDir */
  cliDir: string;
  env: NodeJS.ProcessEnv;
}

/** `terminal`: the binary of the provider's own screen, where that is another one. Never rejects. */
export async function resolveBinary(
  provider: Provider,
  context: ResolveContext,
  terminal = false,
): Promise<Resolution> {
  const bin = (terminal ? provider.terminal?.bin : undefined) ?? provider.bin;
  const builtin = builtinBinary(bin, context.env);
  if (builtin) return { state: 'found', binary: builtin };
  const elsewhere = await findElsewhere(provider, bin, context);
  if (provider.install.prefer === 'path' && elsewhere) return { state: 'found', binary: elsewhere };
  const decision = await decideInstall(provider, context);
  if ('plan' in decision) {
    const { plan } = decision;
    const file = join(plan.folder, 'node_modules/.bin', bin);
    if (isInstalled(plan) && isExecutable(file))
      return {
        state: 'found',
        binary: { file, source: 'managed', pathFolders: plan.pathFolders, version: plan.version },
        plan,
      };
    return { state: 'installable', plan, ...(elsewhere ? { alternative: elsewhere } : {}) };
  }
  if (elsewhere) return { state: 'found', binary: elsewhere };
  const why = provider.install.npm ? decision.impossible : `${bin} was not found on PATH`;
  return { state: 'missing', why, hint: decision.hint };
}

/** The binary to run without installing anything (`call`): found, else the one on PATH. */
export function usableBinary(resolution: Resolution): FoundBinary | undefined {
  if (resolution.state === 'found') return resolution.binary;
  return resolution.state === 'installable' ? resolution.alternative : undefined;
}

/** What an install would be on this machine, or why there can be none. */
export async function decideInstall(provider: Provider, context: ResolveContext): Promise<InstallDecision> {
  const nodes = provider.install.node ? await findNodes(context.env) : [];
  const onPath = findExecutables('node', splitPath(context.env['PATH']))[0];
  return planInstall(
    provider,
    context.cliDir,
    nodes,
    nodes.find((node) => node.file === onPath),
  );
}

/** Parts of agentile and of the system: bin = "{node}" or "{shell}". */
function builtinBinary(bin: string, env: NodeJS.ProcessEnv): FoundBinary | undefined {
  if (bin === '{node}') return { file: process.execPath, source: 'builtin', pathFolders: [] };
  if (bin !== '{shell}') return undefined;
  const shell = env['SHELL'];
  const file = shell && isExecutable(shell) ? shell : '/bin/sh';
  return { file, source: 'builtin', pathFolders: [] };
}

async function findElsewhere(
  provider: Provider,
  bin: string,
  context: ResolveContext,
): Promise<FoundBinary | undefined> {
  const folders = await searchFolders(context.env);
  const onPath = findExecutables(bin, folders).find((file) => !file.startsWith(context.cliDir));
  if (onPath) return { file: onPath, source: 'path', pathFolders: [] };
  const vendorFolders = provider.install.paths.map((path) => expandHome(path, context.env));
  const file = findExecutables(bin, vendorFolders)[0];
  return file ? { file, source: 'vendor-folder', pathFolders: [dirname(file)] } : undefined;
}

/** The folder with our own programs (the demo agent); value of the template {dist}. */
export function distFolder(): string {
  return join(packageRoot(), 'dist');
}
