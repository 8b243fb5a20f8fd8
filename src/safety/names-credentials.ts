/** Whether a command names a file of keys or passwords and may print it: then a model elsewhere is not shown it unasked. */
import { isCredential } from './credential-files.ts';
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { programName } from './programs/name.ts';
import { factsOf } from './programs/records/index.ts';
import type { Field } from './shell/machine.ts';

/** What separates names within a word: options, addresses, code. */
const BETWEEN = /[\s'"`()<>{},;|&=@:]+/;

/** `find` only names files, but the command behind these options reads them. */
const EXECUTES = /^-(exec|execdir|ok|okdir)$/;

/** Never throws. Names count as they are written; what a pattern or a search finds is left to the filter of secrets. */
export function namesCredentials(command: string, options: JudgeOptions): boolean {
  let named = false;
  judgeCommand(command, options, {
    call([program, ...args]) {
      const runsAnother = args.some(({ text }) => EXECUTES.test(text));
      named ||= (runsAnother || readsText(programName(program?.text ?? ''))) && args.some(isNamed);
    },
    redirect({ operator, target }) {
      named ||= operator === '<' && isCredential(target);
    },
  });
  return named;
}

function readsText(program: string): boolean {
  const { traits } = factsOf(program);
  return traits.has('prints') || !(traits.has('namesOnly') || traits.has('keepsWords'));
}

/** A file, or a directory in which everything counts. */
function isNamed({ text }: Field): boolean {
  return text
    .split(BETWEEN)
    .some((name) => isCredential(name) || (DIRECTORY.test(name) && isCredential(`${name}/any`)));
}

const DIRECTORY = /(^|\/)\.[\w-]+\/?$/;
