/**
 * An `ansible` that runs its commands on this machine and fails according to the host’s name. `lies…` reports another
 * command than it got. `drops…` runs a model’s command and never answers again. `gone…` does not even run it. `twice…`
 * runs it twice, as Ansible may when a connection breaks at the start. `late…` starts a model’s command when it is
 * reached again, and does not answer until then.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../src/text/shell.ts';
import { wholeLines } from './whole-lines.ts';

const PROGRAM = `
const { existsSync, readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const text = (quoted) => JSON.parse('"' + quoted.replace(/\\\\U(.{8})/g, (_, hex) =>
  [...String.fromCodePoint(parseInt(hex, 16))].map((c) => c.split('').map((u) => '\\\\u' + u.charCodeAt(0).toString(16).padStart(4, '0')).join('')).join('')) + '"');
const command = text(/^aish_command: !unsafe "(.*)"$/m.exec(readFileSync('command.yml', 'utf8'))[1]);
const rows = [...readFileSync('inventory.yml', 'utf8').matchAll(/^    (h\\d+): \\{ansible_host: !unsafe "(.*?)", aish_folder: !unsafe "(.*?)"\\}$/gm)];
const hosts = rows.map(([, alias, name, folder]) => ({ alias, name, folder }));
const ours = !command.includes("'aish-tui' 'op-");
appendFileSync(LOG, JSON.stringify({ hosts: hosts.map(({ name }) => name), folders: hosts.map(({ folder }) => folder), command, ours, argv: process.argv.slice(2), env: process.env }) + '\\n');
const once = (host) => new Promise((resolve) => {
  const child = spawn('/bin/sh', ['-c', command], { cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
  const out = [];
  child.stdin.end(host.folder + '\\n');
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', () => {});
  child.on('close', (code, signal) => resolve({ cmd: command, rc: signal ? -15 : code, stdout: Buffer.concat(out).toString() }));
});
const tell = ({ alias }, report) => writeFileSync('told/' + alias, JSON.stringify(report));
for (const host of hosts) void (async () => {
  const is = (kind) => host.name.startsWith(kind);
  const lost = { unreachable: true, msg: 'Failed to connect\\nssh: it is gone' };
  if (!ours && is('gone')) return tell(host, lost);
  if (!ours && is('late')) {
    writeFileSync(LOG + '.late', '');
    while (!existsSync(LOG + '.reached')) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (is('late') && existsSync(LOG + '.late') && !existsSync(LOG + '.reached')) return tell(host, lost);
  const first = await once(host);
  if (!ours && is('drops')) return tell(host, lost);
  if (!ours && is('lies')) return tell(host, { ...first, cmd: command.replace('op-', 'op+') });
  tell(host, is('twice') && !ours ? await once(host) : first);
})();
`;

export type FakeAnsible = {
  /** The directory of the fake program, to be the first in PATH. */
  readonly bin: string;
  /** Makes a host `late…` reachable again. */
  reach(): void;
  /** Returns its calls so far; `ours` marks those of the program itself. */
  calls(): readonly {
    readonly hosts: readonly string[];
    /** The private directories of the hosts, on this machine. */
    readonly folders: readonly string[];
    readonly command: string;
    readonly ours: boolean;
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }[];
};

export function fakeAnsible(folder: string): FakeAnsible {
  const bin = join(folder, 'bin');
  const log = join(folder, 'ansible.log');
  mkdirSync(bin);
  const code = join(bin, 'ansible.cjs');
  writeFileSync(code, `const LOG = ${JSON.stringify(log)};${PROGRAM}`);
  const words = [process.execPath, code].map(shellQuote).join(' ');
  writeFileSync(join(bin, 'ansible'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return {
    bin,
    reach: () => writeFileSync(`${log}.reached`, ''),
    calls: () => wholeLines(log).map((line) => JSON.parse(line)),
  };
}
