// Decides what a managed install of a provider consists of on this machine: exact packages, the Node that runs them, the
// folder. Pure apart from looking for the marker file. Called by resolve and install.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NodeBinary } from '../io/env.js';
import type { Provider } from '../model/provider.js';
import { compareVersions, fitsRange } from './node-range.js';

/** Written last; a folder without it is not an install. */
export const MARKER_FILE = '.agentile-install.json';

export interface InstallMarker {
  packages: string[];
  installedAt: number;
}

export interface InstallPlan {
  version: string;
  /** name@version, exact; the first is the provider's own. */
  packages: string[];
  /** The final folder. */
  folder: string;
  /** Runs npm and, where the CLI needs Node, the CLI. */
  node: NodeBinary;
  /** Version of the Node that is installed beside the CLI, because none on the machine fits. */
  bringsNode?: string;
  /** Folders that must come first in the CLI's PATH. */
  pathFolders: string[];
  /** Why not the first choice. */
  note?: string;
}

export type InstallDecision = { plan: InstallPlan } | { impossible: string; hint: string };

/** `pathNode`: the first Node on PATH, which a `#!/usr/bin/env node` script would get. */
export function planInstall(
  provider: Provider,
  cliDir: string,
  nodes: readonly NodeBinary[],
  pathNode: NodeBinary | undefined,
): InstallDecision {
  const { npm, version, node: range } = provider.install;
  const own: NodeBinary = { file: process.execPath, version: process.versions.node };
  if (!npm || !version)
    return {
      impossible: `${provider.name} has no npm package`,
      hint: provider.install.command ?? provider.install.url ?? `Install ${provider.bin} and put it on PATH.`,
    };
  const make = (choice: Choice) => ({ plan: planOf(provider, npm, cliDir, choice, pathNode) });
  const first = { version, with: provider.install.npmWith ?? [] };
  if (!range) return make({ ...first, node: own });
  const fitting = bestNode(nodes, range);
  if (fitting) return make({ ...first, node: fitting });
  const fallback = provider.install.fallbacks?.find((choice) => fitsRange(own.version, choice.node));
  if (fallback)
    return make({
      version: fallback.version,
      with: fallback.npmWith ?? [],
      node: own,
      note: `the newest needs Node ${range}; this is the last that runs on Node ${own.version}`,
    });
  const bring = provider.install.nodePackage;
  if (bring)
    return make({
      ...first,
      node: own,
      bringsNode: bring,
      note: `needs Node ${range}; Node ${bring} is installed beside it`,
    });
  const seen = [...new Set(nodes.map((node) => node.version))].join(', ') || 'none';
  return {
    impossible: `${provider.name} needs Node ${range}; found: ${seen}`,
    hint: `Install a Node ${range} (nvm, fnm, volta or your system's package) and try again.`,
  };
}

interface Choice {
  version: string;
  with: readonly string[];
  node: NodeBinary;
  bringsNode?: string;
  note?: string;
}

function planOf(
  provider: Provider,
  npm: string,
  cliDir: string,
  choice: Choice,
  pathNode: NodeBinary | undefined,
): InstallPlan {
  const range = provider.install.node;
  const packages = [`${npm}@${choice.version}`, ...choice.with];
  if (choice.bringsNode) packages.push(`node@${choice.bringsNode}`);
  const folder = join(
    cliDir,
    provider.install.as ?? provider.id,
    folderName(choice.version, packages, provider),
  );
  const pathFits = range === undefined || (pathNode !== undefined && fitsRange(pathNode.version, range));
  const needsOwnNode = !choice.bringsNode && !pathFits;
  return {
    version: choice.version,
    packages,
    folder,
    node: choice.node,
    pathFolders: [join(folder, 'node_modules/.bin'), ...(needsOwnNode ? [dirname(choice.node.file)] : [])],
    ...(choice.bringsNode ? { bringsNode: choice.bringsNode } : {}),
    ...(choice.note ? { note: choice.note } : {}),
  };
}

/** Our own Node if it fits (nothing to switch), else the newest that does. */
function bestNode(nodes: readonly NodeBinary[], range: string): NodeBinary | undefined {
  const fitting = nodes.filter((node) => fitsRange(node.version, range));
  const own = fitting.find((node) => node.file === process.execPath);
  return own ?? fitting.sort((a, b) => compareVersions(b.version, a.version))[0];
}

/** The plain version for the plain choice; other combinations get a short hash, so that both can lie side by side. */
function folderName(version: string, packages: readonly string[], provider: Provider): string {
  const plain = [`${provider.install.npm}@${provider.install.version}`, ...(provider.install.npmWith ?? [])];
  if (plain.join() === packages.join()) return version;
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 8);
  return `${version}-${hash}`;
}

/** Is that plan on disk, complete and with just these packages? */
export function isInstalled(plan: InstallPlan): boolean {
  const marker = readMarker(plan.folder);
  return marker !== undefined && marker.packages.join('\n') === plan.packages.join('\n');
}

export function readMarker(folder: string): InstallMarker | undefined {
  try {
    const marker = JSON.parse(readFileSync(join(folder, MARKER_FILE), 'utf8')) as InstallMarker;
    return Array.isArray(marker.packages) ? marker : undefined;
  } catch {
    // Not there, or cut off by a full disk: both mean that nothing complete is installed.
    return undefined;
  }
}
