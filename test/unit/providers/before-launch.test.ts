// Files before launch: ours are kept right, the user's are only added to, and what cannot be read is left alone.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  lstatSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BeforeLaunchFile, Provider } from '../../../src/model/provider.js';
import { loadCatalogue } from '../../../src/providers.js';
import {
  INSTRUCTIONS_MARK,
  planFiles,
  planInstructions,
  writePlanned,
} from '../../../src/providers/before-launch.js';

let home: string;
let cwd: string;
const catalogue = loadCatalogue({ userCatalogueFile: '/nonexistent/providers.toml' });

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agentile-files-'));
  cwd = join(home, 'pro"ject');
  mkdirSync(cwd);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function plan(provider: Provider, folder = cwd, gateway = false) {
  const values: Record<string, string> = {
    '{config_dir}': join(home, 'cfg'),
    '{provider_dir}': join(home, 'ours'),
    '{cwd}': folder,
    '{home}': home,
  };
  const fill = (text: string) => text.replace(/\{[a-z_]+\}/g, (name) => values[name] ?? name);
  return planFiles(provider, { terminal: false, gateway, cwd: folder, home, fill });
}

function withFile(file: Partial<BeforeLaunchFile>): Provider {
  const full = { path: '{config_dir}/f', content: '', mode: 'create' as const, ...file };
  return { ...catalogue.require('demo'), beforeLaunch: [full] };
}

function write(path: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
  return path;
}

it('adds the session’s own folder to what Grok trusts, keeps comments, and adds it once', () => {
  const grok = catalogue.require('grok');
  const file = write(join(home, 'cfg/trusted_folders.toml'), '# mine\n[folders."/other"]\ntrusted = false\n');
  writePlanned(plan(grok));
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^# mine\n\[folders\."\/other"\]\ntrusted = false\n/);
  expect(text).toContain(`[folders.${JSON.stringify(cwd)}]\ntrusted = true\n`);
  expect(plan(grok)).toMatchObject([{ action: 'keep' }]);
});

it('does not turn a no of the user into a yes, nor trust the home folder', () => {
  const grok = catalogue.require('grok');
  const file = join(home, 'cfg/trusted_folders.toml');
  write(file, `[folders.${JSON.stringify(cwd)}]\ntrusted = false\n`);
  expect(plan(grok)).toMatchObject([{ action: 'keep' }]);
  expect(plan(grok, home)).toMatchObject([{ action: 'leave', why: expect.stringContaining('too wide') }]);
});

it('leaves a broken file alone', () => {
  write(join(home, 'cfg/trusted_folders.toml'), 'not toml [');
  expect(plan(catalogue.require('grok'))).toMatchObject([{ action: 'leave' }]);
  write(join(home, 'cfg/f'), '{ "a": 1, // comment\n}');
  const json = withFile({ mode: 'merge-json', content: '{"b":2}' });
  expect(plan(json)).toMatchObject([{ action: 'leave', why: 'it is not plain JSON' }]);
});

it('adds only what is missing in JSON and keeps the mode of the file', () => {
  const file = write(join(home, 'cfg/f'), '{"a":{"x":1}}', 0o640);
  const json = withFile({ mode: 'merge-json', content: '{"a":{"x":9,"y":2},"b":true}' });
  writePlanned(plan(json));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ a: { x: 1, y: 2 }, b: true });
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(plan(json)).toMatchObject([{ action: 'keep' }]);
});

it('create never touches what is there; own keeps our file right', () => {
  const created = withFile({ mode: 'create', content: 'new\n' });
  const file = write(join(home, 'cfg/f'), 'theirs');
  writePlanned(plan(created));
  expect(readFileSync(file, 'utf8')).toBe('theirs');
  const own = withFile({ mode: 'own', path: '{provider_dir}/f', content: 'v2' });
  write(join(home, 'ours/f'), 'v1');
  writePlanned(plan(own));
  expect(readFileSync(join(home, 'ours/f'), 'utf8')).toBe('v2\n');
});

it('writes through a link', () => {
  const real = write(join(home, 'dotfiles/f'), '{}');
  mkdirSync(join(home, 'cfg'));
  symlinkSync(real, join(home, 'cfg/f'));
  writePlanned(plan(withFile({ mode: 'merge-json', content: '{"b":2}' })));
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ b: 2 });
  expect(lstatSync(join(home, 'cfg/f')).isSymbolicLink()).toBe(true);
});

it('Gemini’s gateway settings are written only for a gateway', () => {
  const gemini = catalogue.require('gemini');
  expect(plan(gemini).map((file) => file.path)).toEqual([join(home, 'ours/defaults.json')]);
  expect(plan(gemini, cwd, true).map((file) => file.path)).toContain(join(home, 'ours/gateway.json'));
});

it('instructions are written where there are none or ours, never over the project’s own', () => {
  const path = join(cwd, 'AGENTS.md');
  writePlanned([planInstructions(path, 'Be brief.')]);
  expect(readFileSync(path, 'utf8')).toBe(`${INSTRUCTIONS_MARK}\nBe brief.\n`);
  expect(planInstructions(path, 'Be brief.').action).toBe('keep');
  expect(planInstructions(path, 'Be long.').action).toBe('write');
  write(path, '# The project\n');
  expect(planInstructions(path, 'Be brief.')).toMatchObject({
    action: 'keep',
    why: 'the project has its own',
  });
});
