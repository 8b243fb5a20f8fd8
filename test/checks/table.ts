/** The one table of checks: what each runs, and which paths need it when they change. */

import { matchesGlob } from 'node:path';

export type Check = {
  readonly what: string;
  /** Run one after the other, until one fails. */
  readonly commands: readonly string[];
  /** AISH_SEED `new` means a seed that each run draws. */
  readonly env?: Readonly<Record<string, string>>;
  /** Globs of the paths that need this check when they change. */
  readonly covers: readonly string[];
  /** Takes from ten minutes to hours, so it runs only by name. */
  readonly hours?: true;
};

/** `npm test` omits the files with this suffix. */
export const SHORT = "vitest run --exclude 'test/**/*.long.test.{ts,tsx}'";

/** Runs as root and as an ordinary user, when root runs it. */
function forBothUsers(files: string): readonly string[] {
  // An ordinary user may not write the compiled configuration.
  return [`vitest run ${files}`, `sh scripts/as-ordinary.sh vitest run --configLoader runner ${files}`];
}

const STATIC = ['biome check .', 'oxlint --type-aware', 'tsc --noEmit', 'node test/rules/architecture.ts', 'knip'];

const EVERYTHING = ['**', '.*/**', '.*'];
const UNDO = ['src/effects/**', 'test/effects/undo/**'];
const GATE = ['src/safety/**', 'src/knowledge/**', 'test/safety/**', 'test/corpus/**'];
const HOSTS = ['src/{remote,fleet}/**', 'test/remote/**', 'src/app/*{host,fleet}*', 'test/e2e/{host,fleet}*'];
const DRAWN = ['components/**', 'hooks/**', 'src/ui/**'];

