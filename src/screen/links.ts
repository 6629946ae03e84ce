// OSC 8 links by number. The emulator's own table puts a marker on every line of every link, which makes each scrolled line
// cost as much as there are links; this one only numbers addresses. Used by the emulator and by checkpoints.
import type { Core } from './xterm-internals.js';

/** An address longer than this is dropped: terminals do not open them either. */
const URL_MAX_CHARS = 4096;
/** More addresses than this in one pane and the oldest half is forgotten: their text stays, the link goes. */
const MAX_LINKS = 20_000;

export class LinkTable {
  /** Insertion order is age. */
  readonly #urls = new Map<number, string>();
  readonly #ids = new Map<string, number>();
  #nextId = 1;

  readonly urlOf = (id: number): string | undefined => this.#urls.get(id);

  /** The number of an address; never used again for another one. */
  idOf(url: string): number {
    const known = this.#ids.get(url);
    if (known !== undefined) return known;
    if (this.#urls.size >= MAX_LINKS) this.#forgetOldest();
    const id = this.#nextId++;
    this.#urls.set(id, url);
    this.#ids.set(url, id);
    return id;
  }

  #forgetOldest(): void {
    for (const [id, url] of this.#urls) {
      if (this.#urls.size <= MAX_LINKS / 2) return;
      this.#urls.delete(id);
      this.#ids.delete(url);
    }
  }

  /** Takes OSC 8 over from the emulator. */
  attach(core: Core): void {
    const input = core._inputHandler;
    input.registerOscHandler(8, (body) => {
      const url = body.slice(body.indexOf(';') + 1);
      const pen = input._curAttrData;
      pen.extended = pen.extended.clone();
      pen.extended.urlId = url === '' || url.length > URL_MAX_CHARS ? 0 : this.idOf(url);
      pen.updateExtended();
      return true;
    });
  }
}
