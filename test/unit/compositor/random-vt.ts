// Random terminal output for the fidelity test, from a seed.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  below(limit: number): number {
    // xorshift32
    let s = this.#state || 1;
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    this.#state = s >>> 0;
    return this.#state % limit;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }
}

const GLYPHS = [
  'a',
  'Z',
  '0',
  ' ',
  ' ',
  '  ',
  '      ',
  '                         ',
  'hello',
  'ä',
  'Ж',
  '─',
  '│',
  '漢',
  '字字',
  'ひらがな',
  '한',
  'ｗｉｄｅ',
  'e\u0301',
  '\u0301',
  'n\u0303\u0323',
  '👍',
  '👍🏽',
  '👩‍👩‍👧',
  '❤️',
  '✅',
  '⏳',
  '1️⃣',
  '🇩🇪',
  '🇩',
  'ᄀ',
  'ᅡ',
  '𝒳',
  '\u{20000}',
  '⠋',
];

const SGR = [
  '0',
  '',
  '1',
  '2',
  '3',
  '4',
  '4:3',
  '4:2',
  '21',
  '5',
  '7',
  '8',
  '9',
  '53',
  '22',
  '23',
  '24',
  '25',
  '27',
  '28',
  '29',
  '55',
  '39',
  '49',
  '59',
  '31',
  '44',
  '95',
  '103',
  '38;5;200',
  '48;5;17',
  '38;2;1;2;3',
  '48;2;200;100;50',
  '58:5:9',
  '58:2::9:8:7',
  '1;31;48;5;2',
];

/** One step of output for a screen of that size. */
export function randomStep(random: Random, cols: number, rows: number): string {
  const n = () => 1 + random.below(5);
  const row = () => 1 + random.below(rows);
  const col = () => 1 + random.below(cols);
  switch (random.below(34)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      return random.pick(GLYPHS).repeat(1 + random.below(4));
    case 9:
    case 10:
    case 11:
      return `\x1b[${random.pick(SGR)}m`;
    case 12:
    case 13:
      return `\x1b[${row()};${col()}H`;
    case 14:
      return `\x1b[${random.pick(['', '1', '2'])}K`;
    case 15:
      return random.chance(4) ? `\x1b[${random.pick(['', '1', '2'])}J` : '';
    case 16:
      return `\x1b[${n()}X`;
    case 17:
      return `\x1b[${n()}@`;
    case 18:
      return `\x1b[${n()}P`;
    case 19:
      return `\x1b[${n()}L`;
    case 20:
      return `\x1b[${n()}M`;
    case 21:
      return `\x1b[${n()}S`;
    case 22:
      return `\x1b[${n()}T`;
    case 23: {
      const top = row();
      const bottom = row();
      return top < bottom ? `\x1b[${top};${bottom}r` : '\x1b[r';
    }
    case 24:
    case 25:
      return '\r\n'.repeat(n());
    case 26:
      return '\t';
    case 27:
      return random.pick(['\x1bM', '\x1bD', '\r', '\b']);
    case 28:
      return random.pick(['\x1b[?6h', '\x1b[?6l', '\x1b[?7l', '\x1b[?7h', '\x1b[4h', '\x1b[4l']);
    case 29:
      return random.chance(6) ? random.pick(['\x1b[?1049h', '\x1b[?1049l']) : '';
    case 30:
      return random.pick([
        '\x1b]8;;https://a.example/x\x1b\\',
        '\x1b]8;;\x1b\\',
        '\x1b]8;id=1;http://b.example\x07',
      ]);
    case 31:
      return random.pick(['\x1b[?25l', '\x1b[?25h', '\x1b[4 q', '\x1b[0 q']);
    case 32:
      return random.chance(30) ? '\x1bc' : '';
    default: {
      // A line of output at the bottom, as programs stream it.
      return `\x1b[r\x1b[${rows};1H\r\n${random.pick(GLYPHS).repeat(random.below(12))}`;
    }
  }
}
