// A client reduced to its terminal: HostTerminal, probe, scheduler and compositor, for the tests of leaving. Keys: d detach,
// t throw, r reject, x exit at once, f flood. Writes what happens to $HOST_LOG, one JSON value a line.
import { appendFileSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.js';
import { keyLabel, type InputEvent } from '../../src/model/key.js';
import { Compositor } from '../../src/tui/compositor/compositor.js';
import { takesOtherKeys } from '../../src/tui/host/caps.js';
import { PaintScheduler } from '../../src/tui/host/paint-scheduler.js';
import { probeHost } from '../../src/tui/host/probe.js';
import { HostTerminal } from '../../src/tui/host/terminal.js';

const log = (value: unknown) => appendFileSync(process.env.HOST_LOG!, `${JSON.stringify(value)}\n`);

const terminal: HostTerminal = new HostTerminal({
  onInput: (event) => handle(event),
  onResize: (size) => {
    compositor.resize(size.cols, size.rows);
    draw(`size ${size.cols}x${size.rows}`);
  },
  onSuspend: () => scheduler.pause(),
  onResumed: () => {
    compositor.invalidate();
    draw('resumed');
    scheduler.resume();
    log({ resumed: process.stdin.isRaw });
  },
  onEnd: (cause) => {
    log({ end: cause.kind });
    process.exit(cause.kind === 'error' ? 70 : cause.kind === 'signal' ? 71 : 72);
  },
});
const scheduler = new PaintScheduler({
  clock: systemClock,
  write: (text, done) => terminal.writer.write(text, done),
  paint: () => compositor.paint(),
  pace: true,
  onAsk: () => terminal.expect('dsr'),
});

let line = 'READY';

function draw(text: string): void {
  line = text;
  compositor.setChrome(Array.from({ length: compositor.rows }, (_, y) => `${line} ${y}`).join('\n'), [], []);
  compositor.setCursor({ x: 2, y: 2, style: 4 });
  scheduler.request('soon');
}

function handle(event: InputEvent): void {
  log(event.type === 'key' ? { key: keyLabel(event.key) } : event);
  if (event.type !== 'key') return;
  const label = keyLabel(event.key);
  if (label === 'd') void terminal.leave().then(() => process.exit(0));
  if (label === 't') throw new Error('thrown in a handler');
  if (label === 'r') void Promise.reject(new Error('rejected'));
  if (label === 'x') process.exit(3);
  if (label === 'f') {
    let count = 0;
    setInterval(() => draw(`flood ${count++} ${'漢字'.repeat(20)}`), 5);
  }
}

terminal.enter();
const probe = probeHost(terminal, process.env, systemClock);
const compositor = new Compositor(probe.caps, terminal.size);
terminal.onReply((reply) => {
  if (reply.kind === 'dsr') scheduler.handleDsr();
});
void probe.done.then((caps) => {
  log({ caps });
  terminal.setKeyboard(caps.kittyKeyboard ? 5 : 0, takesOtherKeys(caps) ? 2 : 0);
});
log({ pid: process.pid });
draw('READY');
