// terminal/*: commands that the agent asks us to run, on pipes, with a bounded tail of output. They belong to one connection and
// end with it. Rejects with RpcError.
import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import type { Disposable } from '../base/disposable.js';
import { messageOf } from '../base/errors.js';
import { INVALID_PARAMS, RpcError } from '../io/jsonrpc.js';
import type { ProcessExit, ProcessSpec, RunningProcess } from '../io/running-process.js';

/** Output kept of one terminal when the agent names no limit. */
const DEFAULT_TAIL_BYTES = 256 * 1024;
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_TERMINALS = 32;
/** SIGTERM first; what is left after this gets SIGKILL. */
const KILL_GRACE_MS = 5000;

export interface TerminalRequest {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  outputByteLimit?: number;
}

export interface TerminalState {
  output: string;
  truncated: boolean;
  exitStatus?: { exitCode: number | null; signal: string | null };
}

export type SpawnPiped = (spec: ProcessSpec) => Promise<RunningProcess>;

interface Held {
  process: RunningProcess;
  tail: OutputTail;
  exit: ProcessExit | undefined;
  waiters: ((exit: ProcessExit) => void)[];
  killTimer?: NodeJS.Timeout;
}

export class AcpTerminals implements Disposable {
  #spawn: SpawnPiped;
  #held = new Map<string, Held>();

  constructor(spawn: SpawnPiped) {
    this.#spawn = spawn;
  }

  get count(): number {
    return this.#held.size;
  }

  async create(request: TerminalRequest): Promise<string> {
    if (this.#held.size >= MAX_TERMINALS)
      throw new RpcError(INVALID_PARAMS, `at most ${MAX_TERMINALS} terminals are open at once`);
    let process: RunningProcess;
    try {
      process = await this.#spawn({
        file: request.command,
        args: request.args,
        cwd: request.cwd,
        env: request.env,
      });
    } catch (error) {
      throw new RpcError(INVALID_PARAMS, `${request.command} could not be started: ${messageOf(error)}`);
    }
    process.eof();
    const capBytes = Math.min(request.outputByteLimit ?? DEFAULT_TAIL_BYTES, MAX_TAIL_BYTES);
    const held: Held = { process, tail: new OutputTail(capBytes), exit: undefined, waiters: [] };
    process.onOutput(({ bytes }) => held.tail.push(bytes));
    process.onExit((exit) => {
      held.exit = exit;
      clearTimeout(held.killTimer);
      for (const wake of held.waiters.splice(0)) wake(exit);
    });
    const terminalId = `term-${randomUUID()}`;
    this.#held.set(terminalId, held);
    return terminalId;
  }

  output(terminalId: string): TerminalState {
    const { tail, exit } = this.#get(terminalId);
    return {
      output: tail.text,
      truncated: tail.truncated,
      ...(exit ? { exitStatus: exitStatus(exit) } : {}),
    };
  }

  waitForExit(terminalId: string): Promise<{ exitCode: number | null; signal: string | null }> {
    const held = this.#get(terminalId);
    if (held.exit) return Promise.resolve(exitStatus(held.exit));
    return new Promise((resolve) => held.waiters.push((exit) => resolve(exitStatus(exit))));
  }

  /** Ends the command and keeps the terminal and its output. */
  kill(terminalId: string): void {
    const held = this.#get(terminalId);
    if (held.exit || held.killTimer) return;
    held.process.signal('SIGTERM');
    held.killTimer = setTimeout(() => held.process.signal('SIGKILL'), KILL_GRACE_MS);
    held.killTimer.unref();
  }

  /** Forgets the terminal; a command that still runs is ended, and whoever waits hears how. */
  release(terminalId: string): void {
    this.kill(terminalId);
    this.#held.delete(terminalId);
  }

  dispose(): void {
    for (const { process, killTimer, exit } of this.#held.values()) {
      clearTimeout(killTimer);
      if (!exit) process.signal('SIGKILL');
    }
    this.#held.clear();
  }

  #get(terminalId: string): Held {
    const held = this.#held.get(terminalId);
    if (!held) throw new RpcError(INVALID_PARAMS, `no such terminal: ${terminalId}`);
    return held;
  }
}

/** The last `capBytes` bytes as text; cut at a character, never in one. */
class OutputTail {
  truncated = false;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(private readonly capBytes: number) {}

  push(bytes: Uint8Array): void {
    this.#chunks.push(Buffer.from(bytes));
    this.#bytes += bytes.length;
    if (this.#bytes > this.capBytes * 2) this.#cut();
  }

  get text(): string {
    if (this.#bytes > this.capBytes) this.#cut();
    return new StringDecoder('utf8').write(Buffer.concat(this.#chunks));
  }

  #cut(): void {
    this.truncated = true;
    const all = Buffer.concat(this.#chunks);
    let from = Math.max(0, all.length - this.capBytes);
    while (from < all.length && (all[from]! & 0xc0) === 0x80) from++;
    this.#chunks = [Buffer.from(all.subarray(from))];
    this.#bytes = this.#chunks[0]!.length;
  }
}

function exitStatus(exit: ProcessExit): { exitCode: number | null; signal: string | null } {
  return { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null };
}
