/** The hosts that the user lets have the launcher: one name a line. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export type HostAnswers = {
  has(host: string): boolean;
  set(host: string, yes: boolean): void;
};

/** At `path`, 0600. A file that can't be written costs the keeping, nothing else. */
export function openHostAnswers(path: string): HostAnswers {
  let known = new Set<string>();
  const read = () => {
    try {
      known = new Set(
        readFileSync(path, 'utf8')
          .split('\n')
          .filter((name) => name !== ''),
      );
    } catch {
      // None yet, or it holds for this session.
    }
    return known;
  };
  return {
    has: (host) => read().has(host),
    set(host, yes) {
      read();
      if (yes) known.add(host);
      else known.delete(host);
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.new`, [...known, ''].join('\n'), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // It holds for this session.
      }
    },
  };
}
