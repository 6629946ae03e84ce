// What a command loads: the bundle's own account of which file is in which chunk, and which chunk loads which.
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../helpers/build.js';

let meta: Metafile;

beforeAll(async () => {
  const result = await build({
    entryPoints: { cli: join(ROOT, 'src/cli.ts') },
    absWorkingDir: ROOT,
    outdir: 'out',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    external: ['node-pty', 'better-sqlite3', '*/tui/main.js', '*/tui/picture.js'],
    logLevel: 'silent',
  });
  meta = result.metafile;
});

/** Every source file that is loaded once the chunk with `source` is, lazy imports left out. */
function loadedWith(source: string): string[] {
  const outputs = Object.entries(meta.outputs);
  const [first] = outputs.find(([, output]) => output.entryPoint === source) ?? [];
  if (!first) throw new Error(`${source} is no chunk of its own`);
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind, external } of meta.outputs[name]!.imports) {
      if (kind === 'dynamic-import') continue;
      if (external) seen.add(path);
      else visit(path);
    }
  };
  visit(first);
  return [...seen].flatMap((name) => (meta.outputs[name] ? Object.keys(meta.outputs[name].inputs) : [name]));
}

const HEAVY =
  /node_modules\/(react|ink|yoga-layout|zod|conf|ajv|@xterm|smol-toml)\/|better-sqlite3|node-pty|src\/(tui|daemon|screen|controllers|providers)\b/;
const heavy = (source: string) => loadedWith(source).filter((file) => HEAVY.test(file));

describe('what is loaded', () => {
  test('"agentile --help" loads the table and commander, nothing heavy', () => {
    expect(heavy('src/cli.ts')).toEqual([]);
    expect(loadedWith('src/cli.ts').some((file) => file.includes('node_modules/commander'))).toBe(true);
  });

  test.each(['ls', 'send', 'wait', 'read', 'new', 'session', 'answer', 'signal', 'explain', 'daemon', 'log'])(
    '"agentile %s" loads neither React nor SQLite nor the emulator',
    (name) => {
      expect(heavy(`src/cli/${name}.ts`)).toEqual([]);
      expect(heavy('src/wire/launch.ts')).toEqual([]);
    },
  );

  test('the measure itself sees heavy parts where they are', () => {
    expect(heavy('src/daemon/log-export.ts').length).toBeGreaterThan(0);
  });
});
