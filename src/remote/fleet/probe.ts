/** Examines on a host, in one round trip, the files that a halted command names. The script only reads. */
import type { TargetFacts } from '../../contracts/fleet.ts';
import type { Named } from '../../contracts/machine.ts';
import { shellQuote } from '../../text/shell.ts';

/** How many names are examined; a command with more is asked about separately for each host. */
const MAX_NAMED = 50;
const MAX_IDENTITIES = 200;
const MAX_FILES = 100_000;
const FIELDS = 9;

/**
 * One record per path, its fields ended by NUL. One path that can't be examined invalidates the whole answer: `-e` is
 * false below an unreadable directory, so only the system's own error counts as missing.
 */
const SCRIPT = `T=; command -v timeout >/dev/null 2>&1 && T='timeout 2'
n=0; nl='
'
failed() { printf 'failed\\0'; exit 0; }
row() {
  i=$1; p=$2; l=; f=0; b=0; w=0; n=$((n+1)); [ $n -gt ${MAX_NAMED} ] && failed
  if [ -h "$p" ]; then t=link; l=$(readlink -- "$p"; printf x); l=\${l%x}; l=\${l%"$nl"}
  elif [ -d "$p" ]; then t=directory
  elif [ -f "$p" ]; then t=file; f=1; b=$(stat -c %s -- "$p" 2>/dev/null || echo 0)
  elif [ -e "$p" ]; then t=other
  else case $(LC_ALL=C ls -d -- "$p" 2>&1) in *'No such file'*|*'Not a directory'*) t=missing ;; *) failed ;; esac; fi
  if [ $t = directory ]; then
    f=$($T find "$p" -xdev ! -type d 2>/dev/null | head -n ${MAX_FILES} | wc -l)
    b=$($T du -skx -- "$p" 2>/dev/null | tail -n 1 | cut -f 1); case $b in ''|*[!0-9]*) b=0; w=1 ;; *) b=$((b*1024)) ;; esac
    [ $((f+0)) -ge ${MAX_FILES} ] && w=1
  fi
  d=$p; [ $t = directory ] || { d=\${p%/*}; d=\${d:-/}; }
  while [ ! -d "$d" ] && [ "$d" != / ]; do d=\${d%/*}; d=\${d:-/}; done
  m=$(df -P -- "$d" 2>/dev/null | sed -n '2s/^\\([^ ]* *\\)\\{5\\}//p')
  [ -n "$m" ] || failed
  g=none; q=$d
  while :; do [ -e "$q/.git" ] && { g=inside; break; }; [ "$q" = / ] && break; q=\${q%/*}; q=\${q:-/}; done
  printf '%s\\0' "$i" "$p" "$t" "$l" "$m" "$g" "$((f+0))" "$b" "$w"
}`;

/** Returns code whose answer `readProbe` parses; undefined if there are too many names. */
export function probeScript(named: readonly Named[]): string | undefined {
  if (named.length > MAX_NAMED) return undefined;
  const looks = named.map(({ path, glob, cwd }, at) => {
    const full = shellQuote(
      (path.startsWith('/') ? path : `${cwd}/${path}`).replaceAll('\0', '').replace(/(.)\/+$/, '$1'),
    );
    if (!glob) return `row ${at} ${full}`;
    return `P=${full}; IFS=; h=0; for Q in $P; do if [ -e "$Q" ] || [ -h "$Q" ]; then h=1; row ${at} "$Q"; fi; done; unset IFS; [ $h = 1 ] || row ${at} "$P"`;
  });
  return `( ${SCRIPT}\n${looks.join('\n')}\nprintf 'end\\0' )`;
}

/** Returns code whose output changes when a name comes to refer to something else. */
export function identityCode(named: readonly Named[]): string {
  const looks = named.slice(0, MAX_IDENTITIES).map(({ path, glob, cwd }) => {
    const full = shellQuote((path.startsWith('/') ? path : `${cwd}/${path}`).replaceAll('\0', ''));
    return glob ? `P=${full}; IFS=; for Q in $P; do id "$Q"; done; unset IFS` : `id ${full}`;
  });
  const id = `id() { printf '%s → %s %s\\n' "$1" "$(readlink -f -- "$1")" "$(stat -c %d:%i -- "$1" 2>&1)"; }`;
  return `${id}\n${looks.join('\n')}`;
}

/** Undefined unless the answer is complete and every path could be examined. */
export function readProbe(answer: string | undefined, named: readonly Named[]): readonly TargetFacts[] | undefined {
  const words = answer?.split('\0') ?? [];
  // Invalid UTF-8 would make different names look equal.
  if (words.pop() !== '' || words.pop() !== 'end' || answer?.includes('\ufffd')) return undefined;
  if (words.length % FIELDS !== 0) return undefined;
  const found: TargetFacts[] = [];
  for (let at = 0; at < words.length; at += FIELDS) {
    const row = readRow(words.slice(at, at + FIELDS), named);
    if (!row) return undefined;
    found.push(row);
  }
  return found;
}

function readRow(words: readonly string[], named: readonly Named[]): TargetFacts | undefined {
  const [index, path = '', type = '', link = '', mount = '', git, files = '', bytes = '', more] = words;
  const label = named[Number(index)]?.path;
  if (label === undefined || !isType(type) || !/^\d+$/.test(files) || !/^\d+$/.test(bytes)) return undefined;
  return {
    ...{ label, path, type, mount },
    ...(type === 'link' ? { link } : {}),
    git: git === 'inside' || git === 'none' ? git : 'unknown',
    // Changes on a host are not recorded.
    undoable: false,
    ...{ files: Number(files), bytes: Number(bytes), more: more !== '0' },
  };
}

const TYPES = ['file', 'directory', 'link', 'other', 'missing'] as const;

function isType(word: string): word is TargetFacts['type'] {
  return TYPES.some((type) => type === word);
}
