// What the demo agent does in a turn, by the first word of the prompt. A table: word, what it shows, the steps.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../base/errors.js';
import { INTERNAL_ERROR, RpcError } from '../io/jsonrpc.js';
import { runCommand } from '../io/run-command.js';
import { TURN_FAULTS, type TurnFault } from './agent-faults.js';
import { runTurnFault } from './agent-turn-faults.js';
import { TurnCancelled, type DemoTurn } from './agent-turn.js';

interface Script {
  word: string;
  about: string;
  run(turn: DemoTurn, rest: string): Promise<void>;
}

const HELLO = `I am the demo agent of agentile. There is **no model** behind me: I answer by the first word of your prompt, so that
you can see how a real agent looks here. Try \`tour\`, or \`help\` for the list.`;

const SCRIPTS: readonly Script[] = [
  { word: 'help', about: 'this list', run: (turn) => turn.say(helpText()) },
  { word: 'tour', about: 'everything in one turn', run: tour },
  { word: 'think', about: 'think aloud, then answer', run: think },
  { word: 'say', about: 'stream the rest of the prompt', run: (turn, rest) => turn.say(rest || HELLO) },
  {
    word: 'run',
    about: 'run a shell command, after asking',
    run: (turn, rest) => runTool(turn, rest || 'echo hello from the demo'),
  },
  {
    word: 'edit',
    about: 'edit demo.txt, after showing the diff',
    run: (turn, rest) => editTool(turn, rest || 'a line of the demo agent'),
  },
  { word: 'plan', about: 'make a plan and work through it', run: plan },
  { word: 'fail', about: 'fail, as an API error would', run: fail },
  { word: 'remember', about: 'remember the rest of the prompt', run: remember },
  { word: 'recall', about: 'say what was remembered, also after a restart', run: recall },
  { word: 'slow', about: 'stream for N seconds', run: slow },
  {
    word: 'long',
    about: 'N lines of text',
    run: (turn, rest) =>
      turn.say(Array.from({ length: Number(rest) || 100 }, (_, i) => `line ${i + 1}\n`).join('')),
  },
  { word: 'fault', about: `misbehave: ${TURN_FAULTS.join(', ')}`, run: fault },
];

/** Runs the turn and gives the result of session/prompt. Rejects with the RpcError that the prompt is answered with. */
export async function runScript(turn: DemoTurn, prompt: string): Promise<object | undefined> {
  turn.session.updates.push({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: prompt } });
  const [, word = '', rest = ''] = /^\/?(\S+)\s*([\s\S]*)$/.exec(prompt) ?? [];
  const script = SCRIPTS.find((candidate) => candidate.word === word.toLowerCase().replace(/:$/, ''));
  try {
    if (script) await script.run(turn, rest.trim());
    else await turn.say(`${HELLO}\n\nYou wrote: ${prompt}`);
  } catch (error) {
    if (error instanceof TurnCancelled) return { stopReason: 'cancelled' };
    if (error instanceof NeverAnswer) return undefined;
    throw error;
  }
  const words = prompt.split(/\s+/).length;
  return {
    stopReason: 'end_turn',
    usage: { inputTokens: words, outputTokens: words * 3, totalTokens: words * 4 },
  };
}

/** Thrown by the fault that leaves the prompt without an answer. */
export class NeverAnswer extends Error {}

function helpText(): string {
  const rows = SCRIPTS.map(({ word, about }) => `- \`${word}\` ${about}`).join('\n');
  return `I answer by the first word of the prompt:\n\n${rows}\n`;
}

async function think(turn: DemoTurn, rest: string): Promise<void> {
  await turn.say(
    `Somebody wants to see me think about ${rest || 'nothing in particular'}. I have no model, so this is a fixed thought.`,
    'agent_thought_chunk',
  );
  await turn.say('I thought about it. There is nothing more to say.');
}

