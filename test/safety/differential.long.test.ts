/**
 * The differential proof: lines that the gate judges safe are run, and must lose no data. They run in an empty root
 * without network, as the user nobody (`differential/confine.sh`). Without that confinement, nothing is run. `npm run
 * check -- proof` runs all lines of the corpora, this file alone runs a part of them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { lacks } from '../support/lacks.ts';
import type { Outcome } from './differential/case.ts';
import { confinementFault, runConfined } from './differential/run.ts';

const ALL = process.env.AISH_PROOF === 'all';
const ROOM_MS = ALL ? 3_600_000 : 120_000;
const CHECKOUT = new URL('../..', import.meta.url).pathname;

const missing = ['unshare', 'setpriv', 'prlimit', 'strace', 'bash', 'git'].filter((program) => lacks(program));
const refused = missing.length > 0 ? `no ${missing.join(', ')}` : await confinementFault();
if (refused) console.log(`skipped: lines can't be confined on this machine: ${refused}`);

function rows<Row>(name: string): readonly Row[] {
  const text = readFileSync(new URL(`../corpus/${name}.jsonl`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
}

/** Returns each `step`-th line, so that a part has some of every kind. */
function part<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.ceil(items.length / most);
  return ALL ? items : items.filter((_, index) => index % step === 0);
}

describe.skipIf(refused !== undefined)('the confinement of these test runs', () => {
  test('lets no line change anything outside', { timeout: ROOM_MS }, async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const reaches = [
      `echo x > ${CHECKOUT}proof-marker`,
      'echo x > /usr/proof-marker',
      'echo x > /etc/proof-marker',
      'echo x >> /opt/node',
      `cat ${CHECKOUT}package.json`,
      `ls ${process.env.HOME ?? '/root'}/.bashrc /old /work /sys/kernel`,
      `echo > /dev/tcp/127.0.0.1/${port}`,
      'unshare -Urm mount -o remount,rw /usr',
      `kill -0 ${process.pid}`,
      'cat /dev/mem',
    ];
    const outcomes = await runConfined(reaches.map((line) => ({ line, judged: false })));
    server.close();
    // The first tree has a private file at each of these paths, where the confinement has a folder.
    const bare = reaches.map((line) => outcomes.findLast((one) => one.line === line));
    expect(bare.filter((one) => one?.end === 'exit 0')).toEqual([]);
    expect(['/usr', '/etc', CHECKOUT].filter((folder) => existsSync(`${folder}/proof-marker`))).toEqual([]);
  });

  test('observes the harm of at least 95 % of the lines known to be harmful', { timeout: ROOM_MS }, async () => {
    const all = rows<{ readonly cmd: string }>('harm').map(({ cmd }) => cmd);
    expect(all.length).toBeGreaterThanOrEqual(100);
    const lines = part(all, 25);
    const outcomes = await runConfined(lines.map((line) => ({ line, judged: false })));
    const ran = lines.filter((line) => outcomes.some((one) => one.line === line && one.end !== 'missing'));
    const missed = ran.filter((line) => !outcomes.some((one) => one.line === line && isFailure(one)));
    console.log(`${ran.length - missed.length} of ${ran.length} harmful lines caught; ${missed.join(' · ')}`);
    expect(missed.length).toBeLessThanOrEqual(ran.length * 0.05);
  });
});

describe.skipIf(refused !== undefined)('a line judged safe', () => {
  test('loses no data and starts only known programs', { timeout: ROOM_MS }, async () => {
    const safe = [...rows<Row>('everyday'), ...rows<Row>('gate')].filter(({ label }) => label === 'safe');
    const plain = part([...new Set(safe.map(({ cmd }) => cmd))], 60);
    const lines = ALL ? [...plain, ...plain.filter(isOneLine).map(varied)] : plain;
    const outcomes = await runConfined(lines.map((line) => ({ line, judged: true })));
    const ran = outcomes.filter(({ end }) => end !== 'not run');
    console.log(figures(lines.length, ran));
    if (ALL) expect(new Set(ran.map(({ line }) => line)).size).toBeGreaterThanOrEqual(2000);
    expect(ran.filter(isFailure)).toEqual([]);
  });
});

type Row = { readonly label: 'destructive' | 'safe'; readonly cmd: string };

function isFailure({ losses, unnamed }: Outcome): boolean {
  return losses.length > 0 || unnamed.length > 0;
}

function isOneLine(line: string): boolean {
  return !line.includes('\n') && !line.includes('#');
}

/** Returns a line as a variant: run in another directory, or with its output in a file. */
function varied(line: string, index: number): string {
  return index % 2 === 0 ? `cd src && ${line}` : `${line} > new-output.txt`;
}

function figures(lines: number, ran: readonly Outcome[]): string {
  const ends = ['missing', 'stopped'].map((end) => `${ran.filter((one) => one.end === end).length} ${end}`);
  const distinct = new Set(ran.map(({ line }) => line)).size;
  return `${lines} lines, ${distinct} safe and run in ${ran.length} trees, ${ends.join(', ')}, ${ran.filter(isFailure).length} failures`;
}
