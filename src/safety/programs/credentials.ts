import { isCredential } from '../../knowledge/credential-files.ts';
import { destructive, type StaticVerdict } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';

// Two rules. A command line that names a credential file and sends something is destructive, whatever connects the two.
// One that names such a file and may print it is asked about, unless the model that reads the output is on this
// machine.

export const CREDENTIAL_LEAVES: StaticVerdict = destructive(
  'credential leaves',
  'sends a key, token or password to another machine',
);

/** What separates names within a word: options, addresses, code. */
const BETWEEN = /[\s'"`()<>{},;|&=@:]+/;

/** The environment, as JavaScript calls it. */
const VARIABLES = /(^|\.)(process|meta)\.env$/;

/** A directory that may hold nothing but credential files. */
const DIRECTORY = /(^|\/)\.[\w-]+\/?$/;

/** Whether a text names a credential file, or a directory in which every file is one. */
function namesCredential(text: string): boolean {
  return text
    .split(BETWEEN)
    .some(
      (name) => (isCredential(name) && !VARIABLES.test(name)) || (DIRECTORY.test(name) && isCredential(`${name}/any`)),
    );
}

/** Options by which a program that else only names files prints one, or runs a command that does. */
const READS = /^-(exec|execdir|ok|okdir)$|^--(files0-from|from(tab)?file)\b/;

/** What a sourced file holds goes into variables, not to the screen. */
const SOURCES = /^(source|\.)$/;

/** Notes on the machine whether a call sends something, and whether it names a credential file that it may print. */
export function noteCredentials(call: Call): void {
  const { machine, args, io } = call;
  const { traits } = call.facts;
  // A package manager sends a release; what it is mostly called for are scripts of the project.
  const sends = traits.has('sends') && !traits.has('runsProject');
  machine.sends ||= sends;
  const namesOnly = traits.has('namesOnly') || traits.has('keepsWords') || SOURCES.test(call.program);
  if (namesOnly && !sends && !traits.has('prints') && !args.some(({ text }) => READS.test(text))) return;
  machine.namesCredential ||=
    args.some(({ text }, at) => isNamed(call, text) && !(sends && isOwnKey(call, at))) ||
    (sends && io.stdin !== undefined && namesCredential(io.stdin));
}

/** A relative name counts from the directory that the command is in by then. */
function isNamed({ machine }: Call, text: string): boolean {
  return namesCredential(text) || isCredential(absolute(machine, text) ?? '');
}

/** Options that name the sender's own key, which proves who asks and is not sent. */
const OWN_KEY =
  /^(-i|-key|-keyout|-inkey|-signkey|-CAkey|-out|--key|--cert|--cacert|--private-key|--certificate|--kubeconfig|-K|--ssh-key|-o)$/;
const OWN_KEY_IN_WORD = /^-o\s*(IdentityFile|CertificateFile)[= ]|^--(key|cert|cacert|kubeconfig)=/i;

/** Whether a word is the value of such an option. A letter without a value (`rsync -i`) does not count. */
function isOwnKey({ args, reading }: Call, at: number): boolean {
  const word = args[at]?.text ?? '';
  const before = args[at - 1]?.text ?? '';
  if (OWN_KEY_IN_WORD.test(word)) return true;
  if (!reading || reading.missing !== undefined) return OWN_KEY.test(before);
  return before.startsWith('-') && reading.given.some(({ name, value }) => value === word && OWN_KEY.test(name));
}
