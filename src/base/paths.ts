// Where files live: XDG folders, one set per profile, and the sockets. Used by every process. Pure apart from `ensureDir`.
import { createHash } from 'node:crypto';
import { mkdirSync, chmodSync, statSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { AgentileError } from './errors.js';

export interface Paths {
  /** The profile: "default", or AGENTILE_PROFILE. Each profile has its own daemon, keeper, log and sockets. */
  profile: string;
  configDir: string;
  dataDir: string;
  stateDir: string;
  runtimeDir: string;
  configFile: string;
  userCatalogueFile: string;
  logDatabase: string;
  daemonSocket: string;
  keeperSocket: string;
  daemonLogFile: string;
  keeperLogFile: string;
  /** Managed CLI installs: <dataDir>/cli/<provider>/<version>. Shared by all profiles. */
  cliDir: string;
}

/** sun_path is 108 bytes on Linux and 104 on macOS, with a closing NUL; 103 fits both. */
export const SOCKET_PATH_MAX_BYTES = 103;

export function resolvePaths(env: NodeJS.ProcessEnv = process.env): Paths {
  const profile = checkProfile(env['AGENTILE_PROFILE'] || 'default');
  const home = env['HOME'] || homedir();
  const suffix = profile === 'default' ? '' : `/profiles/${profile}`;
  const configDir = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), `agentile${suffix}`);
  const dataRoot = join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'agentile');
  const dataDir = `${dataRoot}${suffix}`;
  const stateDir = join(env['XDG_STATE_HOME'] || join(home, '.local/state'), `agentile${suffix}`);
  const runtimeDir = resolveRuntimeDir(env, home, profile);
  return {
    profile,
    configDir,
    dataDir,
    stateDir,
    runtimeDir,
    configFile: join(configDir, 'config.toml'),
    userCatalogueFile: join(configDir, 'providers.toml'),
    logDatabase: join(dataDir, 'log.sqlite'),
    daemonSocket: socketPath(runtimeDir, 'daemon.sock'),
    keeperSocket: socketPath(runtimeDir, 'keeper.sock'),
    daemonLogFile: join(stateDir, 'daemon.log'),
    keeperLogFile: join(stateDir, 'keeper.log'),
    cliDir: join(dataRoot, 'cli'),
  };
}

/** Makes a folder that only its owner can enter; refuses one that belongs to somebody else. */
export function ensureDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const uid = process.getuid?.();
  if (uid !== undefined && statSync(dir).uid !== uid) {
    throw new AgentileError('INTERNAL', `${dir} belongs to another user.`, {
      hint: 'Remove it or set XDG_RUNTIME_DIR.',
    });
  }
  chmodSync(dir, 0o700);
}

function checkProfile(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/.test(name)) return name;
  throw new AgentileError('USAGE', `AGENTILE_PROFILE="${name}" is not a profile name.`, {
    hint: 'Use up to 41 letters, digits, dots, dashes and underscores.',
  });
}

/**
 * $XDG_RUNTIME_DIR/agentile, or a 0700 folder in the temp folder. The name holds the uid and, where HOME or the data
 * folder is not the usual one, a hash, so that two homes of one user (tests, containers) never share a daemon.
 */
function resolveRuntimeDir(env: NodeJS.ProcessEnv, home: string, profile: string): string {
  const leaf = profile === 'default' ? '' : `-${profile}`;
  const base = env['XDG_RUNTIME_DIR'];
  const key = [home, env['XDG_DATA_HOME'] ?? '', env['XDG_CONFIG_HOME'] ?? ''].join('\n');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  if (base) {
    const dir = join(base, `agentile${leaf}`);
    if (Buffer.byteLength(join(dir, 'daemon.sock')) <= SOCKET_PATH_MAX_BYTES) return dir;
  }
  const uid = process.getuid?.() ?? userInfo().username;
  return join(tmpdir(), `agentile-${uid}-${hash}${leaf}`);
}

function socketPath(dir: string, name: string): string {
  const path = join(dir, name);
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES) {
    throw new AgentileError(
      'SOCKET_PATH_TOO_LONG',
      `The socket path ${path} is longer than ${SOCKET_PATH_MAX_BYTES} bytes.`,
      {
        hint: 'Set TMPDIR or XDG_RUNTIME_DIR to a shorter folder.',
      },
    );
  }
  return path;
}
