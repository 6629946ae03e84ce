// The user's settings: read from config.toml (fast, at every start), written through conf (atomic, 0600), never written
// after a failed read. Used by the TUI, the daemon and `agentile config`. The table of settings is src/config/options.ts.
import { chmodSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { AgentileError, errnoOf, messageOf } from './base/errors.js';
import { ensureDir } from './base/paths.js';
import { readSettings, type SettingFault } from './config/check.js';
import { DEFAULT_SETTINGS, type OptionName, type OptionValue, type Settings } from './config/options.js';
import { editToml } from './config/toml-edit.js';

export { OPTIONS, findOption, DEFAULT_SETTINGS } from './config/options.js';
export type { OptionName, OptionRow, OptionValue, Settings } from './config/options.js';

export interface LoadedSettings {
  settings: Settings;
  /** Names that the file sets (with a good value). */
  fromFile: ReadonlySet<string>;
  /** What is wrong with the file: for a banner. The settings then hold defaults in place of what is wrong. */
  problem?: AgentileError;
}

/** Reads the settings. Never throws: a broken or missing file gives defaults, and `problem` says what is wrong with it. */
export function loadSettings(file: string): LoadedSettings {
  try {
    const { values, faults } = readSettings(readToml(file));
    return {
      settings: { ...DEFAULT_SETTINGS, ...(Object.fromEntries(values) as Partial<Settings>) },
      fromFile: new Set(values.keys()),
      ...(faults.length > 0 ? { problem: faultError(file, faults) } : {}),
    };
  } catch (error) {
    const problem = error instanceof AgentileError ? error : unreadable(file, error);
    return { settings: { ...DEFAULT_SETTINGS }, fromFile: new Set(), problem };
  }
}

/**
 * Writes one setting; undefined takes it out of the file. The rest of the file, comments included, stays. Throws
 * CONFIG_INVALID, and leaves the file as it is, when it could not be read before.
 */
export async function saveSetting(
  file: string,
  name: OptionName,
  value: OptionValue | undefined,
): Promise<void> {
  readToml(file);
  ensureDir(dirname(file));
  const { default: Conf } = await import('conf');
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(file),
    configName: basename(file, '.toml'),
    fileExtension: 'toml',
    configFileMode: 0o600,
    deserialize: (text) => parse(text),
    serialize: (store) => editToml(textOf(file), withoutPrototype(store)),
  });
  if (value === undefined) conf.delete(name);
  else conf.set(name, value);
  // An existing file keeps its mode when it is replaced; it may hold the key of a gateway.
  chmodSync(file, 0o600);
}

/** The parsed file, {} when there is none. Throws CONFIG_INVALID with line and column. */
function readToml(file: string): Record<string, unknown> {
  try {
    return parse(textOf(file));
  } catch (error) {
    if (!(error instanceof TomlError)) throw unreadable(file, error);
    const [words] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw new AgentileError('CONFIG_INVALID', `${file}:${error.line}:${error.column}: ${words}.`, {
      hint: 'Correct that line; until then the defaults are used.',
      cause: error,
    });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

function unreadable(file: string, error: unknown): AgentileError {
  return new AgentileError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(error)}.`, {
    hint: 'Check its owner and its mode; until then the defaults are used.',
    cause: error,
  });
}

function faultError(file: string, faults: readonly SettingFault[]): AgentileError {
  const words = faults.map(({ name, words }) => `${name} ${words}`).join('; ');
  return new AgentileError('CONFIG_INVALID', `${file}: ${words}.`, {
    hint: 'For these the defaults are used; "agentile config check" lists them again.',
  });
}

/** conf keeps its store without a prototype; the comparison of values minds that. */
function withoutPrototype(store: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(store)) as Record<string, unknown>;
}
