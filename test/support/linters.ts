/** The path of the linter's build for this machine: only builds in the lock file are installed. */
import { fileURLToPath } from 'node:url';

const { platform, arch } = process;
const BUILD = platform === 'linux' ? `linux-${arch}-gnu` : `${platform}-${arch}`;

export const LINTER = fileURLToPath(new URL(`../../node_modules/@oxlint/binding-${BUILD}`, import.meta.url));
