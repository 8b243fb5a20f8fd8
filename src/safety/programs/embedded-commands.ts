import { UNKNOWN } from '../shell/taint.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';

const SSH_OPTION =
  /^(?:-o)?\s*(ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand|PermitLocalCommand)\s*[= ]\s*([\s\S]+)$/i;

/** Walks commands that stand in options of programs which run them (`tar --to-command=…`, `ssh -o ProxyCommand=…`). */
export function runEmbeddedCommands(call: Call): void {
  const { program, args } = call;
  if (program === 'ssh' || program === 'scp' || program === 'sftp' || program === 'rsync') {
    for (const { text } of args) {
      const found = SSH_OPTION.exec(text);
      if (found && found[2] !== 'none') runLoss(call, found[2] ?? '');
    }
  }
  if (program === 'git') runGitOption(call);
  if (call.reading?.missing === undefined) return;
  for (const { role, value } of call.reading.given) if (role === 'run' && value) runLoss(call, value);
}

/** `git grep -O'cmd'` and `git difftool -x cmd` start the command they are given on files of the project. */
function runGitOption(call: Call): void {
  const sub = call.operands[0]?.text;
  const option =
    sub === 'grep'
      ? /^(?:-O|--open-files-in-pager(?:=|$))/
      : sub === 'difftool' || sub === 'mergetool'
        ? /^(?:-x|--extcmd(?:=|$))/
        : undefined;
  if (!option) return;
  for (const [index, { text }] of call.args.entries()) {
    const found = option.exec(text);
    const code = found && (text.slice(found[0].length) || (sub === 'grep' ? '' : call.args[index + 1]?.text));
    if (code) runLoss(call, code);
  }
}

/** Only a loss counts: a filter such as `gzip` needs no second look. */
function runLoss(call: Call, code: string): void {
  const { machine } = call;
  const inner = machine.watch(() => runCode(machine, `${code} ${UNKNOWN}`, { stdin: UNKNOWN }));
  if (inner.verdict === 'destructive') machine.note(inner);
}
