// Runs `npm install` of exact packages into one folder and makes progress and faults readable. Called by the installer.
import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmCliOf, findExecutables, splitPath } from './env.js';
import { runCommand } from './run-command.js';

export interface NpmInstall {
  /** Made when it is not there; what an earlier, killed run left in it is used again. */
  folder: string;
  /** name@version, exact. */
  packages: readonly string[];
  /** All packages whose install scripts may run, also of later steps into the same folder. */
  scriptsFor: readonly string[];
  /** The Node that runs npm and the packages' install scripts. */
  nodeFile: string;
  env: NodeJS.ProcessEnv;
  abort?: AbortSignal;
  /** Called for each file that npm fetched. */
  onFetch?: (count: number, name: string) => void;
}

export type NpmFault =
  'disk-full' | 'offline' | 'not-published' | 'refused' | 'no-npm' | 'aborted' | 'failed';

export interface NpmOutcome {
  fault?: NpmFault;
  /** The lines of npm's output that say what went wrong. */
  detail: string;
}

/** A registry that does not answer is retried by npm itself; after this we give up. */
const INSTALL_TIMEOUT_MS = 15 * 60 * 1000;

/** npm's own waits add up to 70 seconds before it says that there is no network; a person is waiting here. */
const RETRY_ARGS = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** Never rejects. */
export async function npmInstall(order: NpmInstall): Promise<NpmOutcome> {
  const npm = npmCommand(order.nodeFile, order.env);
  if (!npm) return { fault: 'no-npm', detail: 'npm was not found beside Node nor on PATH.' };
  mkdirSync(order.folder, { recursive: true, mode: 0o700 });
  writePackageFile(order.folder, order.scriptsFor);
  let fetched = 0;
  const args = [
    ...npm.args,
    'install',
    '--prefix',
    order.folder,
    '--save-exact',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=http',
    ...RETRY_ARGS,
    ...order.packages,
  ];
  const outcome = await runCommand(npm.file, args, {
    cwd: order.folder,
    env: npmEnv(order.env, order.nodeFile),
    timeoutMs: INSTALL_TIMEOUT_MS,
    ...(order.abort ? { abort: order.abort } : {}),
    onOutput: (text) => {
      for (const match of text.matchAll(/npm http fetch GET 200 \S*\/([^/\s]+)/g))
        order.onFetch?.(++fetched, match[1] ?? '');
    },
  });
  if (outcome.exitCode === 0) return { detail: '' };
  if (order.abort?.aborted) return { fault: 'aborted', detail: 'The install was stopped.' };
  return explainNpm(outcome.spawnError ?? outcome.output, outcome.exitCode === undefined);
}

function npmCommand(nodeFile: string, env: NodeJS.ProcessEnv): { file: string; args: string[] } | undefined {
  const cli = npmCliOf(nodeFile) ?? npmCliOf(process.execPath);
  if (cli) return { file: nodeFile, args: [cli] };
  const onPath = findExecutables('npm', splitPath(env['PATH']))[0];
  return onPath ? { file: onPath, args: [] } : undefined;
}

/** Newer npm runs install scripts only for packages that are named here; older ones ignore the field. */
function writePackageFile(folder: string, packages: readonly string[]): void {
  const file = join(folder, 'package.json');
  if (existsSync(file)) return;
  const names = packages.map((spec) => spec.slice(0, spec.lastIndexOf('@')));
  const allowScripts = Object.fromEntries(names.map((name) => [name, true]));
  writeFileSync(file, `${JSON.stringify({ name: 'agentile-cli', private: true, allowScripts }, null, 2)}\n`);
}

/** The user's npm settings stay; what an outer `npm start` put there (its folders, its lifecycle) goes. */
function npmEnv(env: NodeJS.ProcessEnv, nodeFile: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => {
    if (/^AGENTILE_/.test(name) || name === 'INIT_CWD' || name === 'NODE_OPTIONS') return false;
    if (!/^npm_/i.test(name)) return true;
    return /^npm_config_(registry|cache|userconfig|proxy|https_proxy|noproxy|cafile|ca|strict_ssl)$/i.test(
      name,
    );
  });
  const path = [dirname(nodeFile), ...splitPath(env['PATH'])].join(':');
  return { ...Object.fromEntries(kept), PATH: path, NO_COLOR: '1', npm_config_ignore_scripts: 'false' };
}

const FAULTS: [NpmFault, RegExp][] = [
  ['disk-full', /ENOSPC|no space left/i],
  ['not-published', /\bE404\b|ETARGET|No matching version|notarget/],
  [
    'offline',
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network/,
  ],
  ['refused', /EBADENGINE|preinstall|postinstall|ELIFECYCLE/],
];

export function explainNpm(output: string, killed: boolean): NpmOutcome {
  const errors = output.split('\n').filter((line) => /npm (error|ERR!)/.test(line));
  const lines = errors.map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim());
  const told = lines.filter((line) => line && !/A complete log of this run|_logs\//.test(line));
  const detail = told.slice(0, 6).join('\n') || output.trim().split('\n').slice(-6).join('\n');
  const searched = told.length > 0 ? told.join('\n') : output;
  const fault = FAULTS.find(([, pattern]) => pattern.test(searched))?.[0];
  return { fault: fault ?? (killed ? 'offline' : 'failed'), detail };
}

/** Free bytes on the disk that holds (or will hold) this folder; undefined when the system does not say. */
export function freeBytes(folder: string): number | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(at)) {
      try {
        const stat = statfsSync(at);
        return stat.bavail * stat.bsize;
      } catch {
        // Some network file systems do not answer; the install then finds out by itself.
        return undefined;
      }
    }
    if (at === dirname(at)) return undefined;
  }
}
