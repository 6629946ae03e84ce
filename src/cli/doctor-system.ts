// Doctor's look at the machine: Node, native parts, open files, disk, our folders and sockets. Reads; repairs are fixes.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { errnoOf, messageOf } from '../base/errors.js';
import { SOCKET_PATH_MAX_BYTES, type Paths } from '../base/paths.js';
import { freeBytes } from '../io/npm-install.js';
import { fault, info, ok, warning, type Finding } from './doctor-finding.js';

const NODE_MIN_MAJOR = 20;
/** A daemon with 32 sessions holds about ten descriptors each, and CLIs inherit the limit. */
const FILES_WANTED = 4096;
/** Below this the log and installs are in danger. */
const DISK_WANTED_MB = 500;
/** How long a socket may take to answer before it counts as hanging. */
const SOCKET_TIMEOUT_MS = 1500;

export function checkNode(): Finding {
  const version = process.versions.node;
  if (Number(version.split('.')[0]) >= NODE_MIN_MAJOR)
    return ok('node.version', `Node ${version}`, process.execPath);
  return fault('node.version', `Node ${version} is too old`, {
    cure: `Install Node ${NODE_MIN_MAJOR} or newer and start agentile with it.`,
  });
}

export async function checkNative(): Promise<Finding[]> {
  const parts = [
    ['node-pty', 'terminal panes', async () => void (await import('node-pty'))],
    [
      'better-sqlite3',
      'the event log',
      async () => {
        const { default: Database } = await import('better-sqlite3');
        new Database(':memory:').close();
      },
    ],
  ] as const;
  return Promise.all(
    parts.map(async ([name, use, load]) => {
      try {
        await load();
        return ok(`native.${name}`, `${name} loads`, use);
      } catch (error) {
        return fault(`native.${name}`, `${name} does not load: ${use} will not work`, {
          detail: messageOf(error).split('\n')[0],
          cure: `Run "npm rebuild ${name}" in the folder of agentile (it needs python3, make and a C++ compiler).`,
        });
      }
    }),
  );
}

export function checkOpenFiles(): Finding {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // macOS and others have no /proc; their default is not a problem we know of.
    return info('limits.files', 'The limit of open files is not known here');
  }
  const soft = /Max open files\s+(\S+)\s+(\S+)/.exec(limits);
  const value = soft?.[1] === 'unlimited' ? Infinity : Number(soft?.[1]);
  if (!(value < FILES_WANTED)) return ok('limits.files', `${value} open files allowed`);
  return warning('limits.files', `Only ${value} open files are allowed`, {
    detail: `The hard limit is ${soft?.[2] ?? 'unknown'}; many sessions with many tools may meet it.`,
    cure: `Put "ulimit -n ${FILES_WANTED}" into your shell's profile, then "agentile daemon restart".`,
  });
}

export function checkDisk(paths: Paths): Finding[] {
  const folders = new Map([
    ['data', paths.dataDir],
    ['state', paths.stateDir],
    ['sockets', paths.runtimeDir],
  ]);
  return [...folders].map(([name, folder]) => {
    const free = freeBytes(folder);
    if (free === undefined) return info(`disk.${name}`, `Free space for ${folder} is not known`);
    const mb = Math.floor(free / 1e6);
    // Sockets take no room worth naming; a full disk there is still one where nothing can be made.
    const wanted = name === 'sockets' ? 5 : DISK_WANTED_MB;
    if (mb >= wanted) return ok(`disk.${name}`, `${mb} MB free for ${folder}`);
    return warning(`disk.${name}`, `Only ${mb} MB are free for ${folder}`, {
      cure: `Make room, or move it (XDG_DATA_HOME, XDG_STATE_HOME). "agentile provider install <id> --prune" removes old CLIs.`,
    });
  });
}

