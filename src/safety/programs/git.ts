import { UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import { runCode } from './code.ts';
import type { Handlers } from './handler.ts';

/** Settings of git whose value is a command. */
const RUN_SETTING =
  /^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass)|sequence\.editor|diff\.external|diff\..+\.(command|textconv)|pager\..+|filter\..+\.(clean|smudge|process)|merge\..+\.driver|credential\.helper|gpg\.program|uploadpack\..+|receive\..+)$/i;

/** Git: settings and subcommands that carry a command. */
export const GIT: Handlers = {
  git(call) {
    const { machine } = call;
    for (const setting of call.options.values.get('-c') ?? []) {
      const found =
        /^(alias\.[\w-]+|core\.(?:sshCommand|pager|editor|fsmonitor|hooksPath)|sequence\.editor|diff\.external|pager\.\w+|credential\.helper|filter\.\w+\.(?:clean|smudge)|merge\.\w+\.driver)=([\s\S]*)$/i.exec(
          setting,
        );
      if (!found) continue;
      const code = found[2] ?? '';
      const name = found[1] ?? '';
      if (!name.startsWith('alias.')) runCode(machine, code.replace(/^!/, ''), { stdin: '' });
      else if (code.startsWith('!'))
        runCode(machine, [code.slice(1), ...call.operands.slice(1).map((operand) => operand.text)].join(' '), {
          stdin: '',
        });
      else runCode(machine, `git ${code}`, { stdin: '' });
    }
    const [sub, second, third] = call.operands.map((operand) => operand.text);
    if (
      sub === 'config' &&
      second !== undefined &&
      third !== undefined &&
      /^alias\./.test(second) &&
      third.startsWith('!')
    ) {
      machine.note(unknown('defines an alias that runs a command'));
      runCode(machine, third.slice(1), { stdin: '' });
    }
    const runs = sub === 'config' && second !== undefined && third !== undefined && RUN_SETTING.test(second);
    if (runs) {
      machine.note(unknown('sets a command that git will run'));
      const inner = machine.watch(() => runCode(machine, `${third.replace(/^!/, '')} ${UNKNOWN}`, { stdin: '' }));
      if (inner.verdict === 'destructive') machine.note(inner);
    }
    const at = call.args.findIndex((field) => field.text === second);
    if (sub === 'bisect' && second === 'run') machine.runFields(call.args.slice(at + 1), { stdin: '' });
    if (sub === 'submodule' && second === 'foreach') {
      const rest = call.args.slice(at + 1).filter((field) => field.text !== '--recursive' && field.text !== '--quiet');
      runCode(machine, rest.map((field) => field.text).join(' '), { stdin: '' });
    }
    const exec = call.value('--exec', '-x');
    if (sub === 'rebase') {
      const at = call.args.findIndex((field) => /^(-x|--exec)$/.test(field.text));
      const code = exec ?? (at >= 0 ? call.args[at + 1]?.text : undefined);
      if (code !== undefined) runCode(machine, code, { stdin: '' });
    }
    return undefined;
  },
};
