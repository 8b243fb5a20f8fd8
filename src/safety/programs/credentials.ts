import { isCredential, isCredentialPlace, isSecretVariable } from '../credential-files.ts';
import type { Field, Machine } from '../shell/machine.ts';
import { SHOWN_DEVICE } from '../shell/redirections.ts';
import { CREDENTIAL, holdsSecret, SECRET } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import type { Operand } from './options.ts';
import { absolute } from './paths.ts';
import { roleOf } from './proof.ts';
import type { Given } from './record.ts';

/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY =
  /^(-i|-key|-keyout|-inkey|-signkey|-CAkey|-out|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

/** Does what a call prints hold a credential: a store that it reads, or the whole environment? */
export function printsCredential(call: Call): boolean {
  const { program, facts, args, io } = call;
  if (io.stdin?.includes(CREDENTIAL))
    return (
      !/^(wc|md5sum|sha\d+sum|test|true|false|mkdir|touch)$/.test(program) &&
      !showsHarmlessLines(
        program,
        args.map(({ text }) => text),
      )
    );
  if (saysSecret(call)) return true;
  if (io.stdin?.includes(SECRET) && facts.traits.has('prints')) return true;
  if (args.some(namesStoreBehindAt) && !facts.traits.has('sends')) return true;
  if (readsCredentialPlace(call)) return true;
  return (
    PRINTERS.get(program)?.(call) ??
    (facts.traits.has('prints') && (namesStores(call) || namesStoreInOption(call, ({ role }) => role === 'read')))
  );
}

/** Does a call print what lies in a directory of credentials, or an archive of one? */
function readsCredentialPlace(call: Call): boolean {
  const { program, operands, machine } = call;
  const isPlace = ({ text }: Operand) => isCredentialPlace(absolute(machine, text) ?? text) || isCredential(text);
  if (ARCHIVES.test(program)) return printsArchive(call) && operands.some(isPlace);
  if (!SEARCHES.test(program)) return false;
  return operands.slice(program === 'diff' || call.has('-e', '--regexp') ? 0 : 1).some(isPlace);
}

const ARCHIVES = /^(tar|zip)$/;
const SEARCHES = /^(grep|rg|ag|ack|ugrep|diff)$/;

/** An archive without a name, or with the name `-`, is printed. */
function printsArchive({ program, args }: Call): boolean {
  const words = args.map(({ text }) => text);
  if (words.some((word) => /^(-|-[a-zA-Z]*f-|--file=-)$/.test(word))) return true;
  if (program === 'zip' || !(/c/.test(words[0] ?? '') || words.includes('--create'))) return false;
  return !words.some((word, at) => (at === 0 ? /^-?[a-zA-Z]*f|^--file/ : /^(-[a-zA-Z]*f|--file)/).test(word));
}

/** Is a store the value of an option that the record knows? */
function namesStoreInOption({ reading }: Call, counts: (option: Given) => boolean): boolean {
  return (
    reading?.given.some((option) => option.value !== undefined && isCredential(option.value) && counts(option)) === true
  );
}

function namesStoreBehindAt({ text }: Field): boolean {
  return text.charCodeAt(0) === AT && isCredential(text.slice(1));
}

/** `@`, before the name of a file. */
const AT = 64;

/** Programs by the way in which they show one; undefined: as every program that prints what it is given. */
const PRINTERS: ReadonlyMap<string, (call: Call) => boolean | undefined> = new Map([
  ...each('env set export', ({ args }) => args.every(({ text }) => ALL_VARIABLES.test(text))),
  ...each('declare typeset', ({ args }) => args.every(({ text }) => DECLARED.test(text))),
  [
    'printenv',
    ({ args, machine }) =>
      args.some(({ text }) => isSecretVariable(text) && !machine.scope.has(text)) ||
      args.every(({ text }) => ALL_VARIABLES.test(text)),
  ],
  ...each('local readonly', ({ args }) => args.length > 0 && args.every(({ text }) => /^-[px]+$/.test(text))),
  ['expr', ({ args }) => args.some(({ text }) => holdsSecret(text)) || undefined],
  // What is no number stands in the complaint.
  ...each('test [', ({ args }) =>
    args.some(({ text }) => holdsSecret(text)) ? args.some(({ text }) => COMPARES.test(text)) : undefined,
  ),
  [
    'git',
    (call) =>
      call.operands[0]?.text === 'config'
        ? showsSettings(call)
        : namesStoresBehind(call) || namesStoreInOption(call, () => true),
  ],
  ['rclone', (call) => (call.operands[0]?.text === 'cat' ? namesStoresBehind(call) : undefined)],
  ...each(
    'gcc g++ cc c++ clang clang++ cpp as tcc',
    ({ io }) =>
      INCLUDED.exec(io.stdin ?? '')
        ?.slice(1)
        .some(isCredential) || undefined,
  ),
  ...each('perl ruby sqlite3', (call) => namesStores(call)),
  // Its program is no name of a file.
  ['jq', (call) => (call.has('-f', '--from-file') ? undefined : namesStores(call, 1))],
  ['tree', (call) => (call.has('--fromfile', '--fromtabfile') ? namesStores(call) : undefined)],
  // A request is signed with a key and does not hold it.
  ['openssl', (call) => opensSecret(call) || (call.operands[0]?.text === 'req' ? false : undefined)],
  ...each('gpg gpg2 consul pip pip3 manage.py django-admin python', (call) => opensSecret(call) || undefined),
]);

function each(programs: string, shows: (call: Call) => boolean | undefined) {
  return programs.split(' ').map((program) => [program, shows] as const);
}

/** Does a call print a token, a password or a key because it is asked for one? */
export function tellsSecret(call: Call): boolean {
  const words = TELLERS.get(call.program);
  if (!words) return false;
  if (words.test(call.argumentLine)) return true;
  const { operands, args } = call;
  if (operands.length === args.length) return false;
  // Options may stand before the subcommand and within it; of those that nobody knows the next word may be the value.
  const texts = args.map(({ text }) => text);
  return [operands, operands.filter(({ maybeValue }) => !maybeValue)].some((some) =>
    words.test([...some.map(({ text }) => text), ...texts].join(' ')),
  );
}

/** Programs that print a token, a password or a key when asked so. */
const TELLS_SECRET: readonly (readonly [string, RegExp])[] = [
  ['gh glab', /^auth token\b|^auth status .*(-t\b|--show-token)/],
  ['gcloud', /\bprint-(access|identity)-token\b|\bsecrets versions access\b|\bapi-keys get-key-string\b/],
  [
    'aws',
    /\bsts (get-session-token|assume-role\w*|get-federation-token)|\becr get-(login|login-password|authorization-token)\b|\bsecretsmanager (batch-)?get-secret-value\b|\bssm get-parameter.*--with-decryption|\bconfigure (get \S*(secret|token|key)|export-credentials)/,
  ],
  ['az', /\baccount get-access-token\b|\bkeyvault secret (show|download)\b|\bkeys? list\b/],
  ['kubectl oc', /\bget (\S+,)?secrets?\b.*\s(-o|--output)|\bconfig view\b.*--raw|\bcreate token\b|^whoami -t/i],
  ['vault', /^(kv get|read|token lookup|print token)\b/],
  ['security', /^find-(generic|internet)-password\b.*\s-\w*[wg]|^(dump-keychain|export)\b/],
  ['secret-tool', /^(lookup|search)\b/],
  ['pass gopass', /^(show |(?!(?:ls|list|find|git|init|insert|edit|generate|rm|mv|cp|grep|help|version)$|-)[\w./-]+$)/],
  ['op', /^(item get|read|document get)\b/],
  ['bw', /^(get|list|export)\b/],
  ['lpass', /^(show|export)\b/],
  ['heroku', /^(auth:token|config)\b/],
  ['gpg gpg2', /--export-(secret|ssh)\S*/],
];

const TELLERS: ReadonlyMap<string, RegExp> = new Map(
  TELLS_SECRET.flatMap(([programs, words]) => programs.split(' ').map((program) => [program, words] as const)),
);

const COMPARES = /^-(eq|ne|[lg][te])$/;
const ALL_VARIABLES = /^(-(p|x|px|0)|--null)$/;
/** The same of `declare`: its letters in any order. Without a name all of that kind are shown. */
const DECLARED = /^-[aAgiIlnprtux]+$/;

function namesStores({ operands, machine }: Call, from = 0): boolean {
  return operands.slice(from).some((operand) => namesStore(machine, operand));
}

/** `HEAD:.env`, `remote:.netrc`. */
function namesStoresBehind({ args, operands }: Call): boolean {
  // `-L1,5:.env`: of which file the lines are.
  if (args.some(({ text }) => text.startsWith('-L') && isCredential(afterColon(text)))) return true;
  return operands.some(({ text }) => {
    const path = afterColon(text);
    return path !== text && isCredential(path);
  });
}

/** Does a call show a secret by two ways, so that no quiet end of a pipe makes it forgotten? */
export function copiesAside({ program, args, io, machine }: Call, printed: string): boolean {
  if (!holdsSecret(printed) && (io.stdin === undefined || !holdsSecret(io.stdin))) return false;
  if (program === 'xargs') return args.some(({ text }) => /^-[0rx]*[tp]|^--(v|int)/.test(text));
  return args.some(
    ({ text }) =>
      (SHOWN_DEVICE.test(text) && !machine.substituted.has(text)) || /\bSTDERR\b|\.stderr\b|console\.error/.test(text),
  );
}

/** What they take in stands in what they make, or in their complaint. */
const INCLUDED = /(?:include|incbin|embed)\s*["<]([^">\n]+)/;

