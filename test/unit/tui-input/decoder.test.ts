// The input decoder: every form of key, paste, mouse, focus and reply; and the same events whatever the split (B01, A27).
import { describe, expect, it } from 'vitest';
import { keyLabel, type InputEvent } from '../../../src/model/key.js';
import { InputDecoder } from '../../../src/tui/input/decoder.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** Events as short words: "ctrl+a", "paste:…", "mouse press left 3,4", "reply da1". */
function words(events: InputEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'key':
        return keyLabel(event.key) + (event.key.action === 'press' ? '' : `/${event.key.action}`);
      case 'paste':
        return `paste:${event.text}`;
      case 'mouse':
        return `mouse ${event.mouse.kind} ${event.mouse.button} ${event.mouse.x},${event.mouse.y}`;
      case 'focus':
        return `focus ${event.focused}`;
      case 'reply':
        return `reply ${event.reply.kind}`;
    }
  });
}

function decode(text: string): string[] {
  const decoder = new InputDecoder();
  return words([...decoder.push(bytes(text)), ...decoder.flush()]);
}

const CASES: [input: string, expected: string[]][] = [
  ['aB ä漢', ['a', 'B', 'space', 'ä', '漢']],
  [
    '\r\t\x7f\n\x01\x1d\0\x08',
    ['enter', 'tab', 'backspace', 'ctrl+j', 'ctrl+a', 'ctrl+]', 'ctrl+space', 'ctrl+h'],
  ],
  ['\x1b', ['escape']],
  ['\x1b\x1b', ['escape', 'escape']],
  ['\x1bh\x1bH\x1b1\x1b\r\x1b\x7f\x1bä', ['alt+h', 'alt+H', 'alt+1', 'alt+enter', 'alt+backspace', 'alt+ä']],
  ['\x1b[', ['alt+[']],
  ['\x1b]', ['alt+]']],
  ['\x1bO', ['alt+O']],
  ['\x1bOz', ['alt+O', 'z']],
  ['\x1b[A\x1bOB\x1b[1;5C\x1b[1;2D\x1bO5A', ['up', 'down', 'ctrl+right', 'shift+left', 'ctrl+up']],
  [
    '\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[2~\x1b[3~\x1b[5~\x1b[6~',
    ['home', 'end', 'home', 'end', 'insert', 'delete', 'pageup', 'pagedown'],
  ],
  ['\x1bOP\x1b[15~\x1b[24;6~\x1b[[A\x1b[1;2P', ['f1', 'f5', 'ctrl+shift+f12', 'f1', 'shift+f1']],
  [
    '\x1b[Z\x1b[1;3A\x1b[3;5~\x1b[3^\x1b[3@\x1b[a\x1bOc',
    ['shift+tab', 'alt+up', 'ctrl+delete', 'ctrl+delete', 'ctrl+shift+delete', 'shift+up', 'ctrl+right'],
  ],
  ['\x1b[27;2;13~\x1b[27;5;9~\x1b[27;5;99~\x1b[27;2;65~', ['shift+enter', 'ctrl+tab', 'ctrl+c', 'A']],
  [
    '\x1b[13;2u\x1b[97;2u\x1b[97:65;2u\x1b[97;5u\x1b[27u\x1b[47:63;2u',
    ['shift+enter', 'A', 'A', 'ctrl+a', 'escape', '?'],
  ],
  [
    '\x1b[97;1:3u\x1b[97;1:2u\x1b[1;1:3A\x1b[3;5:2~',
    ['a/release', 'a/repeat', 'up/release', 'ctrl+delete/repeat'],
  ],
  [
    '\x1b[229;1;229u\x1b[113;3:1;64u\x1b[57400u\x1b[57414u\x1b[97;9u',
    ['å', 'alt+@', '1', 'enter', 'super+a'],
  ],
  ['\x1b[57441;2u', ['reply csi']],
  [
    '\x1b[<0;1;1M\x1b[<0;5;6m\x1b[<35;10;11M\x1b[<64;3;4M\x1b[<65;3;4M\x1b[<128;1;2M',
    [
      'mouse press left 0,0',
      'mouse release left 4,5',
      'mouse move none 9,10',
      'mouse wheel wheel-up 2,3',
      'mouse wheel wheel-down 2,3',
      'mouse press back 0,1',
    ],
  ],
  [
    '\x1b[M !!\x1b[M#!!\x1b[32;3;4M',
    ['mouse press left 0,0', 'mouse release none 0,0', 'mouse press left 2,3'],
  ],
  ['\x1b[I\x1b[O', ['focus true', 'focus false']],
  ['\x1b[200~a\x1b[A\r\nß\x1b[<0;1;1M\x1b[20\x1b[201~x', ['paste:a\x1b[A\r\nß\x1b[<0;1;1M\x1b[20', 'x']],
  [
    '\x1b[?1;2c\x1b[>41;354;0c\x1b[=1;2c\x1b[0n\x1b[12;5R\x1b[?5u',
    ['reply da1', 'reply da2', 'reply csi', 'reply dsr', 'reply cursor', 'reply kitty'],
  ],
  [
    '\x1b[?2026;2$y\x1b[4;2$y\x1b[6;20;10t\x1bP>|kitty(0.40)\x1b\\',
    ['reply decrqm', 'reply decrqm', 'reply size', 'reply xtversion'],
  ],
  [
    '\x1b]11;rgb:1a1a/2b2b/3c3c\x07\x1b]4;7;rgb:ff/80/00\x1b\\\x1b]52;c;Zm9v\x07',
    ['reply color', 'reply color', 'reply osc'],
  ],
  ['\x1bP1$r0m\x1b\\\x1b_Gi=31;OK\x1b\\\x1b]garbage\x1b[A', ['reply dcs', 'reply apc', 'reply osc', 'up']],
  ['\x1b\x1b]11;rgb:0/0/0\x1b\\x', ['escape', 'reply color', 'x']],
];

