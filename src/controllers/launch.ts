// Turns a session into a program to start: file, arguments, folder, environment, each with its reason. Called by the
// controllers through ControllerDeps.launch, by `call` and by dry runs. Asks the catalogue only; knows no provider.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AgentileError } from '../base/errors.js';
import type { Paths } from '../base/paths.js';
import { expandHome, homeOf, searchFolders } from '../io/env.js';
import type { Provider, Stdio } from '../model/provider.js';
import type { Run, Session } from '../model/session.js';
import { planFiles, planInstructions, writePlanned, type PlannedFile } from '../providers/before-launch.js';
import { configFolder } from '../providers/inspect.js';
import { installProvider, type InstallProgress } from '../providers/install.js';
import type { CommonEnv } from '../providers/load.js';
import { distFolder, resolveBinary, usableBinary, type FoundBinary } from '../providers/resolve.js';
import { effectiveVendor, type Gateway } from '../providers/vendor.js';
import { buildArgv, type Argv, type LaunchMode } from './argv.js';
import { FailureError, type StartContext } from './controller.js';
import type { ProgramLaunch, TurnLaunch } from './deps.js';
import { buildEnv, type EnvEntry } from './launch-env.js';

export type { LaunchMode } from './argv.js';

export interface LaunchInput {
  provider: Provider;
  session: Pick<Session, 'id' | 'name' | 'cwd' | 'launch'>;
  run: Pick<Run, 'id' | 'attempt'>;
  mode: LaunchMode;
  binary: FoundBinary;
  resumeId?: string;
  fork?: boolean;
  prompt?: string;
  paths: Pick<Paths, 'dataDir'>;
  common: CommonEnv;
  baseEnv: NodeJS.ProcessEnv;
  /** PATH, with what the login shell adds. */
  searchFolders: readonly string[];
  gateway?: Gateway;
  /** The daemon's endpoint for hooks, and the token of this run. */
  loopback?: { url: string; token: string };
  paneId?: string;
  /** Startup instructions of the user's config. */
  instructions?: string;
  extraPass?: readonly string[];
  isRoot?: boolean;
}

/** A program to start, and why it looks as it does. */
export interface Launch extends ProgramLaunch {
  mode: LaunchMode;
  stdio: Stdio;
  argv: Argv;
  environment: EnvEntry[];
  /** Files to be written first. */
  files: PlannedFile[];
  vendor: string;
  binary: FoundBinary;
}

/** Writes nothing and starts nothing. Throws USAGE for a choice the provider does not have. */
export function buildLaunch(input: LaunchInput): Launch {
  const { provider, session, mode } = input;
  const own = session.launch;
  const fill = filler(input);
  const planned = plan(input, fill);
  const choices = {
    ...optionChoices(input),
    ...(own.args ? { args: own.args } : {}),
    ...(input.resumeId === undefined ? {} : { resumeId: input.resumeId }),
    ...(input.fork ? { fork: true } : {}),
    ...(input.prompt === undefined ? {} : { prompt: input.prompt }),
    ...(input.gateway ? { gateway: input.gateway } : {}),
    ...(planned.instructions ? { instructions: planned.instructions } : {}),
  };
  const argv: Argv = own.command
    ? {
        args: own.command.slice(1),
        parts: [{ args: own.command, why: 'your own command' }],
        env: [],
        notes: [],
      }
    : buildArgv(provider, mode, choices, (name) => fill(`{${name}}`, undefined));
  const environment = buildEnv(envInput(input, argv, (text) => fillAll(text, fill)));
  const env = Object.fromEntries(environment.map((entry) => [entry.name, entry.value]));
  return {
    file: own.command?.[0] ?? input.binary.file,
    args: argv.args,
    cwd: session.cwd,
    env,
    ...(argv.stdin === undefined ? {} : { stdin: argv.stdin }),
    mode,
    stdio: mode === 'terminal' ? 'pty' : provider.stdio,
    argv,
    environment,
    files: planned.files,
    vendor: effectiveVendor(provider, env, input.gateway),
    binary: input.binary,
  };
}

