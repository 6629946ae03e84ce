// `agentile explain`: why the status of a session is what it is.
import { STATUS_TABLE } from '../model/status.js';
import type { SessionExplanation } from '../wire/messages.js';
import { textArgument, type CommandRun } from './context.js';
import { visible } from './text.js';

export const runExplain: CommandRun = async (context, input) => {
  const session = textArgument(input, 0, 'session');
  const explanation = await context.withDaemon((client) => client.request('session/explain', { session }));
  if (input.options['json']) context.printJson(explanation);
  else context.print(visible(lines(explanation).join('\n')));
};

function lines(explanation: SessionExplanation): string[] {
  const { failure, stderrTail, sideLog, argv, cwd, unknownFrames } = explanation;
  const section = (title: string, body: readonly string[]) =>
    body.length === 0 ? [] : ['', `${title}:`, ...body.map((line) => `  ${line}`)];
  return [
    `${STATUS_TABLE[explanation.status].glyph} ${STATUS_TABLE[explanation.status].label}`,
    ...explanation.because.map((sentence) => `  ${sentence}`),
    ...(failure ? section('cause', [failure.message, ...(failure.hint ? [failure.hint] : [])]) : []),
    ...section('last lines of stderr', stderrTail),
    ...section('lines of stdout that were not frames', sideLog),
    ...(unknownFrames > 0 ? section('unknown frames', [String(unknownFrames)]) : []),
    ...section('command', argv ? [argv.map(quoted).join(' ')] : []),
    ...section('folder', [cwd]),
  ];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
