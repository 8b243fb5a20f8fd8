import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Case, Outcome } from './case.ts';

const NAMESPACES = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
const HERE = new URL('.', import.meta.url).pathname;

/**
 * Runs each case in the confinement, in both trees if they differ. Rejects with the driver’s message if the confinement
 * can’t be set up.
 */
export async function runConfined(cases: readonly Case[]): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'aish-proof-'));
  const root = join(folder, 'root');
  const driver = join(folder, 'driver.mjs');
  mkdirSync(root);
  try {
    buildSync({
      entryPoints: [join(HERE, 'driver.ts')],
      outfile: driver,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
    const as = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const words = [...NAMESPACES, ...as, 'sh', join(HERE, 'confine.sh'), root, process.execPath, driver];
    return await outcomesOf(words, cases);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns why lines can’t be confined on this machine; undefined if they can. */
export async function confinementFault(): Promise<string | undefined> {
  try {
    await runConfined([{ line: 'true', judged: true }]);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function outcomesOf(words: readonly string[], cases: readonly Case[]): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('unshare', words, { env: { PATH: process.env.PATH } });
    const out: Buffer[] = [];
    const said: Buffer[] = [];
    child.stdout.on('data', (data: Buffer) => out.push(data));
    child.stderr.on('data', (data: Buffer) => said.push(data));
    child.on('error', reject);
    child.on('close', (code) => {
      const lines = Buffer.concat(out).toString('utf8').split('\n').filter(Boolean);
      if (code === 0 && lines.length === cases.length)
        resolve(lines.flatMap((line) => JSON.parse(line) as readonly Outcome[]));
      else reject(new Error(`after ${lines.length} of ${cases.length} lines: ${Buffer.concat(said).toString('utf8')}`));
    });
    child.stdin.on('error', () => {
      // The driver has ended, and its exit code says why.
    });
    child.stdin.end(cases.map((one) => JSON.stringify(one)).join('\n'));
  });
}
