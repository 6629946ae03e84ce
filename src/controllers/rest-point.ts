// Where a stream of terminal output may be cut so that a fresh parser can go on behind the cut: not inside an escape
// sequence and not inside a UTF-8 character. Used for checkpoints taken in the middle of a flood.

const LF = 0x0a;
const ESC = 0x1b;
const BRACKET = 0x5b;

/**
 * The offset behind the last place in `bytes` where a parser is surely at rest (behind a line feed, or before a CSI
 * sequence), or -1 when there is none. A line feed or CSI inside of a string sequence (OSC, DCS) ends that string in
 * every terminal, so these two are safe wherever they stand.
 */
export function restPoint(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0; at--) {
    if (bytes[at] === LF) return at + 1;
    if (bytes[at] === BRACKET && at > 0 && bytes[at - 1] === ESC) return at - 1;
  }
  return -1;
}
