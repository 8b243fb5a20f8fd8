/**
 * `npm run check` runs the static checks and what `npm test` runs; `-- NAME` one check; `-- all` the static checks and
 * every test; `-- for PATH…` or `-- for --since REVISION` what a change there needs. `npm test` is the check `test`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { lacks } from '../support/lacks.ts';
import { CHECKS, checksFor, SHORT } from './table.ts';

/** Runs the commands of a check, or the given ones; the process ends with the first that fails. */
function run(name: string, commands = CHECKS[name]?.commands ?? []): void {
  const env = { ...process.env, ...CHECKS[name]?.env };
  if (env.AISH_SEED === 'new') {
    env.AISH_SEED = String(randomInt(2 ** 31));
    console.log(`AISH_SEED=${env.AISH_SEED} repeats this run`);
  }
  for (const command of commands) {
    const { status } = spawnSync('sh', ['-c', command], { stdio: 'inherit', env });
    if (status === 0) continue;
    console.error(`failed: ${command}`);
    process.exit(status ?? 1);
  }
}

/** Runs the tests of `npm test`; with files or folders among the arguments, all tests there, the long ones too. */
function runTests(args: readonly string[]): void {
  const quoted = args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
  const named = args.some((arg) => !arg.startsWith('-'));
  run('test', [`${named ? 'vitest run' : SHORT} ${quoted}`]);
}

/** Prints which checks a change of these paths needs, and runs all that end within minutes. */
function runFor(paths: readonly string[]): void {
  const names = checksFor(paths);
  const [later, now] = [names.filter((name) => CHECKS[name]?.hours), names.filter((name) => !CHECKS[name]?.hours)];
  console.log(`for ${paths.length} paths: ${now.join(', ') || 'none'}`);
  if (later.length > 0) console.log(`where such a change is large, by name, for hours: ${later.join(', ')}`);
  for (const name of now) run(name);
}

/** Returns what has changed since a revision, committed or not, relative to the project's folder. */
function changedSince(revision: string): readonly string[] {
  if (lacks('git')) throw new Error('--since needs git');
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n');
  return [
    ...git('diff', '--name-only', '--relative', revision),
    ...git('ls-files', '--others', '--exclude-standard'),
  ].filter((path) => path !== '');
}

function usage(): never {
  const rows = Object.entries(CHECKS).map(([name, { what, hours }]) => [name, `${what}${hours ? ' (hours)' : ''}`]);
  const lines = [
    ['', 'static and test'],
    ['for PATH…', 'what a change of these paths needs'],
    ['for --since REV', 'what the changes since a revision need'],
    ...rows,
  ].map(([name = '', what]) => `  ${name.padEnd(16)} ${what}`);
  console.error(`npm run check -- NAME knows\n${lines.join('\n')}`);
  process.exit(2);
}

const [name, ...more] = process.argv.slice(2);
if (name === 'test') runTests(more);
else if (name === 'for' && more[0] === '--since' && more.length === 2) runFor(changedSince(more[1] ?? ''));
else if (name === 'for' && more.length > 0 && !more[0]?.startsWith('-')) runFor(more);
else if (more.length > 0) usage();
else if (name === undefined) for (const part of ['static', 'test']) run(part);
else if (Object.hasOwn(CHECKS, name)) run(name);
else usage();
