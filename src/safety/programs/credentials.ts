import { isCredential, isSecretVariable, mayNameCredential } from '../credential-files.ts';
import { globToRegExp } from '../shell/glob.ts';
import type { Machine } from '../shell/machine.ts';
import { CREDENTIAL, hasUnknown } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import type { Operand } from './options.ts';
import { absolute } from './paths.ts';

/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY =
  /^(-i|-key|-keyout|-inkey|-signkey|-CAkey|-out|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

/** Does what a call prints hold a credential: a store that it reads, or the whole environment? */
export function printsCredential({ program, facts, args, io, operands, machine }: Call): boolean {
  if (io.stdin?.includes(CREDENTIAL))
    return (
      !/^(wc|md5sum|sha\d+sum|test|true|false|mkdir|touch)$/.test(program) &&
      !showsHarmlessLines(
        program,
        args.map(({ text }) => text),
      )
    );
  if (program === 'printenv' && args.some(({ text }) => isSecretVariable(text) && !machine.scope.has(text)))
    return true;
  if (
    /^(echo|printf|print)$/.test(program) &&
    args.some(({ text }) => hasUnknown(text)) &&
    printsSecret(machine.source)
  )
    return true;
  if (facts.traits.has('prints') && io.stdin !== undefined && hasUnknown(io.stdin) && HERE_SECRET.test(machine.source))
    return true;
  if (/^(printenv|env|set|declare|export)$/.test(program)) return args.every(({ text }) => /^-(p|x|px|0)$/.test(text));
  if (/^(typeset|local|readonly)$/.test(program))
    return args.length > 0 && args.every(({ text }) => /^-[px]+$/.test(text));
  if (/^(expr|test|\[)$/.test(program) && args.some(({ text }) => text.includes(CREDENTIAL)))
    // What is no number stands in the complaint.
    return program === 'expr' || args.some(({ text }) => /^-(eq|ne|[lg][te])$/.test(text));
  if (program === 'git' && operands[0]?.text === 'config')
    return operands.some(({ text }) => SECRET_SETTING.test(text));
  if (program === 'git' || (program === 'rclone' && operands[0]?.text === 'cat'))
    return operands.some(({ text }) => /^[^/]*:/.test(text) && isCredential(afterColon(text)));
  return facts.traits.has('prints') && operands.some((operand) => namesStore(machine, operand));
}

function afterColon(text: string): string {
  return text.slice(text.indexOf(':') + 1);
}

/** Does a word name a store, from the directory that the command is in by then, or as a pattern? */
function namesStore(machine: Machine, { text, glob }: Operand): boolean {
  if (machine.substituted.get(text)?.includes(CREDENTIAL)) return true;
  const named = text.startsWith('if=') ? text.slice(3) : text;
  const path = absolute(machine, named) ?? named;
  if (isCredential(named) || isCredential(path)) return true;
  return glob && mayNameCredential(path, (pattern, name) => globToRegExp(pattern).test(name));
}

/** Settings of git in which tokens and passwords stand. */
const SECRET_SETTING = /^(http\.(.*\.)?(extraheader|proxy)|sendemail\.(.*\.)?smtppass|.*\.(password|token))$/i;

/** Such a variable as a program's input: `cat <<< $API_KEY`. */
const HERE_SECRET = /<<<\s*"?\$\{?\w*(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIAL)/;

/** Does a command print the value of such a variable? */
function printsSecret(source: string): boolean {
  for (const [, words = ''] of source.matchAll(/\b(?:echo|printf|print)\b([^;|&\n]*)/g))
    for (const [, name = ''] of words.matchAll(/\$\{?([A-Za-z_]\w*)(?!:?[+])/g))
      if (isSecretVariable(name)) return true;
  // Printed by another name: `n=API_KEY; echo ${!n}`, `declare -n n=API_KEY`.
  if (/\$\{!|\b(declare|typeset|local)\s+-\w*n/.test(source))
    for (const [, name = ''] of source.matchAll(/=["']?([A-Za-z_]\w*)/g)) if (isSecretVariable(name)) return true;
  return false;
}

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
  const given = call.args.some(({ text }, index) => {
    if (text.includes(CREDENTIAL)) return true;
    if (!sends || OWN_KEY.test(call.args[index - 1]?.text ?? '')) return false;
    if (!/[./]|Cookies|Login/.test(text)) return false;
    return text.split(/[@=<,;]/).some((part) => isCredential(part) || isCredentialFolder(part));
  });
  if (!given && !(sends && call.io.stdin?.includes(CREDENTIAL))) return undefined;
  if (!sends) return traits.has('keepsWords') ? undefined : unknown(`gives a credential to ${call.program}`);
  return destructive('credential leaves', 'sends a key, token or password to another machine');
}

/** A directory whose files are keys: who sends it sends them. */
function isCredentialFolder(path: string): boolean {
  return /(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|password-store)\/?$/.test(path);
}
