// The picker's rows. Pure. The daemon sends them as ProviderView of the wire; the shape here is structurally the same.
import type { ControllerKind, OptionSpec, Provider } from '../model/provider.js';
import type { ProviderReport } from './inspect.js';

export interface ProviderRow {
  id: string;
  name: string;
  controller: ControllerKind;
  state: 'installed' | 'installable' | 'missing' | 'disabled';
  detail: string;
  version?: string;
  hint?: string;
  models: string[];
  efforts: string[];
  permissions: string[];
  hasTerminal: boolean;
}

const ORDER: Record<ProviderRow['state'], number> = { installed: 0, installable: 1, missing: 2, disabled: 3 };
const KINDS: Record<NonNullable<Provider['kind']>, number> = { agent: 0, builtin: 1, variant: 2 };

/** Installed first, then installable, then the rest with the reason; inside a group agents before variants. */
export function providerViews(
  providers: readonly Provider[],
  reports: readonly ProviderReport[],
): ProviderRow[] {
  const byId = new Map(reports.map((report) => [report.id, report]));
  return providers
    .flatMap((provider) => {
      const report = byId.get(provider.id);
      return report ? [{ provider, report }] : [];
    })
    .sort(
      (a, b) =>
        ORDER[a.report.state] - ORDER[b.report.state] ||
        KINDS[a.provider.kind ?? 'agent'] - KINDS[b.provider.kind ?? 'agent'],
    )
    .map(({ provider, report }) => rowOf(provider, report));
}

function rowOf(provider: Provider, report: ProviderReport): ProviderRow {
  return {
    id: provider.id,
    name: provider.name,
    controller: provider.controller,
    state: report.state,
    detail: report.detail,
    ...(report.version ? { version: report.version } : {}),
    ...(report.nextStep ? { hint: report.nextStep } : {}),
    models: values(provider.model),
    efforts: values(provider.effort),
    permissions: values(provider.permission ?? provider.mode),
    hasTerminal: provider.terminal !== undefined || provider.controller === 'terminal',
  };
}

/** The default first: it is what Enter takes. */
function values(option: OptionSpec | undefined): string[] {
  if (!option) return [];
  const first = option.default !== undefined ? [option.default] : [];
  return [...new Set([...first, ...option.values])];
}
