// Loaded into the program by a test (NODE_OPTIONS=--import): the disk that its state directory would be made on is
// read-only.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname } from 'node:path';

const state = process.env.XDG_STATE_HOME;
const really = fs.mkdirSync;
fs.mkdirSync = (path, ...rest) => {
  if (!`${path}/`.startsWith(`${state}/`) || !fs.existsSync(dirname(path))) return really(path, ...rest);
  throw Object.assign(new Error(`EROFS: read-only file system, mkdir '${path}'`), { code: 'EROFS' });
};
syncBuiltinESMExports();
