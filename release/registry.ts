/** A registry for the trial: npm takes the launchers from it as it will take them from the real one. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

export type PackageJson = { readonly name: string; readonly version: string } & Readonly<Record<string, unknown>>;
export type Offered = { readonly manifest: PackageJson; readonly tarball: string };

/** Serves the packages of one scope on this machine until closed. */
export async function serveRegistry(packages: readonly Offered[]): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const { port } = server.address() as { port: number };
    for (const { manifest, tarball } of packages) {
      if (path === `/${basename(tarball)}`) return response.end(readFileSync(tarball));
      if (path !== `/${manifest.name}`) continue;
      const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
      const dist = { tarball: `http://127.0.0.1:${port}/${basename(tarball)}`, integrity };
      const { version } = manifest;
      response.setHeader('content-type', 'application/json');
      return response.end(
        JSON.stringify({
          name: manifest.name,
          'dist-tags': { latest: version },
          versions: { [version]: { ...manifest, dist } },
        }),
      );
    }
    response.statusCode = 404;
    return response.end('{"error":"not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
