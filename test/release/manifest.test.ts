/** The published package's manifest, and who may publish. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { packageManifest, ROOT, readManifest, releaseNotes } from '../../release/manifest.ts';

it('the manifest has one dependency, the launchers, the required Node, and no install scripts', () => {
  const manifest = packageManifest(readManifest(), ['@aish-tui/sandbox-linux-x64', '@aish-tui/sandbox-linux-arm64']);
  expect(manifest).toMatchObject({
    name: 'aish-tui',
    engines: { node: '>=22.12' },
    dependencies: { 'node-pty': expect.stringMatching(/^npm:@lydell\/node-pty@\d/) },
    optionalDependencies: {
      '@aish-tui/sandbox-linux-x64': readManifest().version,
      '@aish-tui/sandbox-linux-arm64': readManifest().version,
    },
  });
  expect(Object.keys(manifest.dependencies ?? {})).toHaveLength(1);
  expect(manifest).not.toHaveProperty('scripts');
  expect(manifest).not.toHaveProperty('devDependencies');
});

it('publishing from a checkout fails, and the error says what to do instead', () => {
  const { prepublishOnly } = readManifest().scripts;
  const { status, stderr } = spawnSync('sh', ['-c', prepublishOnly ?? ''], { cwd: ROOT, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('npm run release');
});

it('the release notes come from the version’s part of the changelog, or from Unreleased', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.1.0 (2026-11-22)\n\n- one\n\n### Fixed\n\n- two\n\n## 1.0.0\n';
  expect(releaseNotes(changelog, '1.1.0')).toBe('- one\n\n### Fixed\n\n- two');
  expect(releaseNotes(changelog, '1.2.0')).toBe('- new');
  expect(() => releaseNotes('# Changelog\n', '1.2.0')).toThrow('1.2.0');
});
