import { isCredential } from '../credential-files.ts';
import { destructive, type StaticVerdict } from '../verdict.ts';

/** Calls by which code gives something to another machine, in the languages that one-liners are written in. */
const SENDS =
  /\.\s*request\s*\(|\b(requests|httpx|session|client|axios|got|http|https)\s*\.\s*(post|put|patch|request)\b|\burlopen\s*\([^()]*,|\.\s*send(all|to|mail|_message)?\s*\(|\bfetch\s*\([\s\S]{0,300}?\b(method|body)\b|Net::HTTP|\bpost_form\b|->\s*(post|put|request)\b|\bcurl_(exec|setopt)\b|file_get_contents\s*\(\s*["']https?:|\bfsockopen\b|TCPSocket|IO::Socket|\b(ftplib|smtplib|paramiko|http\.client)\b|\.\s*(storbinary|upload\w*|put_object)\s*\(/;

/** The whole environment as one text. */
const WHOLE_ENVIRONMENT =
  /\b(dict|str|repr|json\.dumps)\s*\(\s*(dict\s*\(\s*)?os\.environ\s*\)|\bJSON\.stringify\s*\(\s*process\.env\s*[,)]|\bENV\.(to_h|to_s|to_a|inspect|map)\b|\bgetenv\s*\(\s*\)|\bjson_encode\s*\(\s*\$_(ENV|SERVER)\b|\bjoin\b[^;]{0,200}%ENV\b/;

const CONNECTS =
  /\bsocket\b|TCPSocket|fsockopen|\bnet\b["'`]?\)?\s*\.\s*(connect|createConnection|Socket)|\/inet\d?\/(tcp|udp)|IO::Socket|\bsockaddr_in\b/;
/** A shell that is given what came in, or whose output goes out. */
const HANDS_OVER =
  /\bdup2\s*\(|["'`](\/(usr\/)?bin\/)?(ba|da|z|k|tc|c)?sh( -i)?["'`]|\bsh -i\b|["'`](cmd|powershell)(\.exe)?["'`]/;

/** The verdict on code that gives a credential, or a shell, to another machine; undefined: it shows neither. */
export function judgeLeaving(source: string): StaticVerdict | undefined {
  if (CONNECTS.test(source) && HANDS_OVER.test(source)) return destructive('curl | sh', 'gives a shell to the network');
  if (!SENDS.test(source)) return undefined;
  return WHOLE_ENVIRONMENT.test(source) || namesKey(source)
    ? destructive('credential leaves', 'sends a key, token or password to another machine')
    : undefined;
}

/** Files of accounts, which are no secret but for whoever is not on the machine. */
const ACCOUNTS = /^\/etc\/(passwd|group)$/;

/** Does a text in the code, or a word of a command in it, name a store of credentials? */
function namesKey(source: string): boolean {
  for (const [, , text = ''] of source.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1/g))
    if (text.split(/\s+/).some((word) => isCredential(word) || ACCOUNTS.test(word))) return true;
  return false;
}
