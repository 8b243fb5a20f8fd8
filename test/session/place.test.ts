import fc from 'fast-check';
import { expect, it } from 'vitest';
import { directoryAt, hostOf, placeOn } from '../../src/session/place.ts';

const host = fc.stringMatching(/^[\w.@-]{1,20}$/);
const directory = fc.string().map((text) => `/${text}`);

it('a place is a directory of this machine or of a host', () => {
  expect([hostOf('/srv/a:/b'), directoryAt('/srv/a:/b')]).toEqual([undefined, '/srv/a:/b']);
  expect([hostOf('web1:/srv/a:/b'), directoryAt('web1:/srv/a:/b')]).toEqual(['web1', '/srv/a:/b']);
  expect(hostOf('k8s:ns/pod/box:/tmp')).toBe('k8s:ns/pod/box');
});

it('a place returns the host and directory that it was made of, whatever the directory is called', () => {
  fc.assert(
    fc.property(fc.option(host, { nil: undefined }), directory, (name, path) => {
      const place = placeOn(name, path);
      expect([hostOf(place), directoryAt(place)]).toEqual([name, path]);
    }),
  );
});
