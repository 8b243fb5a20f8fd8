import { isCredential } from '../credential-files.ts';
import { CREDENTIAL, hasUnknown } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';

/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY = /^(-i|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

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
  if (program === 'printenv' && args.some(({ text }) => SECRET_VARIABLE.test(text) && !machine.scope.has(text)))
    return true;
  if (
    /^(echo|printf|print)$/.test(program) &&
    args.some(({ text }) => hasUnknown(text)) &&
    printsSecret(machine.source)
  )
    return true;
  if (/^(printenv|env|set|declare|export)$/.test(program)) return args.every(({ text }) => /^-(p|x|px|0)$/.test(text));
  return facts.traits.has('prints') && operands.some(({ text }) => isCredential(text));
}

/** A variable that by its name holds a key, a token or a password. */
const SECRET_VARIABLE = /(^|_)(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?)(_|$)/;

/** Does a command print the value of such a variable? */
function printsSecret(source: string): boolean {
  for (const [, words = ''] of source.matchAll(/\b(?:echo|printf|print)\b([^;|&\n]*)/g))
    for (const [, name = ''] of words.matchAll(/\$\{?([A-Za-z_]\w*)(?!:?[+])/g))
      if (SECRET_VARIABLE.test(name)) return true;
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
