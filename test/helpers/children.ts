// Tiny real programs and what a consumer of a child does in tests: collect, acknowledge, wait for the end.
import { join } from 'node:path';
import type { ChildExit, ChildHandle } from '../../src/keeper/child-handle.js';
import type { ChildSpec, StreamName } from '../../src/keeper/protocol.js';
import type { ChildId } from '../../src/model/ids.js';
import { ROOT } from './build.js';

export const agent = (name: string) => join(ROOT, 'test/agents', name);

let nextChild = 1;

/** A spec with a fresh id, in the temp folder, with nothing but PATH in its environment. */
export function specOf(
  stdio: 'pty' | 'pipe',
  file: string,
  args: string[],
  more: Partial<ChildSpec> = {},
): ChildSpec {
  const childId = `test-${process.pid}-${nextChild++}` as ChildId;
  return { childId, stdio, file, args, cwd: '/tmp', env: { PATH: process.env['PATH']! }, ...more };
}

export const nodeSpec = (
  stdio: 'pty' | 'pipe',
  script: string,
  args: string[] = [],
  more: Partial<ChildSpec> = {},
) => specOf(stdio, process.execPath, [agent(script), ...args], more);

export interface Collected {
  text: Record<StreamName, string>;
  bytes: Record<StreamName, number>;
  closed: StreamName[];
  exit?: ChildExit;
  blocked: number[];
  ended: Promise<ChildExit>;
}

/** Takes all output, acknowledges it, and notes what came; throws when an offset is not where the last one ended. */
export function collect(
  handle: ChildHandle,
  options: { ack?: boolean; from?: number; keepText?: boolean } = {},
): Collected {
  const { ack = true, from = 0, keepText = true } = options;
  const got: Collected = {
    text: { stdout: '', stderr: '' },
    bytes: { stdout: from, stderr: 0 },
    closed: [],
    blocked: [],
    ended: new Promise((resolve) => handle.onExit(resolve)),
  };
  handle.onOutput(({ stream, offset, bytes }) => {
    if (offset !== got.bytes[stream])
      throw new Error(`${stream} jumped from ${got.bytes[stream]} to ${offset}`);
    if (got.exit) throw new Error('output after the exit');
    got.bytes[stream] += bytes.length;
    if (keepText) got.text[stream] += Buffer.from(bytes).toString('latin1');
    if (ack) handle.ack(stream, got.bytes[stream]);
  });
  handle.onStreamClosed((stream) => got.closed.push(stream));
  handle.onInputBlocked((queued) => got.blocked.push(queued));
  handle.onExit((exit) => {
    got.exit = exit;
  });
  return got;
}
