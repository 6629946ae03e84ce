// Reads COUNT bytes from stdin, a little at a time with pauses, then prints their number and hash. On a PTY: raw mode.
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';

const count = Number(process.argv[2]);
if (process.stdin.isTTY) process.stdin.setRawMode(true);
process.stdout.write('ready\n');
const hash = createHash('sha256');
const buffer = Buffer.alloc(24 * 1024);
let got = 0;
const step = () => {
  while (got < count) {
    let bytes;
    try {
      bytes = readSync(0, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      bytes = 0;
    }
    if (bytes === 0) break;
    hash.update(buffer.subarray(0, bytes));
    got += bytes;
    if (Math.random() < 0.2) break;
  }
  if (got < count) setTimeout(step, 2);
  else process.stdout.write(`got ${got} ${hash.digest('hex')}\n`, () => process.exit(0));
};
step();
