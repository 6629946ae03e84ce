// Bundles src/ into dist/: one entry per process kind, shared chunks split off. `--if-stale` does nothing when dist/ is newer.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

function newestMtime(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMtime(join(path, name))));
}

function isFresh() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  return ['src', 'scripts/build.mjs', 'package.json'].every((path) => newestMtime(join(root, path)) <= built);
}

const entries = {
  cli: 'src/cli.ts',
  daemon: 'src/daemon/main.ts',
  keeper: 'src/keeper/main.ts',
  tui: 'src/tui/main.tsx',
  'demo-agent': 'src/demo/agent.ts',
  'demo-screen': 'src/demo/screen.ts',
};

async function run() {
  if (process.argv.includes('--if-stale') && isFresh()) return;
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const entryPoints = Object.fromEntries(
    Object.entries(entries)
      .filter(([, path]) => existsSync(join(root, path)))
      .map(([name, path]) => [name, join(root, path)]),
  );
  await build({
    entryPoints,
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    legalComments: 'none',
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    external: ['node-pty', 'better-sqlite3'],
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.DEV': '"false"',
      AGENTILE_VERSION: JSON.stringify(version),
    },
    alias: { 'react-devtools-core': join(root, 'scripts/empty-module.mjs') },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  writeFileSync(stamp, `${version}\n`);
}

await run();
