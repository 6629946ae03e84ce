// Makes the tables of docs/ from the tables in src/: keys, exit codes, options. `--check` writes nothing and fails when one
// is stale. Plain node: the TypeScript tables are bundled in memory first.
import { build } from 'esbuild';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { providersDoc } from './docs-providers.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes('--check');

/** The exports of a TypeScript file that imports nothing heavy. */
async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: { AGENTILE_VERSION: '"docs"' },
  });
  const code = Buffer.from(outputFiles[0].text).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

const cell = (text) => String(text).replaceAll('|', '\\|');
const code = (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const note = (source) => `<!-- Made from ${source} by "npm run docs". Do not edit. -->`;

async function keysDoc() {
  const { ACTIONS, ACTION_LAYERS, LAYER_TITLES, DEFAULT_PREFIX } = await load('src/tui/keymap.ts');
  const parts = ACTION_LAYERS.map((layer) => {
    const rows = ACTIONS.filter((action) => action.layer === layer).map((action) => [
      action.keys.map(code).join(', ') || 'palette only',
      action.doc,
      code(action.id),
    ]);
    return `## ${LAYER_TITLES[layer]}\n\n${table(['key', 'does', 'action'], rows)}`;
  });
  return `${note('src/tui/keymap.ts')}

# Keys

The prefix is \`${DEFAULT_PREFIX}\` (\`keys.prefix\`). Typed twice it is sent to the program. In a terminal pane every key goes to the
program except the prefix and the keys below that have no \`prefix\` before them. Any binding can be changed or taken away:

\`\`\`toml
[keys]
prefix = "ctrl+a"
[keys.bindings]
zoom = ["alt+f", "prefix z"]
focus-left = "" # unbound
\`\`\`

${parts.join('\n\n')}
`;
}

async function exitDoc() {
  const { EXIT_CODES, ERROR_CODES } = await load('src/base/errors.ts');
  const errors = Object.entries(ERROR_CODES);
  const rows = Object.entries(EXIT_CODES).map(([name, exit]) => [
    exit,
    name,
    errors
      .filter(([, one]) => one.exit === name)
      .map(([id]) => code(id))
      .join(', '),
  ]);
  const meanings = errors.map(([id, { exit, meaning }]) => [code(id), EXIT_CODES[exit], meaning]);
  return `${note('src/base/errors.ts')}

# Exit codes

Errors go to stderr in one line: what happened, then what to do. With \`--json\` the error is \`{code, message, hint}\`.

${table(['exit', 'name', 'error codes'], rows)}

## Error codes

${table(['code', 'exit', 'means'], meanings)}
`;
}

async function optionsDoc() {
  const { OPTIONS } = await load('src/config/options.ts');
  const typeOf = (type) => {
    if (type.kind === 'choice') return type.of.map(code).join(', ');
    if (type.kind === 'integer' || type.kind === 'number') return `${type.kind}, ${type.min} to ${type.max}`;
    return type.kind;
  };
  const rows = OPTIONS.map((row) => [
    code(row.name),
    typeOf(row.type),
    code(JSON.stringify(row.default)),
    row.doc,
  ]);
  return `${note('src/config/options.ts')}

# Options

Settings live in \`config.toml\` (\`agentile config path\` says where). \`agentile config get|set|check\` read and write them. The name
before the dot is the table in the file.

${table(['option', 'values', 'default', 'does'], rows)}
`;
}

const docs = [
  ['docs/keys.md', 'src/tui/keymap.ts', keysDoc],
  ['docs/exit-codes.md', 'src/base/errors.ts', exitDoc],
  ['docs/options.md', 'src/config/options.ts', optionsDoc],
  ['docs/providers.md', 'providers.toml', () => providersDoc(load)],
];

let stale = 0;
for (const [path, source, make] of docs) {
  if (!existsSync(join(root, source))) continue;
  const file = join(root, path);
  const text = await make();
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text === before) continue;
  if (check) {
    process.stderr.write(`${path} is stale: run "npm run docs".\n`);
    stale++;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`${path} written\n`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
