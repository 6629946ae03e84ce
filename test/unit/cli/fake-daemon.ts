// A daemon for tests of commands: a real socket that answers requests from a table, and a context that keeps what a
// command prints. Everything between the command line and the socket is real.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { AgentileError } from '../../../src/base/errors.js';
import { CommandContext } from '../../../src/cli/context.js';
import { runProgram } from '../../../src/cli/program.js';
import { FrameLink } from '../../../src/io/frame-link.js';
import type { SessionView } from '../../../src/wire/messages.js';
import { WIRE_PROTOCOL, type FromDaemon, type Method, type ToDaemon } from '../../../src/wire/messages.js';
import { parseRequest, parseToDaemon } from '../../../src/wire/validate.js';
import { VERSION } from '../../../src/base/version.js';

type Answers = Partial<Record<Method, (params: any) => unknown>>;

export class FakeWorld {
  readonly home = mkdtempSync('/tmp/agentile-cli-');
  readonly env: NodeJS.ProcessEnv = { HOME: this.home, XDG_RUNTIME_DIR: this.home };
  /** Requests as they came, checked as the daemon checks them. */
  readonly asked: { method: Method; params: any }[] = [];
  hello: FromDaemon = {
    t: 'hello',
    protocol: WIRE_PROTOCOL,
    version: VERSION,
    pid: process.pid,
    startedAt: 1,
  };
  #server: Server | undefined;
  #sockets = new Set<Socket>();

  /** Messages that are not requests are given to `react`. */
  async serve(
    answers: Answers,
    react: (message: ToDaemon, send: (message: FromDaemon) => void) => void = () => {},
  ) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      const link = new FrameLink<FromDaemon, ToDaemon>(socket);
      link.onFrame(({ header }) => {
        const message = parseToDaemon(header);
        if (message.t === 'hello') link.send(this.hello);
        else if (message.t === 'request') link.send(this.#reply(message, answers));
        else react(message, (push) => link.send(push));
      });
    });
    const { daemonSocket } = new CommandContext(this.env).paths;
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(daemonSocket, '..'), { recursive: true });
    await new Promise<void>((resolve) => this.#server!.listen(daemonSocket, resolve));
  }

  #reply(message: Extract<ToDaemon, { t: 'request' }>, answers: Answers): FromDaemon {
    const { id, method } = message;
    try {
      const params = parseRequest(method, message.params);
      this.asked.push({ method, params });
      const answer = answers[method];
      if (!answer) throw new AgentileError('INTERNAL', `the test has no answer to ${method}`);
      return { t: 'reply', id, ok: true, result: answer(params) };
    } catch (error) {
      return { t: 'reply', id, ok: false, error: (error as AgentileError).toJSON() };
    }
  }

  /** Runs a command line in this process. */
  async run(...argv: string[]): Promise<{ exitCode: number; out: string; err: string }> {
    const context = new TestContext(this.env, this.home);
    const exitCode = await runProgram(argv, context);
    return { exitCode, out: context.out, err: context.err };
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
    rmSync(this.home, { recursive: true, force: true });
  }
}

class TestContext extends CommandContext {
  out = '';
  err = '';

  override get hasTerminal(): boolean {
    return true;
  }

  override write(text: string): void {
    this.out += text;
  }

  override note(text: string): void {
    this.err += `${text}\n`;
  }
}

/** A session as the daemon shows it. */
export function sessionView(more: Partial<SessionView> & { name?: string } = {}): SessionView {
  const { name = 'fix', ...rest } = more;
  return {
    number: 1,
    session: { id: 's-0000000001', name, providerId: 'p', cwd: '/tmp', launch: {}, createdAt: 0 } as never,
    providerName: 'Provider',
    controller: 'acp',
    queue: [],
    requests: [],
    status: 'idle',
    statusSince: Date.now() - 5000,
    ...rest,
  };
}
