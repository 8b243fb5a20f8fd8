#!/bin/sh
# scripts/bare-machine.sh COMMAND…: runs COMMAND where no program exists but the ones below, which aish-tui and its tests
# may take for granted. The folders that hold programs are replaced, so a full path finds nothing else either.
# Needs root, or a kernel that gives ordinary users namespaces: without one nothing can be hidden, and nothing is run.
set -eu

PROGRAMS='
sh dash bash node npm npx
[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir
dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls
md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd
readlink realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat
stdbuf stty sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir
wc who whoami yes
find xargs grep egrep fgrep sed
flock getopt mount nsenter prlimit setsid taskset umount unshare
'

if [ "${1-}" != --within ]; then
  [ $# -gt 0 ] || { echo "usage: $0 COMMAND…" >&2; exit 2; }
  as=
  [ "$(id -u)" = 0 ] || as=--map-root-user
  unshare --mount $as mount -t tmpfs bare /tmp 2>/dev/null || {
    echo "$0: this machine gives no mount namespace, so no program can be hidden" >&2
    exit 1
  }
  exec unshare --mount $as sh "$0" --within "$(id -u)" "$(id -g)" "$@"
fi
user=$2 group=$3
shift 3

# The folders that hold programs, each once and by its real path: /bin may be a link to /usr/bin.
folders=:
set -f
IFS=:
for folder in $PATH:/bin:/sbin:/usr/bin:/usr/sbin:/usr/local/bin:/usr/local/sbin:/usr/games:/snap/bin; do
  case $folder in /*) real=$(readlink -f "$folder") || continue ;; *) continue ;; esac
  [ -d "$real" ] || continue
  case $folders in *":$real:"*) ;; *) folders=$folders$real: ;; esac
done
unset IFS

# What will stand in their place is copied together outside of them. A link to a program beside it becomes that program.
mask=$(umask)
umask 022
place=$(mktemp -d)
mount -t tmpfs -o mode=755 bare "$place"
IFS=:
for folder in $folders; do
  unset IFS
  [ -n "$folder" ] || continue
  mkdir -p "$place$folder"
  for name in $PROGRAMS; do
    file=$folder/$name
    [ -e "$file" ] || continue
    target=$(readlink -f "$file")
    case $folders in
      *":${target%/*}:"*) cp -L "$file" "$place$file" ;;
      *) cp -P "$file" "$place$file" ;;
    esac
  done
done
IFS=:
for folder in $folders; do
  [ -z "$folder" ] || mount --bind "$place$folder" "$folder"
done
unset IFS
set +f
umount -l "$place"
rmdir "$place"
umask "$mask"

unset CC EDITOR VISUAL PAGER
SHELL=$(command -v bash) && export SHELL
[ "$user" = 0 ] && exec "$@"
exec unshare --user --map-user="$user" --map-group="$group" "$@"
