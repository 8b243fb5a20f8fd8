import { expect, it } from 'vitest';
import { missingFrom, readLockFile, unverified } from './lockfile.ts';

it('every optional package is locked, those for other platforms too (else: node test/rules/lockfile.ts)', () => {
  expect(missingFrom(readLockFile())).toEqual([]);
});

it('looks for a package where Node would', () => {
  const asks = { optionalDependencies: { fast: '1.0.0' } };
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/fast': {} } })).toEqual([]);
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/@a/b/node_modules/fast': {} } })).toEqual(
    [],
  );
  expect(missingFrom({ packages: { 'node_modules/@a/b': asks, 'node_modules/c/node_modules/fast': {} } })).toEqual([
    { name: 'fast', range: '1.0.0', by: 'node_modules/@a/b', dev: false },
  ]);
});

it('every package has its checksum, but for tools of other systems that this registry did not serve', () => {
  const odd = unverified(readLockFile()).filter(([, { dev, optional, os }]) => !(dev && optional && os));
  expect(odd).toEqual([]);
  expect(
    unverified({ packages: { '': {}, 'node_modules/a': {}, 'node_modules/b': { integrity: 'sha512-x' } } }),
  ).toEqual([['node_modules/a', {}]]);
});