export function checkFolders(paths: Paths): Finding[] {
  const uid = process.getuid?.();
  const folders = [paths.configDir, paths.dataDir, paths.stateDir, paths.runtimeDir];
  return folders.flatMap((folder) => {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (!stat) return [];
    const id = `folder.${folder}`;
    if (uid !== undefined && stat.uid !== uid)
      return [
        fault(id, `${folder} belongs to another user`, {
          cure: `Remove it, or set the XDG variables to a folder of yours.`,
        }),
      ];
    if ((stat.mode & 0o077) === 0) return [];
    return [
      warning(id, `${folder} can be entered by others`, {
        cure: `chmod 700 ${folder}`,
        fix: async () => {
          chmodSync(folder, 0o700);
          return `${folder} is yours alone now`;
        },
      }),
    ];
  });
}

export async function checkSockets(paths: Paths): Promise<Finding[]> {
  const sockets = [
    ['daemon', paths.daemonSocket],
    ['keeper', paths.keeperSocket],
  ] as const;
  return Promise.all(
    sockets.map(async ([name, file]): Promise<Finding> => {
      const id = `socket.${name}`;
      const room = SOCKET_PATH_MAX_BYTES - Buffer.byteLength(file);
      if (!existsSync(file)) return ok(id, `No ${name} is running`, `${file} (${room} bytes to spare)`);
      const state = await probeSocket(file);
      if (state === 'answers') return ok(id, `The ${name} listens`, file);
      if (state === 'stale')
        return warning(id, `The socket of a ${name} that is gone is still there`, {
          detail: file,
          cure: `rm ${file}`,
          fix: async () => {
            rmSync(file, { force: true });
            return `${file} was removed`;
          },
        });
      return fault(id, `The ${name} does not take connections`, {
        detail: file,
        cure: 'agentile daemon restart',
      });
    }),
  );
}

function probeSocket(file: string): Promise<'answers' | 'stale' | 'hangs'> {
  return new Promise((resolve) => {
    const socket = createConnection(file);
    const end = (state: 'answers' | 'stale' | 'hangs') => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(SOCKET_TIMEOUT_MS, () => end('hangs'));
    socket.once('connect', () => end('answers'));
    socket.once('error', (error) => end(errnoOf(error) === 'ECONNREFUSED' ? 'stale' : 'hangs'));
  });
}

export async function checkLog(paths: Paths): Promise<Finding[]> {
  const file = paths.logDatabase;
  const folder = dirname(file);
  const aside = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^log\.sqlite\.(corrupt|aside|bad)/.test(name))
    : [];
  const findings: Finding[] = aside.map((name) =>
    info('log.aside', `A damaged log was moved aside: ${join(folder, name)}`, {
      cure: 'Keep it, or remove it when you do not miss anything.',
    }),
  );
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return [...findings, ok('log.file', 'No event log yet', file)];
  try {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(file, { readonly: true, timeout: 1000 });
    const answer = database.pragma('quick_check(1)', { simple: true });
    database.close();
    const size = `${(stat.size / 1e6).toFixed(1)} MB`;
    if (answer === 'ok') findings.push(ok('log.file', `The event log is sound (${size})`, file));
    else
      findings.push(
        fault('log.file', 'The event log is damaged', {
          detail: `${file}: ${String(answer)}`,
          cure: 'agentile daemon restart  (it moves a damaged log aside and begins a new one)',
        }),
      );
  } catch (error) {
    findings.push(
      warning('log.file', 'The event log cannot be read now', {
        detail: `${file}: ${messageOf(error)}`,
        cure: 'Try again; if it stays, agentile daemon restart.',
      }),
    );
  }
  return findings;
}

/** Installs that were cut off: they go on by themselves at the next try, or take room for nothing. */
export function checkPartialInstalls(paths: Paths): Finding[] {
  if (!existsSync(paths.cliDir)) return [];
  return readdirSync(paths.cliDir).flatMap((id) => {
    const home = join(paths.cliDir, id);
    if (!statSync(home).isDirectory()) return [];
    const parts = readdirSync(home).filter((name) => name.startsWith('.partial-'));
    return parts.map((name) =>
      warning(`install.${id}`, `An install of ${id} was cut off`, {
        detail: join(home, name),
        cure: `agentile provider install ${id}  (it goes on where it stopped)`,
      }),
    );
  });
}
