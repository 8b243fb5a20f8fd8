import { accessSync, constants } from 'node:fs';

/**
 * bash code that closes what was inherited beyond stdin, stdout and stderr. node-pty 1.1 leaves the masters of all other
 * terminals open in every child (microsoft/node-pty#657): a command could type into the user's shell, and no terminal
 * would hang up while such a child lives. Node can't mark a descriptor it did not open, so each child closes them first.
 */
export const closeInherited =
  'for __fd in /proc/self/fd/*; do ' +
  `case \${__fd##*/} in [012] | *[!0-9]*) ;; *) eval "exec \${__fd##*/}>&-" ;; esac; done; unset __fd`;

/** A fixed place first, so that no changed PATH chooses the bash that is trusted with this. */
const PLACES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];

/** The bash that runs what this program writes itself. */
export const bash = PLACES.find(isExecutable) ?? 'bash';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Wraps a program so that it starts with none of this program's terminals. For every long-lived child. */
export function withoutInherited(argv: readonly string[]): [string, ...string[]] {
  return [bash, '--norc', '--noprofile', '-c', `${closeInherited}; exec "$@"`, 'bash', ...argv];
}
