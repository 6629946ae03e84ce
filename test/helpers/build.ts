// Bundles an entry of src/ for tests that start real processes, so that no test depends on a stale dist/. Kept under
// node_modules, where the bundle finds node-pty and better-sqlite3, and built once per state of the sources.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CACHE = join(ROOT, 'node_modules/.cache/agentile-test');
/** Builds that nobody used for this long are removed. */
const KEEP_MS = 60 * 60 * 1000;

const ENTRIES = {
  cli: 'src/cli.ts',
  daemon: 'src/daemon/main.ts',
  keeper: 'src/keeper/main.ts',
  tui: 'src/tui/main.tsx',
  'demo-agent': 'src/demo/agent.ts',
  'demo-screen': 'src/demo/screen.ts',
} as const;
export type EntryName = keyof typeof ENTRIES;

const building = new Map<string, Promise<string>>();

/** The path of a runnable bundle of one entry (keeper, daemon, cli, tui …), built from the sources as they are now. */
export function builtEntry(name: EntryName): Promise<string> {
  return builtFile(name, ENTRIES[name]);
}

/** The same for any TypeScript program, named by its path from the root of the repository. */
export function builtFile(name: string, source: string): Promise<string> {
  let promise = building.get(name);
  if (!promise) {
    promise = buildFile(name, source);
    building.set(name, promise);
  }
  return promise;
}

async function buildFile(name: string, source: string): Promise<string> {
  const folder = join(CACHE, `${name}-${stateOf('src', source)}`);
  const file = join(folder, `${name}.js`);
  if (existsSync(file)) return file;
  removeOld();
  // Several vitest workers may build at once: each into its own folder, and one rename wins.
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  await build({
    entryPoints: { [name]: join(ROOT, source) },
    outdir: draft,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    external: ['node-pty', 'better-sqlite3'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      AGENTILE_VERSION: '"test"',
    },
    alias: { 'react-devtools-core': join(ROOT, 'scripts/empty-module.mjs') },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(file)) throw error;
  }
  return file;
}

function stateOf(...paths: string[]): string {
  const hash = createHash('sha256');
  const walk = (path: string) => {
    const stat = statSync(path);
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
    else hash.update(`${path} ${stat.mtimeMs} ${stat.size}\n`);
  };
  for (const path of paths) walk(join(ROOT, path));
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > KEEP_MS) rmSync(path, { recursive: true, force: true });
  }
}
