// A child gets what it may have: nothing of the daemon, nothing of a parent pane, its own identity and no other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildLaunch, type Launch, type LaunchInput } from '../../../src/controllers/launch.js';
import { explainLaunch, maskValue, renderLaunch } from '../../../src/controllers/launch-explain.js';
import type { LaunchOptions } from '../../../src/model/session.js';
import { loadCatalogue } from '../../../src/providers.js';

const home = mkdtempSync(join(tmpdir(), 'agentile-env-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const catalogue = loadCatalogue({ userCatalogueFile: join(home, 'providers.toml') });

const PARENT_ENV: NodeJS.ProcessEnv = {
  HOME: home,
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  ANTHROPIC_API_KEY: 'sk-ant-1234567890abcdef',
  OPENAI_API_KEY: 'sk-open-1234567890abcdef',
  AGENTILE_SESSION_ID: 's-parent',
  AGENTILE_PANE_ID: 'p-parent',
  AGENTILE_TOKEN: 'token-of-the-parent',
  AGENTILE_GATEWAY_API_KEY: 'gateway-secret',
  AGENTILE_PROFILE: 'work',
  TMUX: '/tmp/tmux-0/default,1,0',
  TMUX_PANE: '%3',
  npm_lifecycle_event: 'start',
  DATABASE_PASSWORD: 'hunter2',
  HTTPS_PROXY: 'http://me:pw@proxy:3128',
};

function launch(id: string, options: LaunchOptions = {}, more: Partial<LaunchInput> = {}): Launch {
  const provider = catalogue.require(id);
  return buildLaunch({
    provider,
    session: { id: 's-1' as never, name: 'fix-login', cwd: home, launch: options },
    run: { id: 'r-1' as never, attempt: 2 },
    mode: options.terminal || provider.controller === 'terminal' ? 'terminal' : 'structured',
    binary: { file: '/opt/x/bin/x', source: 'managed', pathFolders: ['/opt/x/bin'] },
    paths: { dataDir: join(home, 'data') },
    common: catalogue.common,
    baseEnv: PARENT_ENV,
    searchFolders: ['/usr/bin', '/bin'],
    isRoot: false,
    ...more,
  });
}

describe('environment of a child', () => {
  it('passes what the provider needs and nothing of others', () => {
    const { env } = launch('claude');
    expect(env['ANTHROPIC_API_KEY']).toBe('sk-ant-1234567890abcdef');
    expect(env['HTTPS_PROXY']).toBe('http://me:pw@proxy:3128');
    for (const name of [
      'OPENAI_API_KEY',
      'DATABASE_PASSWORD',
      'CLAUDECODE',
      'CLAUDE_CODE_ENTRYPOINT',
      'TMUX',
      'TMUX_PANE',
      'npm_lifecycle_event',
    ])
      expect(env, name).not.toHaveProperty(name);
  });

  it('gives the child its own identity, never that of a parent pane, and no secret of ours', () => {
    const { env } = launch(
      'claude',
      {},
      { loopback: { url: 'http://127.0.0.1:9', token: 'mine' }, paneId: 'p-1' },
    );
    expect(env).toMatchObject({
      AGENTILE_LOCAL_URL: 'http://127.0.0.1:9',
      AGENTILE_TOKEN: 'mine',
      AGENTILE_PANE_ID: 'p-1',
      AGENTILE_AGENT_ID: 'fix-login',
      AGENTILE_SESSION_ID: 's-1',
      AGENTILE_RUN_ID: 'r-1',
      AGENTILE_ATTEMPT: '2',
      AGENTILE_PROFILE: 'work',
    });
    expect(JSON.stringify(env)).not.toMatch(/parent|gateway-secret/);
    expect(launch('claude').env).not.toHaveProperty('AGENTILE_PANE_ID');
  });

  it('a shell gets all of the user’s environment, but not ours', () => {
    const { env } = launch('shell');
    expect(env['DATABASE_PASSWORD']).toBe('hunter2');
    expect(env).not.toHaveProperty('AGENTILE_GATEWAY_API_KEY');
    expect(env).not.toHaveProperty('TMUX');
    expect(env['AGENTILE_SESSION_ID']).toBe('s-1');
  });

  it('the session’s own variables win, except over the identity', () => {
    const { env } = launch('claude', { env: { DISABLE_TELEMETRY: '0', AGENTILE_SESSION_ID: 'evil' } });
    expect(env['DISABLE_TELEMETRY']).toBe('0');
    expect(env['AGENTILE_SESSION_ID']).toBe('s-1');
  });

  it('names a sandbox only as root and only for the permission that was chosen', () => {
    expect(launch('claude', { permission: 'bypassPermissions' }, { isRoot: true }).env['IS_SANDBOX']).toBe(
      '1',
    );
    expect(launch('claude', { permission: 'bypassPermissions' }).env).not.toHaveProperty('IS_SANDBOX');
    expect(launch('claude', {}, { isRoot: true }).env).not.toHaveProperty('IS_SANDBOX');
  });

  it('puts the CLI’s own programs first in PATH', () => {
    expect(launch('claude').env['PATH']).toBe('/opt/x/bin:/usr/bin:/bin');
  });

  it('a default of the catalogue yields to the user’s own variable, a chosen value does not', () => {
    const own = { ...PARENT_ENV, OPENCODE_CONFIG_CONTENT: '{"mine":true}' };
    expect(launch('opencode', {}, { baseEnv: own }).env['OPENCODE_CONFIG_CONTENT']).toBe('{"mine":true}');
    const chosen = launch('opencode', { permission: 'ask' }, { baseEnv: own });
    expect(chosen.env['OPENCODE_CONFIG_CONTENT']).toContain('ask');
  });
});

describe('gateway', () => {
  const gateway = {
    url: 'https://gw.example',
    apiKey: 'gw-key-1234567890',
    from: 'the config file' as const,
  };

  it('sets base URLs in the form each CLI takes, and the vendor becomes custom', () => {
    const claude = launch('claude', {}, { gateway });
    expect(claude.env).toMatchObject({
      ANTHROPIC_BASE_URL: 'https://gw.example',
      ANTHROPIC_API_KEY: 'gw-key-1234567890',
    });
    expect(claude.vendor).toBe('custom');
    expect(launch('qwen', {}, { gateway }).env['OPENAI_BASE_URL']).toBe('https://gw.example/v1');
    const codex = launch('codex', {}, { gateway });
    expect(codex.args).toContain('model_providers.gateway.base_url="https://gw.example/v1"');
    expect(codex.env['CODEX_GATEWAY_KEY']).toBe('gw-key-1234567890');
    expect(launch('claude').vendor).toBe('anthropic');
  });

  it('the user’s own redirection counts as custom without a gateway', () => {
    const baseEnv = { ...PARENT_ENV, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    const own = launch('claude', {}, { baseEnv });
    expect(own.vendor).toBe('custom');
    expect(own.env['ANTHROPIC_BASE_URL']).toBe('http://127.0.0.1:1');
  });
});

describe('dry run', () => {
  it('shows everything with its reason and no secret', () => {
    const gateway = {
      url: 'https://gw.example',
      apiKey: 'gw-key-1234567890',
      from: 'the config file' as const,
    };
    const explained = explainLaunch('claude', launch('claude', { model: 'opus' }, { gateway, prompt: 'x' }));
    const text = renderLaunch(explained);
    expect(text).toContain('--model opus');
    expect(text).toContain('model opus: chosen');
    expect(text).not.toMatch(/gw-key-1234567890|sk-ant-1234567890|me:pw@/);
    expect(explained.env.every((entry) => entry.why !== '')).toBe(true);
    expect(explained.parts.every((part) => part.why !== '')).toBe(true);
  });

  it('masks by name and inside URLs', () => {
    expect(maskValue('X_TOKEN', 'abc')).toBe('***');
    expect(maskValue('HTTPS_PROXY', 'http://u:p@h:1')).toBe('http://u:***@h:1');
    expect(maskValue('SSH_AUTH_SOCK', '/run/x')).toBe('/run/x');
  });
});
