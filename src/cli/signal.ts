// `agentile signal`: what a hook or a wrapper inside of a session tells about its run. It can reach only that run.
import { AgentileError } from '../base/errors.js';
import type { RunId } from '../model/ids.js';
import type { RunSignalBody, TaskResult } from '../model/signal.js';
import {
  choiceOption,
  numberOption,
  textArgument,
  textOption,
  type CommandInput,
  type CommandRun,
} from './context.js';

const STATES = ['idle', 'working', 'done', 'blocked', 'error', 'clear'] as const;

export const runSignal: CommandRun = async (context, input) => {
  const { env } = context;
  const runId = textOption(input, 'run') ?? env['AGENTILE_RUN_ID'];
  const attempt = numberOption(input, 'attempt', 1) ?? Number(env['AGENTILE_ATTEMPT'] ?? 1);
  if (!runId) {
    throw new AgentileError('USAGE', 'Which run?', {
      hint: 'Inside of a session it is known; else give --run.',
    });
  }
  const signal = signalBody(input);
  const token = env['AGENTILE_TOKEN'];
  const answer = await context.withRunningDaemon((client) =>
    client.request('session/signal', { runId: runId as RunId, attempt, ...(token ? { token } : {}), signal }),
  );
  if (!answer) {
    throw new AgentileError('DAEMON_UNREACHABLE', 'No daemon is running; the signal was not taken.');
  }
  context.print(answer.admitted ? 'admitted' : 'ignored');
};

function signalBody(input: CommandInput): RunSignalBody {
  const type = textArgument(input, 0, 'type');
  const message = textOption(input, 'message');
  switch (type) {
    case 'started':
      return { type };
    case 'finished': {
      const exitCode = numberOption(input, 'exitCode', 0);
      return exitCode === undefined ? { type } : { type, exitCode };
    }
    case 'completed':
      return { type, result: taskResult(input) };
    case 'failed':
      return { type, error: textOption(input, 'error') ?? message ?? 'failed' };
    case 'progress': {
      const percent = numberOption(input, 'percent', 0);
      const seq = numberOption(input, 'seq', 0);
      if (seq === undefined) throw new AgentileError('USAGE', 'progress needs --seq, a number that rises.');
      return { type, seq, message: message ?? '', ...(percent === undefined ? {} : { percent }) };
    }
    case 'state': {
      const state = choiceOption(input, 'state', STATES);
      if (!state) throw new AgentileError('USAGE', `state needs --state: ${STATES.join(', ')}.`);
      const kind = textOption(input, 'kind');
      return { type, state, ...(kind ? { kind } : {}), ...(message ? { message } : {}) };
    }
    default:
      throw new AgentileError('USAGE', `"${type}" is not a signal.`, {
        hint: 'There are: started, finished, completed, failed, progress, state.',
      });
  }
}

function taskResult(input: CommandInput): TaskResult {
  const kind = choiceOption(input, 'result', ['success', 'partial', 'rejected']) ?? 'success';
  return kind === 'partial' ? { kind, reason: textOption(input, 'reason') ?? '' } : { kind };
}
