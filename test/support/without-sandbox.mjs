// Loaded before the program (`node --import`): it finds no sandbox launcher, as where none was built.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { openSync } = fs;
fs.openSync = (path, ...rest) => openSync(/\/aish-sandbox$/.test(path) ? `${path}-missing` : path, ...rest);
syncBuiltinESMExports();
