// Bytes of one output stream, by their offset since the start of the child. Used by held-stream.ts. Appends copy, reads
// are views; what was read once never changes.

/** Blocks are this large under load, and small for a child that prints a line now and then. */
const BLOCK_BYTES = 64 * 1024;
const SMALL_BLOCK_BYTES = 4 * 1024;

interface Block {
  offset: number;
  bytes: Buffer;
  used: number;
}

export class OutputBuffer {
  #blocks: Block[] = [];
  #start = 0;
  #end = 0;

  /** Offset of the first byte that is kept. */
  get start(): number {
    return this.#start;
  }

  /** Offset after the last byte. */
  get end(): number {
    return this.#end;
  }

  append(bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      const block = this.#openBlock(rest.length);
      const part = rest.subarray(0, block.bytes.length - block.used);
      block.bytes.set(part, block.used);
      block.used += part.length;
      this.#end += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Forgets everything before `offset`. */
  dropBefore(offset: number): void {
    if (offset <= this.#start) return;
    this.#start = Math.min(offset, this.#end);
    let gone = 0;
    while (gone < this.#blocks.length && this.#endOf(this.#blocks[gone]!) <= this.#start) gone += 1;
    if (gone > 0) this.#blocks.splice(0, gone);
  }

  /** The bytes from `offset` on, at most `maxBytes` and at most one block; empty at the end. `offset` must be kept. */
  read(offset: number, maxBytes: number): Uint8Array {
    const block = this.#blocks.find((candidate) => offset < this.#endOf(candidate));
    if (!block) return new Uint8Array(0);
    const from = offset - block.offset;
    return block.bytes.subarray(from, Math.min(block.used, from + maxBytes));
  }

  #endOf(block: Block): number {
    return block.offset + block.used;
  }

  #openBlock(wanted: number): Block {
    const last = this.#blocks.at(-1);
    if (last && last.used < last.bytes.length) return last;
    const isBusy = wanted > SMALL_BLOCK_BYTES || this.#end - this.#start > BLOCK_BYTES;
    const size = isBusy ? BLOCK_BYTES : SMALL_BLOCK_BYTES;
    const block = { offset: this.#end, bytes: Buffer.allocUnsafeSlow(size), used: 0 };
    this.#blocks.push(block);
    return block;
  }
}