function optionChoices(input: LaunchInput): {
  permission?: string;
  model?: string;
  effort?: string;
  mode?: string;
} {
  const { permission, model, effort, mode } = input.session.launch;
  return {
    ...(permission === undefined ? {} : { permission }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function plan(input: LaunchInput, fill: FillText): { files: PlannedFile[]; instructions?: string } {
  const { provider, session } = input;
  const files = planFiles(provider, {
    terminal: input.mode === 'terminal',
    gateway: input.gateway !== undefined,
    cwd: session.cwd,
    home: homeOf(input.baseEnv),
    fill: (text) => fillAll(text, fill),
  });
  if (!provider.instructions) return { files };
  const path = join(session.cwd, provider.instructions.file);
  if (input.instructions) files.push(planInstructions(path, input.instructions));
  const willBe = existsSync(path) || files.some((file) => file.path === path && file.content !== undefined);
  return willBe ? { files, instructions: provider.instructions.file } : { files };
}

type FillText = (template: string, otherwise: string | undefined) => string | undefined;

function filler(input: LaunchInput): FillText {
  const { provider, session, paths, baseEnv } = input;
  const values: Record<string, () => string | undefined> = {
    '{cwd}': () => session.cwd,
    '{home}': () => homeOf(baseEnv),
    '{dist}': distFolder,
    '{provider_dir}': () => join(paths.dataDir, 'providers', provider.id),
    '{config_dir}': () => configFolder(provider, baseEnv),
    '{loopback_url}': () => input.loopback?.url,
    '{run_token}': () => input.loopback?.token,
  };
  return (template, otherwise) => values[template]?.() ?? otherwise;
}

function fillAll(text: string, fill: FillText): string {
  return text.replace(/\{[a-z_]+\}/g, (template) => fill(template, template) ?? template);
}

function envInput(input: LaunchInput, argv: Argv, fill: (text: string) => string) {
  const { provider, session, run, loopback } = input;
  const permission = session.launch.permission ?? provider.permission?.default;
  return {
    provider,
    common: input.common,
    baseEnv: input.baseEnv,
    ...(input.extraPass ? { extraPass: input.extraPass } : {}),
    identity: {
      ...(loopback ? { localUrl: loopback.url, runToken: loopback.token } : {}),
      ...(input.paneId ? { paneId: input.paneId } : {}),
      agentId: session.name,
      sessionId: session.id,
      runId: run.id,
      attempt: run.attempt,
    },
    ...(input.gateway ? { gateway: input.gateway } : {}),
    optionEnv: argv.env,
    ...(session.launch.env ? { sessionEnv: session.launch.env } : {}),
    ...(provider.configDir ? { configDir: expandHome(provider.configDir, input.baseEnv) } : {}),
    ...(permission ? { permission } : {}),
    isRoot: input.isRoot ?? process.getuid?.() === 0,
    isTerminal: input.mode === 'terminal',
    pathFolders: input.binary.pathFolders,
    searchFolders: input.searchFolders,
    fill,
  };
}

/** What the launcher needs of the daemon (or of `call`). */
export interface LauncherDeps {
  paths: Pick<Paths, 'dataDir' | 'cliDir'>;
  env: NodeJS.ProcessEnv;
  common(): CommonEnv;
  gateway?(): Gateway | undefined;
  loopback?(context: StartContext): { url: string; token: string } | undefined;
  paneId?(context: StartContext): string | undefined;
  instructions?(): string | undefined;
  extraPass?(): readonly string[];
  onInstall?(context: StartContext, progress: InstallProgress): void;
  /** False: nothing is installed; a version on PATH is used, else the launch fails with the install command. */
  install?: boolean;
}

/** The `launch` of ControllerDeps. Installs on first use, writes the files, rejects with a FailureError. */
export function createLauncher(
  deps: LauncherDeps,
): (context: StartContext, turn?: TurnLaunch) => Promise<ProgramLaunch> {
  return async (context, turn) => {
    try {
      const launch = await prepareLaunch(deps, context, modeOf(context), turn?.prompt);
      writePlanned(launch.files);
      const { file, args, cwd, env, stdin } = launch;
      return { file, args, cwd, env, ...(stdin === undefined ? {} : { stdin }) };
    } catch (error) {
      throw asFailure(error);
    }
  };
}

/** The launch as `createLauncher` would do it, without writing; for dry runs too (`install: false`). */
export async function prepareLaunch(
  deps: LauncherDeps,
  context: StartContext,
  mode: LaunchMode,
  prompt?: string,
): Promise<Launch> {
  const { provider, session, run } = context;
  checkFolder(session.cwd);
  const binary = session.launch.command
    ? { file: session.launch.command[0] ?? '', source: 'path' as const, pathFolders: [] }
    : await binaryFor(deps, context, mode);
  const gateway = deps.gateway?.();
  const loopback = deps.loopback?.(context);
  const paneId = deps.paneId?.(context);
  const instructions = deps.instructions?.();
  return buildLaunch({
    provider,
    session,
    run,
    mode,
    binary,
    paths: deps.paths,
    common: deps.common(),
    baseEnv: deps.env,
    searchFolders: await searchFolders(deps.env),
    ...(context.resumeId === undefined ? {} : { resumeId: context.resumeId }),
    ...(context.fork ? { fork: true } : {}),
    ...(prompt === undefined ? {} : { prompt }),
    ...(gateway ? { gateway } : {}),
    ...(loopback ? { loopback } : {}),
    ...(paneId ? { paneId } : {}),
    ...(instructions ? { instructions } : {}),
    ...(deps.extraPass ? { extraPass: deps.extraPass() } : {}),
  });
}

/** A session runs in a terminal when it was asked to, or when the provider has nothing else. */
export function modeOf(context: Pick<StartContext, 'session' | 'provider'>): LaunchMode {
  const { launch } = context.session;
  const isTerminal = launch.terminal || launch.command || context.provider.controller === 'terminal';
  return isTerminal ? 'terminal' : 'structured';
}

function checkFolder(cwd: string): void {
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  throw new AgentileError(
    'SPAWN_FAILED',
    `The folder ${cwd} ${stat ? 'is not a folder' : 'does not exist'}.`,
    {
      hint: 'Choose another folder, or make it.',
    },
  );
}

async function binaryFor(deps: LauncherDeps, context: StartContext, mode: LaunchMode): Promise<FoundBinary> {
  const { provider } = context;
  const where = { cliDir: deps.paths.cliDir, env: deps.env };
  const isTerminal = mode === 'terminal';
  const resolution = await resolveBinary(provider, where, isTerminal);
  if (resolution.state === 'found') return resolution.binary;
  if (resolution.state === 'missing')
    throw new AgentileError('PROVIDER_NOT_INSTALLED', `${provider.name}: ${resolution.why}.`, {
      hint: resolution.hint,
    });
  if (deps.install === false) {
    const usable = usableBinary(resolution);
    if (usable) return usable;
    throw new AgentileError('PROVIDER_NOT_INSTALLED', `${provider.name} is not installed.`, {
      hint: `agentile provider install ${provider.id}${provider.install.command ? `, or ${provider.install.command}` : ''}`,
    });
  }
  await installProvider(provider, where, { onProgress: (progress) => deps.onInstall?.(context, progress) });
  const again = await resolveBinary(provider, where, isTerminal);
  if (again.state === 'found') return again.binary;
  throw new AgentileError(
    'PROVIDER_NOT_INSTALLED',
    `${provider.name} has no program for this after its install.`,
  );
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof AgentileError)) return error;
  return new FailureError({
    kind: 'spawn',
    message: error.message,
    ...(error.hint ? { hint: error.hint } : {}),
  });
}
