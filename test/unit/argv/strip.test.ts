// Conflicting flags go in every spelling, and nothing else goes with them.
import { describe, expect, it } from 'vitest';
import { buildArgv } from '../../../src/controllers/argv.js';
import { stripFlags } from '../../../src/controllers/argv-strip.js';
import { loadCatalogue } from '../../../src/providers.js';

const catalogue = loadCatalogue({ userCatalogueFile: '/nonexistent/providers.toml' });
const noFill = () => undefined;

describe('stripFlags', () => {
  const rules = [
    { flag: '--model', takesValue: true },
    { flag: '-m', takesValue: true },
    { flag: '--yolo', takesValue: false },
    { flag: '-c', takesValue: true, valuePrefix: 'model=' },
  ];

  it.each([
    ['--flag value', ['a', '--model', 'x', 'b']],
    ['--flag=value', ['a', '--model=x', 'b']],
    ['-f value', ['a', '-m', 'x', 'b']],
    ['-fvalue', ['a', '-mx', 'b']],
    ['-f=value', ['a', '-m=x', 'b']],
    ['a flag alone', ['a', '--yolo', 'b']],
    ['a value with a prefix', ['a', '-c', 'model="x"', 'b']],
    ['a glued value with a prefix', ['a', '-cmodel=x', 'b']],
  ])('removes %s', (_name, args) => {
    expect(stripFlags(args, rules)).toEqual(['a', 'b']);
  });

  it('keeps what only looks alike', () => {
    const args = ['--model-dir', 'x', '--yolo-mode', '-c', 'other=1', '--', '--model', 'x'];
    expect(stripFlags(args, rules)).toEqual(args);
  });

  it('removes a flag whose value is missing', () => {
    expect(stripFlags(['a', '--model'], rules)).toEqual(['a']);
  });
});

describe('precedence', () => {
  const claude = catalogue.require('claude');

  it('a chosen value replaces what the user typed for the same thing', () => {
    const argv = buildArgv(
      claude,
      'structured',
      { permission: 'plan', args: ['--dangerously-skip-permissions', '--permission-mode=auto', '--debug'] },
      noFill,
    );
    expect(argv.args).not.toContain('--dangerously-skip-permissions');
    expect(argv.args.filter((arg) => arg.startsWith('--permission-mode'))).toHaveLength(1);
    expect(argv.args.slice(-3)).toEqual(['--permission-mode', 'plan', '--debug']);
  });

  it('what the user typed replaces the default of the catalogue', () => {
    const argv = buildArgv(claude, 'structured', { args: ['--permission-mode', 'acceptEdits'] }, noFill);
    expect(argv.args.filter((arg) => arg === '--permission-mode')).toHaveLength(1);
    expect(argv.args.slice(-2)).toEqual(['--permission-mode', 'acceptEdits']);
  });

  it('a value that the entry does not have is refused with the list', () => {
    expect(() => buildArgv(claude, 'structured', { permission: 'bypass-permissions' }, noFill)).toThrow(
      /not a permission/,
    );
  });

  it('any model id is taken where the list is open', () => {
    const argv = buildArgv(claude, 'structured', { model: 'claude-opus-5-5' }, noFill);
    expect(argv.args).toContain('claude-opus-5-5');
  });

  it('E12: the second turn of Codex has its words in the order that exec resume takes', () => {
    const argv = buildArgv(
      catalogue.require('codex'),
      'structured',
      { resumeId: 'ID', prompt: 'go on', permission: 'read-only', model: 'm' },
      noFill,
    );
    expect(argv.args.slice(0, 3)).toEqual(['exec', 'resume', 'ID']);
    expect(argv.args.at(-1)).toBe('-');
    expect(argv.args).not.toContain('--sandbox');
    expect(argv.stdin).toBe('go on');
  });

  it('a prompt is never taken for a template or a flag', () => {
    const kimi = catalogue.require('kimi');
    const argv = buildArgv(kimi, 'structured', { prompt: '{model} --yolo' }, noFill);
    expect(argv.args.slice(-2)).toEqual(['-p', '{model} --yolo']);
    const muse = buildArgv(catalogue.require('muse'), 'call', { prompt: '--help' }, noFill);
    expect(muse.args.slice(-2)).toEqual(['--', '--help']);
  });

  it('Aider reads the instructions file only where there is one', () => {
    const aider = catalogue.require('aider');
    expect(buildArgv(aider, 'terminal', {}, noFill).args).not.toContain('--read');
    const argv = buildArgv(aider, 'terminal', { instructions: 'AGENTS.md' }, noFill);
    expect(argv.args.slice(-2)).toEqual(['--read', 'AGENTS.md']);
  });
});
