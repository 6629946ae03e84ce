// The bytes of an unfinished escape sequence at the end of what was written. A checkpoint taken there carries
// them, so that the restored parser stands at the same place. Used by emulator.ts.
import type { Core } from './xterm-internals.js';

const GROUND = 0;
const ESC = 0x1b;
const C1_LEAD = 0xc2;
/** DCS, SOS, CSI, OSC, PM, APC as one character. */
const C1_STARTS = [0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f];
/** Of a longer string only the beginning is kept: its end is swallowed by the restored parser all the same. */
const TAIL_MAX_BYTES = 64 * 1024;

export class ParserTail {
  #tail: Buffer = Buffer.alloc(0);

  get bytes(): Uint8Array {
    return this.#tail;
  }

  /** Told after every write, of whole characters. */
  update(written: Uint8Array, core: Core): void {
    if (core._inputHandler._parser.currentState !== GROUND) this.#tail = this.#sequenceEnd(written);
    else if (this.#tail.length > 0) this.#tail = Buffer.alloc(0);
  }

  #sequenceEnd(written: Uint8Array): Buffer {
    const start = lastStart(written);
    if (start >= 0) return Buffer.from(written.subarray(start, start + TAIL_MAX_BYTES));
    const room = TAIL_MAX_BYTES - this.#tail.length;
    return room > 0 ? Buffer.concat([this.#tail, written.subarray(0, room)]) : this.#tail;
  }
}

function lastStart(bytes: Uint8Array): number {
  for (let i = bytes.length - 1; i >= 0; i--) {
    if (bytes[i] === ESC) return i;
    if (bytes[i] === C1_LEAD && C1_STARTS.includes(bytes[i + 1] ?? 0)) return i;
  }
  return -1;
}
