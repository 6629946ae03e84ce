// The lines of stderr worth keeping: the last 40, of which the first two ever written (a usage error stands above pages of
// help). Used by the structured controllers; stderr is never read as frames (a tool may print a saved log there).
import { stripVTControlCharacters } from 'node:util';
import { STDERR_TAIL_LINES } from '../model/failure-classify.js';

const HEAD_LINES = 2;
/** Longer lines are data, not words. */
const LINE_CHARS = 2000;
const LF = 10;

export class StderrTail {
  #head: string[] = [];
  #tail: string[] = [];
  #partial: Uint8Array[] = [];
  #partialBytes = 0;

  /** The kept lines, oldest first; also a last one that was never ended. */
  get lines(): string[] {
    const partial = cleanLine(Buffer.concat(this.#partial));
    const all = [...this.#head, ...this.#tail, ...(partial === '' ? [] : [partial])];
    if (all.length <= STDERR_TAIL_LINES) return all;
    return [...all.slice(0, HEAD_LINES), ...all.slice(HEAD_LINES - STDERR_TAIL_LINES)];
  }

  /** Takes the next bytes; returns the lines that became complete, without terminal codes, blank ones left out. */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
      const line = cleanLine(Buffer.concat([...this.#partial, bytes.subarray(from, at)]));
      this.#partial = [];
      this.#partialBytes = 0;
      from = at + 1;
      if (line === '') continue;
      lines.push(line);
      this.#keep(line);
    }
    this.#keepPartial(bytes.subarray(from));
    return lines;
  }

  #keepPartial(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#partialBytes > LINE_CHARS * 4) return;
    this.#partial.push(bytes);
    this.#partialBytes += bytes.length;
  }

  #keep(line: string): void {
    if (this.#head.length < HEAD_LINES) this.#head.push(line);
    else this.#tail.push(line);
    if (this.#tail.length > STDERR_TAIL_LINES) this.#tail.shift();
  }
}

function cleanLine(bytes: Buffer): string {
  const text = stripVTControlCharacters(bytes.toString('utf8')).trimEnd();
  return text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}…` : text;
}
