// What children ask their terminal, and what they say past their screen: answers in the order asked, DA1 last.
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { createScreen } from '../../../src/screen/emulator.js';
import { screenCells, ttyRecordings } from './bare.js';

const colors = {
  foreground: [0xdd, 0xdd, 0xdd] as [number, number, number],
  background: [0x11, 0x22, 0x33] as [number, number, number],
};

function open(cols = 80, rows = 24) {
  const screen = createScreen({ cols, rows, colors, identity: { name: 'agentile', version: '1.2.3' } });
  const replies: string[] = [];
  screen.onReply((bytes) => replies.push(Buffer.from(bytes).toString('latin1')));
  return { screen, replies, write: (text: string) => screen.write(Buffer.from(text)) };
}

const ANSWERS: [name: string, query: string, answer: string[]][] = [
  ['XTVERSION', '\x1b[>0q', ['\x1bP>|agentile(1.2.3)\x1b\\']],
  ['XTVERSION without a parameter', '\x1b[>q', ['\x1bP>|agentile(1.2.3)\x1b\\']],
  ['DA1', '\x1b[c', ['\x1b[?1;2c']],
  ['DA2', '\x1b[>c', ['\x1b[>0;276;0c']],
  ['DA3', '\x1b[=c', ['\x1bP!|00000000\x1b\\']],
  ['DSR 6', '\x1b[3;5H\x1b[6n', ['\x1b[3;5R']],
  ['kitty keyboard', '\x1b[?u', ['\x1b[?0u']],
  ['OSC 10', '\x1b]10;?\x07', ['\x1b]10;rgb:dddd/dddd/dddd\x1b\\']],
  ['OSC 11', '\x1b]11;?\x1b\\', ['\x1b]11;rgb:1111/2222/3333\x1b\\']],
  ['OSC 12', '\x1b]12;?\x07', ['\x1b]12;rgb:dddd/dddd/dddd\x1b\\']],
  [
    'OSC 10 and 11 in one',
    '\x1b]10;?;?\x07',
    ['\x1b]10;rgb:dddd/dddd/dddd\x1b\\', '\x1b]11;rgb:1111/2222/3333\x1b\\'],
  ],
  [
    'OSC 4',
    '\x1b]4;1;?;231;?\x07',
    ['\x1b]4;1;rgb:cdcd/0000/0000\x1b\\', '\x1b]4;231;rgb:ffff/ffff/ffff\x1b\\'],
  ],
  ['OSC 7501', '\x1b]7501;?\x1b\\', ['\x1b]7501;?\x1b\\']],
  ['XTWINOPS 14', '\x1b[14t', ['\x1b[4;480;800t']],
  ['XTWINOPS 16', '\x1b[16t', ['\x1b[6;20;10t']],
  ['XTWINOPS 18', '\x1b[18t', ['\x1b[8;24;80t']],
  ['colour scheme', '\x1b[?996n', ['\x1b[?997;1n']],
  [
    'XTGETTCAP',
    '\x1bP+q4d73;ffff;544e\x1b\\',
    [
      '\x1bP1+r4d73=1b5d35323b25703125733b257032257307\x1b\\',
      '\x1bP0+rffff\x1b\\',
      '\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\',
    ],
  ],
  ['XTQMODKEYS', '\x1b[>4;2m\x1b[?4m', ['\x1b[>4;2m']],
  ...[1004, 1016, 2004, 2026, 2027, 2031].map((mode): [string, string, string[]] => [
    `DECRQM ${mode}`,
    `\x1b[?${mode}$p`,
    [`\x1b[?${mode};2$y`],
  ]),
  ...[2004, 2027, 2031].map((mode): [string, string, string[]] => [
    `DECRQM ${mode} set`,
    `\x1b[?${mode}h\x1b[?${mode}$p`,
    [`\x1b[?${mode};1$y`],
  ]),
];

