import { FETCHED, UNKNOWN } from '../shell/taint.ts';
import { destructive, harmless, unknown } from '../verdict.ts';
import { runCode } from './code.ts';
import { forAll, type Handlers } from './handler.ts';

/** Lines of plain-text protocols (memcached, redis, zookeeper, qemu's monitor, HTTP) that lose something. */
const NETWORK_LOSS =
  /^\s*(flush_all|flushall|flushdb|shutdown|delete\s+\S|del\s+\S|unlink\s+\S|kill\s*$|config\s+set|script\s+flush|debug\s+segfault|slaveof|replicaof|system_(reset|powerdown))/im;

/** Transfers and connections. */
export const NETWORK_TOOLS: Handlers = {
  ...forAll('rsync scp sftp', (call) => {
    const shell = call.value('-e', '--rsh', '-S');
    if (shell !== undefined && !/^ssh\b/.test(shell)) runCode(call.machine, shell, { stdin: '' });
    if (call.program === 'sftp' && /^\s*(rm|rmdir|rename)\b/m.test(call.io.stdin ?? ''))
      call.machine.note(destructive('sync tool delete', 'deletes files at the other end'));
    if (call.program === 'sftp') call.machine.note(unknown('a file transfer session'));
    return call.program === 'sftp' ? UNKNOWN : undefined;
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
    if (/^delete$/i.test(call.operands[0]?.text ?? ''))
      call.machine.note(destructive('HTTP DELETE', 'asks a server to delete'));
    return FETCHED;
  }),
  ...forAll('nc ncat netcat socat', (call) => {
    const line = call.args.map((field) => field.text).join(' ');
    const found = /(?:EXEC|SYSTEM):(?:"([^"]*)"|'([^']*)'|([^,\s]+(?: [^,]*)?))/i.exec(line);
    if (found) runCode(call.machine, found[1] ?? found[2] ?? found[3] ?? '', { stdin: UNKNOWN });
    const program = call.value('-e', '-c', '--exec', '--sh-exec');
    if (program !== undefined) {
      if (/\b(ba|da|z|k)?sh\b/.test(program))
        call.machine.note(destructive('curl | sh', 'gives a shell to the network'));
      else runCode(call.machine, program, { stdin: UNKNOWN });
    }
    if (NETWORK_LOSS.test(call.io.stdin ?? ''))
      call.machine.note(destructive('command over the network', 'sends a server a command that deletes or stops'));
    call.machine.note(harmless());
    return FETCHED;
  }),
};
