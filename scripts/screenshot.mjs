// Makes docs/screen.svg from the real screen: runs the built program in a PTY with an emulator, presses the keys given, and
// draws the cells. `node scripts/screenshot.mjs [--keys "…"] [--wait REGEX] [--out FILE] [--cols N] [--rows N] [-- args]`
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless');
const pty = require('node-pty');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const options = { keys: [], out: join(root, 'docs/screen.svg'), cols: 100, rows: 30, args: ['start'] };
const argv = process.argv.slice(2);
for (let i = 0; i < argv.length; i++) {
  if (argv[i] === '--') {
    options.args = argv.slice(i + 1);
    break;
  }
  const value = argv[++i];
  if (argv[i - 1] === '--keys') options.keys.push({ type: 'keys', value: JSON.parse(`"${value}"`) });
  else if (argv[i - 1] === '--wait') options.keys.push({ type: 'wait', value: new RegExp(value) });
  else if (argv[i - 1] === '--out') options.out = value;
  else if (argv[i - 1] === '--cols') options.cols = Number(value);
  else if (argv[i - 1] === '--rows') options.rows = Number(value);
}

const world = mkdtempSync(join(tmpdir(), 'agentile-shot-'));
const home = join(world, 'home');
const project = join(home, 'shop');
mkdirSync(join(world, 'run'), { mode: 0o700 });
mkdirSync(project, { recursive: true });
const env = {
  PATH: process.env.PATH,
  HOME: home,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  TMPDIR: world,
  XDG_RUNTIME_DIR: join(world, 'run'),
  AGENTILE_KEEPER_LINGER_MS: '500',
};
writeFileSync(join(home, '.bashrc'), "PS1='\\[\\e[32m\\]shop\\[\\e[0m\\] $ '\n");

const term = new Terminal({ cols: options.cols, rows: options.rows, allowProposedApi: true });
const child = pty.spawn(process.execPath, [join(root, 'bin/agentile.js'), ...options.args], {
  name: 'xterm-256color',
  cols: options.cols,
  rows: options.rows,
  cwd: project,
  env,
  encoding: null,
});
child.onData((data) => term.write(data));
term.onData((data) => child.write(data));

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const line = (y) => term.buffer.active.getLine(term.buffer.active.viewportY + y);
const text = () => Array.from({ length: options.rows }, (_, y) => line(y).translateToString(true)).join('\n');

async function settle() {
  for (let last = '', same = 0; same < 6;) {
    await sleep(100);
    const now = text();
    same = now === last && now.trim() !== '' ? same + 1 : 0;
    last = now;
  }
}

const PALETTE =
  '#1d1f21 #cc6666 #98c379 #e5c07b #61afef #c678dd #56b6c2 #d7dae0 #6b7280 #e06c75 #b5e890 #ffd580 #8cc8ff #dfa6ef #7fd7e0 #ffffff'.split(
    ' ',
  );
const CUBE = [0, 95, 135, 175, 215, 255];
function indexed(i) {
  if (i < 16) return PALETTE[i];
  const rgb =
    i < 232
      ? [CUBE[Math.floor((i - 16) / 36)], CUBE[Math.floor((i - 16) / 6) % 6], CUBE[(i - 16) % 6]]
      : Array(3).fill(8 + (i - 232) * 10);
  return `rgb(${rgb.join(',')})`;
}
function color(cell, what) {
  if (what === 'fg' ? cell.isFgDefault() : cell.isBgDefault()) return undefined;
  const value = what === 'fg' ? cell.getFgColor() : cell.getBgColor();
  if (what === 'fg' ? cell.isFgRGB() : cell.isBgRGB()) return `#${value.toString(16).padStart(6, '0')}`;
  return indexed(value);
}
const escape = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function svg() {
  const W = 8.4;
  const H = 18;
  const width = options.cols * W + 24;
  const height = options.rows * H + 24;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="agentile in a terminal">`,
    `<rect width="100%" height="100%" rx="8" fill="#16181d"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">`,
  ];
  for (let y = 0; y < options.rows; y++) {
    const row = line(y);
    for (let x = 0; x < options.cols; x++) {
      const cell = row.getCell(x);
      if (!cell || cell.getWidth() === 0) continue;
      let fg = color(cell, 'fg') ?? '#d7dae0';
      let bg = color(cell, 'bg');
      if (cell.isInverse()) [fg, bg] = [bg ?? '#16181d', fg];
      const px = (12 + x * W).toFixed(1);
      if (bg)
        out.push(
          `<rect x="${px}" y="${12 + y * H}" width="${(W * cell.getWidth() + 0.3).toFixed(1)}" height="${H}" fill="${bg}"/>`,
        );
      const chars = cell.getChars();
      if (!chars.trim()) continue;
      const style = `${cell.isBold() ? ' font-weight="bold"' : ''}${cell.isItalic() ? ' font-style="italic"' : ''}${cell.isDim() ? ' opacity="0.6"' : ''}${cell.isUnderline() ? ' text-decoration="underline"' : ''}`;
      out.push(`<text x="${px}" y="${12 + y * H + 14}" fill="${fg}"${style}>${escape(chars)}</text>`);
    }
  }
  out.push('</g></svg>', '');
  return out.join('\n');
}

try {
  await settle();
  for (const step of options.keys) {
    if (step.type === 'keys') child.write(step.value);
    else for (let i = 0; i < 100 && !step.value.test(text()); i++) await sleep(100);
    await settle();
  }
  writeFileSync(options.out, svg());
  process.stdout.write(`${text()}\n`);
} finally {
  child.kill('SIGKILL');
  // Daemon, keeper and children of this world carry its HOME in their environment.
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let environ = '';
    try {
      environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      continue; // gone, or another user's
    }
    if (environ.includes(`HOME=${home}\0`)) process.kill(Number(pid), 'SIGKILL');
  }
  rmSync(world, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
