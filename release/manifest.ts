/** What the published package says of itself: made from the checkout's own `package.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};

export function readManifest(): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return manifest;
}

/** The packages that the bundle loads from outside of it. */
const EXTERNAL = ['node-pty'];

/** The published `package.json`: what the bundle lacks and the launchers, and nothing to run at install. */
export function packageManifest(manifest: Manifest, launchers: readonly string[]): Record<string, unknown> {
  const { name, version, description, license, type, bin, engines } = manifest;
  const dependencies = Object.fromEntries(EXTERNAL.map((external) => [external, manifest.dependencies[external]]));
  const optional = Object.fromEntries(launchers.map((launcher) => [launcher, version]));
  // On Windows it runs within WSL, which is a Linux.
  const os = ['!win32'];
  const man = ['./docs/aish-tui.1'];
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    man,
    engines,
    os,
    dependencies,
    optionalDependencies: optional,
  };
}

/** The part of the changelog about `version`: its own, else what is not released yet. */
export function releaseNotes(changelog: string, version: string): string {
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find((text) => text.startsWith(version)) ?? parts.find((text) => text.startsWith('Unreleased'));
  if (part === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return part.slice(part.indexOf('\n')).trim();
}
