// `agentile approve|reject`: answers an open permission request. Options are chosen by their kind, never by position.
import { AgentileError } from '../base/errors.js';
import type { PermissionOptionKind, PermissionRequest } from '../model/permission.js';
import type { SessionView } from '../wire/messages.js';
import { sessionLabel, textArgument, textOption, type CommandInput, type CommandRun } from './context.js';
import { visible } from './text.js';

export const ANSWER_COMMANDS: Record<'approve' | 'reject', CommandRun> = {
  approve: (context, input) =>
    answer(context, input, input.options['always'] ? ['allow_always'] : ['allow_once']),
  reject: (context, input) => answer(context, input, ['reject_once', 'reject_always']),
};

async function answer(
  context: Parameters<CommandRun>[0],
  input: CommandInput,
  kinds: readonly PermissionOptionKind[],
): Promise<void> {
  const session = textArgument(input, 0, 'session');
  await context.withDaemon(async (client) => {
    const view = await client.request('session/get', { session });
    const request = chooseRequest(view, textOption(input, 'request'));
    const option = kinds.flatMap((kind) => request.options.filter((each) => each.kind === kind))[0];
    if (!option) throw noSuchOption(request, kinds);
    const message = textOption(input, 'message');
    await client.request('session/answer', {
      session,
      permissionId: request.id,
      answer: { outcome: 'selected', optionId: option.optionId, ...(message ? { message } : {}) },
    });
    context.print(`${sessionLabel(view)}  ${visible(request.title)}: ${visible(option.label)}`);
  });
}

function chooseRequest(view: SessionView, id: string | undefined): PermissionRequest {
  const open = view.requests;
  const found = id === undefined ? open[0] : open.find((request) => request.id === id);
  if (!found) {
    const what = id === undefined ? 'no open request' : `no open request ${id}`;
    throw new AgentileError('SESSION_NOT_FOUND', `${sessionLabel(view)} has ${what}.`, {
      hint: 'It may have been answered already.',
    });
  }
  if (id === undefined && open.length > 1) {
    const list = open.map((request) => `${request.id} (${visible(request.title)})`).join(', ');
    throw new AgentileError('USAGE', `${sessionLabel(view)} has ${open.length} open requests: ${list}.`, {
      hint: 'Name one with --request.',
    });
  }
  return found;
}

function noSuchOption(request: PermissionRequest, kinds: readonly string[]): AgentileError {
  if (request.kind === 'question') {
    return new AgentileError('NOT_SUPPORTED', `"${visible(request.title)}" is a question.`, {
      hint: 'Answer it in its pane: agentile attach.',
    });
  }
  const labels = request.options.map((option) => `${option.label} (${option.kind})`).join(', ');
  return new AgentileError('NOT_SUPPORTED', `It offers no ${kinds.join(' or ')}, only: ${visible(labels)}.`, {
    hint: 'Answer it in its pane: agentile attach.',
  });
}
