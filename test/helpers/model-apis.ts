// The wires of the model server: Anthropic Messages, OpenAI Chat and Responses, Gemini. Each reads a request into one shape and
// writes an answer, streamed or whole, as the real API does.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ModelAnswer, ModelPart, ModelRequest, ModelTool } from './model-script.js';

type Json = Record<string, unknown>;

export interface ModelApi {
  parse(body: Json, url: URL): ModelRequest;
  write(response: ServerResponse, request: ModelRequest, answer: ModelAnswer, id: string): Promise<void>;
  error(status: number): Json;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 24);
const tokens = (text: string) => Math.max(1, Math.ceil(text.length / 4));

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).filter(Boolean).join('\n');
  const { text, content: inner, output, parts } = record(content);
  return [text, inner, output, parts]
    .filter((v) => v !== undefined)
    .map(textOf)
    .join('\n');
}

function outputTokens(answer: ModelAnswer): number {
  return answer.parts.reduce(
    (sum, part) => sum + tokens(part.type === 'call' ? JSON.stringify(part.args ?? part.input) : part.text),
    0,
  );
}

/** The text of a part in pieces, as fast as the script says. */
async function* pieces(part: { text: string; delayMs?: number }): AsyncGenerator<string> {
  for (const piece of part.delayMs ? part.text.split(/(?<=\n)/) : (part.text.match(/[\s\S]{1,16}/gu) ?? [])) {
    yield piece;
    await sleep(part.delayMs ?? 1);
  }
}

