// Builds the whole environment of a child: what may pass, what the provider needs, who the child is. Nothing else gets in:
// no variable of the daemon, no mark of a parent pane. Pure. Called by launch.
import { delimiter } from 'node:path';
import { VERSION } from '../base/version.js';
import type { Provider } from '../model/provider.js';
import type { CommonEnv } from '../providers/load.js';
import { gatewayEnv, type Gateway } from '../providers/vendor.js';
import type { ArgvEnv } from './argv.js';

/** Who the child is; the variables by which its hooks and `agentile` inside it find their way back. */
export interface ChildIdentity {
  localUrl?: string;
  /** Good for signals of this run only. */
  runToken?: string;
  paneId?: string;
  agentId: string;
  sessionId: string;
  runId: string;
  attempt: number;
}

export interface EnvInput {
  provider: Provider;
  common: CommonEnv;
  /** The environment of whoever started the daemon. */
  baseEnv: NodeJS.ProcessEnv;
  /** Names the user lets pass beyond the catalogue; a trailing * is a prefix. */
  extraPass?: readonly string[];
  identity: ChildIdentity;
  gateway?: Gateway;
  /** Variables of the chosen options. */
  optionEnv: readonly ArgvEnv[];
  /** Given for this session. */
  sessionEnv?: Record<string, string>;
  /** The CLI's config folder, when the entry names one. */
  configDir?: string;
  permission?: string;
  isRoot: boolean;
  isTerminal: boolean;
  /** First in PATH. */
  pathFolders: readonly string[];
  /** PATH behind them. */
  searchFolders: readonly string[];
  fill(text: string): string;
}

export interface EnvEntry {
  name: string;
  value: string;
  why: string;
}

/** In the order of the names. */
export function buildEnv(input: EnvInput): EnvEntry[] {
  const entries = new Map<string, EnvEntry>();
  const put = (name: string, value: string, why: string) => entries.set(name, { name, value, why });
  passEnv(input, put);
  for (const [name, value] of Object.entries({ ...input.common.set, ...input.provider.env.set }))
    put(name, input.fill(value), 'set by the catalogue');
  if (input.isTerminal)
    for (const [name, value] of Object.entries(input.provider.terminal?.env ?? {}))
      put(name, input.fill(value), 'set by the catalogue for its own screen');
  for (const option of input.optionEnv)
    if (option.chosen || !entries.has(option.name)) put(option.name, input.fill(option.value), option.why);
  if (input.gateway)
    for (const [name, value] of Object.entries(gatewayEnv(input.provider, input.gateway)))
      put(name, input.fill(value), `the gateway of ${input.gateway.from}`);
  if (input.configDir && input.provider.env.configDirVar)
    put(input.provider.env.configDirVar, input.configDir, 'config_dir of your providers.toml');
  rootEnv(input, put);
  terminalEnv(put);
  const path = [...new Set([...input.pathFolders, ...input.searchFolders])].join(delimiter);
  put('PATH', path, input.pathFolders.length > 0 ? 'the CLI’s own programs first' : 'as yours');
  for (const [name, value] of Object.entries(input.sessionEnv ?? {}))
    if (!isOurs(name)) put(name, value, 'given by you for this session');
  identityEnv(input.identity, put);
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Put = (name: string, value: string, why: string) => void;

function passEnv(input: EnvInput, put: Put): void {
  const groups: [readonly string[], string][] = [
    [input.common.pass, 'passed from yours'],
    [input.provider.env.pass, `passed from yours for ${input.provider.name}`],
    [input.extraPass ?? [], 'passed from yours, because your config says so'],
  ];
  const unset = [...input.common.unset, ...input.provider.env.unset];
  for (const [name, value] of Object.entries(input.baseEnv)) {
    if (value === undefined || isOurs(name) || matches(name, unset)) continue;
    const group = groups.find(([patterns]) => matches(name, patterns));
    if (group) put(name, value, group[1]);
  }
  const profile = input.baseEnv['AGENTILE_PROFILE'];
  if (profile) put('AGENTILE_PROFILE', profile, 'so that agentile in there finds this daemon');
}

/** Everything that begins with AGENTILE_ is between us and our own processes. */
function isOurs(name: string): boolean {
  return name.startsWith('AGENTILE_');
}

function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

function rootEnv(input: EnvInput, put: Put): void {
  const root = input.provider.env.root;
  if (!input.isRoot || !root) return;
  if (root.whenPermission && !root.whenPermission.includes(input.permission ?? '')) return;
  for (const [name, value] of Object.entries(root.set))
    put(name, value, `as root it refuses the permission ${input.permission ?? 'chosen'} otherwise`);
}

function terminalEnv(put: Put): void {
  const why = 'what its terminal can do';
  // On pipes too: some CLIs complain on stderr about a dumb terminal, and none colours a pipe.
  put('TERM', 'xterm-256color', why);
  put('COLORTERM', 'truecolor', why);
  put('TERM_PROGRAM', 'agentile', why);
  put('TERM_PROGRAM_VERSION', VERSION, why);
}

function identityEnv(identity: ChildIdentity, put: Put): void {
  const why = 'who it is, for hooks and for agentile in there';
  const values: [string, string | undefined][] = [
    ['AGENTILE_LOCAL_URL', identity.localUrl],
    ['AGENTILE_TOKEN', identity.runToken],
    ['AGENTILE_PANE_ID', identity.paneId],
    ['AGENTILE_AGENT_ID', identity.agentId],
    ['AGENTILE_SESSION_ID', identity.sessionId],
    ['AGENTILE_RUN_ID', identity.runId],
    ['AGENTILE_ATTEMPT', String(identity.attempt)],
  ];
  for (const [name, value] of values) if (value !== undefined) put(name, value, why);
}
