// A model API on loopback for tests with real CLIs: one server speaks Anthropic Messages, OpenAI Chat and Responses, and Gemini.
// What it answers is scripted by the prompt (model-script.ts). Needs no network and no key.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { anthropic, gemini, openAiChat, openAiResponses, type ModelApi } from './model-apis.js';
import { answerOf } from './model-script.js';

export interface ModelServer {
  /** http://127.0.0.1:PORT */
  url: string;
  /** What was asked, in order: path and what the script made of it. */
  requests: { path: string; directive: string }[];
  close(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelServer['requests'] = [];
  const server = createServer((request, response) => {
    handle(request, response, requests).catch((error: unknown) => response.destroy(error as Error));
  });
  // Clients that try a websocket first are told to use plain HTTP.
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  requests: ModelServer['requests'],
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await bodyOf(request);
  const api = request.method === 'POST' ? apiOf(url.pathname) : undefined;
  if (!api) return other(url, raw, response);
  const asked = api.parse(JSON.parse(raw) as Record<string, unknown>, url);
  const answer = answerOf(asked);
  requests.push({ path: url.pathname, directive: answer.directive });
  if (answer.error !== undefined) {
    response
      .writeHead(answer.error, { 'content-type': 'application/json' })
      .end(JSON.stringify(api.error(answer.error)));
    return;
  }
  // A request that is never answered ends with its client.
  if (answer.hang) return;
  await api.write(response, asked, answer, createHash('sha256').update(raw).digest('hex').slice(0, 24));
}

function apiOf(path: string): ModelApi | undefined {
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/chat/completions')) return openAiChat;
  if (path.endsWith('/responses')) return openAiResponses;
  return /models\/[^/:]+:(stream)?[gG]enerateContent$/.test(path) ? gemini : undefined;
}

/** Lists of models, token counts, and whatever a CLI asks beside them. */
function other(url: URL, raw: string, response: ServerResponse): void {
  const count = Math.ceil(raw.length / 4);
  const body = /count/i.test(url.pathname)
    ? { input_tokens: count, totalTokens: count }
    : { object: 'list', data: [], models: [] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const encoding = request.headers['content-encoding'];
  if (encoding === 'gzip') return gunzipSync(body).toString();
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return body.toString();
}
