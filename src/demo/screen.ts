// A small program with a screen of its own, for the tour and for tests: colours, wide characters, keys, mouse, size. Runs
// alone as `node dist/demo-screen.js`; it uses nothing but the terminal, and leaves it as it found it.
const ESC = '\x1b';
const ENTER = `${ESC}[?1049h${ESC}[?25l${ESC}[?1000h${ESC}[?1006h${ESC}[?2004h${ESC}]2;demo screen${ESC}\\`;
const LEAVE = `${ESC}[?2004l${ESC}[?1006l${ESC}[?1000l${ESC}[?25h${ESC}[0m${ESC}[?1049l`;
/** Four steps a second: enough to see that it lives, few bytes. */
const TICK_MS = 250;
const SPINNER = ['◐', '◓', '◑', '◒'];

interface DemoState {
  cols: number;
  rows: number;
  tick: number;
  lastInput: string;
  click: { x: number; y: number } | null;
}

/** The whole screen as rows of text with SGR, at most `rows` of them, none wider than `cols`. */
export function demoRows(state: DemoState): string[] {
  const rows = [
    `${ESC}[1m${SPINNER[state.tick % SPINNER.length]} agentile demo screen${ESC}[0m`,
    '',
    '16:  ' + swatches(16, (n) => (n < 8 ? `${40 + n}` : `${92 + n}`)),
    '256: ' + swatches(36, (n) => `48;5;${16 + n * 6}`),
    'RGB: ' + swatches(36, (n) => `48;2;${n * 7};${128 + n * 3};${255 - n * 7}`),
    `${ESC}[1mbold${ESC}[0m ${ESC}[2mdim${ESC}[0m ${ESC}[3mitalic${ESC}[0m ${ESC}[4munder${ESC}[0m ${ESC}[7minverse${ESC}[0m`,
    'wide: 漢字 한글 ✅ 👍',
    '',
    `size: ${state.cols}x${state.rows}`,
    `last key: ${state.lastInput}`,
    `mouse: ${state.click ? `${state.click.x + 1},${state.click.y + 1}` : 'click somewhere'}`,
    '',
    'q ends it',
  ];
  return rows.slice(0, state.rows).map((row) => clip(row, state.cols));
}

function swatches(count: number, code: (n: number) => string): string {
  let out = '';
  for (let n = 0; n < count; n++) out += `${ESC}[${code(n)}m `;
  return `${out}${ESC}[0m`;
}

/** Cuts a row after `cols` cells. The wide characters of this screen are known, so no table is needed. */
function clip(row: string, cols: number): string {
  let out = '';
  let used = 0;
  for (const part of row.split(/(\x1b\[[\d;]*m)/)) {
    if (part.startsWith(ESC)) {
      out += part;
      continue;
    }
    for (const char of part) {
      const cells = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\u2705\u{1f300}-\u{1faff}]/u.test(char) ? 2 : 1;
      if (used + cells > cols) return `${out}${ESC}[0m`;
      used += cells;
      out += char;
    }
  }
  return out;
}

/** What was typed, readable: "a", "^C", "ESC [A". */
export function nameInput(text: string): string {
  return text
    .replace(/\x1b/g, 'ESC ')
    .replace(/[\x00-\x1f]/g, (char) => `^${String.fromCharCode(char.charCodeAt(0) + 64)}`)
    .replace(/\x7f/g, '^?')
    .slice(0, 40);
}

/** The state after bytes of stdin; null when the program should end. */
export function demoInput(state: DemoState, text: string): DemoState | null {
  if (text === 'q' || text === '\x03') return null;
  const mouse = /^\x1b\[<(\d+);(\d+);(\d+)M/.exec(text);
  if (!mouse) return { ...state, lastInput: nameInput(text) };
  const click = { x: Number(mouse[2]) - 1, y: Number(mouse[3]) - 1 };
  return { ...state, click, lastInput: `mouse button ${mouse[1]}` };
}

function run(): void {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) {
    process.stdout.write('The demo screen needs a terminal.\n');
    return;
  }
  let state: DemoState = { ...sizeOf(stdout), tick: 0, lastInput: 'press any key', click: null };
  let shown: string[] = [];
  const draw = () => {
    const rows = demoRows(state);
    const changed = rows
      .map((row, y) => (row === shown[y] ? '' : `${ESC}[${y + 1};1H${row}${ESC}[K`))
      .join('');
    shown = rows;
    if (changed !== '') stdout.write(changed);
  };
  const timer = setInterval(() => {
    state = { ...state, tick: state.tick + 1 };
    draw();
  }, TICK_MS);
  const leave = () => {
    clearInterval(timer);
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    process.exit(0);
  };
  stdin.setRawMode(true);
  stdout.write(ENTER);
  stdin.on('data', (bytes: Buffer) => {
    const next = demoInput(state, bytes.toString());
    if (!next) return leave();
    state = next;
    draw();
  });
  stdout.on('resize', () => {
    state = { ...state, ...sizeOf(stdout) };
    shown = [];
    stdout.write(`${ESC}[2J`);
    draw();
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, leave);
  draw();
}

function sizeOf(stdout: NodeJS.WriteStream): { cols: number; rows: number } {
  return { cols: stdout.columns || 80, rows: stdout.rows || 24 };
}

if (process.argv[1] && /demo-screen\.js$/.test(process.argv[1])) run();
