// Cuts bytes at the borders of UTF-8 characters. The emulator's decoder takes a zero continuation (0x80) before the border
// of two writes for none and loses it, so that "…" or a joiner cut there comes out wrong. Used by emulator.ts.

export class WholeCharacters {
  #pending: Uint8Array = new Uint8Array(0);

  /** Bytes of a character that is not complete; at most 3. */
  get pending(): Uint8Array {
    return this.#pending;
  }

  /** What was kept and `bytes`, without an incomplete character at the end, which is kept for the next call. */
  take(bytes: Uint8Array): Uint8Array {
    const all = this.#pending.length > 0 ? Buffer.concat([this.#pending, bytes]) : bytes;
    const end = all.length - incompleteBytes(all);
    this.#pending = end < all.length ? all.slice(end) : NOTHING;
    return end < all.length ? all.subarray(0, end) : all;
  }

  clear(): void {
    this.#pending = NOTHING;
  }
}

const NOTHING = new Uint8Array(0);

/** How many bytes at the end begin a character that needs more. */
function incompleteBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? back : 0;
    }
  }
  return 0;
}
