import { FETCHED, HOLE } from '../shell/marks.ts';
import { destructive, harmless, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { forAll, type Handlers } from './handler.ts';
import { writesOutput } from './outputs.ts';

/** Settings of git whose value is a command. */
const RUN_SETTING =
  /^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass)|sequence\.editor|diff\.external|diff\..+\.(command|textconv)|pager\..+|filter\..+\.(clean|smudge|process)|merge\..+\.driver|credential\.helper|gpg\.program|uploadpack\..+|receive\..+)$/i;

/** Lines of plain-text protocols (memcached, redis, zookeeper, qemu's monitor, HTTP) that lose something. */
const NETWORK_LOSS =
  /^\s*(flush_all|flushall|flushdb|shutdown|delete\s+\S|del\s+\S|unlink\s+\S|kill\s*$|config\s+set|script\s+flush|debug\s+segfault|slaveof|replicaof|system_(reset|powerdown))/im;

/** Programs that carry a command in an argument of their own, each in its own way. */
export const MISC: Handlers = {
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
      const inner = machine.watch(() => runCode(machine, `${third.replace(/^!/, '')} ${HOLE}`, { stdin: '' }));
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
  make(call) {
    if (call.value('-f', '--file', '--makefile') === '-' && call.io.stdin !== undefined)
      runRecipes(call, call.io.stdin);
    for (const text of call.options.values.get('--eval') ?? []) runRecipes(call, text);
    for (const { text } of call.operands)
      if (/^SHELL=/.test(text)) call.machine.note(unknown('changes the shell of make', { unresolved: true }));
    return undefined;
  },
  ...forAll('at batch', (call) => {
    if (call.has('-l', '-c', '-V')) return HOLE;
    if (call.has('-d', '-r')) return undefined;
    if (call.io.stdin !== undefined) runCode(call.machine, call.io.stdin, { stdin: '' });
    else call.machine.note(unknown('schedules what is typed or in a file', { runsFiles: true }));
    return HOLE;
  }),
  crontab(call) {
    const { stdin } = call.io;
    if (call.has('-l')) return HOLE;
    if (call.has('-e')) call.machine.note(unknown('an editor session'));
    for (const line of (stdin ?? '').split('\n')) {
      const code = /^\s*(?:@\w+|(?:\S+\s+){5})(\S[\s\S]*)$/.exec(line)?.[1];
      if (code !== undefined) runCode(call.machine, code, { stdin: '' });
    }
    return undefined;
  },
  ...forAll('rsync scp sftp', (call) => {
    const shell = call.value('-e', '--rsh', '-S');
    if (shell !== undefined && !/^ssh\b/.test(shell)) runCode(call.machine, shell, { stdin: '' });
    if (call.program === 'sftp' && /^\s*(rm|rmdir|rename)\b/m.test(call.io.stdin ?? ''))
      call.machine.note(destructive('sync tool delete', 'deletes files at the other end'));
    if (call.program === 'sftp') call.machine.note(unknown('a file transfer session'));
    return call.program === 'sftp' ? HOLE : undefined;
  }),
  ...forAll('ftp lftp tnftp smbclient', (call) => {
    const text = `${call.args.map((field) => field.text).join(' ')}\n${call.io.stdin ?? ''}`;
    if (
      /(^|[\n;'"\s])(delete|mdelete|rmdir|rm|mrm|del|deltree|mirror\s+(-\w*R\w*\s+)?.*--delete|mirror.*--Remove-source)\b/.test(
        text,
      )
    )
      call.machine.note(destructive('sync tool delete', 'deletes files at the other end'));
    call.machine.note(unknown('a file transfer session'));
    return HOLE;
  }),
  aws(call) {
    for (const { text } of call.args) {
      const list = /^commands=\[([\s\S]*)\]$|"commands"\s*:\s*\[([\s\S]*?)\]/.exec(text);
      for (const found of (list?.[1] ?? list?.[2] ?? '').matchAll(/"((?:\\[\s\S]|[^"\\])*)"/g))
        runCode(call.machine, found[1] ?? '', { stdin: '' });
      const one = /^commands?=([^[][\s\S]*)$/.exec(text);
      if (one) runCode(call.machine, one[1] ?? '', { stdin: '' });
    }
    if (call.args.some((field) => field.text === 'execute-command')) {
      const at = call.args.findIndex((field) => /^--command(=|$)/.test(field.text));
      const text = call.args[at]?.text.slice('--command='.length) || call.args[at + 1]?.text;
      if (at >= 0) runCode(call.machine, text ?? '', { stdin: '' });
    }
    return undefined;
  },
  ansible(call) {
    const module = call.value('-m', '--module-name') ?? 'command';
    const args = call.value('-a', '--args');
    if (/^(ansible\.builtin\.)?(command|shell|raw)$/.test(module) && args !== undefined) {
      runCode(call.machine, args.replace(/\b(chdir|creates|removes|executable)=\S+/g, ''), { stdin: '' });
      return HOLE;
    }
    if (/^(ansible\.builtin\.)?(ping|setup|debug|gather_facts|stat|find|slurp|assert)$/.test(module)) {
      call.machine.note(harmless());
      return HOLE;
    }
    call.machine.note(unknown(`runs the module ${module} on many machines`));
    return undefined;
  },
  ...forAll('http https xh xhs curlie httpie', (call) => {
    const method = call.operands[0]?.text ?? '';
    if (/^delete$/i.test(method)) call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    const sends =
      /^(post|put|patch)$/i.test(method) || call.operands.slice(1).some((operand) => /^[\w-]+:?=/.test(operand.text));
    call.machine.note(sends ? unknown('sends data to a server') : harmless());
    return FETCHED;
  }),
  gdb(call) {
    const texts = [
      ...call.args
        .filter((_, index) => /^-?-e(x|val-command)$/.test(call.args[index - 1]?.text ?? ''))
        .map((field) => field.text),
      ...(call.io.stdin ?? '').split('\n'),
    ];
    for (const text of texts) {
      const code = /^\s*(?:shell|!|pipe\s+[^|]*\|)\s*([\s\S]+)$/.exec(text)?.[1];
      if (code !== undefined) runCode(call.machine, code, { stdin: '' });
    }
    call.machine.note(unknown('a debugger'));
    return HOLE;
  },
  ...forAll('kill pkill killall', (call) => {
    const gentle =
      call.args.some(
        (field, index) =>
          (index === 0 || call.args[0]?.text !== '--') && /^-(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(field.text),
      ) || /^(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(call.value('-s', '--signal') ?? '');
    if (gentle) call.machine.note(unknown('sends a signal that some programs end at'));
    return HOLE;
  }),
  ...forAll('nc ncat netcat socat', (call) => {
    const line = call.args.map((field) => field.text).join(' ');
    const found = /(?:EXEC|SYSTEM):(?:"([^"]*)"|'([^']*)'|([^,\s]+(?: [^,]*)?))/i.exec(line);
    if (found) runCode(call.machine, found[1] ?? found[2] ?? found[3] ?? '', { stdin: HOLE });
    const program = call.value('-e', '-c', '--exec', '--sh-exec');
    if (program !== undefined) {
      if (/\b(ba|da|z|k)?sh\b/.test(program))
        call.machine.note(destructive('curl | sh', 'gives a shell to the network'));
      else runCode(call.machine, program, { stdin: HOLE });
    }
    if (NETWORK_LOSS.test(call.io.stdin ?? ''))
      call.machine.note(destructive('command over the network', 'sends a server a command that deletes or stops'));
    call.machine.note(harmless());
    return FETCHED;
  }),
  ...forAll('less more man most', (call) => {
    for (const field of call.args)
      if (field.text.startsWith('+!')) runCode(call.machine, field.text.slice(2), { stdin: '' });
    return undefined;
  }),
  ...forAll('ffmpeg sox magick convert mogrify', (call) => {
    const target = call.args.at(-1)?.text ?? '-';
    const inputs = call.args.slice(0, -1).map((field) => field.text);
    if (
      call.args.length > 1 &&
      /^[\w./~]/.test(target) &&
      inputs.includes(target) &&
      (call.program !== 'ffmpeg' || call.has('-y'))
    )
      call.machine.note(destructive('same file in and out', 'empties the file it reads'));
    if (/^(magick|convert)$/.test(call.program) && call.args.length > 1 && /\.\w+$/.test(target))
      call.machine.note(writesOutput(call, target.replace(/^\w+:/, '')));
    if (call.program === 'mogrify') call.machine.note(destructive('sed -i', 'edits files in place'));
    else if (call.has('-y') && call.program === 'ffmpeg') {
      call.machine.note(
        target === '-' || target.startsWith('/dev/') || target === 'null'
          ? harmless()
          : unknown('writes over a file if there is one'),
      );
    } else call.machine.note(harmless());
    return HOLE;
  }),
  exiftool(call) {
    const writes = call.args.some((field) =>
      /^-[\w:]+[-+]?=|^-(all|tagsfromfile|delete_original|restore_original)/i.test(field.text),
    );
    call.machine.note(
      writes && call.args.some((field) => /overwrite_original|delete_original/.test(field.text))
        ? destructive('sed -i', 'edits files in place')
        : writes
          ? unknown('edits files and keeps copies')
          : harmless(),
    );
    return HOLE;
  },
  ...forAll(
    'prettier eslint black isort ruff gofmt goimports rustfmt clang-format autopep8 yapf stylelint biome standard xo rubocop swiftformat ktlint shfmt terraform-fmt dprint taplo djlint autoflake pyupgrade clang-tidy csscomb buf pre-commit-fix dartfmt ormolu fourmolu stylish-haskell prettierd nixfmt alejandra cmake-format beautysh php-cs-fixer phpcbf swiftlint',
    (call) => {
      const writes =
        call.has(
          '--write',
          '-w',
          '--fix',
          '-i',
          '--in-place',
          '--inplace',
          '-a',
          '-A',
          '--auto-correct',
          '--autocorrect',
          '--fix-dry-run=',
        ) || /^(php-cs-fixer|phpcbf|autoflake-i)$/.test(call.program);
      const checks = call.has('--check', '--diff', '--check-only', '-l', '-d', '--list-different', '--dry-run');
      const always =
        /^(black|isort|rustfmt|ormolu|yapf-i|swiftformat|nixfmt|alejandra|taplo)$/.test(call.program) ||
        (call.program === 'ruff' && call.operands[0]?.text === 'format');
      // Formatters are made for changing sources and keep their meaning; not a loss, but not only reading either.
      call.machine.note(checks || !(writes || always) ? harmless() : unknown('formats files in place'));
      return HOLE;
    },
  ),
};

/** Recipe lines of a makefile given as text. */
function runRecipes(call: Call, text: string): void {
  for (const line of text.split('\n')) {
    const recipe = /^\t[@+-]*(.*)$/.exec(line)?.[1] ?? /^[^#=\n]*:[^=;\n]*;\s*[@+-]*(.*)$/.exec(line)?.[1];
    const shell = /\$\(shell\s+([^)]*)\)/.exec(line)?.[1];
    if (recipe) runCode(call.machine, recipe.replaceAll('$$', '$'), { stdin: '' });
    if (shell) runCode(call.machine, shell, { stdin: '' });
  }
}
