// What a controller needs of its surroundings. Made once by the daemon, or by `call` and tests with a local host.
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { ChildHost } from '../keeper/child-handle.js';
import type { StartContext } from './controller.js';
import type { Pump } from './pump.js';

/** The program a run consists of; made from the session and its provider. */
export interface ProgramLaunch {
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment. */
  env: Record<string, string>;
  /** One process a turn: the prompt as it is written to stdin before EOF. Missing when the argv carries it. */
  stdin?: string;
}

/** What a launch of one turn has beyond that of a run. */
export interface TurnLaunch {
  prompt: string;
}

/** What a controller needs of its surroundings. */
export interface ControllerDeps {
  host: ChildHost;
  clock: Clock;
  log: Log;
  /** One for all terminal panes. */
  pump: Pump;
  /** Lines of history a terminal pane keeps. */
  scrollbackLines: number;
  /**
   * Argv, folder and environment of a run, or of one turn of a run that has one process a turn (`context` then holds
   * the id to resume and the model and effort of this turn). Rejects with a FailureError or an AgentileError.
   */
  launch(context: StartContext, turn?: TurnLaunch): Promise<ProgramLaunch>;
}
