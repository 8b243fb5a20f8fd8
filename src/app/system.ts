/** What this machine is, in a few words: what a sandbox and undo can do depends on it. */
import { existsSync, readFileSync } from 'node:fs';

export type Look = {
  readonly platform: string;
  readonly arch: string;
  /** A small file; undefined where it can't be read. */
  readonly read: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
};

/** Files that container programs leave in the root: Docker's, Podman's. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];

/** `linux x64`, and what it runs in where that is known. */
export function systemName(look: Look = here): string {
  const { platform, arch, read, exists } = look;
  const name = `${platform} ${arch}`;
  if (platform !== 'linux') return name;
  // WSL 1 translates calls and names itself with a capital; WSL 2 has a kernel, in lower case.
  const version = read('/proc/version') ?? '';
  if (/microsoft-standard|WSL2/.test(version)) return `${name}, in WSL 2`;
  if (version.includes('Microsoft')) return `${name}, in WSL 1, which has no kernel for a sandbox: use WSL 2`;
  const inContainer =
    CONTAINER_FILES.some(exists) || /^container=/m.test((read('/proc/1/environ') ?? '').replaceAll('\0', '\n'));
  return inContainer ? `${name}, in a container` : name;
}

const here: Look = {
  platform: process.platform,
  arch: process.arch,
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  exists: existsSync,
};
