// Stands in for a persistent CLI that speaks Claude's stream-json: frames on stdin and stdout, the control protocol, and
// misbehaviour on demand. The prompt's first word says what to do; see `turns`. FAKE_LOG gets one JSON line per thing seen.
import { appendFileSync } from 'node:fs';
import { spawn } from 'node:child_process';

const argv = process.argv.slice(2);
const resumeAt = argv.indexOf('--resume');
const resumeId = resumeAt < 0 ? undefined : argv[resumeAt + 1];
const sessionId = resumeId ?? `native-${process.pid}`;
let serial = 0;
let interrupted;
const answers = new Map();

const log = (entry) =>
  process.env.FAKE_LOG && appendFileSync(process.env.FAKE_LOG, `${JSON.stringify(entry)}\n`);
const out = (frame) => process.stdout.write(`${JSON.stringify({ ...frame, session_id: sessionId })}\n`);
const event = (e) => out({ type: 'stream_event', event: e, parent_tool_use_id: null });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

log({ argv, pid: process.pid });
if (resumeId?.startsWith('dead')) {
  out({ type: 'system', subtype: 'init', model: 'fake', permissionMode: 'default' });
  process.stderr.write(`No conversation found with session ID: ${resumeId}\n`);
  process.exit(1);
}
if (argv.includes('--bad-flag')) {
  process.stderr.write("error: unknown option '--bad-flag'\n");
  process.exit(1);
}

function init() {
  out({ type: 'system', subtype: 'init', model: 'fake', permissionMode: 'default', tools: ['Bash'] });
}

function begin() {
  serial += 1;
  const id = `msg_${serial}`;
  event({ type: 'message_start', message: { id, usage: { input_tokens: 10, output_tokens: 1 } } });
  return id;
}

async function text(words, delayMs = 0) {
  const id = begin();
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  let said = '';
  for (const word of words) {
    if (interrupted) break;
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } });
    said += word;
    if (delayMs) await sleep(delayMs);
  }
  out({
    type: 'assistant',
    message: { id, content: [{ type: 'text', text: said }] },
    parent_tool_use_id: null,
  });
  event({ type: 'content_block_stop', index: 0 });
  event({ type: 'message_stop' });
  return said;
}

function result(more = {}) {
  const base = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    terminal_reason: 'completed',
    result: '',
  };
  out({ ...base, usage: { input_tokens: 10, output_tokens: 5 }, total_cost_usd: 0.01 * serial, ...more });
}

function toolUse(name, input) {
  const id = `toolu_${++serial}`;
  out({
    type: 'assistant',
    message: { id: `m_${id}`, content: [{ type: 'tool_use', id, name, input }] },
    parent_tool_use_id: null,
  });
  return id;
}

function ask(name, input, toolUseId, suggestions = []) {
  const requestId = `req_${++serial}`;
  const request = {
    subtype: 'can_use_tool',
    tool_name: name,
    display_name: name,
    input,
    tool_use_id: toolUseId,
    permission_suggestions: suggestions,
  };
  process.stdout.write(`${JSON.stringify({ type: 'control_request', request_id: requestId, request })}\n`);
  return new Promise((resolve) => answers.set(requestId, resolve));
}

function toolResult(id, content, isError = false) {
  out({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }],
    },
    parent_tool_use_id: null,
  });
}

const RULE = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
  behavior: 'allow',
  destination: 'localSettings',
};

