#!/bin/sh
# release/empty-root.sh FOLDER COMMAND…: runs COMMAND in a root that holds nothing but a shell, the programs that
# aish-tui needs, their libraries, devices, and FOLDER at its own place: as in a small container. Needs root.
set -eu
if [ "${1-}" != --within ]; then
  exec unshare --mount --pid --fork sh "$0" --within "$@"
fi
folder=$2
shift 2
mount --make-rprivate /
root=$(mktemp -d)
mount -t tmpfs -o mode=755 empty "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/tmp" "$root/etc" "$root$folder"
chmod 1777 "$root/tmp"
echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"

# The loader tells what it would load, also where there is no ldd.
loader=$(ls /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.* 2>/dev/null | head -n 1)
libraries() { "$loader" --list "$1" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p'; }
bring() {
  for library in $(libraries "$1"); do
    [ -e "$root$library" ] && continue
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
}
for name in sh bash basename cat chmod cp cut date dirname env expr find flock getopt grep head id kill ln ls mkdir mktemp mv \
  prlimit pwd readlink realpath rm rmdir sed setsid sh sleep sort stat stty tail tee test timeout touch tr true tty uname wc xargs; do
  file=$(command -v "$name") || continue
  case $file in /*) cp -L "$file" "$root/bin/$name" && bring "$file" ;; esac
done
# The Node and the addons that are in FOLDER need theirs.
find "$folder" \( -name node -o -name '*.node' \) -type f | while read -r file; do bring "$file"; done

for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 pts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t proc proc "$root/proc"
mount --bind "$folder" "$root$folder"
cd "$root"
chroot=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)
exec "$chroot" "$root" "$@"