function sendJson(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function openStream(response: ServerResponse): (event: string | undefined, data: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (event, data) =>
    response.write(
      `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
}

const MESSAGES: Record<number, string> = {
  400: 'invalid request',
  401: 'invalid x-api-key (scripted)',
  404: 'not found',
  429: 'rate limit reached (scripted)',
  500: 'internal server error (scripted)',
  529: 'Overloaded',
};
const messageOf = (status: number) => MESSAGES[status] ?? `error ${status}`;

export const anthropic: ModelApi = {
  parse(body) {
    const turns = list(body['messages']).flatMap((message): ModelRequest['turns'] => {
      const blocks =
        typeof message['content'] === 'string'
          ? [{ type: 'text', text: message['content'] }]
          : list(message['content']);
      return blocks.map((block) => {
        if (block['type'] === 'tool_result') return { role: 'tool', text: textOf(block['content']) };
        return { role: message['role'] === 'user' ? 'user' : 'assistant', text: textOf(block) };
      });
    });
    const format = record(record(body['output_config'])['format'] ?? body['output_format']);
    const tools = list(body['tools'])
      .filter((t) => t['name'])
      .map((t): ModelTool => ({
        name: String(t['name']),
        kind: 'function',
        schema: record(t['input_schema']),
      }));
    const schema = format['type'] === 'json_schema' ? { schema: record(format['schema']) } : {};
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      turns,
      system: textOf(body['system']),
      tools,
      inputTokens: tokens(JSON.stringify(body)),
      ...schema,
    };
  },
  async write(response, request, answer, id) {
    const block = (part: ModelPart, at: number): Json =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : part.type === 'think'
          ? { type: 'thinking', thinking: part.text, signature: 'scripted' }
          : {
              type: 'tool_use',
              id: `toolu_${hash(`${id}${at}`)}`,
              name: part.name,
              input: part.args ?? { input: part.input },
            };
    const base = { id: `msg_${id}`, type: 'message', role: 'assistant', model: request.model };
    const stop_reason = answer.parts.at(-1)?.type === 'call' ? 'tool_use' : 'end_turn';
    const usage = {
      input_tokens: request.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens(answer),
    };
    if (!request.stream)
      return sendJson(response, {
        ...base,
        content: answer.parts.map(block),
        stop_reason,
        stop_sequence: null,
        usage,
      });
    const send = openStream(response);
    const event = (data: Json) => send(String(data['type']), data);
    event({
      type: 'message_start',
      message: {
        ...base,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    });
    for (const [index, part] of answer.parts.entries()) {
      const whole = block(part, index);
      const empty =
        part.type === 'text'
          ? { type: 'text', text: '' }
          : part.type === 'think'
            ? { type: 'thinking', thinking: '', signature: '' }
            : { ...whole, input: {} };
      event({ type: 'content_block_start', index, content_block: empty });
      const text = part.type === 'call' ? JSON.stringify(whole['input']) : part.text;
      const delta = (piece: string) =>
        part.type === 'text'
          ? { type: 'text_delta', text: piece }
          : part.type === 'think'
            ? { type: 'thinking_delta', thinking: piece }
            : { type: 'input_json_delta', partial_json: piece };
      for await (const piece of pieces({ ...part, text }))
        event({ type: 'content_block_delta', index, delta: delta(piece) });
      if (part.type === 'think')
        event({
          type: 'content_block_delta',
          index,
          delta: { type: 'signature_delta', signature: 'scripted' },
        });
      event({ type: 'content_block_stop', index });
    }
    event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage });
    event({ type: 'message_stop' });
    response.end();
  },
  error(status) {
    const types: Record<number, string> = {
      400: 'invalid_request_error',
      401: 'authentication_error',
      404: 'not_found_error',
      429: 'rate_limit_error',
      529: 'overloaded_error',
    };
    return { type: 'error', error: { type: types[status] ?? 'api_error', message: messageOf(status) } };
  },
};

function openAiError(status: number): Json {
  return {
    error: {
      message: messageOf(status),
      type: status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    },
  };
}

export const openAiChat: ModelApi = {
  parse(body) {
    const turns: ModelRequest['turns'] = [];
    let system = '';
    for (const message of list(body['messages'])) {
      const text = textOf(message['content']);
      if (message['role'] === 'system' || message['role'] === 'developer') system += `${text}\n`;
      else
        turns.push({
          role: message['role'] === 'tool' ? 'tool' : message['role'] === 'user' ? 'user' : 'assistant',
          text,
        });
    }
    const tools = list(body['tools']).map((t): ModelTool => {
      const spec = record(t['function']);
      return { name: String(spec['name']), kind: 'function', schema: record(spec['parameters']) };
    });
    const format = record(body['response_format']);
    const schema =
      format['type'] === 'json_schema' ? { schema: record(record(format['json_schema'])['schema']) } : {};
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      turns,
      system,
      tools,
      inputTokens: tokens(JSON.stringify(body)),
      ...schema,
    };
  },
  async write(response, request, answer, id) {
    const call = (part: ModelPart & { type: 'call' }, at: number) => ({
      id: `call_${hash(`${id}${at}`)}`,
      type: 'function',
      function: { name: part.name, arguments: JSON.stringify(part.args ?? {}) },
    });
    const calls = answer.parts.filter((part) => part.type === 'call').map(call);
    const finish = calls.length > 0 ? 'tool_calls' : 'stop';
    const out = outputTokens(answer);
    const usage = {
      prompt_tokens: request.inputTokens,
      completion_tokens: out,
      total_tokens: request.inputTokens + out,
    };
    const common = { id: `chatcmpl-${id}`, created: 1, model: request.model };
    if (!request.stream) {
      const content =
        answer.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') || null;
      const message = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
      return sendJson(response, {
        ...common,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      });
    }
    const send = openStream(response);
    const chunk = (delta: Json, finish_reason: string | null = null) =>
      send(undefined, {
        ...common,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
      });
    chunk({ role: 'assistant', content: '' });
    for (const part of answer.parts) {
      if (part.type === 'call') chunk({ tool_calls: [{ index: 0, ...calls[0] }] });
      else
        for await (const piece of pieces(part))
          chunk(part.type === 'think' ? { reasoning_content: piece } : { content: piece });
    }
    chunk({}, finish);
    send(undefined, { ...common, object: 'chat.completion.chunk', choices: [], usage });
    send(undefined, '[DONE]');
    response.end();
  },
  error: openAiError,
};

export const openAiResponses: ModelApi = {
  parse(body) {
    const turns: ModelRequest['turns'] = [];
    let system = textOf(body['instructions']);
    const input =
      typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : list(body['input']);
    for (const item of input) {
      if (textOf(item['type']).endsWith('_output'))
        turns.push({ role: 'tool', text: textOf(item['output']) });
      else if (item['role'] === 'user')
        for (const part of list(item['content'])) turns.push({ role: 'user', text: textOf(part) });
      else if (item['role'] === 'assistant') turns.push({ role: 'assistant', text: textOf(item['content']) });
      else system += `\n${textOf(item['content'])}`;
    }
    const declared = [
      ...list(body['tools']),
      ...input.filter((i) => i['type'] === 'additional_tools').flatMap((i) => list(i['tools'])),
    ];
    const tools = declared
      .flatMap((t) => (t['type'] === 'namespace' ? list(t['tools']) : [t]))
      .flatMap((t): ModelTool[] => {
        if (t['type'] !== 'function' && t['type'] !== 'custom') return [];
        return [{ name: String(t['name']), kind: t['type'], schema: record(t['parameters']) }];
      });
    return {
      model: String(body['model']),
      stream: body['stream'] === true,
      turns,
      system,
      tools,
      inputTokens: tokens(JSON.stringify(body)),
    };
  },
  async write(response, request, answer, id) {
    const items = answer.parts.map((part, at) => responseItem(part, `${id}${at}`));
    const out = outputTokens(answer);
    const usage = {
      input_tokens: request.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: request.inputTokens + out,
    };
    const base = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 1,
      status: 'in_progress',
      model: request.model,
      output: [] as Json[],
      usage: null,
    };
    const done = { ...base, status: 'completed', output: items, usage };
    if (!request.stream) return sendJson(response, done);
    const send = openStream(response);
    let sequence_number = 0;
    const event = (type: string, data: Json) =>
      send(type, { type, sequence_number: sequence_number++, ...data });
    event('response.created', { response: base });
    for (const [output_index, part] of answer.parts.entries()) {
      const item = items[output_index]!;
      event('response.output_item.added', {
        output_index,
        item: { ...item, status: 'in_progress', ...(part.type === 'text' ? { content: [] } : {}) },
      });
      if (part.type === 'text') {
        for await (const delta of pieces(part))
          event('response.output_text.delta', { item_id: item['id'], output_index, content_index: 0, delta });
      }
      event('response.output_item.done', { output_index, item });
    }
    event('response.completed', { response: done });
    response.end();
  },
  error: openAiError,
};

function responseItem(part: ModelPart, seed: string): Json {
  const id = hash(seed);
  if (part.type === 'think')
    return { id: `rs_${id}`, type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }] };
  if (part.type === 'text')
    return {
      id: `msg_${id}`,
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: part.text, annotations: [] }],
    };
  const call = { status: 'completed', call_id: `call_${id}`, name: part.name };
  if (part.input !== undefined)
    return { id: `ctc_${id}`, type: 'custom_tool_call', ...call, input: part.input };
  return { id: `fc_${id}`, type: 'function_call', ...call, arguments: JSON.stringify(part.args) };
}

export const gemini: ModelApi = {
  parse(body, url) {
    const turns = list(body['contents']).flatMap((content) =>
      list(content['parts']).flatMap((part): ModelRequest['turns'] => {
        if (part['functionResponse'])
          return [{ role: 'tool', text: textOf(record(part['functionResponse'])['response']) }];
        return typeof part['text'] === 'string'
          ? [{ role: content['role'] === 'model' ? 'assistant' : 'user', text: part['text'] }]
          : [];
      }),
    );
    const tools = list(body['tools'])
      .flatMap((t) => list(t['functionDeclarations']))
      .map((t): ModelTool => ({
        name: String(t['name']),
        kind: 'function',
        schema: record(t['parametersJsonSchema'] ?? t['parameters']),
      }));
    const config = record(body['generationConfig']);
    const schema = config['responseJsonSchema'] ?? config['responseSchema'];
    const [, model = '', method = ''] = /models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? [];
    return {
      model,
      stream: method.startsWith('stream'),
      turns,
      system: textOf(body['systemInstruction']),
      tools,
      inputTokens: tokens(JSON.stringify(body)),
      ...(schema ? { schema: record(schema) } : {}),
    };
  },
  async write(response, request, answer, id) {
    const out = outputTokens(answer);
    const usageMetadata = {
      promptTokenCount: request.inputTokens,
      candidatesTokenCount: out,
      totalTokenCount: request.inputTokens + out,
    };
    const frame = (parts: Json[], finishReason?: string) => ({
      candidates: [
        { content: { parts, role: 'model' }, index: 0, ...(finishReason ? { finishReason } : {}) },
      ],
      usageMetadata,
      modelVersion: request.model,
      responseId: id,
    });
    const part = (p: ModelPart, at: number): Json =>
      p.type === 'call'
        ? { functionCall: { id: `call_${hash(`${id}${at}`)}`, name: p.name, args: p.args ?? {} } }
        : { text: p.text, ...(p.type === 'think' ? { thought: true } : {}) };
    if (!request.stream) return sendJson(response, frame(answer.parts.map(part), 'STOP'));
    const send = openStream(response);
    for (const [at, p] of answer.parts.entries()) {
      if (p.type === 'call') send(undefined, frame([part(p, at)]));
      else
        for await (const text of pieces(p))
          send(undefined, frame([{ text, ...(p.type === 'think' ? { thought: true } : {}) }]));
    }
    send(undefined, frame([{ text: '' }], 'STOP'));
    response.end();
  },
  error(status) {
    const words: Record<number, string> = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
    };
    return { error: { code: status, message: messageOf(status), status: words[status] ?? 'UNKNOWN' } };
  },
};