export const CHECKS: Readonly<Record<string, Check>> = {
  all: { what: 'static, and every test', commands: [...STATIC, 'vitest run'], covers: [] },
  static: {
    what: 'format, lint, types, import rule, unused code',
    commands: STATIC,
    covers: EVERYTHING,
  },
  test: {
    what: 'what `npm test` runs: all tests but the long ones; with FILES, all tests of those',
    commands: [SHORT],
    covers: EVERYTHING,
  },
  e2e: {
    what: 'the built program in a real terminal',
    commands: ['vitest run test/e2e test/support'],
    covers: ['src/{app,cli,commands,engine,session,store,broker,config,costs,secrets}/**', 'src/cli.ts', 'test/e2e/**'],
  },
  conversation: {
    what: 'models, the engine, what a session is and how it is kept',
    commands: ['vitest run test/broker test/engine test/session test/store test/app/choose-session'],
    covers: ['src/{broker,engine,session,store,contracts}/**', 'test/{broker,engine,session,store}/**'],
  },
  screen: {
    what: 'components, drawing, the gallery',
    commands: ['vitest run test/components test/ui test/gallery test/rules/first-frame'],
    covers: [...DRAWN, 'test/{components,ui,gallery}/**'],
  },
  executor: {
    what: "the user's shells: bash, zsh, fish",
    commands: ['vitest run test/executor test/property/executor test/e2e/shell test/e2e/programs'],
    covers: ['src/executor/**', 'test/executor/**'],
  },
  gate: {
    what: 'the gate: its corpora, and what it calls safe is run, confined, and loses nothing',
    commands: ['vitest run test/safety test/property/safety'],
    covers: GATE,
  },
  sandbox: {
    what: 'what a command may reach in each mode, and what tries to get out',
    commands: [
      'vitest run test/effects/sandbox test/app/project-caches test/app/network-clients test/e2e/mode test/e2e/project',
    ],
    covers: [
      'src/effects/**',
      'src/app/{project,session-network,network}*',
      'src/knowledge/**',
      'test/effects/sandbox/**',
    ],
  },
  undo: {
    what: 'undo and trials',
    commands: ['vitest run test/effects/undo test/e2e/undo test/e2e/project'],
    covers: [...UNDO, 'src/knowledge/**'],
  },
  remote: {
    what: 'commands on other machines, fleets, Ansible',
    commands: ['vitest run test/remote test/app/fleet test/components/fleet test/e2e/host test/e2e/fleet'],
    covers: HOSTS,
  },
  tools: {
    what: 'patches, MCP servers, MCP conformance',
    commands: ['vitest run test/tools test/property/patch test/e2e/mcp test/e2e/patch'],
    covers: ['src/tools/**', 'test/tools/**'],
  },
  integrations: {
    what: 'editors, the gate for other agents, the MCP server',
    commands: ['vitest run test/integrations test/e2e/acp test/e2e/mcp-serve test/e2e/serve'],
    covers: ['src/integrations/**', 'test/integrations/**'],
  },
  setup: {
    what: 'setup, build, package, documentation',
    commands: ['vitest run test/setup test/release test/docs test/rules test/fixtures test/checks'],
    covers: [
      '*',
      '.ci/**',
      'release/**',
      'scripts/**',
      'docs/**',
      'test/{setup,release,docs,rules,fixtures,checks}/**',
    ],
  },
  properties: {
    what: 'the properties with ten times the cases, from new seeds',
    commands: ['vitest run test/property test/secrets test/text'],
    env: { AISH_CASES: '10', AISH_SEED: 'new' },
    covers: ['src/{session,text,broker,secrets,tools,router,safety}/**', 'src/ui/**', 'test/property/**'],
  },
  fuzz: {
    what: 'the gate over 20,000 made-up commands',
    commands: ['vitest run test/property/safety-fuzz.test.ts'],
    env: { AISH_CASES: '50', AISH_SEED: 'new' },
    covers: GATE,
    hours: true,
  },
  proof: {
    what: 'every line of the corpora that the gate calls safe is run, confined, and must lose nothing',
    commands: ['vitest run test/safety/differential'],
    env: { AISH_PROOF: 'all' },
    covers: GATE,
    hours: true,
  },
  state: {
    what: '3,000 safe lines in another state than they expect are run, confined, and must lose nothing',
    commands: ['vitest run test/safety/state-runs'],
    env: { AISH_STATES: '3000' },
    covers: GATE,
    hours: true,
  },
  gallery: {
    what: 'every state of the gallery, dark, light and without colour',
    commands: ['vitest run test/gallery'],
    env: { AISH_GALLERY: 'all' },
    covers: DRAWN,
    hours: true,
  },
  'fuzz-screen': {
    what: 'every way of hostile text to the terminal, 2 MB each',
    commands: ['vitest run test/e2e/hostile'],
    env: { AISH_FUZZ_BYTES: '2000000', AISH_SEED: 'new' },
    covers: ['src/ui/**', 'src/text/**'],
    hours: true,
  },
  shell: {
    what: 'what each shell does natively it does inside; writes docs/shell.md',
    commands: ['vitest run test/executor/shell-table'],
    env: { AISH_SHELL_TABLE: 'all' },
    covers: ['src/executor/**'],
    hours: true,
  },
  'shell-loaded': {
    what: 'the same beside ten busy processes; writes the last row of docs/shell.md',
    commands: ['vitest run test/executor/shell-table'],
    env: { AISH_SHELL_TABLE: 'loaded' },
    covers: ['src/executor/**'],
    hours: true,
  },
  effects: {
    what: 'undo and trials are exact, also in Project mode: 200 random cases each',
    commands: forBothUsers('test/effects/undo test/effects/sandbox/project'),
    env: { AISH_EFFECTS_CASES: '200', AISH_SEED: 'new' },
    covers: UNDO,
    hours: true,
  },
  'race-effects': {
    what: 'an apply writes nothing outside while its parents change: 10,000 rounds',
    commands: forBothUsers('test/effects/undo/apply-hostile'),
    env: { AISH_RACES: '10000' },
    covers: UNDO,
    hours: true,
  },
  'kill-effects': {
    what: 'a SIGKILL at 300 moments of a kept command, of an undo, of an apply',
    commands: forBothUsers('test/effects/undo/crash'),
    env: { AISH_EFFECTS_CASES: '600' },
    covers: UNDO,
    hours: true,
  },
  kill: {
    what: 'SIGKILL and power failures, 300 of them: nothing is lost, nothing runs twice',
    commands: ['vitest run test/e2e/kill'],
    env: { AISH_KILLS: '300' },
    covers: ['src/{store,engine,session}/**'],
    hours: true,
  },
  journal: {
    what: 'a journal that is cut, or has a flipped byte, at every offset: resumed every time, nothing else without a word',
    commands: ['vitest run test/app/choose-session test/store/faults'],
    env: { AISH_JOURNAL_STEP: '1' },
    covers: ['src/store/**'],
    hours: true,
  },
  hosts: {
    what: 'hosts: 500 made-up commands for each of five login shells; cut off at 300 steps, and a fleet of 20 ten times, none runs twice',
    commands: ['vitest run test/remote/hosts/lost test/remote/hosts/login-shells test/e2e/fleet-hosts'],
    env: { AISH_HOST_ROUNDS: '300', AISH_HOST_COMMANDS: '500', AISH_FLEET_KILLS: '10' },
    covers: HOSTS,
    hours: true,
  },
  faults: {
    what: 'every fault in every place, and the page that says what comes of it',
    commands: ['vitest run test/e2e/faults'],
    env: { AISH_FAULTS: 'all' },
    covers: ['src/{broker,engine,session,store,tools}/**'],
    hours: true,
  },
  floods: {
    what: 'answers of many megabytes: keys meanwhile, memory',
    commands: ['vitest run test/e2e/floods'],
    env: { AISH_FLOOD_KEYS: '300' },
    covers: ['src/broker/**', 'src/ui/**', 'components/**'],
    hours: true,
  },
  odd: {
    what: 'all tests as an ordinary user, in a read-only checkout under an odd name, umask 077, LANG=C, no terminal',
    commands: ['sh scripts/odd-place.sh --retry=1'],
    covers: ['setup.sh', 'build.mjs', 'scripts/**'],
    hours: true,
  },
  clone: {
    what: "the README's commands in a fresh clone on a bare machine; needs the npm registry",
    commands: ['sh scripts/fresh-clone.sh'],
    covers: ['setup.sh', 'build.mjs', 'package*.json', 'scripts/**', 'README.md'],
    hours: true,
  },
};

/** Returns the names of the checks that a change of these paths needs. */
export function checksFor(paths: readonly string[]): readonly string[] {
  return Object.keys(CHECKS).filter((name) =>
    CHECKS[name]?.covers.some((glob) => paths.some((path) => matchesGlob(path, glob))),
  );
}
