// The catalogue: errors that point at the line, overlay field by field, and edits on disk while everything runs.
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeProblem, loadCatalogue, type Catalogue } from '../../../src/providers.js';

let home: string;
let file: string;
const open: Catalogue[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agentile-catalogue-'));
  file = join(home, 'config', 'providers.toml');
});
afterEach(() => {
  for (const catalogue of open.splice(0)) catalogue.dispose();
  rmSync(home, { recursive: true, force: true });
});

function load(text?: string): Catalogue {
  if (text !== undefined) write(text);
  const catalogue = loadCatalogue({ userCatalogueFile: file });
  open.push(catalogue);
  return catalogue;
}

function write(text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function nextChange(catalogue: Catalogue): Promise<string[]> {
  return new Promise((resolve) => {
    const subscription = catalogue.onChange((change) => {
      subscription.dispose();
      resolve(change.changed);
    });
  });
}

const TWENTIETH = `
[providers.mine]
name = "Mine"
controller = "acp"
format = "acp"
bin = "mine"
args = ["acp"]
`;

describe('the shipped file', () => {
  it('is good and finds entries by id and alias', () => {
    const catalogue = load();
    expect(catalogue.problems).toEqual([]);
    expect(catalogue.get('cc')?.id).toBe('claude');
    expect(catalogue.get('AGY')?.id).toBe('antigravity');
    expect(() => catalogue.require('nope')).toThrow(/no provider "nope"/);
  });

  it('every npm entry has an exact pin, every other one an install command', () => {
    for (const provider of load().list()) {
      if (provider.kind === 'builtin') continue;
      const { npm, version, command } = provider.install;
      if (npm) expect(version, provider.id).toMatch(/^\d+\.\d+\.\d+/);
      else expect(command, provider.id).toBeTruthy();
    }
  });
});

describe('the user’s file', () => {
  it('is laid over field by field', () => {
    const catalogue = load(
      '[providers.claude.env.set]\nDISABLE_TELEMETRY = "0"\n[providers.claude.model]\ndefault = "opus"\n',
    );
    const claude = catalogue.require('claude');
    expect(claude.env.set).toMatchObject({ DISABLE_TELEMETRY: '0', DISABLE_AUTOUPDATER: '1' });
    expect(claude.model).toMatchObject({ default: 'opus', args: ['--model', '{value}'] });
  });

  it('adds entries, extends others and switches off', () => {
    const text = `${TWENTIETH}[providers.work]\nextends = "claude"\nname = "Claude at work"\nconfig_dir = "~/.claude-work"\n[providers.codex]\ndisabled = true\n`;
    const catalogue = load(text);
    expect(catalogue.problems).toEqual([]);
    expect(catalogue.require('mine')).toMatchObject({ controller: 'acp', stdio: 'pipe' });
    expect(catalogue.require('work')).toMatchObject({
      bin: 'claude',
      configDir: '~/.claude-work',
      aliases: [],
    });
    expect(catalogue.list().map((provider) => provider.id)).not.toContain('codex');
    expect(() => catalogue.require('codex')).toThrow(/switched off/);
  });

  it.each([
    [
      'a misspelt field',
      '[providers.claude]\nname = "C"\nmodell = "x"\n',
      3,
      'providers.claude.modell',
      /no such field/,
    ],
    ['a wrong type', '[providers.claude]\nargs = "x"\n', 2, 'providers.claude.args', /expected array/],
    ['a wrong choice', `${TWENTIETH}stdio = "tty"\n`, 8, 'providers.mine.stdio', /"pipe"\|"pty"/],
    [
      'a nested field',
      '[providers.claude.install]\nversion = "^2.0.0"\n',
      2,
      'providers.claude.install.version',
      /exact version/,
    ],
    [
      'a missing field',
      '[providers.mine]\nname = "Mine"\nbin = "x"\n',
      1,
      'providers.mine.controller',
      /"persistent"/,
    ],
    [
      'fields that do not fit',
      `${TWENTIETH.replace('format = "acp"\n', '')}`,
      2,
      'providers.mine.format',
      /expected a wire format/,
    ],
    [
      'an unknown parent',
      '[providers.mine]\nextends = "nope"\n',
      2,
      'providers.mine.extends',
      /no entry "nope"/,
    ],
    ['a foreign table', '[provider.x]\nname = "x"\n', 1, 'provider', /no such table/],
    [
      'an alias that is taken',
      `${TWENTIETH}aliases = ["claude"]\n`,
      8,
      'providers.mine.aliases',
      /already means claude/,
    ],
  ])('says where %s is', (_name, text, line, field, words) => {
    const [problem] = load(text).problems;
    expect(problem).toMatchObject({ file, line, field });
    expect(problem!.message).toMatch(words);
    expect(describeProblem(problem!)).toContain(`providers.toml:${line}: ${field}: `);
  });

  it('says where the TOML is broken, and everything shipped still works', () => {
    const catalogue = load('[providers.claude]\nname = "unclosed\n');
    expect(catalogue.problems[0]).toMatchObject({ file, line: 2 });
    expect(catalogue.require('claude').name).toBe('Claude Code');
  });

  it('a faulty entry falls back alone', () => {
    const catalogue = load(`[providers.claude]\nstdio = "tty"\n${TWENTIETH}`);
    expect(catalogue.problems).toHaveLength(1);
    expect(catalogue.require('claude').stdio).toBe('pipe');
    expect(catalogue.require('mine').bin).toBe('mine');
  });
});

describe('hot reload', () => {
  it('sees a new file, an atomic replacement and the end of it', async () => {
    const catalogue = load();
    catalogue.watch();
    const before = catalogue.require('claude');

    let change = nextChange(catalogue);
    write(TWENTIETH);
    expect(await change).toEqual(['mine']);
    expect(catalogue.require('mine').args).toEqual(['acp']);

    change = nextChange(catalogue);
    const draft = join(dirname(file), '.providers.toml.swp');
    writeFileSync(draft, '[providers.claude]\nname = "Renamed"\n');
    renameSync(draft, file);
    expect((await change).sort()).toEqual(['claude', 'mine']);
    expect(catalogue.require('claude').name).toBe('Renamed');
    // Whoever started with the old entry keeps it.
    expect(before.name).toBe('Claude Code');

    change = nextChange(catalogue);
    rmSync(file);
    await change;
    expect(catalogue.require('claude').name).toBe('Claude Code');
  });

  it('a broken file keeps what was, says so, and is forgotten when repaired', async () => {
    const catalogue = load(TWENTIETH);
    catalogue.watch();
    let change = nextChange(catalogue);
    write(`${TWENTIETH}stdio = `);
    expect(await change).toEqual([]);
    expect(catalogue.problems).toHaveLength(1);
    expect(catalogue.require('mine').bin).toBe('mine');

    change = nextChange(catalogue);
    write(`${TWENTIETH}stdio = "pty"\n`);
    expect(await change).toEqual(['mine']);
    expect(catalogue.problems).toEqual([]);
    expect(catalogue.require('mine').stdio).toBe('pty');
  });

  it('follows a link of a dotfile manager', async () => {
    const real = join(home, 'dotfiles', 'providers.toml');
    mkdirSync(dirname(real), { recursive: true });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(real, TWENTIETH);
    symlinkSync(real, file);
    const catalogue = load();
    catalogue.watch();
    const change = nextChange(catalogue);
    writeFileSync(real, TWENTIETH.replace('"Mine"', '"Yours"'));
    expect(await change).toEqual(['mine']);
    expect(catalogue.require('mine').name).toBe('Yours');
  });
});
