// The ways in which a turn of the demo agent can go wrong on demand; each stands for a fault some real agent had.
import type { TurnFault } from './agent-faults.js';
import type { DemoTurn } from './agent-turn.js';

const FIVE_MB = 5 * 1024 * 1024;

const FAULTS: Record<TurnFault, (turn: DemoTurn) => Promise<void>> = {
  junk: async (turn) => {
    process.stdout.write('a line that is no message\n42\n{"level":"warn","id":0}\n\u001b[31mred\u001b[0m\n');
    await turn.say('junk lines were printed before this');
  },
  late: async (turn) => {
    // The text comes after the answer to the prompt.
    setTimeout(
      () =>
        turn.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'late text' } }),
      300,
    );
  },
  never: async (turn) => {
    // In one piece: a cancel can come between the words of `say`, and would be answered.
    const content = { type: 'text', text: 'this turn gets no answer' };
    turn.update({ sessionUpdate: 'agent_message_chunk', content });
  },
  big: async (turn) => {
    turn.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: 'x'.repeat(FIVE_MB) },
    });
  },
  duplicate: async (turn) => {
    const id = turn.startTool('the same call twice', 'other', {});
    turn.finishTool(id, 'completed', []);
    turn.update({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title: 'the same call twice',
      kind: 'other',
      status: 'pending',
    });
    await turn.say('one call was announced twice');
  },
  exit: async (turn) => {
    await turn.say('I leave in the middle of ');
    process.stderr.write('demo-agent: fault exit\n');
    process.exit(7);
  },
  silent: async () => undefined,
  error: async (turn) => {
    await turn.say('');
    throw new Error('an error without a code');
  },
  'unknown-update': async (turn) => {
    turn.update({ sessionUpdate: 'brand_new_update', payload: { x: 1 } });
    await turn.say('an update of an unknown kind came before this');
  },
  'no-newline': async () => {
    process.stdout.write('y'.repeat(FIVE_MB));
  },
};

export async function runTurnFault(turn: DemoTurn, name: TurnFault): Promise<void> {
  await FAULTS[name](turn);
}
