/** The folder that becomes the package: a build of its own, and what belongs beside it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, packageManifest, ROOT } from './manifest.ts';

const FILES = [
  'aish-tui',
  'scripts/find-node.sh',
  'config.example.jsonc',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
];

/** Fills `folder`, which must not exist yet: a build into a used one would carry chunks that nothing loads. */
export function stage(manifest: Manifest, launchers: readonly string[], folder: string): void {
  mkdirSync(folder);
  execFileSync(process.execPath, [join(ROOT, 'build.mjs'), join(folder, 'dist')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  cpSync(join(ROOT, 'release/aish-sandbox.apparmor'), join(folder, 'aish-sandbox.apparmor'));
  renameSync(join(folder, 'dist/THIRD-PARTY-NOTICES'), join(folder, 'THIRD-PARTY-NOTICES'));
  copyDocs(join(ROOT, 'docs'), join(folder, 'docs'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageManifest(manifest, launchers), null, 2)}\n`);
}

/** Pages and pictures; not the programs that make them. */
function copyDocs(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => path === from || !/\.ts$|\/(?:generate|picture)$/.test(path),
  });
}

export type Packed = {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly unpacked: number;
  readonly files: number;
};

/** The tarball of `folder`, put into `place`. */
export function pack(folder: string, place: string): Packed {
  const said = execFileSync('npm', ['pack', folder, '--pack-destination', place, '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [told]: readonly { name: string; filename: string; size: number; unpackedSize: number; entryCount: number }[] =
    JSON.parse(said);
  if (!told) throw new Error(`npm packed nothing of ${folder}: ${readdirSync(folder).join(' ')}`);
  return {
    name: told.name,
    file: join(place, told.filename),
    bytes: told.size,
    unpacked: told.unpackedSize,
    files: told.entryCount,
  };
}
