/** Which commands share one call of Ansible, and which replies are trusted. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FleetMachine } from '../../src/contracts/fleet.ts';
import { type OpenFleetMachine, openMachine } from '../../src/fleet/ssh.ts';
import { type FakeAnsible, fakeAnsible } from '../support/fake-ansible.ts';
import { until } from '../support/hosts.ts';
import { wholeLines } from '../support/whole-lines.ts';

const unaborted = new AbortController().signal;
const path = process.env.PATH;
let folder: string;
let ansible: FakeAnsible;
let fleet: OpenFleetMachine;
let machines: FleetMachine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ans-'));
  ansible = fakeAnsible(folder);
  process.env.PATH = `${ansible.bin}:${path}`;
  process.env.ANSIBLE_BECOME = 'True';
  fleet = openMachine({ dataDir: folder, size: () => ({ columns: 80, rows: 24 }), isUsers: () => false });
});
afterEach(async () => {
  await Promise.all(machines.map((machine) => machine.close()));
  machines = [];
  fleet.close();
  process.env.PATH = path;
  delete process.env.ANSIBLE_BECOME;
  rmSync(folder, { recursive: true, force: true });
});

async function open(names: readonly string[], seconds = 60): Promise<readonly FleetMachine[]> {
  const opened = await Promise.all(names.map((name) => fleet.byAnsible(seconds)(name, unaborted)));
  return opened.map((machine) => {
    if ('problem' in machine) throw new Error(machine.problem);
    machines.push(machine);
    return machine;
  });
}

function start({ machine }: FleetMachine, command: string) {
  return machine.spawn(command, { cwd: `${machine.host}:${folder}`, mode: 'unrestricted', signal: unaborted });
}

async function run(machine: FleetMachine, command: string) {
  const { exit, head, tail, note, cwd } = await (await start(machine, command)).result;
  return { exit, output: (head + tail).trim(), note, cwd };
}

/** The process ids that the started programs wrote into files. */
const pids = () => wholeLines(join(folder, 'pids'));

function slowDown(program: string, seconds: number): void {
  const code = `#!/bin/sh\nsleep ${seconds}\nPATH=/usr/bin:/bin exec ${program} "$@"\n`;
  writeFileSync(join(ansible.bin, program), code, { mode: 0o755 });
}

const ofModels = () => ansible.calls().filter(({ ours }) => !ours);

it('equal commands for many hosts are one Ansible call, and the commands’ text is not in its arguments', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const hosts = await open(names);
  expect(ansible.calls().map((call) => call.hosts.toSorted())).toEqual([names]);
  const all = await Promise.all(hosts.map((host, at) => run(host, at === 3 ? 'echo other' : 'echo "$PWD"; exit 3')));
  expect(all[0]).toEqual({ exit: 3, output: folder, note: undefined, cwd: `a:${folder}` });
  expect(all[3]).toMatchObject({ exit: 0, output: 'other' });
  expect(ofModels().map((call) => call.hosts.toSorted())).toEqual(expect.arrayContaining([['a', 'b', 'c'], ['d']]));
  expect(ofModels()).toHaveLength(2);
  for (const { argv, env } of ansible.calls()) {
    expect(argv.join(' ')).not.toContain('PWD');
    expect(Object.keys(env)).not.toContain('ANSIBLE_BECOME');
    expect(env.ANSIBLE_CONFIG).toMatch(/aish-a-.*ansible\.cfg$/);
  }
});

it('files of a command are removed from all hosts in one Ansible call, after the last host’s command ends', async () => {
  const [a, b] = await open(['a', 'b']);
  if (!a || !b) throw new Error('no host');
  await Promise.all([run(a, 'true'), run(b, 'true')]);
  const before = ansible.calls().length;
  const first = [a.close(), a.close()];
  await run(b, 'echo on');
  expect(ansible.calls()).toHaveLength(before + 1);
  await Promise.all([...first, b.close()]);
  expect(ansible.calls().at(-1)).toMatchObject({ ours: true, hosts: expect.arrayContaining(['a', 'b']) });
  expect(ansible.calls()).toHaveLength(before + 2);
  const folders = ansible.calls().flatMap((call) => call.folders);
  expect(folders[0]).toMatch(/^\/tmp\/aish-tui-[0-9a-f]{32}-\d+$/);
  expect(folders.filter((each) => existsSync(each))).toEqual([]);
});

