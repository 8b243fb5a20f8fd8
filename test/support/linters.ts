/** Where the linter's own build for this machine lies: only those that the lock file vouches for are installed. */
import { fileURLToPath } from 'node:url';

const { platform, arch } = process;
const BUILD = platform === 'linux' ? `linux-${arch}-gnu` : `${platform}-${arch}`;

export const LINTER = fileURLToPath(new URL(`../../node_modules/@oxlint/binding-${BUILD}`, import.meta.url));