function afterColon(text: string): string {
  return text.slice(text.lastIndexOf(':') + 1).replace(/^\(\w+\)/, '');
}

/** Does a word name a store, from the directory that the command is in by then? */
function namesStore(machine: Machine, { text }: Operand): boolean {
  if (machine.substituted.get(text)?.includes(CREDENTIAL)) return true;
  const named = text.startsWith('if=') ? text.slice(3) : text;
  const path = absolute(machine, named) ?? named;
  return isCredential(named) || isCredential(path);
}

/** Does a call open what was closed with a key, or print a place where secrets are kept by another program? */
function opensSecret({ program, args, operands, io }: Call): boolean {
  const words = args.map(({ text }) => text);
  const said = (...wanted: readonly string[]) => words.some((word) => wanted.includes(word));
  const into = (option: RegExp) =>
    words.some((word, at) => option.test(word) && words[at + 1] !== '-' && !SHOWN_DEVICE.test(words[at + 1] ?? ''));
  switch (program) {
    case 'gpg':
    case 'gpg2':
      // Without a command it guesses one, and decrypts what it is given.
      if (words.every((word) => GUESSES.test(word)) && (io.stdin !== undefined || said('-'))) return true;
      return words.some((word) => /^(-[qvaty]*d|--decr(?!ypt-f)\w*)$/.test(word)) && !into(/^(-o|--output=?)$/);
    case 'openssl':
      // Without a cipher it only decodes.
      return (
        said('-d', '-decrypt') && !into(/^-out$/) && words.some((word) => word === '-decrypt' || CIPHER.test(word))
      );
    case 'consul':
      return operands[0]?.text === 'kv' && said('get', 'export');
    case 'pip':
    case 'pip3':
      return operands[0]?.text === 'config' && said('list', 'get', 'debug');
    default:
      return said('diffsettings');
  }
}

