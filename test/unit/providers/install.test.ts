// Managed installs through the real npm against a registry on loopback: exact, once, whole or not at all.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../src/io/run-command.js';
import { explainNpm } from '../../../src/io/npm-install.js';
import type { Provider } from '../../../src/model/provider.js';
import {
  inspectProvider,
  installProvider,
  loadCatalogue,
  providerViews,
  pruneInstalls,
  resolveBinary,
  type InstallProgress,
  type ResolveContext,
} from '../../../src/providers.js';
import { startFakeRegistry, type FakeRegistry } from '../../helpers/fake-registry.js';

let registry: FakeRegistry;
let home: string;
let context: ResolveContext;

beforeAll(async () => {
  registry = await startFakeRegistry('tool', ['1.0.0', '2.0.0']);
});
afterAll(() => registry.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agentile-install-'));
  const env = {
    HOME: home,
    PATH: process.env['PATH'],
    SHELL: '/bin/false',
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
  };
  context = { cliDir: join(home, 'cli'), env };
});
afterEach(() => {
  registry.hold = undefined;
  rmSync(home, { recursive: true, force: true });
});

function provider(version: string, more = ''): Provider {
  const file = join(home, `${version}.toml`);
  const text = `[providers.tool]\nname = "Tool"\ncontroller = "acp"\nformat = "acp"\nbin = "tool"\n[providers.tool.install]\nnpm = "tool"\nversion = "${version}"\nsize_mb = 1\n${more}`;
  writeFileSync(file, text);
  const catalogue = loadCatalogue({ userCatalogueFile: file });
  expect(catalogue.problems).toEqual([]);
  return catalogue.require('tool');
}

it('installs the pinned version, tells its progress, and finds it afterwards', async () => {
  const tool = provider('1.0.0');
  expect((await resolveBinary(tool, context)).state).toBe('installable');
  const phases: InstallProgress['phase'][] = [];
  const result = await installProvider(tool, context, {
    onProgress: (progress) => phases.push(progress.phase),
  });
  expect(result).toMatchObject({ version: '1.0.0', fresh: true });
  expect(phases).toEqual(expect.arrayContaining(['checking', 'fetching', 'finishing', 'done']));
  expect((await runCommand(result.path, [], { env: context.env })).output).toBe('tool 1.0.0\n');
  expect(await resolveBinary(tool, context)).toMatchObject({
    state: 'found',
    binary: { source: 'managed', version: '1.0.0', file: result.path },
  });
  expect((await installProvider(tool, context)).fresh).toBe(false);
});

it('two at once, also of two processes, install it once', async () => {
  const tool = provider('1.0.0');
  registry.requests.length = 0;
  mkdirSync(join(home, 'cli'));
  // Another name of the folder goes past the table of this process and meets the lock, as another process would.
  symlinkSync(join(home, 'cli'), join(home, 'same'));
  const results = await Promise.all([
    installProvider(tool, context),
    installProvider(tool, context),
    installProvider(tool, { ...context, cliDir: join(home, 'same') }),
  ]);
  expect(results.map((result) => result.version)).toEqual(['1.0.0', '1.0.0', '1.0.0']);
  expect(registry.requests.filter((path) => path.endsWith('.tgz'))).toHaveLength(1);
});

it('a killed install leaves nothing that counts, and the next one goes on', async () => {
  const tool = provider('1.0.0');
  let release = () => undefined as void;
  registry.hold = new Promise((resolve) => (release = resolve));
  const stop = new AbortController();
  const first = installProvider(tool, context, {
    abort: stop.signal,
    onProgress: (progress) => {
      if (progress.phase === 'fetching') stop.abort();
    },
  });
  await expect(first).rejects.toMatchObject({ code: 'PROVIDER_NOT_INSTALLED' });
  expect(readdirSync(join(home, 'cli/tool'))).toEqual(['.partial-1.0.0']);
  expect((await resolveBinary(tool, context)).state).toBe('installable');
  registry.hold = undefined;
  release();
  expect((await installProvider(tool, context)).fresh).toBe(true);
  expect(readdirSync(join(home, 'cli/tool'))).toEqual(['1.0.0']);
});

it('a lock of a process that is gone is taken over', async () => {
  mkdirSync(join(home, 'cli/tool'), { recursive: true });
  const dead = await runCommand(process.execPath, ['-e', 'console.log(process.pid)']);
  writeFileSync(join(home, 'cli/tool/.lock'), `${dead.output.trim()}\n1\nno-such-boot\nabc`);
  expect((await installProvider(provider('1.0.0'), context)).fresh).toBe(true);
});

