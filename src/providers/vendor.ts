// Who really serves the model, and by which way. Pure. "custom" as soon as something redirects the provider; never stored.
import type { Provider } from '../model/provider.js';

export interface Gateway {
  /** Without a trailing slash. */
  url: string;
  apiKey?: string;
  /** Where it was set, for people. */
  from: 'the config file' | 'AGENTILE_GATEWAY_URL';
}

/** Precedence: the config file, then AGENTILE_GATEWAY_URL and _API_KEY. The user's own variables come last: no gateway. */
export function resolveGateway(
  config: { url?: string; apiKey?: string } | undefined,
  env: NodeJS.ProcessEnv,
): Gateway | undefined {
  const fromFile = config?.url?.trim();
  if (fromFile) return gateway(fromFile, config?.apiKey, 'the config file');
  const fromEnv = env['AGENTILE_GATEWAY_URL']?.trim();
  if (!fromEnv) return undefined;
  return gateway(fromEnv, env['AGENTILE_GATEWAY_API_KEY'] ?? config?.apiKey, 'AGENTILE_GATEWAY_URL');
}

function gateway(url: string, apiKey: string | undefined, from: Gateway['from']): Gateway {
  return { url: url.replace(/\/+$/, ''), ...(apiKey ? { apiKey } : {}), from };
}

/** Variables that a gateway sets for this provider: the base URL (with the provider's own suffix), the key, and more. */
export function gatewayEnv(provider: Provider, via: Gateway): Record<string, string> {
  const base = provider.env.baseUrl;
  const own = Object.entries(provider.gateway?.env ?? {}).map(
    ([name, value]) => [name, fillGateway(value, via)] as const,
  );
  return {
    ...(base ? { [base.var]: `${via.url}${base.suffix}` } : {}),
    ...(base?.keyVar && via.apiKey ? { [base.keyVar]: via.apiKey } : {}),
    ...Object.fromEntries(own),
  };
}

export function gatewayArgs(provider: Provider, via: Gateway): string[] {
  return (provider.gateway?.args ?? []).map((arg) => fillGateway(arg, via));
}

/** A gateway that asks for no key still gets one: the CLIs refuse to start without. */
const NO_KEY = 'none';

function fillGateway(text: string, via: Gateway): string {
  return text.replaceAll('{gateway_url}', via.url).replaceAll('{gateway_key}', via.apiKey ?? NO_KEY);
}

/** Can this provider be sent through a gateway at all? */
export function takesGateway(provider: Provider): boolean {
  return provider.env.baseUrl !== undefined || provider.gateway !== undefined;
}

/** The vendor that answers: "custom" when redirected by a gateway or by the user's own base URL. */
export function effectiveVendor(
  provider: Provider,
  env: NodeJS.ProcessEnv | Record<string, string>,
  via?: Gateway,
): string {
  const redirected = provider.env.baseUrl && env[provider.env.baseUrl.var];
  if ((via && takesGateway(provider)) || redirected) return 'custom';
  return provider.vendors[0] ?? provider.id;
}

/** Proxy variables as programs read them; both spellings, because CLIs differ in which they look at. */
export const PROXY_VARIABLES = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'all_proxy',
] as const;