describe('queries', () => {
  it.each(ANSWERS)('%s', (_name, query, answer) => {
    const { replies, write } = open();
    write(query);
    expect(replies).toEqual(answer);
    // The same in single bytes.
    const slow = open();
    for (const char of query) slow.write(char);
    expect(slow.replies).toEqual(answer);
  });

  it('answers every query of every recording, DA1 after all that came before it', () => {
    const unanswered = new Set<string>();
    const asked = new Map<string, string>();
    for (const { queries } of ttyRecordings()) for (const q of queries) asked.set(q.query, q.bytes);
    expect(asked.size).toBeGreaterThan(20);
    for (const [name, shown] of asked) {
      const bytes = shown
        .replaceAll('ESC', '\x1b')
        .replace(/<([0-9a-f]{2})>/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
      const { replies, write } = open();
      write(bytes + '\x1b[c');
      expect(replies.at(-1), name).toBe('\x1b[?1;2c');
      if (replies.length === 1 && name !== 'DA1') unanswered.add(name);
    }
    // Colours of the mouse and of highlights, and graphics: no terminal of ours has them.
    expect(
      [...unanswered].every((name) => /^OSC 1[3-9] |graphics/.test(name)),
      [...unanswered].join(),
    ).toBe(true);
  });

  it('swallows unknown strings and shows nothing of them', () => {
    const { screen, replies, write } = open(40, 3);
    write(
      'a\x1b_Gi=1;AAAA\x1b\\b\x1bPzz;unknown\x1b\\c\x1b]66;x\x07d\x1b]1337;Capabilities\x07e\x1b^pm\x1b\\f\x1bXsos\x1b\\g',
    );
    expect(screen.text(0)[0]).toBe('abcdefg');
    expect(replies).toEqual([]);
  });

  it('keeps changed colours inside the pane and gives them back', () => {
    const { screen, replies, write } = open(6, 2);
    const before = screenCells(screen);
    write('\x1b]11;rgb:ff/00/00\x07\x1b]10;#00ff00\x07\x1b]4;1;#0000ff\x07\x1b[31mab\x1b[0mc\x1b]11;?\x07');
    expect(replies).toEqual(['\x1b]11;rgb:ffff/0000/0000\x1b\\']);
    const [first, second] = screenCells(screen);
    const [red, green, blue] = [0xff0000, 0x00ff00, 0x0000ff];
    expect(first!.slice(0, 4)).toEqual([
      `a|1|3:${blue}|3:${red}|000000000`,
      `b|1|3:${blue}|3:${red}|000000000`,
      `c|1|3:${green}|3:${red}|000000000`,
      ` |1|3:${green}|3:${red}|000000000`,
    ]);
    expect(second).toHaveLength(6);
    const tracker = screen.track();
    tracker.take();
    write('\x1b]110\x07\x1b]111\x07\x1b]104\x07\x1b[2J\x1b]11;?\x07');
    expect(tracker.take().rows).toBe('all');
    expect(screenCells(screen)).toEqual(before);
    expect(replies.at(-1)).toBe('\x1b]11;rgb:1111/2222/3333\x1b\\');
  });

  it('tells a change of the scheme to who asked for it', () => {
    const { screen, replies, write } = open();
    const light = { foreground: colors.background, background: [255, 255, 255] as [number, number, number] };
    screen.setColors(light);
    expect(replies).toEqual([]);
    write('\x1b[?2031h');
    screen.setColors(colors);
    screen.setColors(light);
    screen.setColors(light);
    expect(replies).toEqual(['\x1b[?997;1n', '\x1b[?997;2n']);
  });

  it('tells the host cell size once it is known', () => {
    const { screen, replies, write } = open(10, 4);
    screen.setCellPixels?.(9, 18);
    write('\x1b[14t\x1b[16t');
    expect(replies).toEqual(['\x1b[4;72;90t', '\x1b[6;18;9t']);
  });

  it('keeps keyboard stacks of both screens apart', () => {
    const { screen, replies, write } = open();
    write('\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>7u\x1b[=8;2u\x1b[?u\x1b[=1;3u\x1b[?u');
    expect(replies).toEqual(['\x1b[?0u', '\x1b[?15u', '\x1b[?14u']);
    expect(screen.modes.kittyFlags).toBe(14);
    write('\x1b[?1049l');
    expect(screen.modes.kittyFlags).toBe(1);
    write('\x1b[<9u');
    expect(screen.modes.kittyFlags).toBe(0);
    write('\x1b[>5u\x1bc');
    expect(screen.modes.kittyFlags).toBe(0);
  });

  it('reflects modes', () => {
    const { screen, write } = open();
    write('\x1b[?1h\x1b=\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?25l\x1b[5 q\x1b[>4;1m');
    expect(screen.modes).toEqual({
      altScreen: false,
      cursorVisible: false,
      cursorStyle: 5,
      bracketedPaste: true,
      focusEvents: true,
      applicationCursor: true,
      applicationKeypad: true,
      mouse: 'drag',
      mouseEncoding: 'sgr',
      kittyFlags: 0,
      modifyOtherKeys: 1,
    });
  });
});

describe('notices', () => {
  function heard(text: string) {
    const { screen, replies, write } = open();
    const log: unknown[] = [];
    screen.onClipboard((clip) => log.push(['clipboard', clip]));
    screen.onNotification((note) => log.push(['note', note.title, note.body]));
    screen.onProgramStatus((fields) => log.push(['status', fields]));
    screen.onCwd((path) => log.push(['cwd', path]));
    screen.onTitle((title) => log.push(['title', title]));
    screen.onBell(() => log.push(['bell']));
    write(text);
    return { log, replies };
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it.each<[string, string, unknown[]]>([
    ['clipboard', `\x1b]52;c;${base64('hällo')}\x07`, [['clipboard', 'hällo']]],
    ['clipboard empty', '\x1b]52;c;\x07', []],
    ['clipboard read', '\x1b]52;c;?\x07', []],
    ['clipboard junk', '\x1b]52;c;***\x07', []],
    ['clipboard over the cap', `\x1b]52;c;${base64('x'.repeat(1_200_000))}\x07`, []],
    ['OSC 9', '\x1b]9;done; really\x07', [['note', '', 'done; really']]],
    ['OSC 9;4 is progress', '\x1b]9;4;3\x07', []],
    ['OSC 777', '\x1b]777;notify;Title;a;b\x07', [['note', 'Title', 'a;b']]],
    ['OSC 99', '\x1b]99;;Hello\x1b\\', [['note', 'Hello', '']]],
    [
      'OSC 99 in pieces',
      `\x1b]99;i=1:d=0;Hel\x07\x1b]99;i=1:d=0;lo\x07\x1b]99;i=1:p=body:e=1;${base64('body')}\x07`,
      [['note', 'Hello', 'body']],
    ],
    ['OSC 7', '\x1b]7;file://host/home/a%20b\x07', [['cwd', '/home/a b']]],
    ['OSC 7 of another kind', '\x1b]7;http://host/x\x07', []],
    [
      'OSC 7501',
      '\x1b]7501;state=blocked:kind=permission:app=x:msg=aGk=\x07',
      [['status', { state: 'blocked', kind: 'permission', app: 'x', msg: 'aGk=' }]],
    ],
    [
      'title, told when it changes',
      '\x1b]0;one\x07\x1b]2;one\x07\x1b]2;two\x07',
      [
        ['title', 'one'],
        ['title', 'two'],
      ],
    ],
    ['bell', '\x07', [['bell']]],
  ])('%s', (_name, text, expected) => {
    const { log, replies } = heard(text);
    expect(log).toEqual(expected);
    expect(replies).toEqual([]);
  });

  it('frees a notification of control characters', () => {
    const { log } = heard('\x1b]777;notify;T\u009b31m;b\x07');
    expect(JSON.stringify(log)).not.toMatch(/[\u0000-\u001f\u0080-\u009f]/);
  });
});

describe('synchronized output', () => {
  it('holds a frame until it ends, and 150 ms at most', () => {
    const clock = new ManualClock();
    const screen = createScreen({ cols: 10, rows: 2, clock });
    let changes = 0;
    screen.onChange(() => changes++);
    screen.write(Buffer.from('\x1b[?2026hhalf'));
    expect([screen.holding, changes]).toEqual([true, 0]);
    screen.write(Buffer.from(' done\x1b[?2026l'));
    expect([screen.holding, changes]).toEqual([false, 1]);
    screen.write(Buffer.from('\x1b[?2026hforgotten'));
    clock.advance(149);
    expect([screen.holding, changes]).toEqual([true, 1]);
    clock.advance(1);
    expect([screen.holding, changes]).toEqual([false, 2]);
    screen.write(Buffer.from('more'));
    expect(changes).toBe(3);
    screen.write(Buffer.from('\x1b[?2026l\x1b[?2026hnext'));
    clock.advance(10);
    screen.write(Buffer.from('\x1b[?2026l'));
    expect(screen.holding).toBe(false);
    screen.write(Buffer.from('\x1b[?2026h'));
    expect(screen.holding).toBe(true);
  });
});