it('a version that is not published is named as that', async () => {
  await expect(installProvider(provider('9.9.9'), context)).rejects.toMatchObject({
    message: expect.stringMatching(/not in the npm registry/),
    hint: expect.stringMatching(/exact version/),
  });
  expect(existsSync(join(home, 'cli/tool/9.9.9'))).toBe(false);
});

it('no registry is named as that', async () => {
  const offline = {
    ...context,
    env: { ...context.env, npm_config_registry: 'http://127.0.0.1:1' },
  };
  await expect(installProvider(provider('1.0.0'), offline)).rejects.toMatchObject({
    message: expect.stringMatching(/could not be reached/),
  });
});

it('a Node that does not fit is refused before anything is fetched', async () => {
  registry.requests.length = 0;
  const tool = provider('1.0.0', 'node = ">=99"\n');
  await expect(installProvider(tool, context)).rejects.toMatchObject({
    message: expect.stringMatching(/needs Node >=99; found: .*\d/),
  });
  expect(registry.requests).toEqual([]);
  const report = await inspectProvider(tool, context);
  expect(report).toMatchObject({ state: 'missing', nextStep: expect.stringMatching(/Install a Node >=99/) });
});

it('an older pin is taken for an older Node', async () => {
  const tool = provider('2.0.0', 'node = ">=99"\nfallbacks = [{ node = ">=20", version = "1.0.0" }]\n');
  const result = await installProvider(tool, context);
  expect(result.version).toBe('1.0.0');
  expect(await inspectProvider(tool, context)).toMatchObject({
    state: 'installed',
    version: '1.0.0',
    pinned: '1.0.0',
  });
});

it('not enough room is said before the download', async () => {
  const tool = provider('1.0.0');
  const huge = { ...tool, install: { ...tool.install, sizeMb: 1e9 } };
  await expect(installProvider(huge, context)).rejects.toMatchObject({
    message: expect.stringMatching(/MB are free/),
  });
});

it('prunes other versions', async () => {
  await installProvider(provider('1.0.0'), context);
  const two = await installProvider(provider('2.0.0'), context);
  const removed = pruneInstalls(provider('2.0.0'), context.cliDir, [two.plan.folder]);
  expect(removed).toEqual([join(home, 'cli/tool/1.0.0')]);
  expect(readdirSync(join(home, 'cli/tool'))).toEqual(['2.0.0']);
});

it('prefer = "path" takes the user’s own; otherwise it is told as an alternative', async () => {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tool'), '#!/bin/sh\necho tool 7.7.7\n', { mode: 0o755 });
  const withOwn = { ...context, env: { ...context.env, PATH: `${bin}:${context.env['PATH']}` } };
  expect(await resolveBinary(provider('1.0.0'), withOwn)).toMatchObject({
    state: 'installable',
    alternative: { file: join(bin, 'tool'), source: 'path' },
  });
  const own = provider('1.0.0', 'prefer = "path"\n');
  expect(await inspectProvider(own, { ...withOwn, askVersions: true })).toMatchObject({
    state: 'installed',
    source: 'path',
    version: '7.7.7',
    nextStep: expect.stringContaining('1.0.0'),
  });
});

it('the picker sees installed first, then installable, then the rest with the reason', async () => {
  const tool = provider('1.0.0');
  const missing = { ...tool, id: 'gone', install: { paths: [], command: 'get gone' } };
  const builtin = { ...tool, id: 'own', bin: '{node}' };
  const providers = [missing, tool, builtin];
  const reports = await Promise.all(providers.map((each) => inspectProvider(each, context)));
  const rows = providerViews(providers, reports);
  expect(rows.map((row) => [row.id, row.state])).toEqual([
    ['own', 'installed'],
    ['tool', 'installable'],
    ['gone', 'missing'],
  ]);
  expect(rows[2]).toMatchObject({ detail: 'tool was not found on PATH', hint: 'get gone' });
});

it.each([
  ['npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device', 'disk-full'],
  ['npm error code ENOTFOUND\nnpm error network request failed', 'offline'],
  ['npm error code ETARGET\nnpm error notarget No matching version found', 'not-published'],
  ['npm error code 1\nnpm error command failed\nnpm error command sh -c node preinstall.js', 'refused'],
  ['npm error something else', 'failed'],
])('reads the fault in %j', (output, fault) => {
  expect(explainNpm(output, false).fault).toBe(fault);
});
