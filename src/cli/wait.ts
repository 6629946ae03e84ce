// `agentile wait`: returns when the session has one of the wished statuses.
import { AgentileError } from '../base/errors.js';
import { STATUS_TABLE, STATUS_WORDS, type StatusWord } from '../model/status.js';
import type { SessionView } from '../wire/messages.js';
import { numberOption, sessionLabel, textArgument, textOption, type CommandRun } from './context.js';
import { needsYou, watchSession } from './watch.js';

/** Whatever ends the work. */
const DEFAULT_FOR: readonly StatusWord[] = ['done', 'idle', 'needs-you', 'failed', 'stopped', 'exited'];
/** From these a session does not come back by itself. */
const ENDED: readonly StatusWord[] = ['failed', 'stopped', 'exited'];

export const runWait: CommandRun = async (context, input) => {
  const session = textArgument(input, 0, 'session');
  const wanted = wantedStatuses(textOption(input, 'for'));
  const timeoutS = numberOption(input, 'timeout', 0);
  let noted = wanted.includes('unknown');
  const view = await context.withDaemon((client) =>
    watchSession(
      client,
      session,
      (view) => {
        if (view.status === 'unknown' && !noted) {
          noted = true;
          context.note(
            `agentile: ${sessionLabel(view)} has given no sign of its status yet; only its end is sure.`,
          );
        }
        return check(view, wanted);
      },
      timeoutS === undefined ? Infinity : timeoutS * 1000,
    ),
  );
  if (input.options['json']) context.printJson(view);
  else context.print(`${sessionLabel(view)}  ${STATUS_TABLE[view.status].label}`);
};

function wantedStatuses(text: string | undefined): readonly StatusWord[] {
  if (text === undefined) return DEFAULT_FOR;
  return text.split(',').map((part) => {
    const word = part.trim().replace(' ', '-');
    const status = STATUS_WORDS.find((each) => each === word);
    if (status) return status;
    throw new AgentileError('USAGE', `"${part}" is not a status.`, {
      hint: `There are: ${STATUS_WORDS.join(', ')}.`,
    });
  });
}

/** The view once it has a wished status; throws when it can no longer come to one by itself. */
function check(view: SessionView, wanted: readonly StatusWord[]): SessionView | undefined {
  if (wanted.includes(view.status)) return view;
  // "done" becomes "idle" as soon as somebody looks at the pane: whoever waits for the one means both.
  if (view.status === 'idle' && wanted.includes('done') && view.turn?.state === 'done') return view;
  if (view.status === 'needs-you') throw needsYou(view);
  if (!ENDED.includes(view.status)) return undefined;
  const failure = view.turn?.failure ?? view.run?.failure;
  const words = `${sessionLabel(view)} is ${view.status}${failure ? `: ${failure.message}` : ''}`;
  throw new AgentileError('TURN_FAILED', `${words.replace(/\.$/, '')}.`, {
    hint: failure?.hint ?? `agentile explain ${view.number}`,
  });
}
