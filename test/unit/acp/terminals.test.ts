import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { AcpTerminals } from '../../../src/acp/terminals.js';
import { spawnChild } from '../../../src/io/child.js';

const env = { PATH: process.env['PATH'] ?? '' };
const terminals = new AcpTerminals(spawnChild);
afterEach(() => terminals.dispose());

const shell = (script: string, outputByteLimit?: number) =>
  terminals.create({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: tmpdir(),
    env,
    ...(outputByteLimit ? { outputByteLimit } : {}),
  });

describe('terminals that an agent asks for', () => {
  it('runs a command to its end: output of both streams, exit code', async () => {
    const id = await shell('echo out; echo err >&2; exit 3');
    expect(await terminals.waitForExit(id)).toEqual({ exitCode: 3, signal: null });
    const state = terminals.output(id);
    expect(state.output.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(state).toMatchObject({ truncated: false, exitStatus: { exitCode: 3, signal: null } });
  });

  it('keeps a bounded tail, cut at a character', async () => {
    const id = await shell('i=0; while [ $i -lt 2000 ]; do printf "世界"; i=$((i+1)); done', 100);
    await terminals.waitForExit(id);
    const { output, truncated } = terminals.output(id);
    expect(truncated).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(100);
    expect(output).toMatch(/^(世界|界)(世界)*$/);
  });

  it('kill ends the command and keeps the output; release of a running one ends it too', async () => {
    const killed = await shell('echo begun; exec sleep 60');
    const end = terminals.waitForExit(killed);
    terminals.kill(killed);
    expect(await end).toEqual({ exitCode: null, signal: 'SIGTERM' });
    const released = await shell('exec sleep 60');
    const releasedEnd = terminals.waitForExit(released);
    terminals.release(released);
    expect(await releasedEnd).toMatchObject({ signal: 'SIGTERM' });
    expect(() => terminals.output(released)).toThrow(/no such terminal/);
  });

  it('says why a command could not be started', async () => {
    const missing = terminals.create({ command: '/no/such/program', args: [], cwd: tmpdir(), env });
    await expect(missing).rejects.toThrow(/could not be started/);
    expect(terminals.count).toBe(0);
  });
});
