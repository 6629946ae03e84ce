// The native half of node-pty: fork a program on a new PTY, resize it. Only pty.ts uses it. We take the native functions
// and not node-pty's own class, because that class (1.1.0) retries a full PTY in a spin, and closes a paused PTY 200 ms
// after the exit with output unread. The version is pinned for that reason.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AgentileError, messageOf } from '../base/errors.js';

export interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

let loaded: { native: NativePty; helperPath: string } | undefined;

/** Loads it on first use. Throws NATIVE_MISSING with what to install. */
export function loadNativePty(): { native: NativePty; helperPath: string } {
  if (loaded) return loaded;
  const load = createRequire(import.meta.url);
  try {
    const native = (load('node-pty') as { native: NativePty | null }).native;
    if (!native) throw new Error(`node-pty has no native part for ${process.platform}`);
    loaded = { native, helperPath: helperPathIn(dirname(load.resolve('node-pty/package.json'))) };
    return loaded;
  } catch (error) {
    throw new AgentileError(
      'NATIVE_MISSING',
      `Terminals need node-pty, which could not be loaded: ${firstLine(error)}`,
      {
        hint: 'Install python3, make and g++, then run "npm rebuild node-pty" in the agentile folder.',
        cause: error,
      },
    );
  }
}

/** macOS starts programs through this helper; elsewhere it is not used. */
function helperPathIn(folder: string): string {
  const built = join(folder, 'build/Release/spawn-helper');
  if (existsSync(built)) return built;
  return join(folder, `prebuilds/${process.platform}-${process.arch}/spawn-helper`);
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0] ?? '';
}
