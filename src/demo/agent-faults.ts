// Faults on demand, for tests of clients: `demo-agent --fault NAME` (at start) or the prompt `fault NAME` (in a turn).
import { spawnLingeringChild } from '../io/lingering-child.js';

export const START_FAULTS = [
  'junk-lines',
  'slow-initialize',
  'no-initialize',
  'ignore-eof',
  'outliving-child',
  'refuse-load',
  'replay-on-resume',
  'needs-login',
] as const;
export type StartFault = (typeof START_FAULTS)[number];

export const TURN_FAULTS = [
  'junk',
  'late',
  'never',
  'big',
  'duplicate',
  'exit',
  'silent',
  'error',
  'unknown-update',
  'no-newline',
] as const;
export type TurnFault = (typeof TURN_FAULTS)[number];

export function faultFromArgs(args: readonly string[]): ReadonlySet<StartFault> {
  const names = args.flatMap((arg, index) => (arg === '--fault' ? [args[index + 1] ?? ''] : []));
  const unknown = names.find((name) => !(START_FAULTS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`demo-agent: no such fault: ${unknown}. Known: ${START_FAULTS.join(', ')}\n`);
    process.exit(2);
  }
  return new Set(names as StartFault[]);
}

/** What goes wrong before the first message. */
export function installFaults(faults: ReadonlySet<StartFault>): void {
  if (faults.has('junk-lines')) {
    process.stdout.write(
      '[Agent] ready\n\n\u001b[32mmigrated 3 tables\u001b[0m\n42\n"hi"\n[]\n{"level":"info","id":1}\n',
    );
  }
  if (faults.has('outliving-child')) spawnLingeringChild();
  if (faults.has('ignore-eof')) {
    process.on('SIGTERM', () => process.stderr.write('demo-agent: SIGTERM ignored\n'));
    setInterval(() => undefined, 60_000);
  }
}
