/** What Project mode needs to know beside the records: what the store keeps, and who needs more than the mode gives. */
import { isCredential } from '../credential-files.ts';
import { factsOf } from '../programs/records/index.ts';

/** Does the store keep no copy of it, or of anything in it? */
export const isLeftOut = (path: string): boolean => isCredential(path) || isCredential(`${path}/any`);

/** Does a program change files it names, or can its code be searched for what it names? */
export const changesFiles = (program: string): boolean => factsOf(program).touches.has('changes');
/** Does a program make or change files even where nothing is lost? */
export const addsFiles = (program: string): boolean => factsOf(program).touches.has('adds');
/** Text tools, whose programs may name an address without calling it. */
export const isTextTool = (program: string): boolean => factsOf(program).code === 'text';
/** Does it run the code in its words or on its standard input? */
export const runsCode = (program: string): boolean => factsOf(program).code !== undefined;

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
