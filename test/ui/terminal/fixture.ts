/** A small program that owns its terminal and reports what it gets; terminal.test.ts runs it in a real pty. */
import { spawnSync } from 'node:child_process';
import { Terminal } from '../../../src/ui/terminal/terminal.ts';

const terminal = new Terminal({ stdin: process.stdin, stdout: process.stdout, alternateScreen: true, mouse: true });
let line = '';
terminal.onToken((token) => {
  if (token.type === 'paste') process.stdout.write(`<paste ${JSON.stringify(token.text)}>`);
  if (token.type !== 'key' || token.event === 'release') return;
  if (token.burst) line += '/';
  else if (token.name === 'enter') {
    process.stdout.write(`<line ${line}>`);
    void obey(line);
    line = '';
  } else line += token.text ?? `{${token.ctrl ? 'ctrl-' : ''}${token.name}}`;
});
terminal.onResume(() => process.stdout.write('<resumed>'));

async function obey(command: string): Promise<void> {
  if (command === 'quit') {
    await terminal.leave();
    process.exit(0);
  }
  if (command === 'throw') throw new Error('as asked');
  if (command === 'reject') void Promise.reject(new Error('as asked'));
  if (command === 'stop') await terminal.stop();
  if (command === 'fence') process.stdout.write(`<fence ${await terminal.fence(400)}>`);
  if (command === 'child') {
    await terminal.suspend(
      async () =>
        void spawnSync('sh', ['-c', 'echo "<child asks>"; read answer; echo "<child $answer>"'], { stdio: 'inherit' }),
    );
  }
  if (command === 'hand') {
    const end = terminal.handOver((bytes) => {
      process.stdout.write(`<raw ${JSON.stringify(Buffer.from(bytes).toString())}>`);
      if (bytes[0] === 0x71) end();
    });
  }
}

const capabilities = await terminal.enter();
process.stdout.write(`<ready ${capabilities.version ?? ''} ${capabilities.answers}>`);