describe('InputDecoder', () => {
  it.each(CASES)('decodes %j', (input, expected) => {
    expect(decode(input)).toEqual(expected);
  });

  it('reads values of replies', () => {
    const decoder = new InputDecoder();
    decoder.cursorReportsExpected = 1;
    const events = decoder.push(
      bytes('\x1b]11;rgb:ff/8000/0\x07\x1b[?2026;1$y\x1b[?5u\x1b[1;3R\x1b[1;3R\x1bP>|foot(1.2)\x1b\\'),
    );
    expect(events.map((event) => (event.type === 'reply' ? event.reply : event.type))).toEqual([
      { kind: 'color', slot: 'bg', rgb: [255, 128, 0] },
      { kind: 'decrqm', mode: 2026, value: 1, ansi: false },
      { kind: 'kitty', flags: 5 },
      { kind: 'cursor', row: 0, col: 2 },
      // The second one was not asked for: Alt+F3.
      'key',
      { kind: 'xtversion', text: 'foot(1.2)' },
    ]);
  });

  it('keeps the raw bytes of every key', () => {
    const typed = CASES.map(([input]) => input).filter((input) => !input.includes('[200~'));
    for (const input of typed) {
      const decoder = new InputDecoder();
      const events = [...decoder.push(bytes(input)), ...decoder.flush()];
      if (events.some((event) => event.type !== 'key')) continue;
      const raw = events.map((event) => (event.type === 'key' ? event.key.raw : '')).join('');
      expect(Buffer.from(raw, 'latin1').toString('utf8')).toBe(input);
    }
  });

  it('turns bad UTF-8 into replacement characters and keeps the bytes', () => {
    const events = new InputDecoder().push(Uint8Array.from([0xff, 0xe6, 0x41, 0xc3, 0x28]));
    expect(words(events)).toEqual(['\ufffd', '\ufffd', 'A', '\ufffd', '(']);
    expect(events.map((event) => (event.type === 'key' ? event.key.raw : '')).join('')).toBe(
      '\xff\xe6A\xc3(',
    );
  });

  it('B01: an answer cut right behind its introducer is not typed after a flush', () => {
    for (const cut of [1, 2]) {
      for (const text of [
        '\x1b[?1;2c',
        '\x1b]11;rgb:00/00/00\x1b\\',
        '\x1bP>|xterm\x1b\\',
        '\x1b[0n',
        '\x1b[24;80R',
      ]) {
        const decoder = new InputDecoder();
        decoder.push(bytes(text.slice(0, cut)));
        decoder.flush();
        expect(words(decoder.push(bytes(`${text.slice(cut)}q`)))).toEqual(['q']);
      }
    }
  });

  it('B01: half an answer is eaten by a flush, and keys behind it live', () => {
    const decoder = new InputDecoder();
    expect(decoder.push(bytes('\x1b]11;rgb:00'))).toEqual([]);
    expect(decoder.pendingEscape).toBe(true);
    expect(decoder.flushDelayMs).toBeGreaterThan(500);
    expect(words(decoder.flush())).toEqual(['reply csi']);
    expect(words(decoder.push(bytes('q')))).toEqual(['q']);
  });

  it('takes a paste of any size in any pieces as one event', () => {
    const body = '0123456789abcde\u6f22'.repeat(60_000);
    const all = bytes(`\x1b[200~${body}\x1b[201~z`);
    const decoder = new InputDecoder();
    const events: InputEvent[] = [];
    for (let at = 0; at < all.length; at += 1021) {
      events.push(...decoder.push(all.subarray(at, at + 1021)), ...decoder.flush());
    }
    expect(events).toHaveLength(2);
    expect(events[0]).toEqual({ type: 'paste', text: body });
  });

  it('forgets the inside of an endless string but not what follows it', () => {
    const decoder = new InputDecoder();
    for (let i = 0; i < 40; i++) decoder.push(bytes(`${i === 0 ? '\x1b]52;c;' : ''}${'A'.repeat(65_536)}`));
    expect(words(decoder.push(bytes('\x1b\\q')))).toEqual(['reply osc', 'q']);
  });

  it('fuzz: any split gives the same events', () => {
    const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return Math.floor(((state >>> 8) / 0x1000000) * below);
    };
    for (let round = 0; round < 1500; round++) {
      const parts: Buffer[] = [];
      for (let i = 0; i < 8; i++) {
        const part = Buffer.from(CASES[random(CASES.length)]![0]);
        if (random(4) === 0) part[random(part.length)] = random(256);
        parts.push(part);
      }
      const all = Buffer.concat(parts);
      const whole = new InputDecoder();
      const expected = [...whole.push(all), ...whole.flush()];
      const split = new InputDecoder();
      const events: InputEvent[] = [];
      for (let at = 0; at < all.length;) {
        const size = 1 + random(random(3) === 0 ? 20 : 3);
        events.push(...split.push(all.subarray(at, at + size)));
        at += size;
      }
      events.push(...split.flush());
      expect(events, `seed ${seed} round ${round}: ${JSON.stringify(all.toString('latin1'))}`).toEqual(
        expected,
      );
    }
  });
});
