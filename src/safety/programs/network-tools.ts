import { FETCHED, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { fileKey } from './paths.ts';

/** Commands of plain-text protocols (memcached, redis, zookeeper, qemu’s monitor, HTTP) that lose data. */
const NETWORK_LOSS =
  /^\s*(flush_all|flushall|flushdb|shutdown|delete\s+\S|del\s+\S|unlink\s+\S|kill\s*$|config\s+set|script\s+flush|debug\s+segfault|slaveof|replicaof|system_(reset|powerdown))/im;

/** Notes a file that a download creates under a name from the call or the address: the same command may run it next. */
function noteDownload(call: Call): void {
  const last = call.operands.at(-1)?.text ?? '';
  const named =
    call.value('-o', '--out', '-l', '-r') ?? (call.program === 'lwp-download' ? call.operands[1]?.text : undefined);
  const name = named ?? /([^/?#]+)(?:[?#][\s\S]*)?$/.exec(last)?.[1];
  if (name !== undefined) call.machine.written.set(fileKey(call.machine, name), FETCHED);
}

/** Returns whether the text on its input is unknown; an empty pipe means that the output before it was not computed. */
function isGivenUnknown({ io: { stdin }, redirects }: Call): boolean {
  return stdin !== undefined && (hasUnknown(stdin) || (stdin === '' && redirects.length === 0));
}

/** Handlers of tools that transfer data or open connections. */
export const NETWORK_TOOLS: Handlers = {
  ...forAll('rsync scp sftp', (call) => {
    const shell = call.value('-e', '--rsh', '-S');
    // The shell program gets the host and the remote command as its arguments.
    if (shell !== undefined) runCode(call.machine, `${shell} host true`);
    if (call.program === 'sftp' && /^\s*(rm|rmdir|rename)\b/m.test(call.io.stdin ?? ''))
      call.machine.note(destructive('sync tool delete', 'deletes files at the other end'));
    if (call.program === 'sftp') call.machine.note(unknown('a file transfer session'));
    return call.program === 'sftp' ? UNKNOWN : undefined;
  }),
  ...forAll('aria2c axel tftp lwp-download', (call) => {
    noteDownload(call);
    return undefined;
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
    return UNKNOWN;
  }),
  ...forAll('http https xh xhs curlie httpie', (call) => {
    if (/^(delete|purge)$/i.test(call.operands[0]?.text ?? ''))
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    return FETCHED;
  }),
  ...forAll('nc ncat netcat socat', (call) => {
    const line = call.args.map((field) => field.text).join(' ');
    const found = /(?:EXEC|SYSTEM):(?:"([^"]*)"|'([^']*)'|([^,\s]+(?: [^,]*)?))/i.exec(line);
    if (found) runCode(call.machine, found[1] ?? found[2] ?? found[3] ?? '', { stdin: UNKNOWN });
    const program =
      call.value('-e', '-c', '--exec', '--sh-exec') ??
      call.reading?.given.find(({ name }) => /^(-e|-c|--exec|--sh-exec)$/.test(name))?.value;
    if (program !== undefined) {
      if (/\b(ba|da|z|k)?sh\b/.test(program))
        call.machine.note(destructive('curl | sh', 'opens a shell to the network'));
      else runCode(call.machine, program, { stdin: UNKNOWN });
    }
    if (NETWORK_LOSS.test(call.io.stdin ?? ''))
      call.machine.note(destructive('command over the network', 'sends a server a command that deletes or stops'));
    call.machine.note(isGivenUnknown(call) ? unknown('sends its input') : harmless());
    return FETCHED;
  }),
};

function runThere({ machine }: Call, code: string): string {
  return machine.inSubshell(() => {
    machine.scope.leaveFor('machine');
    return runCode(machine, code, { stdin: '' });
  });
}

/** Tools that run a command on other machines. */
export const REMOTE: Handlers = {
  aws(call) {
    for (const { text } of call.args) {
      const list = /^commands=\[([\s\S]*)\]$|"commands"\s*:\s*\[([\s\S]*?)\]/.exec(text);
      for (const found of (list?.[1] ?? list?.[2] ?? '').matchAll(/"((?:\\[\s\S]|[^"\\])*)"/g))
        runThere(call, found[1] ?? '');
      const one = /^commands?=([^[][\s\S]*)$/.exec(text);
      if (one) runThere(call, one[1] ?? '');
    }
    if (call.args.some((field) => field.text === 'execute-command')) {
      const at = call.args.findIndex((field) => /^--command(=|$)/.test(field.text));
      const text = call.args[at]?.text.slice('--command='.length) || call.args[at + 1]?.text;
      if (at >= 0) runThere(call, text ?? '');
    }
    return undefined;
  },
  ansible(call) {
    const module = call.value('-m', '--module-name') ?? 'command';
    const args = call.value('-a', '--args');
    if (/^(ansible\.builtin\.)?(command|shell|raw)$/.test(module) && args !== undefined) {
      // Jinja templates are expanded on this machine before anything is sent.
      if (args.includes('{{') || args.includes('{%')) call.machine.note(unknown('a template may run a program here'));
      return runThere(call, args.replace(/\b(chdir|creates|removes|executable)=\S+/g, ''));
    }
    if (/^(ansible\.builtin\.)?(ping|setup|gather_facts|stat|find)$/.test(module) && !/\{[{%]/.test(args ?? '')) {
      call.machine.note(harmless());
      return UNKNOWN;
    }
    call.machine.note(unknown(`runs the module ${module} on many machines`));
    return undefined;
  },
};
