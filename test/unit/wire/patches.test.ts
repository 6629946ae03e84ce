import { expect, test } from 'vitest';
import { decodePatches, encodePatches } from '../../../src/wire/patches.js';

const row = (y: number, ...words: number[]) => ({ y, cells: Uint32Array.from(words) });

test('rows of several panes come back as they were, at every alignment of the body', () => {
  const panes = [
    { changed: [row(0, 0x80000041, 2, 3, 4), row(59)] },
    { changed: [] },
    { changed: [row(7, ...Array.from({ length: 800 }, (_, i) => i * 0x10001))] },
  ];
  const body = encodePatches(panes);
  const headers = panes.map((pane) => ({ changedRows: pane.changed.length }));
  for (let shift = 0; shift < 4; shift++) {
    const moved = new Uint8Array(body.length + shift);
    moved.set(body, shift);
    expect(decodePatches(headers, moved.subarray(shift))).toEqual(panes.map((pane) => pane.changed));
  }
});

test('decoded rows live on when the receive buffer is written again', () => {
  const body = encodePatches([{ changed: [row(1, 5, 6, 7, 8)] }]);
  const [rows] = decodePatches([{ changedRows: 1 }], body);
  body.fill(0);
  expect([...rows![0]!.cells]).toEqual([5, 6, 7, 8]);
});

test('a body that is too short is a protocol error, not rubbish on the screen', () => {
  const body = encodePatches([{ changed: [row(1, 5, 6, 7, 8)] }]);
  expect(() => decodePatches([{ changedRows: 1 }], body.subarray(0, 12))).toThrow(/shorter/);
  expect(() => decodePatches([{ changedRows: 2 }], body)).toThrow(/shorter/);
  expect(() => decodePatches([{ changedRows: 1 }], body.subarray(0, 7))).toThrow(/shorter/);
});
