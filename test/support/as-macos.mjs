// Loaded before the program (`node --import`): it takes this machine for a Mac, and finds no /proc. What is native is
// loaded first, since there is none for another system here.
import 'node-pty';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const isProc = (path) => typeof path === 'string' && /^\/proc(?:\/|$)/.test(path);
const absent = (path) =>
  Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
for (const name of ['readFileSync', 'readlinkSync', 'readdirSync', 'openSync', 'statSync']) {
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    if (isProc(path)) throw absent(path);
    return original(path, ...rest);
  };
}
for (const name of ['readFile', 'readdir', 'open', 'readlink']) {
  const original = fs.promises[name];
  fs.promises[name] = (path, ...rest) => (isProc(path) ? Promise.reject(absent(path)) : original(path, ...rest));
}
syncBuiltinESMExports();
Object.defineProperty(process, 'platform', { value: 'darwin' });
