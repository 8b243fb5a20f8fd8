import { homedir } from 'node:os';
import type { Sight } from '../../contracts/machine.ts';
import { count, existing } from './files.ts';
import { countMatches } from './find.ts';
import { processImpact } from './processes.ts';
import { identities } from './resolve.ts';

/** What can be seen of this machine. */
export const localSight: Sight = {
  get home() {
    return homedir();
  },
  files: { existing, count, matches: countMatches, identities },
  processes: processImpact,
};
