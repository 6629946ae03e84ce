// Patches of panes on their way from the daemon to the compositor: decodes them, keeps each pane's modes and history, and
// knows which scroll place the daemon was asked for last. Called by the app.
import type { PaneId } from '../model/ids.js';
import { DEFAULT_MODES, type PaneModes, type ScreenPatch } from '../model/patch.js';
import type { PatchHeader } from '../wire/messages.js';
import { decodePatches } from '../wire/patches.js';

export interface PaneFacts {
  modes: PaneModes;
  title: string;
  historyLines: number;
  /** Lines above the live screen, as painted last. */
  scrollOffset: number;
  rows: number;
}

const NO_FACTS: PaneFacts = { modes: DEFAULT_MODES, title: '', historyLines: 0, scrollOffset: 0, rows: 0 };

export class PaneFeed {
  #facts = new Map<PaneId, PaneFacts>();

  /** Throws PROTOCOL when the body is shorter than its header says. */
  take(headers: readonly PatchHeader[], body: Uint8Array): ScreenPatch[] {
    const rows = decodePatches(headers, body);
    return headers.map((header, at) => {
      const before = this.#facts.get(header.paneId) ?? NO_FACTS;
      const modes = header.modes ?? before.modes;
      const title = header.title ?? before.title;
      const { historyLines, scrollOffset } = header;
      this.#facts.set(header.paneId, { modes, title, historyLines, scrollOffset, rows: header.rows });
      return { ...header, modes, title, changed: rows[at]! };
    });
  }

  facts(paneId: PaneId): PaneFacts | undefined {
    return this.#facts.get(paneId);
  }

  /** Forgets panes that are gone; answers which. */
  keepOnly(known: ReadonlySet<PaneId>): PaneId[] {
    const gone = [...this.#facts.keys()].filter((id) => !known.has(id));
    for (const id of gone) this.#facts.delete(id);
    return gone;
  }
}
