// Loaded into the program by a test (NODE_OPTIONS=--import): writes down how much of a journal the disk has for certain,
// in bytes, before the program learns that itself. AISH_TEST_SYNCED names the file. The disk is made a slow one.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** In ms; what a busy disk takes. */
const MAX_SYNC_MS = 40;

const path = process.env.AISH_TEST_SYNCED;
const { fdatasync } = fs;

function isJournal(file) {
  try {
    return fs.readlinkSync(`/proc/self/fd/${file}`).endsWith('/journal.jsonl');
  } catch {
    return false;
  }
}

if (path !== undefined) {
  fs.fdatasync = (file, done) => {
    const bytes = isJournal(file) ? fs.fstatSync(file).size : undefined;
    const finish = () =>
      fdatasync(file, (error) => {
        if (!error && bytes !== undefined) {
          // A kill between emptying and writing would leave a file that knows of nothing.
          fs.writeFileSync(`${path}.new`, String(bytes));
          fs.renameSync(`${path}.new`, path);
        }
        done(error);
      });
    setTimeout(finish, Math.random() * MAX_SYNC_MS);
  };
  syncBuiltinESMExports();
}
