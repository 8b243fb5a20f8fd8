// Loaded into the program by a test (NODE_OPTIONS=--import): the disk that its journals are on is full.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

function isJournal(file) {
  try {
    return fs.readlinkSync(`/proc/self/fd/${file}`).endsWith('/journal.jsonl');
  } catch {
    return false;
  }
}

for (const name of ['appendFileSync', 'writeSync', 'writevSync']) {
  const really = fs[name];
  fs[name] = (file, ...rest) => {
    if (typeof file !== 'number' || !isJournal(file)) return really(file, ...rest);
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
}
syncBuiltinESMExports();
