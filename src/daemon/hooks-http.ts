// The loopback endpoint for hooks of providers: POST a signal, with the run's token, and nothing else. A token is good for
// its own run only. Tokens and the port outlive the daemon, because children keep them in their environment.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Disposable } from '../base/disposable.js';
import { AgentileError, errnoOf, messageOf } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { ensureDir } from '../base/paths.js';
import type { RunId } from '../model/ids.js';
import type { RunSignalBody } from '../model/signal.js';
import { parseRequest } from '../wire/validate.js';

/** A signal is a few hundred bytes. */
const BODY_MAX_BYTES = 64 * 1024;
/** A hook that does not finish its request is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
const SECRET_BYTES = 32;

export interface HookSignal {
  runId: RunId;
  attempt: number;
  signal: RunSignalBody;
}

export interface HooksOptions {
  /** Holds the secret and the port, both 0600. */
  stateDir: string;
  diagnostics: Log;
  /** The token was right. True: the signal was admitted. */
  onSignal(signal: HookSignal): boolean;
}

/** Listens on 127.0.0.1 while it lives: on the port of the last daemon when that is free. */
export class HooksEndpoint implements Disposable {
  #options: HooksOptions;
  #server: Server;
  #secret: Buffer;
  #url: string | undefined;

  constructor(options: HooksOptions) {
    this.#options = options;
    ensureDir(options.stateDir);
    this.#secret = loadSecret(join(options.stateDir, 'hooks.secret'));
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.requestTimeout = REQUEST_TIMEOUT_MS;
  }

  /** "http://127.0.0.1:<port>"; undefined until `start` and when no port could be had. */
  get url(): string | undefined {
    return this.#url;
  }

  async start(): Promise<void> {
    const portFile = join(this.#options.stateDir, 'hooks.port');
    try {
      const last = readNumber(portFile);
      const port = await this.#listen(last).catch((error: unknown) => {
        if (last === 0 || errnoOf(error) !== 'EADDRINUSE') throw error;
        return this.#listen(0);
      });
      this.#url = `http://127.0.0.1:${port}`;
      writeFileSync(portFile, `${port}\n`, { mode: 0o600 });
    } catch (error) {
      // Hooks are one of several sources of signals: without them the daemon works on.
      this.#options.diagnostics.error('no endpoint for hooks', { error });
    }
  }

  tokenOf(runId: RunId): string {
    return createHmac('sha256', this.#secret).update(runId).digest('base64url');
  }

  isToken(runId: RunId, token: string): boolean {
    const expected = Buffer.from(this.tokenOf(runId));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  dispose(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const signal = await this.#check(request);
      answer(response, 200, { admitted: this.#options.onSignal(signal) });
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 400;
      answer(response, status, { error: messageOf(error) });
    }
  }

  /** POST /runs/<runId>/signals, or POST / with the run id in the body. */
  async #check(request: IncomingMessage): Promise<HookSignal> {
    if (request.method !== 'POST') throw new HttpError(405, 'Only POST is known here.');
    // A page in a browser cannot send this header to another site without being asked; a hook can.
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!token) throw new HttpError(401, 'Authorization: Bearer <AGENTILE_TOKEN> is missing.');
    const body = JSON.parse(await readBody(request)) as Record<string, unknown>;
    const runId = /^\/runs\/([\w-]+)\/signals\/?$/.exec(request.url ?? '')?.[1] ?? body['runId'];
    const { attempt, signal } = body;
    const parsed = parseRequest('session/signal', { runId, attempt, signal });
    if (!this.isToken(parsed.runId, token)) throw new HttpError(403, 'The token is of another run.');
    return { runId: parsed.runId, attempt: parsed.attempt, signal: parsed.signal };
  }
}

class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES) throw new HttpError(413, `More than ${BODY_MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

function loadSecret(file: string): Buffer {
  try {
    const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
    if (secret.length === SECRET_BYTES) return secret;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') {
      throw new AgentileError('INTERNAL', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(file, `${secret.toString('base64url')}\n`, { mode: 0o600 });
  return secret;
}

function readNumber(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8').trim());
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    // The first daemon here: any port will do.
    return 0;
  }
}
