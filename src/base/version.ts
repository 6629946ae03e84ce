// The version of the running build. esbuild puts it in; in tests that run from source it is "dev".
declare const AGENTILE_VERSION: string | undefined;

export const VERSION: string = typeof AGENTILE_VERSION === 'string' ? AGENTILE_VERSION : 'dev';
