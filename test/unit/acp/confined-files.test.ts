import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfinedFiles, READ_CAP_BYTES, isMissingFile } from '../../../src/acp/confined-files.js';

let dir: string;
let root: string;
let files: ConfinedFiles;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agentile-files-'));
  root = join(dir, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(dir, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\nfour\n');
  files = new ConfinedFiles([root]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('files of an agent are confined to its folders', () => {
  it('reads whole files and ranges of lines', async () => {
    expect(await files.readText(join(root, 'a.txt'))).toBe('one\ntwo\nthree\nfour\n');
    expect(await files.readText(join(root, 'a.txt'), { line: 2, limit: 2 })).toBe('two\nthree');
    expect(await files.readText(join(root, 'a.txt'), { limit: 1 })).toBe('one');
  });

  it('creates and replaces files', async () => {
    await files.writeText(join(root, 'src/new.ts'), 'x');
    await files.writeText(join(root, 'a.txt'), 'short');
    expect(readFileSync(join(root, 'src/new.ts'), 'utf8')).toBe('x');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('short');
  });

  it.each([
    ['..', () => join(root, '../secret.txt')],
    ['an absolute path', () => join(dir, 'secret.txt')],
    ['a relative path', () => 'a.txt'],
  ])('refuses %s', async (_name, path) => {
    await expect(files.readText(path())).rejects.toMatchObject({ code: -32602 });
    await expect(files.writeText(path(), 'x')).rejects.toMatchObject({ code: -32602 });
    expect(readFileSync(join(dir, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('refuses symlinks that lead out: the file itself and a folder on the way', async () => {
    symlinkSync(join(dir, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(dir, join(root, 'out'));
    for (const path of ['link.txt', 'out/secret.txt', 'out/new.txt']) {
      await expect(files.readText(join(root, path))).rejects.toMatchObject({ code: -32602 });
      await expect(files.writeText(join(root, path), 'x')).rejects.toMatchObject({ code: -32602 });
    }
    expect(readFileSync(join(dir, 'secret.txt'), 'utf8')).toBe('secret');
    expect(existsSync(join(dir, 'new.txt'))).toBe(false);
  });

  it('follows symlinks that stay inside', async () => {
    symlinkSync(join(root, 'a.txt'), join(root, 'inner.txt'));
    expect(await files.readText(join(root, 'inner.txt'))).toContain('one');
  });

  it('does not write through a dangling symlink', async () => {
    symlinkSync(join(dir, 'made-outside.txt'), join(root, 'dangling.txt'));
    await expect(files.writeText(join(root, 'dangling.txt'), 'x')).rejects.toBeDefined();
    expect(existsSync(join(dir, 'made-outside.txt'))).toBe(false);
  });

  it('a folder that is swapped for a symlink while we write leads nowhere', async () => {
    for (let round = 0; round < 50; round++) {
      const write = files.writeText(join(root, 'src/race.txt'), 'x').catch(() => undefined);
      rmSync(join(root, 'src'), { recursive: true, force: true });
      symlinkSync(dir, join(root, 'src'));
      await write;
      expect(existsSync(join(dir, 'race.txt'))).toBe(false);
      rmSync(join(root, 'src'));
      mkdirSync(join(root, 'src'));
    }
  });

  it('says which file is missing, and only inside', async () => {
    const missing = await files.readText(join(root, 'none.txt')).catch((error: unknown) => error);
    expect(isMissingFile(missing)).toBe(true);
    const outside = await files.readText(join(dir, 'none.txt')).catch((error: unknown) => error);
    expect(isMissingFile(outside)).toBe(false);
  });

  it('refuses huge and binary files and FIFOs, with words', async () => {
    writeFileSync(join(root, 'big.txt'), Buffer.alloc(READ_CAP_BYTES + 1, 97));
    writeFileSync(join(root, 'bin'), Buffer.from([1, 0, 2]));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    await expect(files.readText(join(root, 'big.txt'))).rejects.toThrow(/at most/);
    await expect(files.readText(join(root, 'bin'))).rejects.toThrow(/binary/);
    await expect(files.readText(join(root, 'fifo'))).rejects.toThrow(/not a file/);
  });

  it('a file whose name begins with two dots is inside', async () => {
    writeFileSync(join(root, '..odd'), 'x');
    expect(await files.readText(join(root, '..odd'))).toBe('x');
  });
});
