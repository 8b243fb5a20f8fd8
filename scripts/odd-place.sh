#!/bin/sh
# The whole suite where nothing is as usual: an ordinary user, a checkout that can't be written, in a folder with blanks and
# letters beyond ASCII, umask 077, LANG=C, no terminal. Needs root, for the other account; ARGUMENTS go to vitest.
set -eu
[ "$(id -u)" = 0 ] || { echo "$0: only root can become another user and mount a checkout read-only" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
place=$(mktemp -d "${TMPDIR:-/tmp}/aish odd plàce-XXXXXX")
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
git clone --quiet --no-hardlinks . "$place/the clone"
cd "$place/the clone"
sh setup.sh --tests
unshare --mount sh -c '
  mount --bind . . && mount -o remount,ro,bind . && cd "$(pwd)" && umask 077 &&
  { LANG=C LC_ALL=C setsid --wait sh scripts/as-ordinary.sh sh setup.sh vitest run --configLoader runner "$@" </dev/null 2>&1
    echo $? > "$0"
  } | cat
' "$place/code" "$@"
exit "$(cat "$place/code")"
