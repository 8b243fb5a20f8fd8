#!/bin/sh
# The first and only process of the small arm64 system: tries the launcher, says `ok …` or `wrong …`, and switches off.
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t tmpfs tmp /tmp
$b mount -t tmpfs work /work
exec </dev/console >/dev/console 2>&1

run() { /aish-sandbox "$@"; }
is() { # is WHAT WANTED FOUND
  if [ "$2" = "$3" ]; then echo "ok $1: $3"; else echo "wrong $1: wanted $2, found $3"; fi
}
status() { run -- $b sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }

is 'machine' aarch64 "$($b uname -m)"
is 'seccomp' 2 "$(status Seccomp)"
is 'no new privileges' 1 "$(status NoNewPrivs)"
run -- $b sh -c 'echo x >/work/restricted' 2>/tmp/refused
is 'a write in Restricted' refused "$([ -e /work/restricted ] || echo refused)"
run -- $b sh -c 'exit 7'
is 'exit code' 7 $?
/aish-sandbox --supervise -- $b sh -c 'exit 8'
is 'exit code, supervised' 8 $?
run --limit wall=1 -- $b sleep 20
is 'time limit' 124 $?

# What is kept lies in a folder of its own, which the command can't reach.
$b mkdir -m 700 /work/tree /work/store /work/store/kept /work/store/back
echo old >/work/tree/file
/aish-sandbox --supervise --keep /work/store/kept --keep-tree /work/tree -- $b sh -c 'echo new >/work/tree/file'
is 'a kept write' new "$($b cat /work/tree/file)"
/aish-sandbox --undo /work/store/kept --into /work/store/back >/dev/null
is 'its undo' old "$($b cat /work/tree/file)"

echo done
$b poweroff -f
