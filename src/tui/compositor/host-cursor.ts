// Where the host's cursor is wanted and how it is shown now. Part of the compositor.
import type { PenWriter } from './pen-writer.js';

export interface CursorPlace {
  x: number;
  y: number;
  /** DECSCUSR: 0 default … 6. */
  style: number;
}

export class HostCursor {
  want: { x: number; y: number; style?: number } | { paneId: string } | null = null;
  /** Undefined: not known (start, after another program). */
  isShown: boolean | undefined;
  /** We never set another: the user's own shape is left alone until a pane asks for one. */
  #style: number | undefined = 0;
  #at: { x: number; y: number } | undefined;

  forget(): void {
    this.isShown = undefined;
    if (this.#style !== 0) this.#style = undefined;
    this.#at = undefined;
  }

  differs(place: CursorPlace | null): boolean {
    if (!place) return this.isShown !== false;
    return (
      this.isShown !== true ||
      this.#style !== place.style ||
      this.#at?.x !== place.x ||
      this.#at.y !== place.y
    );
  }

  /** Brings the host's cursor to `place`, or hides it. */
  place(writer: PenWriter, place: CursorPlace | null): void {
    if (!place) {
      if (this.isShown !== false) writer.out += '\x1b[?25l';
      this.isShown = false;
      return;
    }
    writer.moveTo(place.x, place.y);
    this.#at = { x: place.x, y: place.y };
    if (this.#style !== place.style) writer.out += `\x1b[${place.style} q`;
    this.#style = place.style;
    if (this.isShown !== true) writer.out += '\x1b[?25h';
    this.isShown = true;
  }
}
