/**
 * `npm run bench -- hosts`: a judged command on a host compared with the same over a shared connection; and one command
 * on 20 hosts compared with Ansible, with open masters and its modules sent as by default. Real sshd on loopback, in
 * turns, in one run. Exits with 1 where a goal is missed, or could not be measured because a program is missing.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FleetMachine } from '../../src/contracts/fleet.ts';
import { openMachine } from '../../src/fleet/ssh.ts';
import { sessionArgv } from '../../src/remote/hosts/connection.ts';
import { createGate } from '../../src/safety/index.ts';
import { hostsOf, unaborted } from '../support/hosts.ts';
import { lacks } from '../support/lacks.ts';
import { lacksSshd, type SshHosts, startSshds } from '../support/sshd.ts';
import { median } from './typing.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 60);
/**
 * Milliseconds between two commands, in which the model would answer. A connection opened in this time counts for
 * neither command.
 */
const THINKING_MS = 150;
/** Commands directly after one another, without a goal, since no model is so fast. */
const IN_A_ROW = 10;
const FLEET_ROUNDS = 3;
const HOSTS = 20;
const GOALS = { command: 1.3, opening: 0.6, open: 0.1 };
const run = promisify(execFile);

const NAMES = Array.from({ length: HOSTS }, (_, n) => `host${n + 1}`);

async function timed(what: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await what();
  return performance.now() - began;
}

function verdict(what: string, figures: string, ratio: number, goal: number): boolean {
  const held = ratio <= goal;
  console.log(`${what}: ${figures}: ratio ${ratio.toFixed(2)}; at most ${goal}: ${held ? 'held' : 'MISSED'}`);
  return held;
}

/**
 * A command judged, checked again and started as the engine does it, compared with `ssh -t` over the very same
 * connection.
 */
async function command(server: SshHosts, what: string, command: string): Promise<boolean> {
  const at = hostsOf({ bin: server.bin, name: 'host1' });
  await at.open();
  const gate = createGate({ enabled: false, machineAt: () => at.hosts.machine('host1') });
  const cwd = 'host1:/tmp';
  const context = { cwd, goal: '', signal: unaborted };
  const [file = '', ...words] = sessionArgv(at.socket(), command, true);
  const runPlain = () => run(file, words);
  const runJudged = async () => {
    const { basis } = await gate.judge({ kind: 'command', command, job: false }, context);
    if (basis && !(await gate.begin(basis))) throw new Error('it has changed since it was judged');
    const { exit } = await at.run(command, cwd);
    if (exit !== 0) throw new Error(`the command ended with ${exit}`);
  };
  const times = { plain: [] as number[], judged: [] as number[] };
  const inARow = { plain: [] as number[], judged: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await delay(THINKING_MS);
    times.plain.push(await timed(runPlain));
    await delay(THINKING_MS);
    times.judged.push(await timed(runJudged));
  }
  for (let round = 0; round < ROUNDS / IN_A_ROW; round += 1) {
    for (let n = 0; n < IN_A_ROW; n += 1) inARow.plain.push(await timed(runPlain));
    for (let n = 0; n < IN_A_ROW; n += 1) inARow.judged.push(await timed(runJudged));
    await delay(THINKING_MS);
  }
  await at.hosts.close();
  const row = { plain: median(inARow.plain), judged: median(inARow.judged) };
  const inRow = `shared ssh ${row.plain.toFixed(1)} ms, judged ${row.judged.toFixed(1)} ms`;
  console.log(`${what}, ${IN_A_ROW} in a row: ${inRow}: ratio ${(row.judged / row.plain).toFixed(2)}`);
  const [plain, judged] = [median(times.plain), median(times.judged)];
  return verdict(
    what,
    `shared ssh ${plain.toFixed(1)} ms, judged ${judged.toFixed(1)} ms`,
    judged / plain,
    GOALS.command,
  );
}

/** `true` on all hosts, over new masters and over open ones, compared with Ansible over open ones. */
async function fleet(server: SshHosts): Promise<boolean> {
  if (lacks('ansible')) {
    console.log(`${HOSTS} hosts: NOT MEASURED, there is no ansible`);
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'b-'));
  const inventory = join(folder, 'inventory');
  writeFileSync(inventory, NAMES.join('\n'));
  const env = {
    ...process.env,
    HOME: folder,
    ANSIBLE_SSH_EXECUTABLE: join(server.bin, 'ssh'),
    ANSIBLE_PIPELINING: 'False',
    ANSIBLE_SSH_ARGS: '-o ControlMaster=auto -o ControlPersist=60s',
    ANSIBLE_SSH_CONTROL_PATH_DIR: join(folder, 'cp'),
  };
  const words = ['all', '-i', inventory, '-f', String(HOSTS), '-m', 'shell', '-a', 'true'];
  const ansible = () => timed(() => run('ansible', words, { env, maxBuffer: 1e7 }));
  const times = { cold: [] as number[], ansible: [] as number[], opening: [] as number[], open: [] as number[] };
  times.cold.push(await ansible());
  for (let round = 0; round < FLEET_ROUNDS; round += 1) {
    times.ansible.push(await ansible());
    const open = openMachine({ dataDir: folder, size: () => ({ columns: 80, rows: 24 }), isUsers: () => false });
    let machines: readonly FleetMachine[] = [];
    const all = () => Promise.all(machines.map(runTrue));
    const opening = await timed(async () => {
      machines = await Promise.all(NAMES.map((name) => opened(open(name, unaborted))));
    });
    const first = await timed(all);
    times.opening.push(opening + first);
    times.open.push(await timed(all));
    await Promise.all(machines.map((machine) => machine.close()));
    open.close();
  }
  for (const name of NAMES)
    await run(join(server.bin, 'ssh'), ['-o', `ControlPath=${folder}/cp/%C`, '-O', 'exit', name]).catch(() => {});
  rmSync(folder, { recursive: true, force: true });
  const theirs = median(times.ansible);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  console.log(`ansible -f ${HOSTS} with no master open: ${seconds(median(times.cold))}`);
  const beside = (ours: number) => `ansible ${seconds(theirs)}, here ${seconds(ours)}`;
  const opening = median(times.opening);
  const open = median(times.open);
  const held = verdict(`${HOSTS} hosts, masters to open`, beside(opening), opening / theirs, GOALS.opening);
  return verdict(`${HOSTS} hosts, masters open`, beside(open), open / theirs, GOALS.open) && held;
}

async function opened(machine: ReturnType<ReturnType<typeof openMachine>>): Promise<FleetMachine> {
  const given = await machine;
  if ('problem' in given) throw new Error(given.problem);
  return given;
}

async function runTrue({ machine, directory }: FleetMachine): Promise<void> {
  const place = `${machine.host}:${directory}`;
  const running = await machine.spawn('true', { cwd: place, mode: 'unrestricted', signal: unaborted });
  const { exit } = await running.result;
  if (exit !== 0) throw new Error(`${machine.host}: ${exit}`);
}

if (lacksSshd()) {
  console.log('NOT MEASURED: there is no sshd');
  process.exit(1);
}
const server = await startSshds(NAMES);
let held = false;
try {
  process.env.PATH = `${server.bin}:${process.env.PATH}`;
  held = await command(server, 'a command that only reads', 'ls /etc/hosts');
  held = (await command(server, 'a command that asks', 'rm -f /tmp/not-there')) && held;
  held = (await fleet(server)) && held;
} finally {
  await server.stop();
}
process.exit(held ? 0 : 1);
