// Splits bytes into lines at LF only; a character may be split anywhere. For the demo agent's stdin.
const LF = 0x0a;

export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);
  #deliver: (line: string) => void;

  constructor(deliver: (line: string) => void) {
    this.#deliver = deliver;
  }

  push(chunk: Buffer): void {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF)) {
      this.#deliver(bytes.toString('utf8', 0, end));
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = Buffer.from(bytes);
  }
}
