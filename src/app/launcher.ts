import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The kernel sandbox's launcher beside the bundle: built here, or as the package carries it for this kind of machine. */
export const LAUNCHER = ['aish-sandbox', `aish-sandbox-${process.arch}`]
  .map((name) => fileURLToPath(new URL(`./${name}`, import.meta.url)))
  .reduce((built, carried) => (existsSync(built) ? built : carried));
