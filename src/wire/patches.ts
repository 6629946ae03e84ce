// Rows of panes in the binary body of a `patches` message. Written by the daemon's pane feed, read by the TUI.
//
// For each pane of the header, in order, `changedRows` rows follow. A row is one header word, then `n` words:
//   header: y in bits 0-15, n (number of words, a multiple of WORDS_PER_CELL) in bits 16-31
// Words are 32-bit little-endian, so a row is one copy on every machine we run on; others swap.
import type { PatchRow, ScreenPatch } from '../model/patch.js';
import { AgentileError } from '../base/errors.js';
import type { PatchHeader } from './messages.js';

const WORD_BYTES = 4;
const LIMIT = 0xffff;
const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/**
 * The body of a `patches` message: the rows of all patches, in order. A row longer than 65,535 words (16,383 columns) or
 * below row 65,535 cannot be written and throws INTERNAL: no screen is that large.
 */
export function encodePatches(patches: readonly Pick<ScreenPatch, 'changed'>[]): Uint8Array {
  let words = 0;
  for (const patch of patches) for (const row of patch.changed) words += 1 + row.cells.length;
  const out = new Uint32Array(words);
  let at = 0;
  for (const patch of patches) {
    for (const { y, cells } of patch.changed) {
      if (y > LIMIT || cells.length > LIMIT) {
        throw new AgentileError('INTERNAL', `A row of ${cells.length} words at ${y} does not fit a patch.`);
      }
      out[at++] = (y | (cells.length << 16)) >>> 0;
      out.set(cells, at);
      at += cells.length;
    }
  }
  return toWire(out);
}

/** The rows of each pane of `headers`. `body` may begin at any address; the rows are copies. Throws PROTOCOL. */
export function decodePatches(
  headers: readonly Pick<PatchHeader, 'changedRows'>[],
  body: Uint8Array,
): PatchRow[][] {
  const words = fromWire(body);
  let at = 0;
  return headers.map(({ changedRows }) => {
    const rows: PatchRow[] = [];
    for (let i = 0; i < changedRows; i++) {
      const head = words[at++];
      if (head === undefined) throw short();
      const length = head >>> 16;
      if (at + length > words.length) throw short();
      rows.push({ y: head & LIMIT, cells: words.subarray(at, at + length) });
      at += length;
    }
    return rows;
  });
}

function short(): AgentileError {
  return new AgentileError('PROTOCOL', 'A batch of patches is shorter than its header says.');
}

function toWire(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  if (!LITTLE_ENDIAN) Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).swap32();
  return bytes;
}

/** A copy, so that it is aligned and lives on when the receive buffer is used again. */
function fromWire(body: Uint8Array): Uint32Array {
  if (body.length % WORD_BYTES !== 0) throw short();
  const bytes = new Uint8Array(body.length);
  bytes.set(body);
  if (!LITTLE_ENDIAN) Buffer.from(bytes.buffer).swap32();
  return new Uint32Array(bytes.buffer);
}
