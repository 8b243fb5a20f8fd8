import type { Confinement } from '../../contracts/commands.ts';
import type { Machine } from '../../contracts/machine.ts';
import { placeOn } from '../../session/place.ts';

/** A host that is not connected: nothing runs there, and everything that is named may be there. */
export function absentHost(host: string): Machine {
  return {
    host,
    home: '/',
    spawn: () => Promise.reject(new Error(`${host} is not connected; :host ${host} connects to it`)),
    lacks: (mode) => lacksSandbox(host, mode),
    files: {
      existing: (named) => Promise.resolve(named.map(({ path }) => path)),
      count: () => Promise.resolve(undefined),
      matches: () => Promise.resolve(undefined),
      identities: (named) =>
        Promise.resolve(named.map(({ path, cwd }) => `${placeOn(host, cwd)} ${path} not looked at`)),
    },
    processes: (ids, names) => Promise.resolve([...ids, ...names].map((each) => `${each}: it can't be looked at`)),
  };
}

/** What runs on a machine without a sandbox. */
export function lacksSandbox(host: string, mode: Confinement): string | undefined {
  return mode === 'unrestricted'
    ? undefined
    : `there is no sandbox on ${host}, so only Unrestricted runs commands there`;
}
