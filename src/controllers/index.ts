// The table of controllers, by kind. Called by the daemon, once for each run. A kind that is not in the table is refused:
// there is no default controller.
import { AgentileError } from '../base/errors.js';
import type { ControllerKind } from '../model/provider.js';
import { AcpController } from './acp.js';
import type { Controller } from './controller.js';
import type { ControllerDeps } from './deps.js';
import { PersistentController } from './persistent.js';
import { SubprocessController } from './subprocess.js';
import { TerminalController } from './terminal.js';

export { Pump } from './pump.js';
export { TerminalController } from './terminal.js';
export { childIdOf, runIdOf } from './child-id.js';
export type { ControllerDeps, ProgramLaunch } from './deps.js';

const CONTROLLERS: Partial<Record<ControllerKind, (deps: ControllerDeps) => Controller>> = {
  terminal: (deps) => new TerminalController(deps),
  persistent: (deps) => new PersistentController(deps),
  subprocess: (deps) => new SubprocessController(deps),
  acp: (deps) => new AcpController(deps),
};

/** A controller for one run. Throws NOT_SUPPORTED for a kind this build does not have. */
export function createController(kind: 'terminal', deps: ControllerDeps): TerminalController;
export function createController(kind: ControllerKind, deps: ControllerDeps): Controller;
export function createController(kind: ControllerKind, deps: ControllerDeps): Controller {
  const create = CONTROLLERS[kind];
  if (!create) {
    throw new AgentileError('NOT_SUPPORTED', `This build has no controller "${kind}".`, {
      hint: 'Start the provider with its own screen: agentile new <provider> --terminal.',
    });
  }
  return create(deps);
}

/** True when the session of this controller has a screen of its own. */
export function isTerminal(controller: Controller): controller is TerminalController {
  return controller instanceof TerminalController;
}
