/** What Project mode needs to know beside the records: what the store keeps, and who needs more than the mode gives. */
import { factsOf } from '../programs/records/index.ts';

/** Rules whose loss is a change of files alone: in the tree the store keeps it. */
const KEPT = new Set(
  `rm -rf|rm -fr|rm|trash|find -delete|find to a file|find -exec rm|truncate to zero|rename|in-place editor|patch over files
   git reset --hard|git clean -fd|git branch -D|git discard|git stash drop|git rewrite history|git drop objects|git delete|git read-tree
   git branch -d of a list|git refs and index|chmod 777|recursive permissions|chown on root path|changes permissions
   archive loses files|output over a file|truncating redirection|dd over a file|tee|sponge|sort -o|same file in and out|uniq to a file
   cp over a file|mv over a file|install over a file|ln -f|sed -i|sed w|awk -i inplace|awk to a file|perl -i|ruby -i|ed script
   editor script|code over a file|python venv --clear|python code|node code|perl code|ruby code|php code|rsync --delete|patch overwrite
   DROP TABLE|TRUNCATE TABLE|sql DROP|sql DELETE|sql UPDATE|sql ALTER DROP|sql REPLACE|database output`
    .split(/[|\n]/)
    .map((name) => name.trim()),
);

/** The deletions and losses of history that always ask where the user made what is lost (SF-10, MO-9). */
const NAMED = new Set([
  'rm -rf',
  'rm -fr',
  'find -delete',
  'find -exec rm',
  'git reset --hard',
  'git clean -fd',
  'git branch -D',
  'DROP TABLE',
  'DROP DATABASE',
  'TRUNCATE TABLE',
]);

/** Programs that change files they name, or whose code can be searched for what it names. */
const CHANGES_FILES = words(`
  rm rmdir unlink trash trash-put gio find fd truncate rename mmv mv cp install ln dd tee sponge sort uniq sed awk perl ruby php python
  node deno bun ed ex vim emacs patch git chmod chown chgrp tar unzip zip gzip gunzip bzip2 xz zstd 7z ar cpio rsync sqlite3 xargs
  cat echo printf head tail grep cut tr jq yq curl-none black gofmt prettier`);

/** Programs that run the code in their words or on their standard input. */
const CODE = words('python node deno bun perl ruby php lua Rscript R julia emacs awk sed ed ex vim');

/** Programs that make or change files even where nothing is lost. */
const ADDS = words(
  'cp mv install mkdir touch ln rsync tee tar unzip 7z zip gzip git openssl ssh-keygen split csplit truncate chmod chown dd patch',
);

/** As the launcher has them: what it keeps no copy of. */
const LEFT_OUT =
  /\/\.(ssh\/(?!(known_hosts(\.old)?|config|authorized_keys)$)|gnupg\/|aws\/|azure\/|password-store\/|local\/share\/keyrings\/|config\/(gcloud\/|git\/credentials$|gh\/hosts\.yml$)|(netrc|pgpass|my\.cnf|git-credentials|vault-token|pypirc|kube\/config|docker\/config\.json|cargo\/credentials(\.toml)?)$)/;

export const isLeftOut = (path: string): boolean =>
  (LEFT_OUT.test(path) && !path.endsWith('.pub')) || /\/\.(ssh|gnupg|aws|azure|password-store)$/.test(path);
export const isKeptRule = (rule: string): boolean => KEPT.has(rule);
export const isNamedRule = (rule: string): boolean => NAMED.has(rule);
export const changesFiles = (program: string): boolean => CHANGES_FILES.has(program);
export const addsFiles = (program: string): boolean => ADDS.has(program);
/** Text tools, whose programs may name an address without calling it. */
export const isTextTool = (program: string): boolean => /^(awk|sed|ed|ex|vim)$/.test(program);
export const runsCode = (program: string): boolean => CODE.has(program);

/** Addresses of this very machine: a loopback of its own is there. */
const LOOPBACK = /(^|\/\/|@|\s)(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0)([:/\s]|$)/;
const TALKERS = /^(curl|wget|http|https|xh|nc|ncat|netcat|telnet|ping|redis-cli|psql|mysql)$/;
const ASKS_NOTHING = /^--(help|version)$/;

/** Options of git before its subcommand that take the next word. */
const GIT_VALUES = /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;

/**
 * Whether a call can't do its work without the network, a socket or rights of others.
 * @param serves the same command starts something that may answer on this machine
 */
export function needsMore(program: string, args: readonly string[], serves = false): boolean {
  if (args.some((word) => ASKS_NOTHING.test(word))) return false;
  const operands = args.filter((word) => !word.startsWith('-'));
  if (serves && TALKERS.test(program) && args.some((word) => LOOPBACK.test(word))) return false;
  const { needs } = factsOf(program);
  if (needs === true) return !isReading(program, operands);
  switch (program) {
    case 'rsync':
      return operands.some((word) => /^[\w.@-]+:|^rsync:/.test(word));
    case 'git':
      return gitNeedsMore(operandsOfGit(args), args);
    case 'ssh-keygen':
      // Without a name it writes to ~/.ssh.
      return !args.some((word) => /^-(f|[lyeFHR])/.test(word));
    case 'python':
      return args.some((word, at) => word === '-m' && needsWith(args[at + 1] ?? '', args[at + 2]));
    case 'go':
      return operands[0] === 'mod' ? operands[1] === 'download' : needsWith(program, operands[0]);
    default:
      // Without a subcommand yarn installs.
      return needsWith(program, operands[0] ?? (program === 'yarn' ? 'install' : undefined));
  }
}

function needsWith(program: string, subcommand: string | undefined): boolean {
  const { needs } = factsOf(program);
  return needs === true || (subcommand !== undefined && subcommand !== '' && (needs.has(subcommand) || needs.has('*')));
}

function operandsOfGit(args: readonly string[]): readonly string[] {
  return args.filter((word, at) => !word.startsWith('-') && !GIT_VALUES.test(args[at - 1] ?? ''));
}

/** What needs a remote, and what writes to `.git/config` or the user's own, which is out of reach. */
function gitNeedsMore([sub = '', first = '', ...more]: readonly string[], args: readonly string[]): boolean {
  if (sub === 'clone') return [first, ...more].some((word) => /:\/\/|^[\w.-]+@?[\w.-]+:/.test(word));
  if (sub === 'remote' || sub === 'submodule') return /^(update|add|set-.*|remove|rm|rename|prune)$/.test(first);
  if (sub === 'config')
    return (
      more.length > 0 ||
      args.some((word) => /^--(add|unset|unset-all|replace-all|remove-section|edit)$|^-e$/.test(word))
    );
  return needsWith('git', sub);
}

/** Questions about what is installed are answered by files alone. */
function isReading(program: string, [sub = '']: readonly string[]): boolean {
  if (/^(apt|apt-cache|dnf|brew|snap|apk|pacman)$/.test(program)) return /^(list|search|show|info|policy)$/.test(sub);
  return program === 'dpkg' || program === 'rpm' || program === 'ip' || program === 'sysctl' ? sub === '' : false;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}
