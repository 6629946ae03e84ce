// The environment programs are found in: PATH of this process and of the user's login shell, executables on it, and the
// Node versions on this machine. Used by the catalogue, the installer and doctor. Starts only short commands.
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from './run-command.js';

/** A login shell with a slow profile must not hold up a start for longer than this. */
const LOGIN_SHELL_TIMEOUT_MS = 4000;
const NODE_VERSION_TIMEOUT_MS = 3000;

export function homeOf(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}

/** "~/x" → "<home>/x"; anything else stays. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  if (path === '~') return homeOf(env);
  return path.startsWith('~/') ? join(homeOf(env), path.slice(2)) : path;
}

export function splitPath(path: string | undefined): string[] {
  return [...new Set((path ?? '').split(delimiter).filter(Boolean))];
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, not ours to run, or a folder: in every case no executable.
    return false;
  }
}

/** All executables of that name, in the order of the folders. A name with a slash is taken as it is. */
export function findExecutables(name: string, folders: readonly string[]): string[] {
  if (name.includes('/')) return isExecutable(name) ? [name] : [];
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  return folders.flatMap((folder) =>
    suffixes.map((suffix) => join(folder, name + suffix)).filter(isExecutable),
  );
}

const loginPaths = new Map<string, Promise<string[]>>();

/**
 * PATH as the user's login shell has it: a daemon that was started by a service or long ago knows an older one. Asked
 * once per process and HOME; empty when the shell does not answer in time.
 */
export function loginShellPath(env: NodeJS.ProcessEnv): Promise<string[]> {
  const shell = env['SHELL'] || userInfo().shell || '';
  const key = `${shell}\n${homeOf(env)}`;
  const known = loginPaths.get(key) ?? askLoginShell(shell, env);
  loginPaths.set(key, known);
  return known;
}

async function askLoginShell(shell: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (!/\/(ba|z|da|k)?sh$/.test(shell) || !isExecutable(shell)) return [];
  const mark = '__agentile_path__';
  const asked = { HOME: homeOf(env), USER: env['USER'], LANG: env['LANG'], SHELL: shell, TERM: 'dumb' };
  const outcome = await runCommand(shell, ['-lc', `printf '%s%s%s' ${mark} "$PATH" ${mark}`], {
    env: asked,
    timeoutMs: LOGIN_SHELL_TIMEOUT_MS,
  });
  return splitPath(outcome.output.split(mark)[1]);
}

/** The folders to look in: first `path`, then what the login shell knows beyond it. */
export async function searchFolders(env: NodeJS.ProcessEnv): Promise<string[]> {
  const own = splitPath(env['PATH']);
  return [...new Set([...own, ...(await loginShellPath(env))])];
}

export interface NodeBinary {
  file: string;
  /** "24.21.0" */
  version: string;
}

const nodeVersions = new Map<string, Promise<string | undefined>>();

/** Every Node here: our own first, then PATH, then the folders of version managers. */
export async function findNodes(env: NodeJS.ProcessEnv): Promise<NodeBinary[]> {
  const onPath = findExecutables('node', await searchFolders(env));
  const files = [...new Set([process.execPath, ...onPath, ...managedNodes(env)])];
  const nodes = await Promise.all(files.map(async (file) => ({ file, version: await nodeVersion(file) })));
  return nodes.filter((node): node is NodeBinary => node.version !== undefined);
}

async function nodeVersion(file: string): Promise<string | undefined> {
  if (file === process.execPath) return process.versions.node;
  const known = nodeVersions.get(file) ?? askNode(file);
  nodeVersions.set(file, known);
  return known;
}

async function askNode(file: string): Promise<string | undefined> {
  const outcome = await runCommand(file, ['--version'], { timeoutMs: NODE_VERSION_TIMEOUT_MS });
  return /^v(\d+\.\d+\.\d+)/.exec(outcome.output)?.[1];
}

/** Where nvm, fnm, volta, asdf, mise, n and Homebrew keep their Node versions. */
function managedNodes(env: NodeJS.ProcessEnv): string[] {
  const roots: [string, string][] = [
    [env['NVM_DIR'] ? join(env['NVM_DIR'], 'versions/node') : '~/.nvm/versions/node', 'bin/node'],
    ['~/.local/share/fnm/node-versions', 'installation/bin/node'],
    ['~/.fnm/node-versions', 'installation/bin/node'],
    ['~/.volta/tools/image/node', 'bin/node'],
    ['~/.asdf/installs/nodejs', 'bin/node'],
    ['~/.local/share/mise/installs/node', 'bin/node'],
    ['/usr/local/n/versions/node', 'bin/node'],
    ['~/.nodenv/versions', 'bin/node'],
  ];
  const fixed = ['/usr/local/bin/node', '/opt/homebrew/bin/node', '/usr/bin/node', '/snap/bin/node'];
  const found = roots.flatMap(([root, inner]) => {
    const folder = expandHome(root, env);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((name) => join(folder, name, inner));
  });
  return [...found, ...fixed].filter(isExecutable);
}

/** npm's own program beside that Node, to be run as `node <file>`; undefined when that Node came without npm. */
export function npmCliOf(nodeFile: string): string | undefined {
  const beside = dirname(nodeFile);
  return [
    join(beside, '../lib/node_modules/npm/bin/npm-cli.js'),
    join(beside, 'node_modules/npm/bin/npm-cli.js'),
    join(beside, '../share/nodejs/npm/bin/npm-cli.js'),
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ].find((file) => existsSync(file));
}
