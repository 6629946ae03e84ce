// fs/read_text_file and fs/write_text_file, inside the session's folders only. A path is opened first and judged by where the
// open descriptor really is, so that a symlink swapped in between leads nowhere. Linux and macOS.
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errnoOf, messageOf } from '../base/errors.js';
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from '../io/jsonrpc.js';

/** Above this an agent gets an error with words instead of a message that fills every buffer on its way. */
export const READ_CAP_BYTES = 16 * 1024 * 1024;
const RESOURCE_NOT_FOUND = -32002;
/** So many first bytes are looked at for a NUL. */
const BINARY_PROBE_BYTES = 8192;

export interface ReadRange {
  /** First line, 1-based. */
  line?: number;
  /** Number of lines. */
  limit?: number;
}

export class ConfinedFiles {
  #roots: Promise<string[]>;

  /** `roots`: folders that may be entered; those that do not exist are left out. */
  constructor(roots: readonly string[]) {
    this.#roots = Promise.all(roots.map((root) => realpath(root).catch(() => undefined))).then((real) =>
      real.filter((root) => root !== undefined),
    );
  }

  /** Rejects with RpcError. */
  async readText(path: string, range: ReadRange = {}): Promise<string> {
    const file = await this.#open(path, constants.O_RDONLY);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw new RpcError(INVALID_PARAMS, `${path} is not a file`);
      if (stat.size > READ_CAP_BYTES) {
        throw new RpcError(
          INVALID_PARAMS,
          `${path} has ${stat.size} bytes; at most ${READ_CAP_BYTES} are read`,
        );
      }
      const bytes = await file.readFile();
      if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0))
        throw new RpcError(INVALID_PARAMS, `${path} is a binary file`);
      return slice(bytes.toString('utf8'), range);
    } finally {
      await file.close();
    }
  }

  /** Creates or replaces. Rejects with RpcError when the place is refused; the file is then as it was. */
  async writeText(path: string, content: string): Promise<void> {
    const file = await this.#openForWriting(path);
    try {
      await file.truncate(0);
      await file.writeFile(content);
    } finally {
      await file.close();
    }
  }

  async #openForWriting(path: string): Promise<FileHandle> {
    try {
      return await this.#open(path, constants.O_WRONLY);
    } catch (error) {
      if (!(error instanceof RpcError && error.code === RESOURCE_NOT_FOUND)) throw error;
    }
    // A new file: its folder is opened and judged, then the file is made through that descriptor, never over a link.
    const folder = await this.#open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      const place =
        process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : await realpath(dirname(path));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      return await open(join(place, basename(path)), flags, 0o644);
    } catch (error) {
      throw new RpcError(INTERNAL_ERROR, `${path} could not be made: ${messageOf(error)}`);
    } finally {
      await folder.close();
    }
  }

  async #open(path: string, flags: number): Promise<FileHandle> {
    if (!isAbsolute(path)) throw new RpcError(INVALID_PARAMS, `${path} is not an absolute path`);
    let file: FileHandle;
    try {
      // Not blocking: a FIFO in the folder must not hold the daemon.
      file = await open(path, flags | constants.O_NONBLOCK);
    } catch (error) {
      throw await this.#openError(path, error);
    }
    try {
      await this.#judge(path, file);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Where the descriptor really is decides, not the path that led there. */
  async #judge(path: string, file: FileHandle): Promise<void> {
    const real =
      process.platform === 'linux' ? await realpath(`/proc/self/fd/${file.fd}`) : await realpath(path);
    if (!(await this.#isInside(real))) throw outside(path);
  }

  /** A path outside is refused as such, whether it exists or not: its existence is nobody's business. */
  async #openError(path: string, error: unknown): Promise<RpcError> {
    const code = errnoOf(error);
    if (!(await this.#mayExistInside(path))) return outside(path);
    if (code === 'ENOENT')
      return new RpcError(RESOURCE_NOT_FOUND, `Resource not found: ${path}`, { uri: path });
    return new RpcError(INTERNAL_ERROR, `${path}: ${messageOf(error)}`);
  }

  async #mayExistInside(path: string): Promise<boolean> {
    for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
      const real = await realpath(folder).catch(() => undefined);
      if (real !== undefined) return this.#isInside(join(real, '.'));
      if (folder === dirname(folder)) return false;
    }
  }

  async #isInside(real: string): Promise<boolean> {
    return (await this.#roots).some((root) => {
      const way = relative(root, real);
      return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
    });
  }
}

export function isMissingFile(error: unknown): boolean {
  return error instanceof RpcError && error.code === RESOURCE_NOT_FOUND;
}

function outside(path: string): RpcError {
  return new RpcError(INVALID_PARAMS, `${path} is outside the folders of this session`);
}

function slice(text: string, { line, limit }: ReadRange): string {
  if (line === undefined && limit === undefined) return text;
  const lines = text.split('\n');
  const start = Math.max(0, (line ?? 1) - 1);
  return lines.slice(start, limit === undefined ? undefined : start + limit).join('\n');
}
