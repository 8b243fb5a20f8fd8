import { isCredential } from '../credential-files.ts';
import { CREDENTIAL } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { traitsOf } from './traits.ts';

/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY = /^(-i|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

/** Does what a call prints hold a credential: a store that it reads, or the whole environment? */
export function printsCredential({ program, args, io, operands }: Call): boolean {
  if (io.stdin?.includes(CREDENTIAL)) return !/^(wc|md5sum|sha\d+sum|test|true|false|mkdir|touch)$/.test(program);
  if (/^(printenv|env|set|declare|export)$/.test(program)) return args.every(({ text }) => /^-(p|x|px|0)$/.test(text));
  return traitsOf(program).prints && operands.some(({ text }) => isCredential(text));
}

/** The verdict on a call that gives a credential to another machine; undefined: it does not. */
export function sendsCredential(call: Call): StaticVerdict | undefined {
  const { sends, keepsWords } = traitsOf(call.program);
  const given = call.args.some(({ text }, index) => {
    if (text.includes(CREDENTIAL)) return true;
    if (!sends || OWN_KEY.test(call.args[index - 1]?.text ?? '')) return false;
    return text.split(/[@=<,;]/).some((part) => isCredential(part) || isCredentialFolder(part));
  });
  if (!given && !(sends && call.io.stdin?.includes(CREDENTIAL))) return undefined;
  if (!sends) return keepsWords ? undefined : unknown(`gives a credential to ${call.program}`);
  return destructive('credential leaves', 'sends a key, token or password to another machine');
}

/** A directory whose files are keys: who sends it sends them. */
function isCredentialFolder(path: string): boolean {
  return /(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|password-store)\/?$/.test(path);
}
