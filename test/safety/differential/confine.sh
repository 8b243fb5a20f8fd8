#!/bin/sh
# confine.sh ROOT NODE DRIVER: inside fresh namespaces, makes an empty root at ROOT that holds read-only programs, then
# runs DRIVER there as an ordinary user without capabilities. Nothing else of this machine can be seen from within.
set -eu
root=$1 node=$2 driver=$3
mount --make-rprivate /
mount -t tmpfs -o mode=755,size=600m,nosuid,nodev proof "$root"
cd "$root"
mkdir usr etc proc dev tmp home opt old log
for folder in /usr /etc; do
  mount --rbind "$folder" ".$folder"
  mount -o remount,bind,ro ".$folder"
done
for folder in /bin /sbin /lib /lib32 /lib64; do
  if [ -L "$folder" ]; then
    cp -P "$folder" ".$folder"
  elif [ -d "$folder" ]; then
    mkdir ".$folder"
    mount --rbind "$folder" ".$folder"
    mount -o remount,bind,ro ".$folder"
  fi
done
for device in null zero full random urandom; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
: >opt/node
mount --bind "$node" opt/node
mount -o remount,bind,ro opt/node
cp "$driver" opt/driver.mjs
chmod 644 opt/driver.mjs
mount -t proc proc proc
chmod 777 tmp home log
pivot_root . old
cd /
umount -l /old
rmdir /old
export HOME=/home/proof PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# A root who is one outside too becomes nobody; a root of this namespace alone takes the number of an ordinary user.
read -r _ outside _ </proc/self/uid_map
if [ "$outside" = 0 ]; then
  exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
    /opt/node /opt/driver.mjs
else
  exec unshare --user --map-user=1000 --map-group=1000 setpriv --no-new-privs /opt/node /opt/driver.mjs
fi
