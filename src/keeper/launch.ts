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
  const launch = () =>
    launchDetached({
      file: process.execPath,
      args: [options.entry],
      env,
      outputFile: paths.keeperLogFile,
      description: 'agentile keeper',
      plan,
    });
  return { hello: await launchUntilHello(paths, launch), plan };
}

/**
 * One that ends with 0 found another that serves: usually that one answers now. But that one may just have been dying,
 * its socket still accepting; then one more is launched.
 */
async function launchUntilHello(paths: Paths, launch: () => Promise<Detached>): Promise<KeeperHello> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { ended } = await launch();
    let end: Awaited<typeof ended> | undefined;
    void ended.then((result) => {
      end = result;
    });
    for (let isLast = false; !isLast && Date.now() < deadline;) {
      isLast = end !== undefined;
      const hello = await probePatiently(paths);
      if (hello) return hello;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (end && end.exitCode !== 0) throw notStarted(paths, `it ended with ${end.signal ?? end.exitCode}`);
  }
  throw notStarted(paths, 'no answer in time');
}

function notStarted(paths: Paths, why: string): AgentileError {
  return new AgentileError('KEEPER_UNREACHABLE', `The keeper did not start: ${why}.`, {
    hint: `See ${paths.keeperLogFile}.`,
  });
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