it('the same command repeated on a host runs again, exactly once each time', async () => {
  const [host] = await open(['a']);
  if (!host) throw new Error('no host');
  await Promise.all([run(host, 'echo x >>count'), run(host, 'echo x >>count')]);
  await run(host, 'echo x >>count');
  expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\nx\nx\n');
});

it('a reply for another command is not trusted: that host is lost, the others are not', async () => {
  const [lies, good] = await open(['lies', 'good']);
  if (!lies || !good) throw new Error('no host');
  const [first, second] = await Promise.all([run(lies, 'echo hi'), run(good, 'echo hi')]);
  expect(first).toMatchObject({ exit: null, output: '', note: expect.stringContaining('another command') });
  expect(await lies.lost).toMatch(/lies: Ansible brought back another command than was judged/);
  expect(second).toMatchObject({ exit: 0, output: 'hi' });
});

it('after a lost connection the host’s own record tells whether a command ended or never started, and nothing is rerun', async () => {
  const [drops, gone, twice] = await open(['drops', 'gone', 'twice']);
  if (!drops || !gone || !twice) throw new Error('no host');
  const command = (name: string) => `echo x >>${name}; echo said; exit 4`;
  expect(await run(drops, command('drops'))).toMatchObject({ exit: 4, note: 'its output is lost' });
  expect(await run(gone, command('gone'))).toMatchObject({ exit: null, note: 'it never began: ssh: it is gone' });
  expect(await run(twice, command('twice'))).toMatchObject({ exit: 4 });
  expect(existsSync(join(folder, 'gone'))).toBe(false);
  for (const name of ['drops', 'twice']) expect(readFileSync(join(folder, name), 'utf8'), name).toBe('x\n');
});

it('an interrupted command ends on its host, the other commands of its Ansible call continue, and the call ends with the last one', async () => {
  const [a, b] = await open(['a', 'b']);
  if (!a || !b) throw new Error('no host');
  const command = 'echo $$ >>pids; until [ -e go ]; do sleep 0.1; done; echo went';
  const [first, second] = await Promise.all([start(a, command), start(b, command)]);
  await until(() => pids().length === 2);
  first.interrupt();
  expect(await first.result).toMatchObject({ exit: null, note: 'interrupted' });
  await until(() => pids().filter((pid) => existsSync(`/proc/${pid}`)).length === 1);
  second.interrupt();
  expect(await second.result).toMatchObject({ exit: null, note: 'interrupted' });
  await until(() => pids().every((pid) => !existsSync(`/proc/${pid}`)));
  const [call] = ofModels();
  await until(() => !existsSync(dirname(call?.env.ANSIBLE_CONFIG ?? '/')));
});

it('an interrupted command whose state can’t be determined counts as lost, and is ended on its host after the other commands of its Ansible call', async () => {
  const [other, late] = await open(['other', 'late']);
  if (!other || !late) throw new Error('no host');
  const command = 'echo $$ >>pids; if mkdir first; then n=go; else n=never; fi; until [ -e $n ]; do sleep 0.1; done';
  const [first, second] = await Promise.all([start(late, command), start(other, command)]);
  await until(() => pids().length === 1);
  first.interrupt();
  expect(await first.result).toMatchObject({ exit: null, note: expect.stringContaining('not known') });
  expect(await late.lost).toContain('late: what ran there then is not known');
  ansible.reach();
  await until(() => pids().length === 2);
  writeFileSync(join(folder, 'go'), '');
  expect(await second.result).toMatchObject({ exit: 0 });
  await until(() => pids().every((pid) => !existsSync(`/proc/${pid}`)));
});

