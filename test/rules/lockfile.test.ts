import { expect, it } from 'vitest';
import { missingFrom, readLockFile, unverified, without } from './lockfile.ts';

it('every optional package is locked, those for other platforms too (else: node test/rules/lockfile.ts)', () => {
  expect(missingFrom(readLockFile())).toEqual([]);
});

it('the lock file check looks for a package where Node would', () => {
  const asks = { optionalDependencies: { fast: '1.0.0' } };
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/fast': {} } })).toEqual([]);
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/@a/b/node_modules/fast': {} } })).toEqual(
    [],
  );
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/c/node_modules/fast': {} } })).toEqual([
    { name: 'fast', range: '1.0.0', by: 'node_modules/@a/b', dev: false },
  ]);
});

it('every package has its checksum (else: node test/rules/lockfile.ts)', () => {
  expect(unverified(readLockFile())).toEqual([]);
  expect(
    unverified({ packages: { '': {}, 'node_modules/a': {}, 'node_modules/b': { integrity: 'sha512-x' } } }),
  ).toEqual([['node_modules/a', {}]]);
});

it('a package is removed from the lock file together with the entry that requires it, so that npm ci misses no package', () => {
  const optionalDependencies = { '@a/b-darwin': '1.0.0', '@a/b-linux': '1.0.0' };
  const lock = {
    packages: {
      'node_modules/@a/b': { version: '1.0.0', optionalDependencies },
      'node_modules/@a/b-darwin': { optional: true },
      'node_modules/@a/b-linux': { optional: true, integrity: 'sha512-x' },
    },
  };
  const left = without(lock, new Set(['node_modules/@a/b-darwin']));
  expect(Object.keys(left.packages)).toEqual(['node_modules/@a/b', 'node_modules/@a/b-linux']);
  expect(missingFrom(left)).toEqual([]);
});
