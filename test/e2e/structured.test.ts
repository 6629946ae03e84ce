// A structured session in the TUI, through the real bin in a real PTY, with a stand-in for a persistent agent CLI.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '../helpers/host.js';
import { World } from '../helpers/world.js';

const PREFIX = '\x1d';
const AGENT = resolve(import.meta.dirname, '../agents/fake-claude.mjs');
const CATALOGUE = `
[providers.stand-in]
name = "Stand-in"
vendors = ["nobody"]
controller = "persistent"
format = "claude-stream-json"
bin = "{node}"
args = ["${AGENT}"]
prompt = { via = "frame" }
resume = { kind = "flag", args = ["--resume", "{session_id}"] }
signals = ["protocol", "exit_code"]
detect = { version_args = [] }
source = "a stand-in"
`;

describe('a structured pane', () => {
  let world: World;
  beforeEach(async () => {
    world = new World();
    const folder = join(world.env['XDG_CONFIG_HOME']!, 'agentile');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'providers.toml'), CATALOGUE);
    await world.json(['new', 'stand-in', '--name', 'worker']);
  });
  afterEach(() => world.dispose());

  async function open(size = { cols: 80, rows: 24 }): Promise<Host> {
    const host = world.start([], size);
    await host.waitFor(
      'the composer',
      (h) => /▸1 Stand-in worker/.test(h.screen()[0]!) && h.text().includes('ask something'),
    );
    return host;
  }

  const rowOf = (host: Host, text: string) => host.screen().findIndex((row) => row.includes(text));

  it('shows prompt, Markdown, usage and the end of a turn, again after another attach', async () => {
    const host = await open();
    host.type('say **bold** and `code` 你好\r');
    await host.waitForText(/─ done · .*↑10 ↓5/);
    expect(host.screen()[1]).toBe('> say **bold** and `code` 你好');
    expect(host.screen()[2]).toBe('bold and code 你好');
    expect(host.cells(2)[0]!.bold).toBe(true);
    host.type(`${PREFIX}d`);
    await host.waitForExit();
    const again = await open({ cols: 60, rows: 20 });
    await again.waitForText('bold and code 你好');
    again.type(`${PREFIX}v`);
    await again.waitForText('{"type":"turn.done"');
  });

  it('typed text never approves; the card answers only while it has the focus', async () => {
    const host = await open();
    host.type('bash make all\r');
    await host.waitForText('tab: answer');
    host.type('yay');
    await host.waitForText('› yay');
    expect(host.text()).toContain('needs you');
    host.type('\x03\t');
    await host.waitForText('y Allow once');
    host.type('y');
    await host.waitForText('done: allow');
    host.type('bash make rest\r');
    await host.waitForText('tab: answer');
    host.type(`${PREFIX}i\r`);
    await host.waitForText('r reject, say why');
    host.type('r');
    await host.waitForText('why not ›');
    host.type('not now\r');
    await host.waitForText('done: deny');
    expect(host.text()).toContain('Reject: not now');
    host.type('question\r');
    await host.waitForText('Which colour?');
    await host.waitForText('tab: answer');
    host.type('\t2');
    await host.waitFor('the answer', (h) => h.screen().includes('Blue'));
  });

  it('queues a prompt mid-turn, takes it back, keeps its place and interrupts', async () => {
    const host = await open();
    host.type('slow 3000\r');
    await host.waitForText(/tick 2\d\d/);
    host.type('say later\r');
    await host.waitForText(/queued: say later +ctrl\+u/);
    host.type('\x15');
    await host.waitForText('› say later');
    host.type('\x03');
    await host.waitFor('an empty queue', (h) => !h.text().includes('say later'));
    host.type('\x1b[5~\x1b[5~');
    await host.waitFor('older rows', (h) => h.screen()[0]!.includes('↑'));
    const before = host.screen()[1];
    const place = () => Number(/↑(\d+)\//.exec(host.screen()[0]!)?.[1] ?? 0);
    const at = place();
    await host.waitFor('more text below', () => place() > at);
    expect(host.screen()[1]).toBe(before);
    host.type('\x03');
    await host.waitForText(/✓ done|○ idle/);
    host.type('\x1b');
    await host.waitForText('─ interrupted');
  });

  it('writes several lines with a real cursor, and sends a large paste whole', async () => {
    const host = await open();
    host.type('say 你\x1b\rzwei');
    await host.waitFor('two lines', (h) => rowOf(h, '  zwei') === rowOf(h, '› say 你') + 1);
    await host.waitFor('the caret', (h) => h.cursor.x === 6 && h.cursor.y === rowOf(h, '  zwei'));
    host.type('\x03');
    await host.waitForText('ask something');
    host.type(`say \x1b[200~${Array.from({ length: 9 }, (_, i) => `line-${i}`).join('\r')}\x1b[201~`);
    await host.waitForText('› say [pasted 9 lines]');
    host.type('\r');
    await host.waitFor('the answer', (h) => h.screen().filter((row) => row.endsWith('line-8')).length === 2);
  });
});
