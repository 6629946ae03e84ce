// Entry of the command line. Loads nothing heavy: each command imports what it needs when it runs.
import { errnoOf } from './base/errors.js';
import { runProgram } from './cli/program.js';

// `agentile ls | head -1` closes our output early: that is an end, not a fault.
process.stdout.on('error', (error) => {
  if (errnoOf(error) === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runProgram(process.argv.slice(2));
