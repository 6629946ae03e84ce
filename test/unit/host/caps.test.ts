// What the host can do: from the environment, then from its answers.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { Emitter } from '../../../src/base/emitter.js';
import type { HostReply } from '../../../src/model/key.js';
import { envCaps, takesOtherKeys, type HostEnv } from '../../../src/tui/host/caps.js';
import { probeHost } from '../../../src/tui/host/probe.js';

const LANG = 'en_US.UTF-8';

describe('envCaps', () => {
  it.each<[string, HostEnv, string, boolean]>([
    ['COLORTERM', { TERM: 'xterm-256color', COLORTERM: 'truecolor', LANG }, 'truecolor', true],
    ['256 colours', { TERM: 'xterm-256color', LANG }, '256', true],
    ['kitty', { TERM: 'xterm-kitty', LANG }, 'truecolor', true],
    ['the Linux console', { TERM: 'linux', LANG }, '16', false],
    ['NO_COLOR', { TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1', LANG }, 'none', true],
    ['an empty NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '', LANG }, '256', true],
    ['a dumb terminal', { TERM: 'dumb', LANG }, 'none', false],
    ['the C locale', { TERM: 'xterm-256color', LANG: 'C' }, '256', false],
    ['LC_ALL before LANG', { TERM: 'xterm-256color', LC_ALL: 'C.utf8', LANG: 'C' }, '256', true],
    ['no locale at all', { TERM: 'xterm-256color' }, '256', true],
  ])('%s', (_name, env, colors, unicode) => {
    expect(envCaps(env)).toMatchObject({ colors, unicode });
  });

  it('erases with a background only where the host does', () => {
    expect(envCaps({ TERM: 'screen-256color' }).backColorErase).toBe(false);
    expect(envCaps({ TERM: 'xterm' }).backColorErase).toBe(true);
  });
});

function ask(env: HostEnv) {
  const replies = new Emitter<HostReply>();
  const clock = new ManualClock();
  const sent: string[] = [];
  const probe = probeHost({ query: (text) => void sent.push(text), onReply: replies.event }, env, clock);
  return { replies, clock, sent, probe };
}

describe('probeHost', () => {
  it('learns from the answers and ends with DA1', async () => {
    const { replies, probe, sent } = ask({ TERM: 'xterm-256color', LANG });
    expect(sent[0]!.endsWith('\x1b[c')).toBe(true);
    expect(probe.caps.syncOutput).toBe(false);
    const answers: HostReply[] = [
      { kind: 'xtversion', text: 'XTerm(390)' },
      { kind: 'color', slot: 'bg', rgb: [1, 2, 3] },
      { kind: 'decrqm', mode: 2026, value: 2, ansi: false },
      { kind: 'decrqm', mode: 69, value: 2, ansi: false },
      { kind: 'size', what: 'cell-px', height: 20, width: 10 },
      { kind: 'cursor', row: 0, col: 2 },
    ];
    for (const answer of answers) replies.fire(answer);
    replies.fire({ kind: 'da1', params: [64] });
    const caps = await probe.done;
    expect(caps).toMatchObject({
      syncOutput: true,
      marginsLR: true,
      background: [1, 2, 3],
      cellWidth: 10,
      hostName: 'XTerm(390)',
      utf8: false,
      kittyKeyboard: false,
    });
    expect(takesOtherKeys(caps)).toBe(true);
    expect(replies.listenerCount).toBe(0);
  });

  it('takes a modern host by its name and keeps NO_COLOR', async () => {
    for (const [env, colors] of [
      [{ TERM: 'xterm-256color', LANG }, 'truecolor'],
      [{ TERM: 'xterm-256color', LANG, NO_COLOR: '1' }, 'none'],
    ] as const) {
      const { replies, probe } = ask(env);
      replies.fire({ kind: 'xtversion', text: 'kitty(0.40.0)' });
      replies.fire({ kind: 'kitty', flags: 0 });
      replies.fire({ kind: 'da1', params: [62] });
      const caps = await probe.done;
      expect(caps).toMatchObject({ colors, hyperlinks: true, underlineStyles: true, kittyKeyboard: true });
      expect(takesOtherKeys(caps)).toBe(false);
    }
  });

  it('a silent host is served by the guess after two seconds', async () => {
    const { clock, probe } = ask({ TERM: 'xterm', LANG });
    clock.advance(2000);
    expect(await probe.done).toEqual(envCaps({ TERM: 'xterm', LANG }));
  });

  it('asks a console nothing but DA1', () => {
    expect(ask({ TERM: 'linux', LANG }).sent).toEqual(['\x1b[c']);
  });
});
