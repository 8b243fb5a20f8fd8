#!/bin/sh
# What a newcomer meets on a bare machine: clones HEAD into an empty folder, with an empty home, an empty npm cache and no
# program but those of bare-machine.sh; starts it twice (the second start must set nothing up) and runs the tests, which
# must skip what test/bare-skips.txt says and nothing else. Takes minutes and needs the npm registry.
set -eu
[ -z "${AISH_FRESH_CLONE-}" ] || { echo 'fresh clone: already inside one' >&2; exit 1; }
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
sh setup.sh

place=$(mktemp -d "${TMPDIR:-/tmp}/aish-fresh-XXXXXX")
trap 'rm -rf "$place"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
git clone --quiet --no-hardlinks . "$place/clone"
mkdir "$place/home"

# How this machine reaches the registry stays; everything else of npm's that a person has set or npm has passed on goes.
registry=$(npm config get registry) cafile=$(npm config get cafile) proxy=$(npm config get https-proxy)
for name in $(env | sed -n 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
export npm_config_registry="$registry"
[ "$cafile" = null ] || export npm_config_cafile="$cafile"
[ "$proxy" = null ] || export npm_config_https_proxy="$proxy"
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR NODE_COMPILE_CACHE
export AISH_FRESH_CLONE=1

# Driven from here, since the clone has nothing yet to drive itself with.
sh scripts/bare-machine.sh sh setup.sh node test/support/fresh-start.ts "$place/clone" "$place/home"

export HOME="$place/home"
cd "$place/clone"
AISH_EXPECTED_SKIPS=test/bare-skips.txt sh scripts/bare-machine.sh npm test -- --retry=2
