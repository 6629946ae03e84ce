// The TUI through the real bin, in a real PTY, on a real emulator's screen: tiles, keys, detach, and the daemon's death.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../helpers/host.js';
import { World } from '../helpers/world.js';

const PREFIX = '\x1d';
/** Of a person and of root. */
const PROMPT = /[$#] *$/;

describe('the TUI', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.dispose());

  /** Opens an empty workspace and starts the shell the picker offers first. */
  async function startShell(host: Host): Promise<void> {
    await host.waitForText('Start');
    host.type('\r');
    await host.waitFor('the shell', (h) => /1 shell/.test(h.screen()[0]!) && PROMPT.test(h.screen()[1]!));
  }

  it('splits, moves the focus, zooms and closes', async () => {
    const host = world.start();
    await startShell(host);
    host.type('echo left-$((40+2))\r');
    await host.waitForText('left-42');
    host.type(`${PREFIX}%`);
    await host.waitFor('two tiles', (h) => h.screen()[0]!.includes('▸2'));
    await host.waitFor('a prompt on the right', (h) => h.screen().some((row) => /│.*[$#] *$/.test(row)));
    host.type('echo right-$((1+1))\r');
    await host.waitFor('its answer on the right', (h) => h.screen().some((row) => /│right-2/.test(row)));
    host.type('\x1bh');
    await host.waitFor('focus on the left', (h) => h.screen()[0]!.includes('▸1'));
    host.type('\x1bz');
    await host.waitFor('one tile', (h) => !h.screen()[2]!.includes('│') && h.text().includes('zoomed'));
    host.type('\x1bz');
    await host.waitFor('two tiles again', (h) => h.screen()[2]!.includes('│'));
    host.type(`${PREFIX}x`);
    await host.waitForText('Its program is running');
    host.type('y');
    await host.waitFor(
      'the other tile alone',
      (h) => h.screen()[0]!.includes('▸2') && !h.text().includes('│right'),
    );
  });

  it('A02: a killed client, then a killed daemon, cost nothing', async () => {
    const host = world.start();
    await startShell(host);
    host.type("export MARK=kept-$((3*7)); echo 'mark''ed'\r");
    await host.waitForText('marked');
    host.kill('SIGKILL');
    await host.waitFor('the end of the client', (h) => h.exited !== undefined);
    const again = world.start();
    await again.waitFor('the same tile', (h) => /▸1 shell/.test(h.screen()[0]!));
    const before = world.daemonPid!;
    process.kill(before, 'SIGKILL');
    await again.waitFor('another daemon', () => ![undefined, before].includes(world.daemonPid));
    again.type('echo $MARK\r');
    await again.waitForText('kept-21');
  });

  it('A36: every ctrl letter reaches the child, and the prefix typed twice', async () => {
    const host = world.start();
    await startShell(host);
    host.type("stty raw -echo; echo 'read''y'; cat -v\r");
    await host.waitForText('ready');
    // Not I and J: cat shows a tab and a line feed as themselves.
    const letters = [...'abcdefghklmnopqrstuvwxyz'];
    host.type(letters.map((letter) => String.fromCharCode(letter.charCodeAt(0) & 0x1f)).join(''));
    await host.waitForText(letters.map((letter) => `^${letter.toUpperCase()}`).join(''));
    host.type(PREFIX + PREFIX + 'end');
    await host.waitForText('^Z^]end');
  });

  it('B08: resizes down to 1x1 end at the screen of the last size', async () => {
    const host = world.start();
    await startShell(host);
    host.type(`${PREFIX}"`);
    await host.waitForText('▸2');
    for (const [cols, rows] of [
      [1, 1],
      [3, 2],
      [200, 60],
      [24, 5],
      [100, 30],
    ] as const)
      host.resize(cols, rows);
    await host.waitFor(
      'the screen of 100x30',
      (h) =>
        h.screen()[29]!.includes('keys') && h.screen().filter((row) => /^─{100}$/.test(row)).length === 1,
    );
  });

  it('C04: keys work after a dialog was closed, and detaching gives the terminal back', async () => {
    const host = world.start();
    await startShell(host);
    host.type(`${PREFIX}?`);
    await host.waitForText('search:');
    host.type('\x1b');
    await host.waitFor('no dialog', (h) => !h.text().includes('search:'));
    host.type('echo typed-$((5+5))\r');
    await host.waitForText('typed-10');
    host.type(`${PREFIX}d`);
    expect(await host.waitForExit()).toBe(0);
    expect(host.text()).toContain('detached');
    expect(host.term.modes.mouseTrackingMode).toBe('none');
    expect(host.term.modes.bracketedPasteMode).toBe(false);
    expect(host.term.buffer.active.type).toBe('normal');
  });

  it('scrolls a pane while its program goes on', async () => {
    const host = world.start();
    await startShell(host);
    host.type('seq 1 300\r');
    await host.waitForText(/^300 *$/m);
    host.type(`${PREFIX}[`);
    host.type('g');
    await host.waitForText(/^1 *$/m);
    expect(host.screen()[0]).toMatch(/↑\d+\/\d+/);
    host.type('q');
    await host.waitForText(/^300 *$/m);
  });

  it('a click focuses, the wheel scrolls, a border is dragged', async () => {
    const host = world.start();
    await startShell(host);
    host.type('seq 1 200\r');
    await host.waitForText(/^200 *$/m);
    host.type(`${PREFIX}%`);
    await host.waitFor('focus on the right', (h) => h.screen()[0]!.includes('▸2'));
    const press = (x: number, y: number) => `\x1b[<0;${x + 1};${y + 1}M`;
    host.type(press(5, 5) + `\x1b[<0;6;6m`);
    await host.waitFor('focus on the left', (h) => h.screen()[0]!.includes('▸1'));
    host.type('\x1b[<64;6;6M');
    await host.waitForText('↑3/');
    host.type('\x1b[<65;6;6M');
    await host.waitFor('the live screen', (h) => !h.text().includes('↑'));
    expect(host.screen()[10]!.indexOf('│')).toBe(40);
    host.type(press(40, 10) + '\x1b[<32;21;11M' + '\x1b[<0;21;11m');
    await host.waitFor('the border at column 20', (h) => h.screen()[10]!.indexOf('│') === 20);
  });

  it('NO_COLOR: no colour at all, and the focus is still seen', async () => {
    const host = world.start([], { env: { NO_COLOR: '1' } });
    await startShell(host);
    host.type(`${PREFIX}%`);
    await host.waitFor('two titles', (h) => h.screen()[0]!.includes('▸2'));
    expect(host.cells(0)[60]!.inverse).toBe(true);
    expect(host.cells(0)[5]!.inverse).toBe(false);
    const colours = Buffer.concat(host.raw)
      .toString('latin1')
      .matchAll(/\x1b\[([\d;:]*)m/g);
    for (const [, codes] of colours)
      for (const code of codes!.split(';'))
        expect(['', '0', '1', '2', '4', '7', '22', '24', '27']).toContain(code);
  });

  it('is a USAGE error inside of one of its own panes', async () => {
    const result = await world.run([], { env: { AGENTILE_PANE_ID: 'p-1' } });
    expect(result.exitCode).toBe(2);
  });
});
