// Loaded into the program by a test (NODE_OPTIONS=--import): each program that it starts is a line of the file AISH_SPAWNS.
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  const really = childProcess[name];
  childProcess[name] = (file, ...rest) => {
    appendFileSync(process.env.AISH_SPAWNS, `${name} ${file}\n`);
    return really(file, ...rest);
  };
}
syncBuiltinESMExports();
