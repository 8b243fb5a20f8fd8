/** Program names that contain a version or a variant. */
const VARIANTS: readonly (readonly [RegExp, string])[] = [
  [/^python[\d.]*$|^pypy[\d.]*$|^ipython[\d.]*$/, 'python'],
  [/^pip[\d.]+$/, 'pip'],
  [/^(nodejs|node\d+|tsx|ts-node|ts-node-esm|esno)$/, 'node'],
  [/^perl[\d.]+$/, 'perl'],
  [/^ruby[\d.]+$/, 'ruby'],
  [/^php[\d.]+$/, 'php'],
  [/^lua(jit)?[\d.]*$/, 'lua'],
  [/^(gawk|mawk|nawk|goawk)$/, 'awk'],
  [/^(gsed|ssed)$/, 'sed'],
  [/^(gtar|bsdtar)$/, 'tar'],
  [/^mariadb$/, 'mysql'],
  [/^mongo$/, 'mongosh'],
  [/^(valkey-cli|keydb-cli)$/, 'redis-cli'],
  [/^(tofu|terragrunt)$/, 'terraform'],
  [/^(podman|nerdctl|docker\.io)$/, 'docker'],
  [/^(podman-compose|docker-compose)$/, 'docker-compose'],
  [/^gmake$/, 'make'],
  [/^(nvim|vi|vim\.\w+|ex|view|rvim)$/, 'vim'],
  [/^ip6tables$/, 'iptables'],
  [/^(tdnf|yum|microdnf|dnf5)$/, 'dnf'],
  [/^fdfind$/, 'fd'],
  [/^(egrep|fgrep|zgrep|ggrep)$/, 'grep'],
  [/^7z[arz]?$/, '7z'],
  [/^ld(-linux|-musl)?[\w.-]*\.so[.\d]*$/, 'ld.so'],
  [
    /^g(rm|mv|cp|ln|dd|chmod|chown|shred|truncate|install|sort|find|xargs|head|tail|cat|ls|wc|date|stat|readlink|timeout)$/,
    '$1',
  ],
];

const known = new Map<string, string>();

/** Returns the name that rules use for a program: without directory and version, as its family. */
export function programName(word: string): string {
  const found = known.get(word);
  if (found !== undefined) return found;
  const name = resolve(word);
  if (known.size < 5000 && word.length < 100) known.set(word, name);
  return name;
}

function resolve(word: string): string {
  // A version given to a package runner (`npx rimraf@5`) is not part of the name.
  const base = word.slice(word.lastIndexOf('/') + 1).replace(/(?<=\w)@(latest|next|[\^~]?\d[\w.-]*)$/, '');
  for (const [pattern, name] of VARIANTS) {
    const found = pattern.exec(base);
    if (found) return name === '$1' ? (found[1] ?? base) : name;
  }
  return base;
}

const SYSTEM_DIRECTORY =
  /^(\/(usr\/)?(local\/)?s?bin\/|\/opt\/|\/snap\/bin\/|\/(usr\/)?(lib|lib64|lib32|libexec)\/|\/home\/linuxbrew\/|\/nix\/)/;
/** Returns whether a word runs a program of the system: a bare name, or a path in a directory of the system. */
export function isSystemWord(word: string): boolean {
  return !word.includes('/') || (SYSTEM_DIRECTORY.test(word) && !word.includes('/../'));
}

const TOOL_DIRECTORY =
  /(^|\/)(node_modules\/\.bin|\.?venv\/bin|env\/bin|vendor\/bin|\.local\/bin|\.cargo\/bin|go\/bin|virtualenv\/bin|bin)\//;

/** Returns whether this word is a path to a file of the project, whose name proves nothing. */
export function isLocalScript(word: string): boolean {
  return word.includes('/') && !SYSTEM_DIRECTORY.test(word) && !TOOL_DIRECTORY.test(word);
}
