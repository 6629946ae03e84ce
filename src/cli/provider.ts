// `agentile provider ls|install|login`. They read the catalogue and this machine; no daemon is needed.
import { AgentileError } from '../base/errors.js';
import {
  describeProblem,
  inspectProviders,
  installProvider,
  pruneInstalls,
  resolveBinary,
  usableBinary,
  type InstallProgress,
  type ProviderReport,
} from '../providers.js';
import { runInForeground } from '../io/foreground.js';
import { inspectContext, openCatalogue } from './catalogue-context.js';
import { textArgument, type CommandContext, type CommandRun } from './context.js';
import { alignColumns, shortPath } from './text.js';

export const runProviderLs: CommandRun = async (context, { options }) => {
  const catalogue = openCatalogue(context);
  for (const problem of catalogue.problems) context.note(`agentile: ${describeProblem(problem)}`);
  const providers = catalogue.list(options['all'] ? 'all' : 'enabled');
  const askVersions = options['versions'] === true || options['json'] === true;
  const reports = await inspectProviders(providers, inspectContext(context, askVersions));
  if (options['json']) {
    context.printJson(reports);
    return;
  }
  const rows = reports.map((report) => rowOf(report, context));
  context.print(alignColumns([['', 'id', 'tier', 'version', 'signed in', 'where'], ...rows]));
  context.print(
    '\n● installed   ○ can be installed   · not found   "agentile provider doctor" says what to do.',
  );
};

const GLYPHS: Record<ProviderReport['state'], string> = {
  installed: '●',
  installable: '○',
  missing: '·',
  disabled: '-',
};

function rowOf(report: ProviderReport, context: CommandContext): string[] {
  const signed = { yes: 'yes', 'no-sign-of-it': 'no sign of it', 'not-needed': '' }[report.signedIn];
  const where = report.path && report.source !== 'managed' ? report.path : report.detail;
  return [
    GLYPHS[report.state],
    report.id,
    report.tier,
    report.version ?? (report.state === 'installable' ? `(${report.pinned ?? '?'})` : ''),
    report.state === 'installed' ? signed : '',
    shortPath(where, context.env['HOME']),
  ];
}

export const runProviderInstall: CommandRun = async (context, input) => {
  const catalogue = openCatalogue(context);
  const provider = catalogue.require(textArgument(input, 0, 'provider'));
  const line = new ProgressLine();
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const result = await installProvider(provider, inspectContext(context), {
      abort: stop.signal,
      onProgress: (progress) => line.show(progress),
    });
    line.end();
    const removed = input.options['prune']
      ? pruneInstalls(provider, context.paths.cliDir, [result.plan.folder])
      : [];
    if (input.options['json'])
      context.printJson({
        id: provider.id,
        version: result.version,
        path: result.path,
        fresh: result.fresh,
        removed,
      });
    else {
      const was = result.fresh ? 'is installed' : 'was installed already';
      context.print(`${provider.name} ${result.version} ${was}: ${result.path}`);
      for (const folder of removed) context.print(`removed ${folder}`);
    }
  } finally {
    line.end();
    process.off('SIGINT', interrupt);
  }
};

/** One line that is written over on a terminal; each new phase a line elsewhere. */
class ProgressLine {
  #phase = '';
  #open = false;
  readonly #isTerminal = Boolean(process.stderr.isTTY);

  show(progress: InstallProgress): void {
    if (this.#isTerminal) {
      const columns = process.stderr.columns || 80;
      process.stderr.write(`\r\x1b[K${progress.message.slice(0, columns - 1)}`);
      this.#open = true;
    } else if (progress.phase !== this.#phase)
      process.stderr.write(`${progress.phase}: ${progress.message}\n`);
    this.#phase = progress.phase;
  }

  end(): void {
    if (this.#open) process.stderr.write('\r\x1b[K');
    this.#open = false;
  }
}

export const runProviderLogin: CommandRun = async (context, input) => {
  const provider = openCatalogue(context).require(textArgument(input, 0, 'provider'));
  const { login } = provider;
  if (!login)
    throw new AgentileError('NOT_SUPPORTED', `${provider.name} has no sign-in of its own.`, {
      hint: `Set ${provider.detect.signedInEnv.join(' or ') || 'its key in your environment'}.`,
    });
  const resolution = await resolveBinary(provider, inspectContext(context));
  const binary = usableBinary(resolution);
  if (!binary)
    throw new AgentileError('PROVIDER_NOT_INSTALLED', `${provider.name} is not installed.`, {
      hint: resolution.state === 'missing' ? resolution.hint : `agentile provider install ${provider.id}`,
    });
  const words = [binary.file, ...login.args];
  if (input.options['print'] || !context.hasTerminal) {
    context.print(words.join(' '));
    if (!context.hasTerminal) context.note(`agentile: ${login.hint}; run this in a terminal.`);
    return;
  }
  context.note(`agentile: ${login.hint}`);
  const path = [...binary.pathFolders, context.env['PATH'] ?? ''].join(':');
  const code = await runInForeground(binary.file, login.args, { ...context.env, PATH: path });
  return code;
};
