// Every provider × mode × permission × model × effort × resume, one line each, against test/golden/argv.txt.
// UPDATE=1 writes the file; read the difference in review.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildArgv, type ArgvChoices, type LaunchMode } from '../../../src/controllers/argv.js';
import type { Provider } from '../../../src/model/provider.js';
import { loadCatalogue, packageRoot } from '../../../src/providers.js';

const GOLDEN = join(packageRoot(), 'test/golden/argv.txt');
const RESUME_ID = '0b5c4c0e-0000-4000-8000-000000000001';
const catalogue = loadCatalogue({ userCatalogueFile: '/nonexistent/providers.toml' });

function fill(name: string): string | undefined {
  const values: Record<string, string> = { dist: '/dist', provider_dir: '/data/providers', cwd: '/project' };
  return values[name];
}

function modesOf(provider: Provider): LaunchMode[] {
  const modes: LaunchMode[] = provider.controller === 'terminal' ? ['terminal'] : ['structured'];
  if (provider.controller !== 'terminal' && provider.terminal) modes.push('terminal');
  if (provider.call) modes.push('call');
  return modes;
}

function casesOf(provider: Provider): [string, ArgvChoices][] {
  const cases: [string, ArgvChoices][] = [['plain', {}]];
  for (const name of ['permission', 'model', 'effort', 'mode'] as const) {
    const spec = provider[name];
    if (!spec) continue;
    const values = spec.values.length > 0 ? spec.values : ['some-value'];
    for (const value of name === 'model' ? values.slice(0, 1) : values)
      cases.push([`${name}=${value}`, { [name]: value }]);
  }
  const all: ArgvChoices = {};
  for (const name of ['permission', 'model', 'effort'] as const) {
    const spec = provider[name];
    if (spec) all[name] = spec.values.at(-1) ?? 'some-value';
  }
  cases.push(['resume', { resumeId: RESUME_ID }], ['all+resume', { ...all, resumeId: RESUME_ID }]);
  if (provider.resume.forkArgs?.length) cases.push(['fork', { resumeId: RESUME_ID, fork: true }]);
  return cases;
}

function render(provider: Provider, mode: LaunchMode, name: string, choices: ArgvChoices): string {
  const prompt = mode === 'terminal' ? {} : { prompt: 'fix the "login" bug' };
  const argv = buildArgv(provider, mode, { ...choices, ...prompt }, fill);
  const variables = argv.env.map((entry) => `${entry.name}=${entry.value}`);
  const stdin = argv.stdin === undefined ? '' : ' < prompt';
  const words = argv.args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg)));
  const notes = argv.notes.length > 0 ? `  # ${argv.notes.join('; ')}` : '';
  const bin = (mode === 'terminal' ? provider.terminal?.bin : undefined) ?? provider.bin;
  return `${provider.id} ${mode} ${name}: ${[...variables, bin, ...words].join(' ')}${stdin}${notes}`;
}

it('arguments of every provider and option are as recorded', () => {
  const lines = catalogue
    .list()
    .flatMap((provider) =>
      modesOf(provider).flatMap((mode) =>
        casesOf(provider).map(([name, choices]) => render(provider, mode, name, choices)),
      ),
    );
  const text = `${lines.join('\n')}\n`;
  if (process.env['UPDATE']) writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
});

it('covers the nineteen, shell and demo', () => {
  const ids = catalogue
    .list()
    .filter((provider) => provider.kind !== 'variant')
    .map((provider) => provider.id);
  expect(ids.sort()).toEqual([
    'aider',
    'antigravity',
    'claude',
    'cline',
    'codex',
    'copilot',
    'crush',
    'demo',
    'dsh',
    'gemini',
    'goose',
    'grok',
    'kilo',
    'kimi',
    'muse',
    'muxcode',
    'openclaw',
    'opencode',
    'pi',
    'qwen',
    'shell',
  ]);
});
