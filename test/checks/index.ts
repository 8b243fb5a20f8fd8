/**
 * `npm run check`: what must hold before a change is taken: format, lint, types, import rule, unused code, tests.
 * `npm run check -- NAME`: a part of it, or one of the long checks.
 */
import { spawnSync } from 'node:child_process';

type Check = {
  readonly what: string;
  /** One after the other, until one fails. */
  readonly commands: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

const STATIC = ['biome check .', 'oxlint --type-aware', 'tsc --noEmit', 'node test/rules/architecture.ts', 'knip'];

/** As root and as an ordinary user, where root asks. */
function forBothUsers(files: string): readonly string[] {
  // An ordinary user may not write what the configuration would be compiled to.
  return [`vitest run ${files}`, `sh scripts/as-ordinary.sh vitest run --configLoader runner ${files}`];
}

const CHECKS: Readonly<Record<string, Check>> = {
  all: { what: 'format, lint, types, import rule, unused code, tests', commands: [...STATIC, 'vitest run'] },
  static: { what: 'the same without the tests', commands: STATIC },
  fuzz: {
    what: 'the gate over 20,000 made-up commands',
    commands: ['vitest run test/property/safety-fuzz.test.ts'],
    env: { AISH_FUZZ_CASES: '20000' },
  },
  proof: {
    what: 'what the gate calls safe is run, confined, and must lose nothing',
    commands: ['vitest run test/safety/differential.test.ts'],
    env: { AISH_PROOF: 'all' },
  },
  gallery: {
    what: 'every state of the gallery, dark, light and without colour',
    commands: ['vitest run test/gallery'],
    env: { AISH_GALLERY: 'all' },
  },
  'fuzz:screen': {
    what: 'every way of hostile text to the terminal, 2 MB each',
    commands: ['vitest run test/e2e/hostile.test.ts'],
    env: { AISH_FUZZ_BYTES: '2000000' },
  },
  shell: {
    what: 'what each shell does natively it does inside; writes docs/shell.md',
    commands: ['vitest run test/executor/shell-table.test.ts'],
    env: { AISH_SHELL_TABLE: 'all' },
  },
  effects: {
    what: 'undo and trials are exact, also in Project mode: 200 random cases each',
    commands: forBothUsers('test/effects/undo test/effects/sandbox/project.test.ts'),
    env: { AISH_EFFECTS_CASES: '200' },
  },
  'race-effects': {
    what: 'an apply writes nothing outside while its parents change: 10,000 rounds',
    commands: forBothUsers('test/effects/undo/apply-hostile.test.ts'),
    env: { AISH_RACES: '10000' },
  },
  'kill-effects': {
    what: 'a SIGKILL at 300 moments of a kept command, of an undo, of an apply',
    commands: forBothUsers('test/effects/undo/crash.test.ts'),
    env: { AISH_EFFECTS_CASES: '600' },
  },
  kill: {
    what: 'SIGKILL and power failures, 300 of them: nothing is lost, nothing runs twice',
    commands: ['vitest run test/e2e/kill.test.ts'],
    env: { AISH_KILLS: '300' },
  },
  journal: {
    what: 'a journal that is cut, or has a flipped byte, at every offset: resumed every time, nothing else without a word',
    commands: ['vitest run test/app/choose-session.test.ts test/store/faults.test.ts'],
    env: { AISH_JOURNAL_STEP: '1' },
  },
  hosts: {
    what: 'commands on hosts: 500 made-up ones for each of five login shells; cut off at 300 steps, and a fleet of 20 ten times, none runs twice',
    commands: [
      'vitest run test/remote/hosts/lost.test.ts test/remote/hosts/login-shells.test.ts test/e2e/fleet-hosts.test.ts',
    ],
    env: { AISH_HOST_ROUNDS: '300', AISH_HOST_COMMANDS: '500', AISH_FLEET_KILLS: '10' },
  },
  faults: {
    what: 'every fault in every place, and the page that says what comes of it',
    commands: ['vitest run test/e2e/faults.test.ts'],
    env: { AISH_FAULTS: 'all' },
  },
  floods: {
    what: 'answers of many megabytes: keys meanwhile, memory',
    commands: ['vitest run test/e2e/floods.test.ts'],
    env: { AISH_FLOOD_KEYS: '300' },
  },
  odd: {
    what: 'the suite as an ordinary user, in a read-only checkout under an odd name, umask 077, LANG=C, no terminal',
    commands: ['sh scripts/odd-place.sh --retry=1'],
  },
  clone: {
    what: "the README's commands in a fresh clone on a bare machine; needs the npm registry",
    commands: ['sh scripts/fresh-clone.sh'],
  },
};

const [name = 'all', ...more] = process.argv.slice(2);
const check = Object.hasOwn(CHECKS, name) && more.length === 0 ? CHECKS[name] : undefined;
if (!check) {
  const rows = Object.entries(CHECKS).map(([known, { what }]) => `  ${known.padEnd(12)} ${what}`);
  console.error(`there is no check ${[name, ...more].join(' ')}; npm run check -- NAME knows\n${rows.join('\n')}`);
  process.exit(2);
}
for (const command of check.commands) {
  const { status } = spawnSync('sh', ['-c', command], { stdio: 'inherit', env: { ...process.env, ...check.env } });
  if (status !== 0) {
    console.error(`failed: ${command}`);
    process.exit(status ?? 1);
  }
}
