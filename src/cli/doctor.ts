// `agentile doctor` and `agentile provider doctor [id]`: findings, each with its cure; --fix repairs the safe ones.
import type { CommandContext, CommandInput, CommandRun } from './context.js';
import { inspectContext, openCatalogue } from './catalogue-context.js';
import { fault, ok, warning, type Finding, type FindingLevel } from './doctor-finding.js';
import { checkCatalogue, checkNetwork, checkProviders, checkSettings } from './doctor-providers.js';
import { checkLoginScope } from './doctor-session.js';
import {
  checkDisk,
  checkFolders,
  checkLog,
  checkNative,
  checkNode,
  checkOpenFiles,
  checkPartialInstalls,
  checkSockets,
} from './doctor-system.js';
import { checkMultiplexer, checkTerminal } from './doctor-terminal.js';
import { messageOf } from '../base/errors.js';
import { VERSION } from '../base/version.js';

export const runDoctor: CommandRun = async (context, input) => {
  const sections = await gather(context, input);
  const fixed: { id: string; done: string }[] = [];
  if (input.options['fix'])
    for (const finding of sections.flatMap((section) => section.findings))
      if (finding.fix) fixed.push({ id: finding.id, done: await applyFix(finding) });
  const all = sections.flatMap((section) => section.findings);
  if (input.options['json'])
    context.printJson({
      version: VERSION,
      findings: all.map(({ fix, ...finding }) => ({ ...finding, fixable: fix !== undefined })),
      fixed,
    });
  else context.print(render(sections, fixed));
  const isFixed = (finding: Finding) => fixed.some((each) => each.id === finding.id);
  return all.some((finding) => finding.level === 'error' && !isFixed(finding)) ? 1 : 0;
};

interface Section {
  title: string;
  findings: Finding[];
}

async function gather(context: CommandContext, input: CommandInput): Promise<Section[]> {
  const catalogue = openCatalogue(context);
  const where = inspectContext(context, true);
  const named = input.args[0] as string | undefined;
  if (named !== undefined) {
    const faults = { title: 'Catalogue', findings: checkCatalogue(catalogue) };
    const provider = catalogue.get(named);
    // A name that is not known may be in the very file that cannot be read.
    if (!provider && catalogue.problems.length > 0) return [faults];
    const known = provider ?? catalogue.require(named);
    return [faults, { title: known.name, findings: await checkProviders([known], where, true) }];
  }
  const { paths, env } = context;
  const providers = catalogue.list();
  const daemon = await checkDaemon(context);
  return [
    {
      title: 'This machine',
      findings: [checkNode(), ...(await checkNative()), checkOpenFiles(), ...checkDisk(paths)],
    },
    { title: 'Terminal', findings: [...checkTerminal(env), ...(await checkMultiplexer(env))] },
    {
      title: 'Daemon and log',
      findings: [
        ...daemon.findings,
        ...(await checkSockets(paths)),
        ...(await checkLoginScope(daemon.pids)),
        ...checkFolders(paths),
        ...(await checkLog(paths)),
      ],
    },
    {
      title: 'Settings and network',
      findings: [checkSettings(paths), ...checkCatalogue(catalogue), ...checkNetwork(env, where, providers)],
    },
    {
      title: 'Providers',
      findings: [...checkPartialInstalls(paths), ...(await checkProviders(providers, where, false))],
    },
  ];
}

async function checkDaemon(
  context: CommandContext,
): Promise<{ findings: Finding[]; pids: { daemon?: number; keeper?: number } }> {
  try {
    const status = await context.withRunningDaemon((client) => client.request('daemon/status', {}));
    if (!status) return { findings: [], pids: {} };
    const pids = { daemon: status.pid, ...(status.keeper ? { keeper: status.keeper.pid } : {}) };
    const log =
      status.log.state === 'ok'
        ? []
        : [
            warning('daemon.log', `The daemon's log is ${status.log.state}`, {
              detail: status.log.detail,
              cure: 'agentile daemon restart',
            }),
          ];
    const findings =
      status.version === VERSION
        ? [ok('daemon.version', `The daemon runs this version (${VERSION})`)]
        : [
            warning('daemon.version', `The daemon runs ${status.version}, this is ${VERSION}`, {
              cure: 'agentile daemon restart  (agents go on)',
            }),
          ];
    return { findings: [...findings, ...log], pids };
  } catch (error) {
    return {
      findings: [
        fault('daemon', 'The daemon does not answer', {
          detail: messageOf(error),
          cure: 'agentile daemon restart',
        }),
      ],
      pids: {},
    };
  }
}

async function applyFix(finding: Finding): Promise<string> {
  try {
    return (await finding.fix?.()) ?? '';
  } catch (error) {
    return `could not be repaired: ${messageOf(error)}`;
  }
}

const GLYPHS: Record<FindingLevel, string> = { ok: '✓', info: '·', warning: '!', error: '✗' };

function render(sections: readonly Section[], fixed: readonly { id: string; done: string }[]): string {
  const lines: string[] = [];
  for (const section of sections) {
    if (section.findings.length === 0) continue;
    lines.push(section.title);
    for (const finding of section.findings) {
      lines.push(`  ${GLYPHS[finding.level]} ${finding.title}`);
      if (finding.detail) lines.push(...indent(finding.detail, '      '));
      if (finding.cure) lines.push(...indent(finding.cure, '    → '));
    }
    lines.push('');
  }
  for (const { done } of fixed) lines.push(`repaired: ${done}`);
  const all = sections.flatMap((section) => section.findings);
  const count = (level: FindingLevel) => all.filter((finding) => finding.level === level).length;
  lines.push(`${count('error')} errors, ${count('warning')} warnings, ${count('ok')} good.`);
  const fixable = all.some((finding) => finding.fix) && fixed.length === 0;
  if (fixable) lines.push('Some of it can be repaired: --fix.');
  return lines.join('\n');
}

function indent(text: string, first: string): string[] {
  return text.split('\n').map((line, index) => `${index === 0 ? first : ' '.repeat(first.length)}${line}`);
}
