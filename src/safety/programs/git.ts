import type { Field } from '../shell/machine.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call, Handlers } from './call.ts';
import { runCode } from './code.ts';

/** Settings of git whose value is a command. */
const RUN_SETTING =
  /^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass)|sequence\.editor|diff\.external|diff\..+\.(command|textconv)|pager\..+|filter\..+\.(clean|smudge|process)|merge\..+\.driver|credential\.helper|gpg\.program|uploadpack\..+|receive\..+)$/i;

/** A setting on the command line whose value is a command. */
const SET_BY_OPTION =
  /^(alias\.[\w-]+|core\.(?:sshCommand|pager|editor|fsmonitor|hooksPath)|sequence\.editor|diff\.external|pager\.\w+|credential\.helper|filter\.\w+\.(?:clean|smudge)|merge\.\w+\.driver)=([\s\S]*)$/i;

/** Git: settings and subcommands that carry a command. */
export const GIT: Handlers = {
  git(call) {
    runSettings(call);
    const [sub = '', second = ''] = call.operands.map((operand) => operand.text);
    const at = call.args.findIndex((field) => field.text === second);
    RUNNING.get(sub)?.(call, second, call.args.slice(at + 1));
    return undefined;
  },
};

/** `git -c alias.x=!cmd x`. */
function runSettings({ machine, options, operands }: Call): void {
  for (const setting of options.values.get('-c') ?? []) {
    const [, name = '', code = ''] = SET_BY_OPTION.exec(setting) ?? [];
    if (name === '') continue;
    if (!name.startsWith('alias.')) runCode(machine, code.replace(/^!/, ''));
    else if (code.startsWith('!'))
      runCode(machine, [code.slice(1), ...operands.slice(1).map(({ text }) => text)].join(' '), { stdin: '' });
    else runCode(machine, `git ${code}`);
  }
}

/** Subcommands that carry a command; `rest`: the words behind the one after the subcommand. */
const RUNNING = new Map<string, (call: Call, second: string, rest: readonly Field[]) => void>(
  Object.entries({
    config({ machine, operands }: Call, setting: string) {
      const value = operands[2]?.text;
      if (value === undefined) return;
      if (/^alias\./.test(setting) && value.startsWith('!')) {
        machine.note(unknown('defines an alias that runs a command'));
        runCode(machine, value.slice(1));
      }
      if (!RUN_SETTING.test(setting)) return;
      machine.note(unknown('sets a command that git will run'));
      const inner = machine.watch(() => runCode(machine, `${value.replace(/^!/, '')} ${UNKNOWN}`));
      if (inner.verdict === 'destructive') machine.note(inner);
    },
    bisect({ machine }: Call, second: string, rest: readonly Field[]) {
      if (second === 'run') machine.runFields(rest, { stdin: '' });
    },
    submodule({ machine }: Call, second: string, rest: readonly Field[]) {
      const words = rest.map(({ text }) => text).filter((text) => text !== '--recursive' && text !== '--quiet');
      if (second === 'foreach') runCode(machine, words.join(' '));
    },
    rebase(call: Call) {
      const at = call.args.findIndex((field) => /^(-x|--exec)$/.test(field.text));
      const code = call.value('--exec', '-x') ?? (at >= 0 ? call.args[at + 1]?.text : undefined);
      if (code !== undefined) runCode(call.machine, code);
    },
  }),
);
