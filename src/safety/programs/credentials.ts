import { isCredential } from '../credential-files.ts';
import { CREDENTIAL } from '../shell/taint.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';

/** Programs that give what they are given to another machine. */
const SENDERS = new Set(
  'curl wget nc ncat netcat socat telnet ssh scp sftp rsync http https xh aws gcloud az gsutil s3cmd rclone mc mail mailx sendmail mutt ftp lftp tftp dig drill kdig host nslookup whois ping ping6 fping traceroute traceroute6 tracepath mtr getent nmap ssh-keyscan redis-cli psql mysql mongosh openssl gh glab gist croc transfer wormhole kubectl helm docker npm twine'.split(
    ' ',
  ),
);
/** Options that name the sender's own key: it proves who asks, and stays. */
const OWN_KEY = /^(-i|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;

/** Does what a call prints hold a credential: a store that it reads, or the whole environment? */
export function printsCredential({ program, args, io, operands }: Call): boolean {
  if (io.stdin?.includes(CREDENTIAL)) return !/^(wc|md5sum|sha\d+sum|test|true|false|mkdir|touch)$/.test(program);
  if (/^(printenv|env|set|declare|export)$/.test(program)) return args.every(({ text }) => /^-(p|x|px|0)$/.test(text));
  return isPrinter(program) && operands.some(({ text }) => isCredential(text));
}

const PRINTERS =
  /^(cat|tac|nl|head|tail|less|more|bat|grep|rg|ag|awk|sed|cut|sort|uniq|tr|paste|strings|xxd|od|hexdump|base64|base32|gzip|xz|bzip2|zstd|tar|zip|jq|yq|openssl|gpg|dd|fold|rev|column|tee|cp|diff|comm|cmp)$/;
/** Programs that look at a file's name, size or sum, and never at its text; and those that a key is made for. */
const NAMES_ONLY =
  /^(ls|dir|vdir|exa|eza|lsd|stat|file|du|df|find|fd|tree|test|\[|realpath|readlink|basename|dirname|namei|wc|md5sum|sha\d+sum|b2sum|cksum|chmod|chown|chgrp|touch|ssh|scp|sftp|mosh|autossh|rsync|ssh-keygen|ssh-copy-id|lsof|fuser|getfacl|lsattr|locate|cd|pushd|curl|wget)$/;

/** Does it print what the files it is given hold? */
export function isPrinter(program: string): boolean {
  return PRINTERS.test(program);
}

/** Does it leave alone what the files it is given hold? */
export function looksAtNames(program: string): boolean {
  return NAMES_ONLY.test(program);
}

/** The verdict on a call that gives a credential to another machine; undefined: it does not. */
export function sendsCredential(call: Call): StaticVerdict | undefined {
  const sends = SENDERS.has(call.program);
  const given = call.args.some(({ text }, index) => {
    if (text.includes(CREDENTIAL)) return true;
    if (!sends || OWN_KEY.test(call.args[index - 1]?.text ?? '')) return false;
    return text.split(/[@=<,;]/).some((part) => isCredential(part) || isCredentialFolder(part));
  });
  if (!given && !(sends && call.io.stdin?.includes(CREDENTIAL))) return undefined;
  if (!sends) return KEEPS.test(call.program) ? undefined : unknown(`gives a credential to ${call.program}`);
  return destructive('credential leaves', 'sends a key, token or password to another machine');
}

/** Commands that print the words they are given, or only compare them. */
const KEEPS = /^(echo|printf|print|test|\[|expr|true|false|:|export|declare|local|typeset|readonly|read|set)$/;

/** A directory whose files are keys: who sends it sends them. */
function isCredentialFolder(path: string): boolean {
  return /(^|\/)\.(ssh|aws|gnupg|kube|docker|azure|password-store)\/?$/.test(path);
}
