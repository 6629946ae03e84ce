// `agentile call <provider> <text>`: one shot of a CLI, headless, without a daemon. The answer goes to stdout as it comes,
// everything else to stderr; with --json every event is a line and the result is the last one.
import { AgentileError, EXIT_CODES } from '../base/errors.js';
import { systemClock } from '../base/clock.js';
import { loadSettings } from '../config.js';
import { callProvider, type CallOutcome } from '../controllers/call.js';
import type { StartContext } from '../controllers/controller.js';
import { prepareLaunch, type Launch } from '../controllers/launch.js';
import { LocalChildHost } from '../keeper/local-host.js';
import { newRunId, newSessionId } from '../model/ids.js';
import type { LaunchOptions } from '../model/session.js';
import type { Provider, WireFormat } from '../model/provider.js';
import type { Catalogue } from '../providers.js';
import { writePlanned } from '../providers/before-launch.js';
import { inspectContext, openCatalogue } from './catalogue-context.js';
import {
  textArgument,
  textOption,
  type CommandContext,
  type CommandInput,
  type CommandRun,
} from './context.js';
import { readStdin } from './stdin.js';

const DEFAULT_TIMEOUT_SECS = 120;
const TIMEOUT_VARIABLE = 'AGENTILE_CALL_TIMEOUT_SECS';

export const runCall: CommandRun = async (context, input) => {
  const catalogue = openCatalogue(context);
  const provider = requireCallable(catalogue, textArgument(input, 0, 'provider'));
  const text = await promptText(input);
  const timeoutSecs = timeLimit(input.options['timeout'], context.env[TIMEOUT_VARIABLE]);
  const launch = await launchOf(context, catalogue, provider, input, text);
  writePlanned(launch.files);
  const asJson = input.options['json'] === true;
  const outcome = await run(context, launch, formatOf(provider), timeoutSecs, asJson);
  return report(context, provider, outcome, timeoutSecs, asJson);
};

/** The name is checked before anything is started. Throws PROVIDER_NOT_FOUND with those that can be called. */
export function requireCallable(catalogue: Pick<Catalogue, 'get' | 'list'>, name: string): Provider {
  const provider = catalogue.get(name);
  if (provider && isCallable(provider)) return provider;
  const names = catalogue
    .list('all')
    .filter(isCallable)
    .map((each) => each.id);
  const what = provider ? `${provider.name} has no one-shot mode.` : `There is no provider "${name}".`;
  throw new AgentileError('PROVIDER_NOT_FOUND', what, { hint: `Can be called: ${names.join(', ')}.` });
}

function isCallable(provider: Provider): boolean {
  return provider.call !== undefined || provider.controller === 'subprocess';
}

function formatOf(provider: Provider): WireFormat | undefined {
  return provider.call ? provider.call.format : provider.format;
}

/** Seconds: the option, the variable, or the default; what is no number from 1 up is as if it were not there. */
export function timeLimit(option: unknown, variable: string | undefined): number {
  for (const value of [option, variable]) {
    const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
    if (Number.isFinite(seconds) && seconds >= 1) return seconds;
  }
  return DEFAULT_TIMEOUT_SECS;
}

async function promptText(input: CommandInput): Promise<string> {
  const words = input.args[1];
  const given = Array.isArray(words) ? words.join(' ') : (words ?? '');
  const text = given === '' ? await readStdin() : given;
  if (text.trim() !== '') return text;
  throw new AgentileError('USAGE', 'The text is missing.', { hint: 'Give it as words or on stdin.' });
}

/** Installs nothing; a CLI that is not there fails with its install command. */
async function launchOf(
  context: CommandContext,
  catalogue: Catalogue,
  provider: Provider,
  input: CommandInput,
  text: string,
): Promise<Launch> {
  const where = inspectContext(context);
  const { settings } = loadSettings(context.paths.configFile);
  const id = newSessionId();
  const cwd = textOption(input, 'cwd') ?? context.cwd;
  const start: StartContext = {
    session: {
      id,
      name: provider.id,
      providerId: provider.id,
      cwd,
      launch: choices(input),
      createdAt: Date.now(),
    },
    run: { id: newRunId(), sessionId: id, attempt: 1, status: 'starting', startedAt: Date.now() },
    provider,
    cols: 80,
    rows: 24,
  };
  const deps = {
    paths: context.paths,
    env: context.env,
    common: () => catalogue.common,
    gateway: () => where.gateway,
    extraPass: () => settings['env.pass'],
    install: false,
  };
  return prepareLaunch(deps, start, 'call', text);
}

function choices(input: CommandInput): LaunchOptions {
  const launch: LaunchOptions = { args: input.rest };
  for (const name of ['model', 'effort', 'permission'] as const) {
    const value = textOption(input, name);
    if (value !== undefined) launch[name] = value;
  }
  return launch;
}

async function run(
  context: CommandContext,
  launch: Launch,
  format: WireFormat | undefined,
  timeoutSecs: number,
  asJson: boolean,
): Promise<CallOutcome> {
  const host = new LocalChildHost();
  const abort = new AbortController();
  let endsLine = true;
  const write = (text: string) => {
    endsLine = text.endsWith('\n');
    context.write(text);
  };
  const interrupt = () => abort.abort();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const outcome = await callProvider(host, systemClock, {
      launch,
      timeoutMs: timeoutSecs * 1000,
      abort: abort.signal,
      ...(format === undefined ? {} : { format }),
      ...(asJson ? { onEvent: (event) => context.print(JSON.stringify(event)) } : { onText: write }),
    });
    if (!endsLine) context.write('\n');
    return outcome;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    host.dispose();
  }
}

function report(
  context: CommandContext,
  provider: Provider,
  outcome: CallOutcome,
  timeoutSecs: number,
  asJson: boolean,
): number {
  if (outcome.timedOut && outcome.text === '')
    throw timeoutError(provider, outcome, timeoutSecs, asJson, context);
  const { failure } = outcome;
  if (asJson) context.print(JSON.stringify({ type: 'result', ...outcome }));
  if (outcome.aborted) return EXIT_CODES.interrupted;
  if (outcome.timedOut) {
    context.note(
      `agentile: warning: ${provider.name} was cut after ${timeoutSecs} s; this is what it had said.`,
    );
    return EXIT_CODES.timedOut;
  }
  if (!failure) return EXIT_CODES.ok;
  context.note(
    `agentile: ${provider.name}: ${sentence(failure.message)}${failure.hint ? ` ${failure.hint}` : ''}`,
  );
  return EXIT_CODES.turnFailed;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function timeoutError(
  provider: Provider,
  outcome: CallOutcome,
  timeoutSecs: number,
  asJson: boolean,
  context: CommandContext,
): AgentileError {
  if (asJson) context.print(JSON.stringify({ type: 'result', ...outcome }));
  const why = provider.call?.blockingHint ?? 'It may wait for a sign-in, for the network or for an answer';
  const last = outcome.stderrTail.at(-1);
  return new AgentileError(
    'TIMED_OUT',
    `${provider.name} said nothing within ${timeoutSecs} s. ${why}.${last ? ` Its last words: ${last}` : ''}`,
    {
      hint: `Give it more time with --timeout <seconds> or ${TIMEOUT_VARIABLE}, or start it once by hand.`,
    },
  );
}
