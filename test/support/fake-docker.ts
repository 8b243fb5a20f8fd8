/**
 * A `docker` on PATH whose containers are directories: there is no daemon on a test's machine. It does what was measured
 * and read of the client: no login shell, its standard input passed on, a command that outlives a client which is killed;
 * and where a file `lie` is in the container, it ends with 0 while the command still runs. A file `at` says where its commands begin.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scratch } from './program.ts';

const CLIENT = `#!/bin/sh
[ "$1 $2" = 'exec -i' ] || { echo "unknown: $*" >&2; exit 125; }
box=$BOXES/$3; shift 3
[ -d "$box" ] || { echo "Error response from daemon: No such container: \${box##*/}" >&2; exit 1; }
[ -e "$box/hangs" ] && exec sleep 1000
if [ -e "$box/at" ]; then cd "$(cat "$box/at")"; else cd "$box"; fi
if [ -e "$box/lie" ] && [ "$4" = aish-tui ]; then
  rm "$box/lie"
  env -i HOME="$box" TMPDIR="$box/tmp" PATH="$PATH" setsid sh -c 'sleep 3 | "$@"' sh "$@" >/dev/null 2>&1 &
  until [ -e "$5.began" ]; do sleep 0.05; done
  exit 0
fi
exec env -i HOME="$box" TMPDIR="$box/tmp" PATH="$PATH" "$@"
`;

/** Puts the client on the PATH of the program, with containers of these names. Where each one is. */
export function fakeDocker(
  place: Scratch,
  names: readonly string[],
  client = 'docker',
): Readonly<Record<string, string>> {
  const bin = join(place.home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, client), CLIENT);
  chmodSync(join(bin, client), 0o755);
  const boxes = join(place.home, 'boxes');
  for (const name of names) mkdirSync(join(boxes, name, 'tmp'), { recursive: true });
  Object.assign(place.env, { PATH: `${bin}:${place.env.PATH}`, BOXES: boxes });
  return Object.fromEntries(names.map((name) => [name, join(boxes, name)]));
}
