// Starts the keeper when none answers, and asks one that runs who it is. Used by the daemon (start) and by commands (probe).
import { AgentileError } from '../base/errors.js';
import type { Paths } from '../base/paths.js';
import { detachPlan, launchDetached, type Detached, type DetachPlan } from '../io/detached.js';
import { isNobodyThere } from '../io/unix-socket.js';
import { KeeperLink, type KeeperHello } from './link.js';

export interface StartKeeperOptions {
  /** The bundle of src/keeper/main.ts. */
  entry: string;
  /** Must name the same profile and folders as `paths`. */
  env?: NodeJS.ProcessEnv;
  plan?: DetachPlan;
}

/** How the keeper that runs came to be: found, or started now and in which way. */
export interface StartedKeeper {
  hello: KeeperHello;
  plan?: DetachPlan;
}

/** A loaded machine needs a while to start Node. */
const START_TIMEOUT_MS = 15_000;
const LOOK_MS = 20;

/** Who answers at the keeper's socket; undefined when nobody does. Rejects with VERSION_MISMATCH or KEEPER_UNREACHABLE. */
export async function probeKeeper(paths: Paths): Promise<KeeperHello | undefined> {
  try {
    const link = await KeeperLink.connect(paths, 'probe');
    link.dispose();
    return link.hello;
  } catch (error) {
    if (error instanceof AgentileError && isNobodyThere(error.cause)) return undefined;
    throw error;
  }
}

/**
 * Makes sure that a keeper answers. However many call this at once, one keeper runs. Rejects with KEEPER_UNREACHABLE (it
 * did not come up; the hint names its log), VERSION_MISMATCH or SPAWN_FAILED.
 */
export async function startKeeper(paths: Paths, options: StartKeeperOptions): Promise<StartedKeeper> {
  const running = await probePatiently(paths);
  if (running) return { hello: running };
  const env = options.env ?? process.env;
  const plan = options.plan ?? detachPlan(env);
  const started = await launchDetached({
    file: process.execPath,
    args: [options.entry],
    env,
    outputFile: paths.keeperLogFile,
    description: 'agentile keeper',
    plan,
  });
  return { hello: await waitForHello(paths, started), plan };
}

/** A keeper that is just ending, or too busy to answer, counts as none: the next one waits for it or finds it. */
async function probePatiently(paths: Paths): Promise<KeeperHello | undefined> {
  try {
    return await probeKeeper(paths);
  } catch (error) {
    if (error instanceof AgentileError && error.code === 'KEEPER_UNREACHABLE') return undefined;
    throw error;
  }
}

async function waitForHello(paths: Paths, started: Detached): Promise<KeeperHello> {
  let failure: string | undefined;
  void started.ended.then(({ exitCode, signal }) => {
    // 0: another keeper was quicker, and that one will answer.
    if (exitCode !== 0) failure = `it ended with ${signal ?? exitCode}`;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (failure === undefined && Date.now() < deadline) {
    const hello = await probePatiently(paths);
    if (hello) return hello;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new AgentileError(
    'KEEPER_UNREACHABLE',
    `The keeper did not start: ${failure ?? 'no answer in time'}.`,
    {
      hint: `See ${paths.keeperLogFile}.`,
    },
  );
}
