// What panes and the app say through the host terminal besides painting: bell, title, clipboard, notifications. Everything
// from a pane is made harmless first: no text can end its own sequence. Called by the app.
import type { Settings } from '../config/options.js';
import type { HostCaps } from '../wire/messages.js';
import type { HostVoice } from './app.js';
import { sanitize, truncate } from './chrome/text.js';

/** Longer titles are cut by hosts anyway. */
const TITLE_CELLS = 120;
const NOTE_CELLS = 200;
/** Hosts drop larger clipboards (xterm: 100 KB of base64), some of them by closing. */
const CLIPBOARD_CAP_BYTES = 74_000;

export interface VoicePorts {
  write(text: string): void;
  repaint(): void;
  setMotion(on: boolean): void;
  caps(): HostCaps;
}

export function makeVoice(settings: Settings, ports: VoicePorts): HostVoice {
  return {
    repaint: ports.repaint,
    setMotion: ports.setMotion,
    bell() {
      if (settings['screen.bell']) ports.write('\x07');
    },
    setTitle(title) {
      if (settings['screen.title']) ports.write(`\x1b]2;${truncate(sanitize(title), TITLE_CELLS)}\x1b\\`);
    },
    copy(text) {
      const bytes = Buffer.from(text);
      if (!settings['screen.clipboard'] || bytes.length === 0 || bytes.length > CLIPBOARD_CAP_BYTES) return;
      if (ports.caps().clipboard) ports.write(`\x1b]52;c;${bytes.toString('base64')}\x1b\\`);
    },
    notify(title, body) {
      if (!settings['screen.notifications']) return;
      const words = sanitize([title, body].filter((part) => part !== '').join(': ')).replaceAll(';', ',');
      ports.write(`\x1b]9;${truncate(words, NOTE_CELLS)}\x1b\\`);
    },
  };
}
