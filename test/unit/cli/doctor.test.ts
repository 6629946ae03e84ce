// Doctor: what it finds, what it cures, and the exit code.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandContext } from '../../../src/cli/context.js';
import { runDoctor } from '../../../src/cli/doctor.js';
import { checkMultiplexer, checkTerminal } from '../../../src/cli/doctor-terminal.js';
import { checkNetwork } from '../../../src/cli/doctor-providers.js';
import { loadCatalogue, resolveGateway } from '../../../src/providers.js';

interface Report {
  findings: { id: string; level: string; title: string; cure?: string; detail?: string; fixable: boolean }[];
  fixed: { id: string }[];
}

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agentile-doctor-'));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  env = {
    HOME: home,
    PATH: process.env['PATH'],
    SHELL: '/bin/false',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_RUNTIME_DIR: join(home, 'run'),
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function doctor(args: string[], options: Record<string, unknown> = {}) {
  const printed: unknown[] = [];
  const context = new CommandContext(env, home);
  context.printJson = (value) => void printed.push(value);
  const exit = await runDoctor(context, { args, options: { json: true, ...options }, rest: [] });
  const report = printed[0] as Report;
  return { exit, report, find: (id: string) => report.findings.find((finding) => finding.id === id) };
}

it('looks at everything and finds nothing broken on a fresh home', async () => {
  const { exit, report, find } = await doctor([]);
  expect(exit).toBe(0);
  expect(find('node.version')?.level).toBe('ok');
  expect(find('native.node-pty')?.level).toBe('ok');
  expect(find('provider.demo')?.level).toBe('ok');
  expect(find('provider.codex')?.cure).toContain('agentile provider install codex');
  expect(
    report.findings
      .filter((each) => each.level === 'warning' || each.level === 'error')
      .every((each) => each.cure),
  ).toBe(true);
});

it('repairs what is safe, and says so', async () => {
  const data = join(home, 'data/agentile');
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o755);
  expect((await doctor([])).find(`folder.${data}`)).toMatchObject({ level: 'warning', fixable: true });
  const { report } = await doctor([], { fix: true });
  expect(report.fixed).toEqual([expect.objectContaining({ id: `folder.${data}` })]);
  expect(statSync(data).mode & 0o777).toBe(0o700);
});

it('a fault in providers.toml is an error with the line', async () => {
  mkdirSync(join(home, 'config/agentile'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config/agentile/providers.toml'), '[providers.claude]\nstdio = "tty"\n');
  const { exit, find } = await doctor(['claude']);
  expect(exit).toBe(1);
  expect(find('catalogue')?.detail).toMatch(/providers\.toml:2: providers\.claude\.stdio/);
});

it('a provider asked for by name and not there is an error with the next step', async () => {
  const { exit, find } = await doctor(['aider']);
  expect(exit).toBe(1);
  expect(find('provider.aider')).toMatchObject({
    level: 'error',
    cure: expect.stringContaining('aider.chat/install'),
  });
});

it('names what a terminal and a multiplexer lack', async () => {
  expect(checkTerminal({ TERM: 'dumb' }).map((finding) => finding.id)).toContain('terminal.term');
  expect(checkTerminal({ TERM: 'xterm', LANG: 'C' })).toContainEqual(
    expect.objectContaining({ id: 'terminal.locale', level: 'warning' }),
  );
  expect((await checkMultiplexer({ STY: '1.x' }))[0]).toMatchObject({ id: 'mux.screen', level: 'warning' });
});

it('sees that hooks would go through a proxy, and where the gateway comes from', () => {
  const providers = loadCatalogue({ userCatalogueFile: '/nonexistent/x.toml' }).list();
  const proxied = { HTTPS_PROXY: 'http://me:pw@proxy:1', AGENTILE_GATEWAY_URL: 'https://gw/' };
  const gateway = resolveGateway({ url: '' }, proxied)!;
  const findings = checkNetwork(proxied, { cliDir: '/x', env: proxied, gateway }, providers);
  expect(findings.find((each) => each.id === 'proxy.loopback')?.cure).toContain('NO_PROXY=127.0.0.1');
  expect(findings.find((each) => each.id === 'gateway')?.title).toContain(
    'https://gw, from AGENTILE_GATEWAY_URL',
  );
  expect(JSON.stringify(findings)).not.toContain('me:pw');
  expect(resolveGateway({ url: 'https://file/' }, proxied)).toMatchObject({
    url: 'https://file',
    from: 'the config file',
  });
});
