/**
 * `npm run release`: makes the packages in `.release/`, tries them as a stranger would, writes the notes, and prints what
 * to publish. Publishes nothing itself.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { launcherPackage } from '../src/effects/sandbox/index.ts';
import { readLockFile, unverified } from '../test/rules/lockfile.ts';
import { bootArm64 } from './boot-arm64.ts';
import { ARCHITECTURES, buildLauncher } from './launchers.ts';
import { ROOT, readManifest, releaseNotes } from './manifest.ts';
import { pack, stage } from './stage.ts';

const place = join(ROOT, '.release');
rmSync(place, { recursive: true, force: true });
mkdirSync(place);
const manifest = readManifest();
const notes = releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), manifest.version);
const mb = (bytes: number) => (bytes / 1e6).toFixed(2);

const launchers: string[] = [];
const missing: string[] = [];
for (const arch of ARCHITECTURES) {
  const folder = join(place, `sandbox-linux-${arch}`);
  const built = await buildLauncher(arch, manifest, folder);
  if (!built) {
    missing.push(arch);
    continue;
  }
  const packed = pack(folder, place);
  renameSync(packed.file, `${folder}.tgz`);
  launchers.push(folder);
  console.log(`${packed.name} ${packed.bytes} bytes, sha256 of the launcher ${built.sha256}, ${built.compiler}`);
  if (arch === 'arm64' && arch !== process.arch) {
    const booted = bootArm64(join(folder, 'aish-sandbox'));
    const said = booted.ok ? booted.lines : [`built here, to be tried on such a machine: ${booted.why}`];
    for (const line of said) console.log(`  ${line}`);
  }
}
for (const arch of missing)
  console.log(
    `no launcher for ${arch}: this machine has no compiler for it (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)`,
  );

const folder = join(place, manifest.name);
// Both launchers are named also where only one could be made: npm passes over an optional package that is not there.
stage(manifest, ARCHITECTURES.map(launcherPackage), folder);
const packed = pack(folder, place);
console.log(`${packed.name} ${mb(packed.bytes)} MB packed, ${mb(packed.unpacked)} MB unpacked, ${packed.files} files`);
writeFileSync(join(place, 'notes.md'), `${notes}\n`);

const trial = [process.execPath, join(ROOT, 'release/try.ts'), packed.file, ...launchers];
const bare = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!bare) console.log('this machine gives no mount namespace: the trial sees all of its programs');
const { status } = spawnSync(
  'sh',
  [...(bare ? [join(ROOT, 'scripts/bare-machine.sh')] : ['-c', '"$@"', 'sh']), ...trial],
  { stdio: 'inherit' },
);
if (status !== 0) {
  console.error('the package failed its trial: nothing to publish');
  process.exit(1);
}

const dirty = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }) !== '';
if (dirty) console.log('\nthere are uncommitted changes: commit them and make the release again before publishing');
const unchecked = unverified(readLockFile()).length;
if (unchecked > 0)
  console.log(
    `\n${unchecked} locked tools have no checksum: node test/rules/lockfile.ts, with a registry that serves them all`,
  );
if (missing.length > 0) console.log(`\nincomplete: no launcher for ${missing.join(', ')}`);
console.log(`\nto publish, in this order:
${[...launchers.map((name) => `${name}.tgz`), packed.file].map((file) => `  npm publish --access public ./${relative(process.cwd(), file)}`).join('\n')}
  git tag -a v${manifest.version} -F ${relative(process.cwd(), join(place, 'notes.md'))}`);