const turns = {
  say: async (rest) => result({ result: await text(rest.match(/\S+\s*/g) ?? []) }),
  slow: async (rest) => {
    const said = await text(
      Array.from({ length: Number(rest) }, (_, i) => `tick ${i + 1} `),
      10,
    );
    if (interrupted)
      result({ is_error: true, subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' });
    else result({ result: said });
  },
  bash: async (rest) => {
    const input = { command: rest };
    const id = toolUse('Bash', input);
    const answer = await ask('Bash', input, id, [
      RULE,
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ]);
    if (answer.cancelled)
      return result({ is_error: true, subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    toolResult(id, answer.behavior === 'allow' ? 'ran' : answer.message, answer.behavior !== 'allow');
    result({ result: await text(['done: ', answer.behavior]) });
  },
  question: async () => {
    const input = {
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          options: [{ label: 'Red' }, { label: 'Blue' }],
          multiSelect: false,
        },
      ],
    };
    const id = toolUse('AskUserQuestion', input);
    const answer = await ask('AskUserQuestion', input, id);
    toolResult(id, JSON.stringify(answer.updatedInput?.answers ?? null));
    result({ result: await text([answer.updatedInput?.answers?.['Which colour?'] ?? 'none']) });
  },
  401: async () => {
    out({
      type: 'assistant',
      message: { id: 'e', model: '<synthetic>', content: [{ type: 'text', text: 'Please run /login' }] },
      error: 'authentication_failed',
      is_api_error_message: true,
    });
    result({ result: 'Please run /login' });
  },
  unknown: async () => {
    out({ type: 'brand_new', x: 1 });
    out({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } });
    result({ result: await text(['fine']) });
  },
  huge: async (rest) => {
    const id = toolUse('Bash', { command: 'cat' });
    toolResult(id, 'x'.repeat(Number(rest)));
    result({ result: await text(['after']) });
  },
  broken: async () => {
    process.stdout.write(
      '{"type":"assistant","message":{"id":"b","content":[{"type":"text","text":"te{"type":"rate_limit_event"}\n xt"}]}}\n',
    );
    process.stdout.write('a banner between frames\n');
    result({ result: 'te xt' });
  },
  bytes: async (rest) => {
    const id = `msg_${++serial}`;
    const frame = Buffer.from(
      `${JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text: rest }] }, session_id: sessionId })}\n`,
    );
    for (const byte of frame) {
      process.stdout.write(Buffer.of(byte));
      await sleep(0);
    }
    result({ result: rest });
  },
  evil: async () => {
    process.stderr.write(
      '{"type":"system","subtype":"init","session_id":"evil"}\n{"type":"result","subtype":"success","is_error":true}\n',
    );
    result({ result: await text(['good']) });
  },
  deaf: async () => {
    await text(['deaf']);
    await new Promise(() => setInterval(() => {}, 1000));
  },
  exit: async (rest) => process.exit(Number(rest)),
  half: async () => {
    await text(['half an answer']);
    process.exit(0);
  },
  stderr: async (rest) => {
    process.stderr.write(`${rest}\n`);
    process.exit(1);
  },
  kill: async () => process.kill(process.pid, 'SIGKILL'),
  env: async (rest) => result({ result: await text([process.env[rest] ?? '(unset)']) }),
  child: async () => {
    spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'inherit'] });
    result({ result: await text(['left a child']) });
  },
};

let queue = Promise.resolve();

function control(frame) {
  const { subtype } = frame.request;
  const reply = (response) =>
    process.stdout.write(
      `${JSON.stringify({ type: 'control_response', response: { request_id: frame.request_id, ...response } })}\n`,
    );
  if (subtype === 'initialize') {
    const models = [
      { value: 'big', displayName: 'Big' },
      { value: 'small', displayName: 'Small' },
    ];
    return reply({
      subtype: 'success',
      response: {
        commands: [{ name: 'compact', description: 'Compacts' }],
        models,
        current_permission_mode: 'default',
      },
    });
  }
  if (subtype === 'interrupt') {
    interrupted = true;
    reply({ subtype: 'success', response: { still_queued: [] } });
    for (const [requestId, resolve] of answers) {
      process.stdout.write(`${JSON.stringify({ type: 'control_cancel_request', request_id: requestId })}\n`);
      resolve({ cancelled: true });
    }
    answers.clear();
    return undefined;
  }
  if (subtype === 'set_model')
    return reply({ subtype: 'success', response: { model: `resolved-${frame.request.model}` } });
  if (subtype === 'set_permission_mode') {
    reply({ subtype: 'success', response: { mode: frame.request.mode } });
    return out({ type: 'system', subtype: 'status', status: null, permissionMode: frame.request.mode });
  }
  return reply({ subtype: 'error', error: 'unsupported' });
}

function take(line) {
  log({ stdin: line });
  const frame = JSON.parse(line);
  if (frame.type === 'control_request') return control(frame);
  if (frame.type === 'control_response') {
    answers.get(frame.response.request_id)?.(frame.response.response);
    answers.delete(frame.response.request_id);
    return undefined;
  }
  const prompt = frame.message.content[0].text;
  const [word, ...rest] = prompt.split(' ');
  queue = queue.then(async () => {
    interrupted = false;
    init();
    await (turns[word] ?? turns.say)(rest.join(' '));
  });
  return undefined;
}

let buffered = '';
process.stdin.on('data', (chunk) => {
  buffered += chunk;
  const lines = buffered.split('\n');
  buffered = lines.pop();
  for (const line of lines) take(line);
});
process.stdin.on('end', () => void queue.then(() => process.exit(0)));
