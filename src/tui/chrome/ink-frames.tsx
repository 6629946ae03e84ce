// Runs Ink into a private stream: a model in, the rows of a whole frame out. Loaded by a dynamic import, after the first
// paint. Ink never sees the host terminal: neither its output nor its raw mode (C01, C04).
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import type { Disposable } from '../../base/disposable.js';
import { Screen } from './screen.js';
import type { ScreenModel } from './screen-model.js';

export interface InkFrames extends Disposable {
  /** Draws a model; `onFrame` was called when it returns, unless nothing changed. */
  draw(model: ScreenModel): void;
}

/** `onFrame` gets a frame, rows joined by LF, with SGR, never more than the model's rows. */
export function startInk(first: ScreenModel, onFrame: (frame: string) => void): InkFrames {
  let current = first;
  const stdout = Object.assign(new PassThrough(), {
    columns: first.cols,
    rows: first.rows,
    isTTY: true,
    write(frame: string | Uint8Array): boolean {
      onFrame(String(frame).split('\n').slice(0, current.rows).join('\n'));
      return true;
    },
  });
  const options = {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stderr: new PassThrough() as unknown as NodeJS.WriteStream,
    stdin: privateStdin(),
    // Whole frames, at once, without Ink's own throttle and terminal bookkeeping.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  };
  const instance = render(<Screen model={first} />, options);
  return {
    draw(model) {
      current = model;
      const resized = stdout.columns !== model.cols || stdout.rows !== model.rows;
      stdout.columns = model.cols;
      stdout.rows = model.rows;
      if (resized) stdout.emit('resize');
      instance.rerender(<Screen model={model} />);
    },
    dispose() {
      instance.unmount();
    },
  };
}

/** What Ink wants of a stdin. No key is ever written to it: the router has them. */
function privateStdin(): NodeJS.ReadStream {
  const stream = new PassThrough();
  const still = () => stream;
  const fake = Object.assign(stream, {
    isTTY: true,
    isRaw: false,
    setRawMode: still,
    ref: still,
    unref: still,
  });
  return fake as unknown as NodeJS.ReadStream;
}
