// Loaded into the program by a test (NODE_OPTIONS=--import): the disk that its journals are on is full.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { appendFileSync } = fs;

function isJournal(file) {
  try {
    return fs.readlinkSync(`/proc/self/fd/${file}`).endsWith('/journal.jsonl');
  } catch {
    return false;
  }
}

fs.appendFileSync = (file, ...rest) => {
  if (typeof file !== 'number' || !isJournal(file)) return appendFileSync(file, ...rest);
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
};
syncBuiltinESMExports();
