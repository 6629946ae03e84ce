// Makes docs/providers.md from providers.toml: what each provider can do, how it is found, how it is started. Called by
// scripts/docs.mjs, which gives `load` (the exports of a TypeScript file).
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const yes = (value) => (value ? 'yes' : '');

export async function providersDoc(load) {
  const { loadContent } = await load('src/providers/load.ts');
  const { buildArgv } = await load('src/controllers/argv.ts');
  const { providers, common } = loadContent(join(root, 'providers.toml'), undefined);
  const all = [...providers.values()];
  const agents = all.filter((provider) => provider.kind === 'agent');
  return `<!-- Made from providers.toml by "npm run docs". Do not edit. -->

# Providers

${agents.length} agent CLIs, further entries for the same CLIs over ACP, a shell and a demo. Everything that differs between them is a
field of \`providers.toml\`; no code asks for an id. Your own \`providers.toml\` (beside the settings; \`agentile provider doctor\` shows
where) is laid over it field by field and read while agentile runs. \`agentile provider ls\` says what is on your machine.

## What each can do

"asks" means that agentile can put the CLI's questions to you; "own screen" that \`--terminal\` shows the CLI's own interface;
"gateway" that it can be sent through \`[gateway]\`. A provider that was never run against the real CLI says so.

${table(
  [
    'id',
    'name',
    'tier',
    'asks',
    'resume',
    'fork',
    'own screen',
    'call',
    'gateway',
    'end of a turn',
    'tested',
  ],
  all.map((provider) => [
    code(provider.id),
    provider.name,
    provider.controller,
    yes(asks(provider)),
    resumes(provider),
    yes(provider.resume.forkArgs?.length),
    provider.terminal ? provider.terminal.tuiType.replace('_', ' ') : '',
    yes(provider.call || (provider.controller === 'subprocess' && provider.format)),
    yes(provider.env.baseUrl || provider.gateway),
    provider.signals.join(', '),
    provider.unverified ? 'no' : 'yes',
  ]),
)}

## How it is found

An npm package is installed by agentile at exactly this version on first use, into its own folder. Without a package: PATH (also that
of your login shell), then the vendor's folder.

${table(
  ['id', 'program', 'package', 'Node', 'otherwise'],
  all
    .filter((provider) => provider.kind !== 'builtin')
    .map((provider) => [
      code(provider.id),
      code(provider.bin),
      packages(provider.install),
      node(provider.install),
      provider.install.command ? code(provider.install.command) : '',
    ]),
)}

## What may be chosen

The value in bold is the default of agentile.

${table(
  ['id', 'permission or mode', 'model', 'effort'],
  all.map((provider) => [
    code(provider.id),
    choices(provider.permission ?? provider.mode),
    choices(provider.model),
    choices(provider.effort),
  ]),
)}

## Environment

Every child gets: ${common.pass.map(code).join(', ')}. Never: everything that begins with \`AGENTILE_\` (but its own identity),
${common.unset.map(code).join(', ')}.

${all.map((provider) => section(provider, buildArgv)).join('\n\n')}
`;
}

/** Structured tiers that hand questions on: ACP, and the control protocol of the persistent ones. */
function asks(provider) {
  if (provider.controller === 'acp') return !/never asks/i.test(provider.notes ?? '');
  return provider.controller === 'persistent';
}

function resumes(provider) {
  if (provider.resume.kind !== 'none') return provider.resume.kind;
  return provider.terminal?.resumeArgs ? 'own screen' : '';
}

function packages(install) {
  if (!install.npm) return '';
  return [`${install.npm}@${install.version}`, ...(install.npmWith ?? [])].map(code).join(' with ');
}

function node(install) {
  const parts = [install.node ?? ''];
  for (const choice of install.fallbacks ?? [])
    parts.push(`else (${choice.node}) ${[choice.version, ...(choice.npmWith ?? [])].join(' with ')}`);
  if (install.nodePackage) parts.push(`else Node ${install.nodePackage} is installed beside it`);
  return parts.filter(Boolean).join('; ');
}

function choices(option) {
  if (!option) return '';
  if (option.values.length === 0) return 'any text';
  const values = option.values.map((value) => (value === option.default ? `**${value}**` : value));
  return values.join(', ') + (option.open ? ', or any other' : '');
}

function section(provider, buildArgv) {
  const fill = (name) => `{${name}}`;
  const line = (mode) => {
    const argv = buildArgv(provider, mode, mode === 'terminal' ? {} : { prompt: '{prompt}' }, fill);
    const bin = (mode === 'terminal' ? provider.terminal?.bin : undefined) ?? provider.bin;
    const words = [bin, ...argv.args].map((word) => (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word}'`));
    return `${words.join(' ')}${argv.stdin === undefined ? '' : ' < prompt'}`;
  };
  const modes =
    provider.controller === 'terminal'
      ? ['terminal']
      : ['structured', ...(provider.terminal ? ['terminal'] : [])];
  const { env } = provider;
  const facts = [
    `- names: ${[provider.id, ...provider.aliases].map(code).join(', ')}; vendor: ${provider.vendors.join(', ') || 'none'}`,
    provider.instructions ? `- reads ${code(provider.instructions.file)} in the project` : '',
    Object.keys(env.set).length
      ? `- sets ${Object.entries(env.set)
          .map(([name, value]) => code(`${name}=${value}`))
          .join(', ')}`
      : '',
    env.pass.length ? `- gets ${env.pass.map(code).join(', ')} from your environment` : '',
    env.configDirVar
      ? `- its folder: ${code(env.configDirVar)}, else ${code(provider.defaultConfigDir ?? '')}`
      : '',
    gateway(provider),
    ...provider.beforeLaunch.map(
      (file) => `- file before launch: ${code(file.path)} (${file.mode}): ${file.why ?? ''}`,
    ),
    provider.quirks.length ? `- quirks: ${provider.quirks.map(code).join(', ')}` : '',
    provider.notes ? `- ${provider.notes}` : '',
    provider.source
      ? `- from: ${provider.source}${provider.unverified ? '; **not run against the real CLI**' : ''}`
      : '',
  ].filter(Boolean);
  return `## ${provider.name}

\`\`\`sh
${modes.map(line).join('\n')}
\`\`\`

${facts.join('\n')}`;
}

function gateway(provider) {
  const { baseUrl } = provider.env;
  const parts = [
    baseUrl ? code(`${baseUrl.var}=<gateway>${baseUrl.suffix}`) : '',
    baseUrl?.keyVar ? `key in ${code(baseUrl.keyVar)}` : '',
    ...Object.entries(provider.gateway?.env ?? {}).map(([name, value]) => code(`${name}=${value}`)),
    provider.gateway?.args.length ? code(provider.gateway.args.join(' ')) : '',
    provider.gateway?.note ?? '',
  ].filter(Boolean);
  return parts.length ? `- gateway: ${parts.join('; ')}` : '';
}