it('a command interrupted directly after its start is ended too', async () => {
  const [a, b] = await open(['a', 'b']);
  if (!a || !b) throw new Error('no host');
  // Slows down the steps between the command’s start and the note of its process id.
  slowDown('mkfifo', 1.5);
  const [first, second] = await Promise.all([a, b].map((host) => start(host, 'sleep 2; echo late >>late')));
  const filesOf = (at: number) => readdirSync(ofModels()[0]?.folders[at] ?? folder).join();
  await until(() => filesOf(0).includes('.began'));
  first?.interrupt();
  expect(await first?.result).toMatchObject({ exit: null, note: 'interrupted' });
  expect(await second?.result).toMatchObject({ exit: 0 });
  await until(() => filesOf(0).includes('.end'));
  expect(readFileSync(join(folder, 'late'), 'utf8')).toBe('late\n');
});

it('a command whose watcher process on the host is killed is ended, and its result is unknown', async () => {
  const [host] = await open(['a']);
  if (!host) throw new Error('no host');
  const done = await run(host, 'echo $$ >pid; kill -9 $PPID; sleep 60; touch late');
  expect(done).toMatchObject({ exit: null, note: expect.stringContaining('not known') });
  expect(await host.lost).toContain('what ran there then is not known');
  const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
  await until(() => !existsSync(`/proc/${pid}`));
});

it('an output that could not be read in time is reported with a note', async () => {
  const [host] = await open(['a']);
  if (!host) throw new Error('no host');
  slowDown('wc', 2);
  const slow = await run(host, 'seq 1 20000; exit 3');
  expect(slow).toMatchObject({ exit: 3, note: 'of its output the end may be missing' });
  rmSync(join(ansible.bin, 'wc'));
  const whole = await run(host, 'seq 1 20000; printf end');
  expect(whole).toMatchObject({ exit: 0, note: undefined, output: expect.stringMatching(/\nend$/) });
});

it('a command cancelled during the check of its target leaves nothing there', async () => {
  const stopped = new AbortController();
  const opening = fleet.byAnsible(60)('a', stopped.signal);
  const made = () => ansible.calls().flatMap(({ folders }) => folders);
  await until(() => made().length > 0 && made().every((each) => existsSync(each)));
  stopped.abort();
  expect(await opening).toEqual({ problem: 'no longer wanted' });
  expect(made().filter((each) => existsSync(each))).toEqual([]);
});

it('the time limit applies on the host, a flood of output is read to its end and shortened, and background processes delay nothing', async () => {
  const [host] = await open(['a'], 2);
  if (!host) throw new Error('no host');
  const [long, flood, behind] = await Promise.all([
    run(host, 'sleep 60; echo late'),
    run(host, 'seq 1 400000; echo end >&2; touch whole; exit 5'),
    run(host, 'sleep 8 & echo at once; umask'),
  ]);
  expect(long).toMatchObject({ exit: 143, output: '' });
  expect(flood).toMatchObject({ exit: 5, note: 'of its output only the beginning was kept' });
  expect(flood.output).not.toContain('end');
  expect(existsSync(join(folder, 'whole'))).toBe(true);
  expect(behind).toMatchObject({
    exit: 0,
    output: expect.stringMatching(new RegExp(`^at once\\n0*${process.umask().toString(8)}$`)),
  });
});

it('a command that can’t be transported is refused before anything is sent', async () => {
  const [host] = await open(['a']);
  if (!host) throw new Error('no host');
  await expect(start(host, 'x'.repeat(130_000))).rejects.toThrow('too long');
  await expect(start(host, `${"'".repeat(40_000)}`)).rejects.toThrow('too long');
  const options = { cwd: 'a:/', signal: unaborted } as const;
  await expect(host.machine.spawn('true', { ...options, mode: 'restricted' })).rejects.toThrow('no sandbox');
  await expect(host.machine.spawn('true', { ...options, mode: 'unrestricted', env: { A: '1' } })).rejects.toThrow(
    'secrets',
  );
  expect(ofModels()).toEqual([]);
});

it('a host is unavailable when Ansible is missing, and a message says so', async () => {
  process.env.PATH = '/nowhere';
  const bare = openMachine({ dataDir: folder, size: () => ({ columns: 80, rows: 24 }), isUsers: () => false });
  expect(await bare.byAnsible(60)('a', unaborted)).toEqual({ problem: 'there is no ansible here' });
  bare.close();
});
