/**
 * A `docker` in PATH whose containers are directories, since test machines have no daemon. It behaves like the measured
 * client: no login shell, standard input passed on, and a command survives a killed client. Where a file `lie` is in
 * the container, it exits with 0 while the command still runs. A file `at` names the directory in which commands start.
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

/** Puts the client into the program's PATH, with containers of these names. Returns the directory of each. */
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
