/** The launcher as hosts get it: the build of this checkout or the package's, for the architecture there. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  findLauncher,
  projectArgv,
  runsOn,
  sandboxArgv,
  supervisedArgv,
  trialArgv,
  whyOpen,
} from '../effects/sandbox/index.ts';
import type { LauncherKit } from '../remote/hosts/index.ts';

/** Of a launcher; a larger file is none. */
const MAX_BYTES = 1_000_000;

/** @param base as `findLauncher` takes it */
export function launcherKit(base: string | URL): LauncherKit {
  return {
    program(arch) {
      const path = findLauncher(base, arch);
      if (!runsOn(path, arch)) return undefined;
      const bytes = readFileSync(path);
      return bytes.length > MAX_BYTES ? undefined : { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
    },
    whyOpen,
    kept: ({ tmpDir: _tmpDir, ...launch }) => supervisedArgv({ ...launch, elsewhere: true }),
    project: (launch) => projectArgv({ ...launch, elsewhere: true }),
    trial: (launch) => trialArgv({ ...launch, elsewhere: true }),
    restricted: (launch) => sandboxArgv({ ...launch, elsewhere: true }),
  };
}
