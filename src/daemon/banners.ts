// The banners every client shows: things about the whole installation that a person must know until they are over.
import type { Changes } from './changes.js';
import type { Banner } from '../wire/messages.js';
import type { LogHealth } from './event-log.js';

export class Banners {
  #changes: Changes;
  #banners = new Map<string, Banner>();

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  list(): Banner[] {
    return [...this.#banners.values()];
  }

  set(banner: Banner): void {
    this.#banners.set(banner.id, banner);
    this.#changes.touchPart('banners');
  }

  clear(id: string): void {
    if (this.#banners.delete(id)) this.#changes.touchPart('banners');
  }

  /** Says in words what the state of the log is; nothing while all is well. */
  showLogHealth(health: LogHealth, file: string): void {
    const text = logWords(health, file);
    if (text === undefined) this.clear('log');
    else this.set({ id: 'log', level: health.state === 'locked' ? 'warning' : 'error', text });
  }
}

function logWords(health: LogHealth, file: string): string | undefined {
  switch (health.state) {
    case 'ok':
      return undefined;
    case 'locked':
      return `The log ${file} cannot be written now: ${health.detail ?? 'unknown'}. What happens is kept in memory and written later.`;
    case 'moved-aside':
      return `The log was corrupt. The old file is ${health.detail ?? 'gone'}; a new one was begun.`;
    case 'missing':
      return `Nothing is kept on disk: ${health.detail ?? 'SQLite is missing'}. Install it with: npm install --global better-sqlite3 (it may need a C++ compiler), then run: agentile daemon restart`;
  }
}