async function runTool(turn: DemoTurn, command: string): Promise<void> {
  const input = { command, cwd: turn.session.cwd };
  const id = turn.startTool(command, 'execute', input);
  if (!(await turn.mayRun(id, command, 'execute', input))) {
    turn.finishTool(id, 'failed', [text('rejected by the user')]);
    return turn.say('Then I leave it.');
  }
  turn.updateTool(id, { status: 'in_progress' });
  let seen = '';
  const outcome = await runCommand('/bin/sh', ['-c', command], {
    cwd: turn.session.cwd,
    abort: turn.abortSignal,
    onOutput: (chunk) => turn.updateTool(id, { content: [text((seen += chunk))] }),
  });
  const failed = outcome.exitCode !== 0;
  turn.finishTool(id, failed ? 'failed' : 'completed', [text(outcome.output || outcome.spawnError || '')]);
  if (turn.abortSignal.aborted) throw new TurnCancelled();
  await turn.say(
    failed
      ? `The command ended with ${outcome.exitCode ?? outcome.signal ?? 'an error'}.`
      : 'The command ran well.',
  );
}

async function editTool(turn: DemoTurn, line: string): Promise<void> {
  const path = join(turn.session.cwd, 'demo.txt');
  const oldText = await readOrEmpty(path);
  const newText = `${oldText ?? ''}${line}\n`;
  const diff = { type: 'diff', path, oldText, newText };
  const id = turn.startTool('Edit demo.txt', 'edit', { path }, [diff]);
  if (!(await turn.mayRun(id, `Edit ${path}`, 'edit', { path }, [diff]))) {
    turn.finishTool(id, 'failed', [text('rejected by the user')]);
    return turn.say('The file stays as it is.');
  }
  await writeFile(path, newText);
  turn.finishTool(id, 'completed', [diff]);
  await turn.say('I added a line to `demo.txt`.');
}

/** Null for a file that is not there. */
async function readOrEmpty(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function plan(turn: DemoTurn): Promise<void> {
  const steps = ['Look at the folder', 'Think about it', 'Say something'];
  for (let done = 0; done <= steps.length; done++) {
    turn.update({
      sessionUpdate: 'plan',
      entries: steps.map((content, i) => ({
        content,
        priority: 'medium',
        status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
      })),
    });
    await turn.pause(250);
  }
  await turn.say('All three steps are done.');
}

async function fail(turn: DemoTurn, rest: string): Promise<void> {
  await turn.say('I start, and then ');
  throw new RpcError(INTERNAL_ERROR, rest || 'the demo failed, as you asked', { errorName: 'DemoFailure' });
}

async function remember(turn: DemoTurn, rest: string): Promise<void> {
  turn.session.facts.push(rest);
  await turn.say(`I will remember: ${rest}`);
}

async function recall(turn: DemoTurn): Promise<void> {
  const { facts } = turn.session;
  await turn.say(
    facts.length
      ? `You told me:\n${facts.map((fact) => `- ${fact}`).join('\n')}`
      : 'You told me nothing yet.',
  );
}

async function slow(turn: DemoTurn, rest: string): Promise<void> {
  const ticks = (Number(rest) || 5) * 5;
  const messageId = turn.newMessageId();
  for (let tick = 0; tick < ticks; tick++) {
    await turn.say(`tick ${tick} `, 'agent_message_chunk', messageId);
    await turn.pause(185);
  }
}

async function fault(turn: DemoTurn, rest: string): Promise<void> {
  const name = TURN_FAULTS.find((candidate) => candidate === rest.split(/\s+/)[0]);
  if (!name) return turn.say(`I can misbehave in these ways: ${TURN_FAULTS.join(', ')}`);
  await runTurnFault(turn, name satisfies TurnFault);
  if (name === 'never') throw new NeverAnswer();
}

async function tour(turn: DemoTurn): Promise<void> {
  await turn.say(
    'You want the tour. I show a thought, a plan, a command, an edit, and text with code.',
    'agent_thought_chunk',
  );
  await plan(turn);
  await runTool(turn, 'uname -s && date +%Y');
  await editTool(turn, 'the tour was here');
  await turn.say(
    'And this is how code looks:\n\n```ts\nconst total = items.reduce((sum, item) => sum + item.price, 0);\n```\n\nThat was **the tour**.',
  );
}

function text(value: string) {
  return { type: 'content', content: { type: 'text', text: value } };
}
