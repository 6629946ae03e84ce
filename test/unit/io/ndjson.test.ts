import { describe, expect, it } from 'vitest';
import { NdjsonDecoder, type NdjsonItem } from '../../../src/io/ndjson.js';

function decode(chunks: (string | Uint8Array)[], options = {}): NdjsonItem[] {
  const decoder = new NdjsonDecoder(options);
  const items = chunks.flatMap((c) => decoder.push(typeof c === 'string' ? Buffer.from(c) : c));
  return [...items, ...decoder.end()];
}

function bytewise(text: string): Uint8Array[] {
  return [...Buffer.from(text)].map((b) => Uint8Array.of(b));
}

describe('NdjsonDecoder', () => {
  it('splits on LF, strips CR and gives the offset after each line', () => {
    const items = decode(['{"a":1}\r\n{"b"', ':2}\n'], { startOffset: 100 });
    expect(items).toEqual([
      { type: 'frame', value: { a: 1 }, endOffset: 109 },
      { type: 'frame', value: { b: 2 }, endOffset: 117 },
    ]);
  });

  it('E03: characters split over chunks are the same text', () => {
    const text = '世界🌍 é👨‍👩‍👧';
    const items = decode(bytewise(`{"t":"${text}"}\n`));
    expect(items).toMatchObject([{ type: 'frame', value: { t: text } }]);
  });

  it('keeps U+2028 and U+2029 inside strings', () => {
    const items = decode([`{"t":"a\u2028b\u2029c"}\n`]);
    expect(items).toMatchObject([{ type: 'frame', value: { t: 'a\u2028b\u2029c' } }]);
  });

  it('counts offsets in bytes, not characters', () => {
    const line = `{"t":"🌍"}\n`;
    expect(decode([line, line]).map((i) => i.endOffset)).toEqual([
      Buffer.byteLength(line),
      2 * Buffer.byteLength(line),
    ]);
  });

  it('sends lines that are not frames to the side, and reads frames behind terminal codes', () => {
    const items = decode([
      'Warning: no stdin\n\n   \n\x1b[?25h\x1b]0;title\x07 {"a":1}\x1b[0m\n\x1b[?25h\n[1,2]\n"x"\n42\n',
    ]);
    expect(items.map((i) => (i.type === 'side' ? i.text : i.type))).toEqual([
      'Warning: no stdin',
      'frame',
      '[1,2]',
      '"x"',
      '42',
    ]);
  });

  it('reads a last line without LF', () => {
    expect(decode(['{"a":1}'])).toEqual([{ type: 'frame', value: { a: 1 }, endOffset: 7 }]);
  });

  it('E02: a frame broken by another one is told as bad, and the next line parses', () => {
    const items = decode(['{"type":"assistant","text":"te{"type":"rate_limit_event"}\n xt"}\n{"ok":true}\n']);
    expect(items.map((i) => i.type)).toEqual(['bad', 'side', 'frame']);
    expect(items[0]).toMatchObject({ text: '{"type":"assistant","text":"te{"type":"rate_limit_event"}' });
  });

  it('E04: a frame of 3 MB parses', () => {
    const big = 'x'.repeat(3 * 1024 * 1024);
    const line = Buffer.from(`{"t":"${big}"}\n{"next":1}\n`);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < line.length; at += 65_536) chunks.push(line.subarray(at, at + 65_536));
    const items = decode(chunks);
    expect(items).toHaveLength(2);
    expect(items[0]?.type === 'frame' && items[0].value['t']).toBe(big);
    expect(items[1]).toMatchObject({ value: { next: 1 }, endOffset: line.length });
  });

  it('E04, D18: a line above the cap is skipped with its size, memory stays bounded, the next line parses', () => {
    const decoder = new NdjsonDecoder({ capBytes: 1000 });
    const items: NdjsonItem[] = [];
    for (let i = 0; i < 50; i++) items.push(...decoder.push(Buffer.alloc(100, 'x')));
    expect(items).toEqual([{ type: 'oversize', bytes: 1100, ended: false, endOffset: 1100 }]);
    expect(decoder.push(Buffer.from('\n{"ok":1}\n'))).toEqual([
      { type: 'oversize', bytes: 5000, ended: true, endOffset: 5001 },
      { type: 'frame', value: { ok: 1 }, endOffset: 5010 },
    ]);
  });

  it('gives the same items whatever the cut', () => {
    const text = '{"a":"世"}\r\nside é\n{"b":2}\n{bad\n{"c":"\u2028"}\n';
    const whole = decode([text]);
    expect(decode(bytewise(text))).toEqual(whole);
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }
  });

  it('knows where the last complete line ended', () => {
    const decoder = new NdjsonDecoder();
    decoder.push(Buffer.from('{"a":1}\n{"b"'));
    expect(decoder.lineEndOffset).toBe(8);
    expect(decoder.offset).toBe(12);
  });
});
