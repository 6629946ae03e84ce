// Shows a launch for people and for scripts: the exact argv, folder and environment, secrets masked, and why each part is
// there. Pure. Called by `new --dry-run` and by tests.
import { homedir } from 'node:os';
import type { Launch } from './launch.js';

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|COOKIE|AUTH)/i;
/** Names that match and hold no secret. */
const HARMLESS = new Set([
  'SSH_AUTH_SOCK',
  'XAUTHORITY',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
]);

/** The value as it may be shown: a secret is masked whole, a password inside a URL too. */
export function maskValue(name: string, value: string): string {
  if (SECRET_NAME.test(name) && !HARMLESS.has(name) && value !== '') return maskWhole(value);
  return value.replace(/(\/\/[^/:@\s]+):[^/@\s]+@/g, '$1:***@');
}

/** Long ones keep their ends, so that a person can tell two keys apart. */
function maskWhole(value: string): string {
  return value.length < 16 ? '***' : `${value.slice(0, 4)}…${value.slice(-2)}`;
}

export interface ExplainedLaunch {
  provider: string;
  mode: Launch['mode'];
  stdio: Launch['stdio'];
  file: string;
  source: string;
  version?: string;
  args: string[];
  cwd: string;
  vendor: string;
  stdin?: string;
  parts: { args: string[]; why: string }[];
  env: { name: string; value: string; why: string }[];
  files: { path: string; action: string; why: string }[];
  notes: string[];
}

export function explainLaunch(providerId: string, launch: Launch): ExplainedLaunch {
  const secrets = launch.environment.filter((entry) => maskValue(entry.name, entry.value) !== entry.value);
  const hide = (text: string) =>
    secrets.reduce(
      (shown, secret) =>
        secret.value.length > 5
          ? shown.replaceAll(secret.value, maskValue(secret.name, secret.value))
          : shown,
      maskValue('', text),
    );
  return {
    provider: providerId,
    mode: launch.mode,
    stdio: launch.stdio,
    file: launch.file,
    source: launch.binary.source,
    ...(launch.binary.version ? { version: launch.binary.version } : {}),
    args: launch.args.map(hide),
    cwd: launch.cwd,
    vendor: launch.vendor,
    ...(launch.stdin === undefined ? {} : { stdin: launch.stdin }),
    parts: launch.argv.parts.map((part) => ({ args: part.args.map(hide), why: part.why })),
    env: launch.environment.map((entry) => ({ ...entry, value: hide(maskValue(entry.name, entry.value)) })),
    files: launch.files.map(({ path, action, why }) => ({ path, action, why })),
    notes: launch.argv.notes,
  };
}

/** Lines for a terminal. */
export function renderLaunch(explained: ExplainedLaunch): string {
  const lines = [
    `${explained.provider} · ${explained.mode} · on a ${explained.stdio === 'pty' ? 'terminal' : 'pipe'} · vendor ${explained.vendor}`,
    `program  ${shortHome(explained.file)}  (${explained.source}${explained.version ? ` ${explained.version}` : ''})`,
    `folder   ${explained.cwd}`,
    `command  ${[explained.file, ...explained.args].map(quote).join(' ')}`,
    ...(explained.stdin === undefined ? [] : [`stdin    ${quote(explained.stdin)}, then its end`]),
    'arguments',
    ...explained.parts.map((part) => `  ${part.args.map(quote).join(' ').padEnd(44)}  ${part.why}`),
    'environment',
    ...explained.env.map((entry) => `  ${`${entry.name}=${entry.value}`.padEnd(44)}  ${entry.why}`),
  ];
  if (explained.files.length > 0)
    lines.push(
      'files',
      ...explained.files.map((file) => `  ${file.action.padEnd(6)} ${file.path}  ${file.why}`),
    );
  if (explained.notes.length > 0) lines.push('notes', ...explained.notes.map((note) => `  ${note}`));
  return `${lines.join('\n')}\n`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function shortHome(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
