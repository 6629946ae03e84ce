// Bounds on what one escape sequence may cost. The emulator repeats an operation as often as the child says, up to two
// thousand million times; more than a screenful never shows. Attached by emulator.ts before all else.
import type { Core, FunctionId } from './xterm-internals.js';

/** Sequences whose first parameter is a count of lines or cells. */
const COUNTED: FunctionId[] = [
  ...['@', 'L', 'M', 'P', 'S', 'T', 'X', 'I', 'Z', 'b'].map((final) => ({ final })),
  { intermediates: ' ', final: '@' },
  { intermediates: ' ', final: 'A' },
  { intermediates: "'", final: '}' },
  { intermediates: "'", final: '~' },
];

/** REP may go on behind the end of a line; this much of it is still cheap. */
const MAX_REPEATS = 256;

export function limitCounts(core: Core): void {
  const { _inputHandler: input, _bufferService: size } = core;
  for (const id of COUNTED) {
    input.registerCsiHandler(id, (params) => {
      const max = Math.max(size.cols, size.rows, id.final === 'b' ? MAX_REPEATS : 0);
      if (params.params[0]! > max) params.params[0] = max;
      return false;
    });
  }
}
