import { isCredential } from '../credential-files.ts';
import { CREDENTIAL } from '../shell/taint.ts';
import { destructive, type StaticVerdict } from '../verdict.ts';
import type { Call } from './call.ts';

/** Programs that give what they are given to another machine. */
const SENDERS = new Set(
  'curl wget nc ncat netcat socat telnet ssh scp sftp rsync http https xh aws gsutil s3cmd rclone mc mail mailx sendmail mutt ftp lftp tftp dig host nslookup ping openssl gh glab gist croc transfer wormhole'.split(
    ' ',
  ),
);
/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY = /^(-i|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

/** Does what a call prints hold a credential: a store that it reads, or the whole environment? */
export function printsCredential({ program, args, io, operands }: Call): boolean {
  if (io.stdin?.includes(CREDENTIAL)) return !/^(wc|md5sum|sha\d+sum|test|true|false|mkdir|touch)$/.test(program);
  if (/^(printenv|env|set|declare|export)$/.test(program)) return args.every(({ text }) => /^-(p|x|px|0)$/.test(text));
  return PRINTERS.test(program) && operands.some(({ text }) => isCredential(text));
}

const PRINTERS =
  /^(cat|tac|nl|head|tail|less|more|bat|grep|rg|ag|awk|sed|cut|sort|uniq|tr|paste|strings|xxd|od|hexdump|base64|base32|gzip|xz|bzip2|zstd|tar|zip|jq|yq|openssl|gpg|dd|fold|rev|column|tee|cp)$/;

/** The verdict on a call that gives a credential to another machine; undefined: it does not. */
export function sendsCredential(call: Call): StaticVerdict | undefined {
  if (!SENDERS.has(call.program)) return undefined;
  const given = call.args.some(({ text }, index) => {
    if (OWN_KEY.test(call.args[index - 1]?.text ?? '')) return false;
    return text.includes(CREDENTIAL) || text.split(/[@=<,;]/).some((part) => isCredential(part));
  });
  if (!given && !call.io.stdin?.includes(CREDENTIAL)) return undefined;
  return destructive('credential leaves', 'sends a key, token or password to another machine');
}
