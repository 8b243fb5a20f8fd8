#!/bin/sh
# scripts/as-ordinary.sh COMMAND…: runs COMMAND as an account without rights of its own, with a home and temporary files of
# its own. For root, who otherwise tests only what root can; whoever is no root is told that it is done already.
set -eu
[ $# -gt 0 ] || { echo "usage: $0 COMMAND…" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: you are an ordinary user; nothing is run twice"; exit 0; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/home" "$place/tmp"
chmod 755 "$place"
chown 65534:65534 "$place/home" "$place/tmp"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
# Such an account has no folder on its PATH that is closed to it.
open=
IFS=:
for folder in $PATH; do
  if nobody test -x "$folder"; then open=${open:+$open:}$folder; fi
done
unset IFS
nobody \
  env -u XDG_STATE_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME HOME="$place/home" TMPDIR="$place/tmp" PATH="$open" "$@"
