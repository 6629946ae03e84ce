// The last end-to-end test: demo.tape, as a person would play it, from a shell in a real terminal.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Host } from '../helpers/host.js';
import { parseTape, playTape } from '../helpers/tape.js';
import { BIN, ROOT, World } from '../helpers/world.js';

const world = new World();
afterEach(() => world.dispose());

it('plays demo.tape to its end; the shells in the tiles live on', async () => {
  const bin = join(world.dir, 'bin');
  mkdirSync(bin);
  symlinkSync(BIN, join(bin, 'agentile'));
  writeFileSync(join(world.home, '.bashrc'), "PS1='$ '\n");
  const host = new Host('/bin/bash', ['--noprofile'], {
    cols: 120,
    rows: 40,
    cwd: world.project,
    env: { ...world.env, PATH: `${bin}:${world.env['PATH']}` },
  });
  try {
    await host.waitForText('$ ');
    await playTape(parseTape(readFileSync(join(ROOT, 'demo.tape'), 'utf8')), host);
    expect(world.pidsOf(/^\/bin\/bash/).length).toBeGreaterThanOrEqual(3);
  } finally {
    host.dispose();
  }
}, 60_000);
