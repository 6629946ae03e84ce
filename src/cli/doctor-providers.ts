// Doctor's look at the catalogue, the settings, proxies, the gateway and each provider.
import { loadSettings } from '../config.js';
import type { Paths } from '../base/paths.js';
import {
  describeProblem,
  inspectProviders,
  PROXY_VARIABLES,
  takesGateway,
  type Catalogue,
  type InspectContext,
  type ProviderReport,
} from '../providers.js';
import type { Provider } from '../model/provider.js';
import { fault, info, ok, warning, type Finding } from './doctor-finding.js';

export function checkSettings(paths: Paths): Finding {
  const { problem } = loadSettings(paths.configFile);
  if (!problem) return ok('config', 'The settings are good', paths.configFile);
  return fault('config', 'The settings file has a fault; defaults are used in place of it', {
    detail: problem.message,
    cure: problem.hint ?? `Edit ${paths.configFile}; "agentile config check" says more.`,
  });
}

export function checkCatalogue(catalogue: Catalogue): Finding[] {
  if (catalogue.problems.length === 0)
    return [
      ok('catalogue', `The catalogue is good (${catalogue.list().length} entries)`, catalogue.userFile),
    ];
  return catalogue.problems.map((problem) =>
    fault('catalogue', 'Your providers.toml has a fault; the entry stays as it was', {
      detail: describeProblem(problem),
      cure: `Edit ${problem.file}${problem.line ? `, line ${problem.line}` : ''}.`,
    }),
  );
}

export function checkNetwork(
  env: NodeJS.ProcessEnv,
  context: InspectContext,
  providers: readonly Provider[],
): Finding[] {
  const set = PROXY_VARIABLES.filter((name) => env[name]);
  const findings: Finding[] = [];
  if (set.length === 0) findings.push(ok('proxy', 'No proxy is set'));
  else {
    findings.push(
      info('proxy', `Proxy: ${set.map((name) => `${name}=${withoutPassword(env[name] ?? '')}`).join(' ')}`),
    );
    const excluded = env['NO_PROXY'] ?? env['no_proxy'] ?? '';
    if (!/127\.0\.0\.1|localhost|\*/.test(excluded))
      findings.push(
        warning('proxy.loopback', 'Hooks of agents call 127.0.0.1, and that would go through the proxy', {
          cure: `export NO_PROXY=${[excluded, '127.0.0.1,localhost'].filter(Boolean).join(',')}`,
        }),
      );
  }
  const { gateway } = context;
  if (!gateway) return findings;
  const able = providers.filter(takesGateway).map((provider) => provider.id);
  findings.push(
    info('gateway', `Gateway ${withoutPassword(gateway.url)}, from ${gateway.from}`, {
      detail: `${gateway.apiKey ? 'with a key' : 'without a key'}; goes to: ${able.join(', ')}. Others talk to their own vendor.`,
    }),
  );
  return findings;
}

function withoutPassword(url: string): string {
  return url.replace(/(\/\/[^/:@\s]+):[^/@\s]+@/, '$1:***@');
}

/** With one provider asked for by name, its not being there is an error; in the whole list it is a piece of news. */
export async function checkProviders(
  providers: readonly Provider[],
  context: InspectContext,
  isNamed: boolean,
): Promise<Finding[]> {
  const reports = await inspectProviders(providers, { ...context, askVersions: true });
  return reports.map((report) => providerFinding(report, isNamed));
}

function providerFinding(report: ProviderReport, isNamed: boolean): Finding {
  const id = `provider.${report.id}`;
  const version = report.version ? ` ${report.version}` : '';
  const pinned = report.pinned && report.pinned !== report.version ? `, tested: ${report.pinned}` : '';
  const untested = report.unverified ? ', never tested with the real CLI' : '';
  const title = `${report.name}${version} (${report.tier}${pinned}${untested})`;
  const signed = report.signedIn === 'yes' ? `signed in (${report.signedInBy ?? ''}); ` : '';
  const more = { detail: `${signed}vendor ${report.vendor}; ${report.detail}`, cure: report.nextStep };
  if (report.state === 'installed')
    return report.nextStep ? info(id, title, more) : ok(id, title, more.detail);
  if (isNamed) return fault(id, `${report.name}: ${stateWords(report)}`, more);
  return info(id, `${report.name}: ${stateWords(report)}`, more);
}

function stateWords(report: ProviderReport): string {
  const words: Record<ProviderReport['state'], string> = {
    installed: 'installed',
    installable: `not installed; ${report.pinned ?? ''} can be`,
    missing: 'not found',
    disabled: 'switched off',
  };
  return words[report.state];
}
