// Tells when the user's providers.toml changed on disk. Called by the façade. Watches the folder, not the file: editors
// write a new file and rename it over the old one, and the file may not exist yet.
import { watch, lstatSync, realpathSync, watchFile, unwatchFile, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { toDisposable, type Disposable } from '../base/disposable.js';
import { messageOf } from '../base/errors.js';
import { ensureDir } from '../base/paths.js';
import type { Log } from '../base/log.js';

/** Editors write in several steps; this long after the last event the file is read. */
const SETTLE_MS = 80;
/** Where the system has no watches left, the file is looked at this often. */
const POLL_MS = 1000;

/** `onChange` is called after the file settled; it must compare contents itself. Never throws. */
export function watchCatalogueFile(file: string, onChange: () => void, log: Log): Disposable {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const touched = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
    timer.unref();
  };
  const watchFolderOf = (path: string) => {
    const name = basename(path);
    const watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) touched();
    });
    watcher.on('error', (error) => log.warn('catalogue watch ended', { error: messageOf(error) }));
    watchers.push(watcher);
  };
  let polling = false;
  try {
    ensureDir(dirname(file));
    watchFolderOf(file);
    const target = linkTarget(file);
    if (target) watchFolderOf(target);
  } catch (error) {
    log.warn('no watch on the catalogue, looking at it instead', { error: messageOf(error) });
    polling = true;
    watchFile(file, { persistent: false, interval: POLL_MS }, touched);
  }
  return toDisposable(() => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    if (polling) unwatchFile(file, touched);
  });
}

/** Dotfile managers keep the real file elsewhere: its folder changes, not the link's. */
function linkTarget(file: string): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return undefined;
  try {
    return realpathSync(file);
  } catch {
    // A dangling link: the folder of the link is watched, and that is where a good one will appear.
    return undefined;
  }
}
