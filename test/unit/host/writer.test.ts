// The host's stdout on a link that stops: the event loop goes on, and every byte arrives, once and in order (EAGAIN).
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as pty from 'node-pty';
import { expect, it } from 'vitest';

const SOURCE = `
import { appendFileSync } from 'node:fs';
import { HostWriter } from './src/tui/host/writer.ts';
process.stdin.setRawMode(true);
const writer = new HostWriter(process.stdout);
let done = 0;
for (let i = 0; i < 400; i++) writer.write(String(i).padStart(5, '0') + 'y'.repeat(1995), () => done++);
const log = (value) => appendFileSync(process.env.LOG, JSON.stringify(value) + '\\n');
let ticks = 0;
const timer = setInterval(() => log({ ticks: ++ticks, done, inFlight: writer.inFlight }), 5);
void writer.idle().then(() => { clearInterval(timer); log({ idle: done }); process.stdin.pause(); });
`;

it('B11 A09: a stalled host stops neither the loop nor loses a byte', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentile-writer-'));
  const logFile = join(folder, 'log');
  try {
    const outfile = join(folder, 'writer.mjs');
    await build({
      stdin: { contents: SOURCE, resolveDir: process.cwd(), loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
    let output = '';
    let exited = false;
    const child = pty.spawn(process.execPath, [outfile], {
      cols: 80,
      rows: 24,
      env: { LOG: logFile, PATH: process.env.PATH! },
    });
    child.pause();
    child.onData((text) => (output += text));
    child.onExit(() => (exited = true));
    const log = () =>
      existsSync(logFile)
        ? readFileSync(logFile, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as { ticks?: number; done?: number; idle?: number })
        : [];
    const until = async (what: string, condition: () => boolean) => {
      const end = Date.now() + 15_000;
      while (!condition()) {
        if (Date.now() > end) throw new Error(`waited for ${what}: ${output.length} bytes`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    // Nobody reads: the loop must tick on while writes wait.
    await until('ticks of the stalled program', () => (log().at(-1)?.ticks ?? 0) >= 5);
    expect(log().at(-1)!.done).toBeLessThan(400);
    child.resume();
    await until('all bytes', () => exited && output.length >= 400 * 2000);
    expect(log().at(-1)).toEqual({ idle: 400 });
    const expected = Array.from(
      { length: 400 },
      (_, i) => String(i).padStart(5, '0') + 'y'.repeat(1995),
    ).join('');
    expect(output === expected).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