const GUESSES = /^([^-].*|-|-o|-q|-v|--|--output|--quiet|--verbose|--batch|--no-tty)$/;
const CIPHER = /^-?(aes|aria|bf|blowfish|camellia|cast|chacha|des|id-aes|idea|rc[245]|seed|sm4)/i;

/** Settings of git in which tokens and passwords stand. */
const SECRET_SETTING = /^(http\.(.*\.)?(extraheader|proxy)|sendemail\.(.*\.)?smtppass|.*\.(password|token))$/i;

const DECLARES: ReadonlySet<string> = new Set(['typeset', 'declare', 'local', 'readonly', 'export']);

/** Does a call print the value of a variable that holds a secret, or complain about a file of that name? */
function saysSecret(call: Call): boolean {
  const { program, args, reading, machine } = call;
  if (DECLARES.has(program) && args.some(({ text }) => /^-\w*p/.test(text)))
    return args.some(
      ({ text }) => isSecretVariable(text) || (/^\w+$/.test(text) && holdsSecret(machine.scope.text(text))),
    );
  if (!call.hasMarks || !args.some(({ text }) => holdsSecret(text))) return false;
  // What is no number stands in the complaint.
  if (program === 'printf' && args[0]?.text === '-v') return /%[-+ #\d.]*[diouxXeEfFgGaA]/.test(args[2]?.text ?? '');
  if (SAYS.test(program)) return true;
  if (program === 'git' && !ASKS_OTHERS.test(call.operands[0]?.text ?? '')) return true;
  return reading?.operands.some(({ text }, at) => holdsSecret(text) && roleOf(reading.level, at) === 'read') === true;
}

/** Programs that print words they are given, some as a format. */
const SAYS =
  /^(echo|printf|print|alias|date|seq|jot|stat|find|ps|numfmt|basename|dirname|realpath|wall|write|logger|figlet|toilet|banner|cowsay|notify-send)$/;
/** What git gives to another machine, and no one else sees. */
const ASKS_OTHERS = /^(clone|fetch|pull|push|remote|ls-remote|submodule|config|credential)$/;

/** Settings of git that are asked for by a secret's name, by a pattern that has one, or all of them. */
function showsSettings(call: Call): boolean {
  if (call.has('--name-only')) return false;
  if (call.has('-l', '--list') || call.operands[1]?.text === 'list') return true;
  const pattern = call.args[call.args.findIndex(({ text }) => text === '--get-regexp') + 1]?.text ?? '';
  if (call.has('--get-regexp') && SECRET_PATTERN.test(pattern)) return true;
  return call.operands.some(({ text }) => SECRET_SETTING.test(text));
}

const SECRET_PATTERN = /extraheader|token|pass|secret|^(http|\.[*+]|\.|\^)[.*$]*$/i;

/** Of the environment only the lines about a word that is in no name of a secret. */
function showsHarmlessLines(program: string, words: readonly string[]): boolean {
  const [pattern = '', ...more] = words.filter((word) => !/^-[iEFwqc]+$/.test(word));
  return program === 'grep' && more.length === 0 && HARMLESS_LINES.test(pattern);
}

const HARMLESS_LINES =
  /^\^?(node|path|lang|lc_|home|shell|user|pwd|term|display|editor|python|java|java_home|virtual_env|venv|conda|cuda|ld_library_path|xdg|goroot|gopath|cargo|rust|nvm|tmp|tmpdir|hostname|wayland|locale|tz)=?$/i;

/** The verdict on a call that gives a credential to another machine; undefined: it does not. */
export function sendsCredential(call: Call): StaticVerdict | undefined {
  const { traits } = call.facts;
  const sends = traits.has('sends');
  if (!sends && !call.hasMarks) return undefined;
  if (!givesCredential(call, sends) && !(sends && takesCredential(call))) return undefined;
  if (!sends) return traits.has('keepsWords') ? undefined : unknown(`gives a credential to ${call.program}`);
  return CREDENTIAL_LEAVES;
}

export const CREDENTIAL_LEAVES: StaticVerdict = destructive(
  'credential leaves',
  'sends a key, token or password to another machine',
);

/** Does one stand on its input? What is asked for a password to log in with gets it there. */
function takesCredential(call: Call): boolean {
  const stdin = call.io.stdin ?? '';
  if (call.has('--password-stdin', '--with-token')) return false;
  return stdin.includes(CREDENTIAL) || (stdin.includes(SECRET) && GIVES_INPUT.test(call.program));
}

/** What sends its input as it stands. */
const GIVES_INPUT = /^(curl|wget|nc|ncat|netcat|socat|https?|xhs?|telnet|mailx?|mutt|sendmail|openssl)$/;
/** The accounts of this machine. */
const ACCOUNTS = /^\/etc\/(passwd|group)$/;

function givesCredential(call: Call, sends: boolean): boolean {
  const { args } = call;
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as Field;
    if (text.includes(CREDENTIAL)) return true;
    if (!sends || !MAY_NAME_STORE.test(text) || OWN_KEY_OPTION.test(text) || isOwnKey(call, at)) continue;
    if (text.split(/[@=<,;]/).some((part) => isCredential(part) || isCredentialFolder(part) || ACCOUNTS.test(part)))
      return true;
  }
  return false;
}

/** `-oIdentityFile=…`: the sender's own key, in one word with its option. */
const OWN_KEY_OPTION = /^-o\s*(IdentityFile|CertificateFile)[= ]/i;

/** Is a word the value of an option for such a key? A letter that takes no value here (`rsync -i`) says nothing. */
function isOwnKey({ args, reading }: Call, at: number): boolean {
  const before = args[at - 1]?.text ?? '';
  if (!reading || reading.missing !== undefined) return OWN_KEY.test(before);
  const word = args[at]?.text;
  return before.startsWith('-') && reading.given.some(({ name, value }) => value === word && OWN_KEY.test(name));
}

const MAY_NAME_STORE = /[./]|Cookies|Login/;

/** A directory whose files are keys: who sends it sends them. */
function isCredentialFolder(path: string): boolean {
  return /(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|password-store)\/?$/.test(path);
}
