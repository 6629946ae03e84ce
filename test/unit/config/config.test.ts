import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'smol-toml';
import { DEFAULT_SETTINGS, OPTIONS, findOption, loadSettings, saveSetting } from '../../../src/config.js';
import { faultOf, readArguments } from '../../../src/config/check.js';
import { editToml } from '../../../src/config/toml-edit.js';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync('/tmp/agentile-config-');
  file = join(dir, 'sub', 'config.toml');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('table of settings', () => {
  test('every default is of its own type, every name is there once, every row has words', () => {
    const names = OPTIONS.map((row) => row.name);
    expect(new Set(names).size).toBe(names.length);
    for (const row of OPTIONS) {
      expect(faultOf(row.type, row.default), row.name).toBeUndefined();
      expect(row.doc.length, row.name).toBeGreaterThan(15);
    }
  });
});

describe('reading', () => {
  test('no file: defaults, no problem', () => {
    expect(loadSettings(file)).toEqual({ settings: DEFAULT_SETTINGS, fromFile: new Set() });
  });

  test('good values win over defaults, bad ones fall back and are named', async () => {
    await saveSetting(file, 'screen.mouse', false);
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}scrollback = "many"\ncolour = "256"\n\n[nope]\nx = 1\n`,
    );
    const { settings, problem, fromFile } = loadSettings(file);
    expect(settings['screen.mouse']).toBe(false);
    expect(settings['screen.scrollback']).toBe(10_000);
    expect([...fromFile]).toEqual(['screen.mouse']);
    expect(problem?.code).toBe('CONFIG_INVALID');
    expect(problem?.message).toContain('screen.scrollback must be a whole number from 0 to 1000000');
    expect(problem?.message).toContain('screen.colour is not a setting');
    expect(problem?.message).toContain('nope is not a setting');
  });

  test('a broken file: line and column, and defaults', async () => {
    await saveSetting(file, 'screen.mouse', false);
    writeFileSync(file, '[screen]\nmouse = false\ntitle = = 1\n');
    const { settings, problem } = loadSettings(file);
    expect(problem?.message).toMatch(/config\.toml:3:\d+: /);
    expect(problem?.exitCode).toBe(9);
    expect(settings).toEqual(DEFAULT_SETTINGS);
  });

  test('a folder in place of the file is a problem in words', () => {
    const { problem } = loadSettings(dir);
    expect(problem?.message).toContain('cannot be read');
  });
});

describe('writing', () => {
  test('what is written is read back; the file is private and nothing else is left in the folder', async () => {
    await saveSetting(file, 'gateway.api_key', 'secret');
    await saveSetting(file, 'env.pass', ['A', 'B_*']);
    await saveSetting(file, 'keys.bindings', { 'focus-left': ['alt+h', 'f1'], zoom: '' });
    const { settings, problem } = loadSettings(file);
    expect(problem).toBeUndefined();
    expect(settings['gateway.api_key']).toBe('secret');
    expect(settings['env.pass']).toEqual(['A', 'B_*']);
    expect(settings['keys.bindings']).toEqual({ 'focus-left': ['alt+h', 'f1'], zoom: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'sub')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dir, 'sub'))).toEqual(['config.toml']);
  });

  test('comments and order stay, only the line changes; a loose mode is tightened', async () => {
    await saveSetting(file, 'screen.mouse', true);
    const text =
      '# mine\n[screen]\n# no mouse\nmouse = false # really\ntitle = true\n\n[gateway]\nurl = "http://x"\n';
    writeFileSync(file, text, { mode: 0o644 });
    await saveSetting(file, 'screen.mouse', true);
    await saveSetting(file, 'screen.scrollback', 50);
    await saveSetting(file, 'gateway.url', undefined);
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\n[screen]\n# no mouse\nmouse = true # really\ntitle = true\nscrollback = 50\n\n[gateway]\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('after a failed read nothing is written', async () => {
    await saveSetting(file, 'screen.mouse', false);
    const broken = 'mouse = [\n# my notes\n';
    writeFileSync(file, broken);
    await expect(saveSetting(file, 'screen.mouse', true)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(file, 'utf8')).toBe(broken);
  });
});

describe('editing TOML', () => {
  test('what cannot be edited by lines is written anew, with the same values', () => {
    const text = 'screen.mouse = true\nlist = [\n  1,\n  2,\n]\n';
    const store = { screen: { mouse: false, title: true }, list: [3] };
    expect(parse(editToml(text, store))).toEqual(store);
  });

  test('a "#" in a value is not taken for a comment', () => {
    const edited = editToml('a = "x # y"\n', { a: 'z' });
    expect(edited).toBe('a = "z"\n');
  });
});

describe('values of the command line', () => {
  const read = (name: string, ...words: string[]) => readArguments(findOption(name)!, words);

  test.each([
    ['screen.mouse', ['off'], { value: false }],
    ['screen.scrollback', ['500'], { value: 500 }],
    ['shell.command', ['zsh', '-l'], { value: ['zsh', '-l'] }],
    ['shell.command', [], { value: [] }],
    ['keys.prefix', ['ctrl+b'], { value: 'ctrl+b' }],
    ['screen.mouse', ['maybe'], { fault: 'must be true or false' }],
    ['screen.scrollback', ['1e9'], { fault: 'must be a whole number from 0 to 1000000' }],
    ['screen.colors', ['8'], { fault: 'must be one of "auto", "none", "16", "256", "truecolor"' }],
    ['keys.bindings', ['x'], { fault: 'must be written in the file (config path)' }],
  ])('%s %j', (name, words, expected) => {
    expect(read(name, ...words)).toEqual(expected);
  });
});
