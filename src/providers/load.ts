// Reads the shipped providers.toml and the user's, lays one over the other and checks the result. Called by the façade
// (src/providers.ts) at start and at each change. Never throws for a fault in the user's file: it becomes a problem.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, TomlError } from 'smol-toml';
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import type { Provider } from '../model/provider.js';
import { ExtendsError, isTable, overlayTable, resolveExtends, type Table } from './overlay.js';
import { checkEntry } from './schema.js';
import { lineOfField } from './source-position.js';

export interface CatalogueProblem {
  file: string;
  /** 1-based; missing when the whole file is meant. */
  line?: number;
  /** "providers.claude.model.default" */
  field?: string;
  message: string;
}

/** What every child's environment follows, whatever its provider. */
export interface CommonEnv {
  pass: string[];
  unset: string[];
  set: Record<string, string>;
}

export interface CatalogueContent {
  providers: Map<string, Provider>;
  common: CommonEnv;
  problems: CatalogueProblem[];
}

/** The folder that holds package.json and providers.toml: from dist/ and from src/ alike. */
export function packageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let dir = dirname(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'providers.toml')) && existsSync(join(dir, 'package.json'))) return dir;
    if (dir === dirname(dir))
      throw new AgentileError('CATALOGUE_INVALID', 'The shipped providers.toml was not found.', {
        hint: 'Install agentile again.',
      });
  }
}

export function describeProblem(problem: CatalogueProblem): string {
  const place = problem.line ? `${problem.file}:${problem.line}` : problem.file;
  return `${place}: ${problem.field ? `${problem.field}: ` : ''}${problem.message}`;
}

interface RawFile {
  file: string;
  text: string;
  entries: Record<string, Table>;
  common: Table;
}

/** Reads both files. A fault in the shipped file throws CATALOGUE_INVALID: that is a fault of ours. */
export function loadContent(shippedFile: string, userFile: string | undefined): CatalogueContent {
  const problems: CatalogueProblem[] = [];
  const shipped = readRaw(shippedFile, problems);
  if (!shipped) throw invalid(problems);
  const content = build(shipped, undefined, problems);
  if (problems.length > 0) throw invalid(problems);
  const user = userFile ? readRaw(userFile, problems, 'may-be-missing') : undefined;
  if (!user) return { ...content, problems };
  return { ...build(shipped, user, problems, content.providers), problems };
}

function invalid(problems: CatalogueProblem[]): AgentileError {
  return new AgentileError('CATALOGUE_INVALID', problems.map(describeProblem).join('\n'));
}

function readRaw(
  file: string,
  problems: CatalogueProblem[],
  missing?: 'may-be-missing',
): RawFile | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (missing && errnoOf(error) === 'ENOENT') return undefined;
    problems.push({ file, message: `cannot be read: ${messageOf(error)}` });
    return undefined;
  }
  try {
    const root = parse(text) as Table;
    return splitRoot(file, text, root, problems);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const words = error.message.split('\n')[0] ?? 'not valid TOML';
    problems.push({ file, line: error.line, message: words });
    return undefined;
  }
}

function splitRoot(file: string, text: string, root: Table, problems: CatalogueProblem[]): RawFile {
  const raw: RawFile = { file, text, entries: {}, common: {} };
  for (const [key, value] of Object.entries(root)) {
    if (key === 'common' && isTable(value)) raw.common = value;
    else if (key === 'providers' && isTable(value)) {
      for (const [id, table] of Object.entries(value)) {
        if (isTable(table) && /^[a-z0-9][a-z0-9._-]*$/.test(id)) raw.entries[id] = table;
        else
          problems.push({
            file,
            line: lineOfField(text, ['providers', id]),
            field: `providers.${id}`,
            message: 'expected a table with an id of small letters, digits, dots and dashes',
          });
      }
    } else
      problems.push({
        file,
        line: lineOfField(text, [key]),
        field: key,
        message: 'no such table; expected [providers.<id>] or [common.env]',
      });
  }
  return raw;
}

/** `fallback`: what an entry of the user's that is faulty falls back to. */
function build(
  shipped: RawFile,
  user: RawFile | undefined,
  problems: CatalogueProblem[],
  fallback?: Map<string, Provider>,
): Omit<CatalogueContent, 'problems'> {
  const merged: Record<string, Table> = { ...shipped.entries };
  for (const [id, table] of Object.entries(user?.entries ?? {}))
    merged[id] = merged[id] ? overlayTable(merged[id], table) : table;
  const providers = new Map<string, Provider>();
  for (const id of Object.keys(merged)) {
    const owner = user?.entries[id] ? user : shipped;
    const provider = buildEntry(id, merged, owner, problems) ?? fallback?.get(id);
    if (provider) providers.set(id, provider);
  }
  checkAliases(providers, user ?? shipped, problems);
  const env = readCommon(overlayTable(shipped.common, user?.common ?? {}));
  return { providers, common: env };
}

function buildEntry(
  id: string,
  merged: Record<string, Table>,
  owner: RawFile,
  problems: CatalogueProblem[],
): Provider | undefined {
  let table: Table;
  try {
    table = resolveExtends(id, merged);
  } catch (error) {
    if (!(error instanceof ExtendsError)) throw error;
    problems.push(problemAt(owner, ['providers', id, 'extends'], error.message));
    return undefined;
  }
  const checked = checkEntry(id, table);
  if ('provider' in checked) return checked.provider;
  for (const fault of checked.faults)
    problems.push(problemAt(owner, ['providers', id, ...fault.path], fault.expected));
  return undefined;
}

function problemAt(raw: RawFile, path: (string | number)[], message: string): CatalogueProblem {
  const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  const line = lineOfField(raw.text, path);
  return { file: raw.file, ...(line ? { line } : {}), field: field.slice(1), message };
}

function checkAliases(providers: Map<string, Provider>, raw: RawFile, problems: CatalogueProblem[]): void {
  const taken = new Map<string, string>();
  for (const provider of providers.values())
    for (const alias of provider.aliases) {
      const other = providers.has(alias) ? alias : taken.get(alias);
      if (other !== undefined && other !== provider.id)
        problems.push(
          problemAt(raw, ['providers', provider.id, 'aliases'], `"${alias}" already means ${other}`),
        );
      else taken.set(alias, provider.id);
    }
}

function readCommon(common: Table): CommonEnv {
  const env = isTable(common['env']) ? common['env'] : {};
  const list = (value: unknown) =>
    Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  const set = isTable(env['set']) ? env['set'] : {};
  return {
    pass: list(env['pass']),
    unset: list(env['unset']),
    set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, String(value)])),
  };
}
