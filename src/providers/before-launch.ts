// Files a provider needs before it starts: in our own folder they are ours; in the user's folders only what is missing is
// added, and nothing that is there is changed. Called by launch. A dry run plans and does not write.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { errnoOf, messageOf } from '../base/errors.js';
import type { BeforeLaunchFile, Provider } from '../model/provider.js';
import { isTable, type Table } from './overlay.js';

export interface PlannedFile {
  path: string;
  /** What is written; missing when nothing is. */
  content?: string;
  action: 'write' | 'add' | 'keep' | 'leave';
  /** Why the file is wanted, or why it is left alone. */
  why: string;
}

export interface FileContext {
  terminal: boolean;
  gateway: boolean;
  cwd: string;
  home: string;
  /** Fills {home} {cwd} {config_dir} {provider_dir} {dist}. */
  fill(text: string): string;
}

export function planFiles(provider: Provider, context: FileContext): PlannedFile[] {
  return provider.beforeLaunch
    .filter((file) => isWanted(file, context))
    .map((file) => planFile(file, context));
}

function isWanted(file: BeforeLaunchFile, context: FileContext): boolean {
  if (file.when === 'gateway') return context.gateway;
  if (file.when === 'terminal') return context.terminal;
  return file.when === 'structured' ? !context.terminal : true;
}

function planFile(file: BeforeLaunchFile, context: FileContext): PlannedFile {
  const path = context.fill(file.path);
  const why = file.why ?? 'needed by the provider';
  const isBroad = context.cwd === context.home || context.cwd === '/';
  if (isBroad && file.content.includes('{cwd}'))
    return { path, action: 'leave', why: `${context.cwd} is too wide a folder to trust` };
  // Quoted strings of JSON and TOML take the same escapes.
  const escaped = { ...context, fill: (text: string) => JSON.stringify(context.fill(text)).slice(1, -1) };
  const content = file.content.replace(/\{[a-z_]+\}/g, (name) => escaped.fill(name)).replace(/^\n/, '');
  let existing: string | undefined;
  try {
    existing = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      return { path, action: 'leave', why: `it cannot be read: ${messageOf(error)}` };
  }
  if (existing === undefined) return { path, content: closed(content), action: 'write', why };
  if (file.mode === 'create') return { path, action: 'keep', why: 'it is there already' };
  if (file.mode === 'own')
    return existing === closed(content)
      ? { path, action: 'keep', why: 'it is there already' }
      : { path, content: closed(content), action: 'write', why };
  return file.mode === 'merge-toml'
    ? addToml(path, existing, content, why)
    : addJson(path, existing, content, why);
}

function closed(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Appends the tables as text, so that the user's comments stay; a table that is there is the user's decision. */
function addToml(path: string, existing: string, content: string, why: string): PlannedFile {
  try {
    if (overlaps(parse(existing), parse(content))) return { path, action: 'keep', why: 'it says so already' };
  } catch (error) {
    return { path, action: 'leave', why: `it is not valid TOML: ${messageOf(error).split('\n')[0]}` };
  }
  const gap = existing.trim() === '' ? '' : '\n';
  return { path, content: `${closed(existing)}${gap}${closed(content)}`, action: 'add', why };
}

/** True when a table or value that we would add is there in any form. */
function overlaps(existing: Table, wanted: Table): boolean {
  return Object.entries(wanted).some(([key, value]) => {
    const old = existing[key];
    if (old === undefined) return false;
    if (!isTable(old) || !isTable(value)) return true;
    const isLeafTable = !Object.values(value).some(isTable);
    return isLeafTable || overlaps(old, value);
  });
}

function addJson(path: string, existing: string, content: string, why: string): PlannedFile {
  let old: unknown;
  try {
    old = JSON.parse(existing);
  } catch {
    // Comments or a slip of the user's: not ours to repair.
    return { path, action: 'leave', why: 'it is not plain JSON' };
  }
  if (!isTable(old)) return { path, action: 'leave', why: 'it is not a JSON object' };
  const merged = addMissing(old, JSON.parse(content) as Table);
  if (JSON.stringify(merged) === JSON.stringify(old))
    return { path, action: 'keep', why: 'it says so already' };
  return { path, content: `${JSON.stringify(merged, null, 2)}\n`, action: 'add', why };
}

function addMissing(old: Table, wanted: Table): Table {
  const result: Table = { ...old };
  for (const [key, value] of Object.entries(wanted)) {
    const there = result[key];
    if (there === undefined) result[key] = value;
    else if (isTable(there) && isTable(value)) result[key] = addMissing(there, value);
  }
  return result;
}

/** First line of a file of instructions that we wrote and may write again. */
export const INSTRUCTIONS_MARK =
  '<!-- Written by agentile for its sessions. Remove this line to make the file yours. -->';

/** The instructions file of a session: written only where there is none, or one of ours. */
export function planInstructions(path: string, text: string): PlannedFile {
  const content = closed(`${INSTRUCTIONS_MARK}\n${text}`);
  let existing: string | undefined;
  try {
    existing = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      return { path, action: 'leave', why: `it cannot be read: ${messageOf(error)}` };
  }
  if (existing !== undefined && !existing.startsWith(INSTRUCTIONS_MARK))
    return { path, action: 'keep', why: 'the project has its own' };
  if (existing === content) return { path, action: 'keep', why: 'it says so already' };
  return { path, content, action: 'write', why: 'the instructions of your config' };
}

/** Writes what was planned, each file whole or not at all. Throws what the system says; nothing is half written. */
export function writePlanned(files: readonly PlannedFile[]): void {
  for (const file of files) if (file.content !== undefined) writeWhole(file.path, file.content);
}

function writeWhole(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const old = statSync(path, { throwIfNoEntry: false });
  // A link of a dotfile manager stays a link: its target is written.
  const target = old ? realpathSync(path) : path;
  const aside = `${target}.${process.pid}.tmp`;
  writeFileSync(aside, content, { mode: 0o600 });
  if (old) chmodSync(aside, old.mode & 0o777);
  renameSync(aside, target);
}
