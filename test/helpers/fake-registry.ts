// An npm registry on loopback with one package made on the fly: a program that prints its version. For installer tests.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface FakeRegistry {
  url: string;
  /** Paths asked for, in order. */
  requests: string[];
  /** While set, tarballs wait for it. */
  hold: Promise<void> | undefined;
  close(): Promise<void>;
}

export async function startFakeRegistry(name: string, versions: readonly string[]): Promise<FakeRegistry> {
  const registry: FakeRegistry = { url: '', requests: [], hold: undefined, close: async () => undefined };
  const tarballs = new Map(versions.map((version) => [version, packageTarball(name, version)]));
  const server: Server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent(request.url ?? '');
      registry.requests.push(path);
      const tarball = /-(\d+\.\d+\.\d+)\.tgz$/.exec(path)?.[1];
      if (tarball) {
        await registry.hold;
        response.end(tarballs.get(tarball));
      } else if (path === `/${name}`) response.end(JSON.stringify(packument(registry.url, name, tarballs)));
      else response.writeHead(404).end('{"error":"not found"}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  registry.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  registry.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return registry;
}

function packument(url: string, name: string, tarballs: Map<string, Buffer>): object {
  const versions = [...tarballs].map(([version, bytes]) => [
    version,
    {
      name,
      version,
      bin: { [name]: 'cli.js' },
      dist: {
        tarball: `${url}/${name}/-/${name}-${version}.tgz`,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      },
    },
  ]);
  return {
    name,
    'dist-tags': { latest: [...tarballs.keys()].at(-1) },
    versions: Object.fromEntries(versions),
  };
}

function packageTarball(name: string, version: string): Buffer {
  const program = `#!/usr/bin/env node\nconsole.log('${name} ${version}');\n`;
  const manifest = JSON.stringify({ name, version, bin: { [name]: 'cli.js' } });
  const files = [
    tarEntry('package/package.json', manifest, 0o644),
    tarEntry('package/cli.js', program, 0o755),
  ];
  return gzipSync(Buffer.concat([...files, Buffer.alloc(1024)]));
}

/** One ustar header and its padded body. */
function tarEntry(path: string, text: string, mode: number): Buffer {
  const body = Buffer.from(text);
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(path, 0);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(body.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
