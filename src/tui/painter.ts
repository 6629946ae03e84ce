// Between the state and the compositor: keeps the chrome that Ink drew, draws it anew when it must, moves holes, clocks and
// the cursor, and asks for a paint. Ink is loaded after the first paint. Called by the app.
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Compositor, type PaintCaps } from './compositor/compositor.js';
import type { PaintUrgency } from './host/paint-scheduler.js';
import type { InkFrames } from './chrome/ink-frames.js';
import type { Block, ScreenModel } from './chrome/screen-model.js';
import { makeTheme } from './chrome/theme.js';
import { elapsed } from './chrome/title-row.js';
import type { HostSize } from './state.js';

/** Chrome frames that no key asked for: at most ten a second (facts: one costs 5 to 8 ms at 200x60). */
const CHROME_PERIOD_MS = 100;

export interface PainterOptions {
  caps: PaintCaps;
  host: HostSize;
  clock: Clock;
  requestPaint(urgency: PaintUrgency): void;
}

export class Painter implements Disposable {
  #compositor: Compositor;
  #options: PainterOptions;
  #host: HostSize;
  #ink: InkFrames | undefined;
  #frame = '';
  #model: ScreenModel | undefined;
  /** What `#frame` was made from. */
  #drawn: ScreenModel | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: Disposable | undefined;
  #clocks: string[] = [];
  #disposed = false;

  constructor(options: PainterOptions) {
    this.#options = options;
    this.#host = options.host;
    this.#compositor = new Compositor(options.caps, options.host);
  }

  get compositor(): Compositor {
    return this.#compositor;
  }

  /** From now on the chrome is drawn; until then only panes are. */
  async loadInk(): Promise<void> {
    const { startInk } = await withoutFetch(() => import('./chrome/ink-frames.js'));
    if (this.#disposed || !this.#model) return;
    this.#ink = startInk(this.#model, (frame) => {
      this.#frame = frame;
    });
    this.#drawn = this.#model;
    this.#draw(true);
  }

  resize(host: HostSize): void {
    this.#host = host;
    this.compositor.resize(host.cols, host.rows);
    this.#drawn = undefined;
  }

  /** The host can do other things than was thought: everything is painted anew. Rows of panes must be given again. */
  setCaps(caps: PaintCaps, host: HostSize): void {
    this.#host = host;
    this.#compositor = new Compositor(caps, host);
    this.#clocks = [];
    this.#drawn = undefined;
  }

  /** The screen should look like this. `urgent`: a key led to it, so it is drawn at once. */
  show(model: ScreenModel, urgent: boolean): void {
    this.#model = model;
    const moved = !this.#drawn || !sameValue(holesOf(model), holesOf(this.#drawn));
    if (urgent || moved || this.#sinceDrawn() >= CHROME_PERIOD_MS) this.#draw(urgent);
    else
      this.#timer ??= this.#options.clock.after(CHROME_PERIOD_MS - this.#sinceDrawn(), () =>
        this.#draw(false),
      );
  }

  /** Repaints the times in the titles. */
  tick(): void {
    if (this.#model && this.#showClocks(this.#model)) this.#options.requestPaint('slow');
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
    this.#ink?.dispose();
  }

  #sinceDrawn(): number {
    return this.#options.clock.now() - this.#drawnAt;
  }

  #draw(urgent: boolean): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const model = this.#model;
    if (!model || this.#disposed) return;
    if (this.#ink && !sameBlocks(model.blocks, this.#drawn?.blocks)) {
      this.#ink.draw(model);
      this.#drawnAt = this.#options.clock.now();
    }
    this.#drawn = model;
    const { overlays, holes } = holesOf(model);
    this.compositor.setChrome(this.#frame, overlays, holes);
    this.#showClocks(model);
    const focused = model.panes.find((pane) => pane.focused);
    const pane = focused && !model.dialogOpen ? { paneId: focused.paneId } : null;
    this.compositor.setCursor(model.cursor ?? pane);
    this.#options.requestPaint(urgent ? 'key' : 'soon');
  }

  #showClocks(model: ScreenModel): boolean {
    const theme = makeTheme(this.#host);
    const ids = model.clocks.map((_clock, at) => `clock ${at}`);
    for (const id of this.#clocks) if (!ids.includes(id)) this.compositor.clearSpot(id);
    this.#clocks = ids;
    for (const [at, clock] of model.clocks.entries()) {
      const text = elapsed(this.#options.clock.now() - clock.since).padEnd(clock.cols);
      this.compositor.setSpot(ids[at]!, clock.x, clock.y, theme.paint(text, clock.look));
    }
    return ids.length > 0;
  }
}

/** yoga would decode its wasm through fetch and so load all of undici: 40 ms of the start (facts: start-up). */
async function withoutFetch<T>(load: () => Promise<T>): Promise<T> {
  const fetch = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
  Reflect.deleteProperty(globalThis, 'fetch');
  try {
    return await load();
  } finally {
    if (fetch) Object.defineProperty(globalThis, 'fetch', fetch);
  }
}

function holesOf(model: ScreenModel) {
  return {
    overlays: model.overlays,
    holes: model.panes.map(({ paneId, rect }) => ({ paneId, rect })),
  };
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameBlocks(a: readonly Block[], b: readonly Block[] | undefined): boolean {
  return b !== undefined && sameValue(a, b);
}
