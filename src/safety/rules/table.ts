import type { RuleInfo } from '../../contracts/gate.ts';
import type { Call } from '../programs/call.ts';
import { row } from '../programs/record.ts';
import { ROWS } from '../programs/records/index.ts';
import { destructive, type StaticVerdict } from '../verdict.ts';
import { ACCOUNT_RULES, GRANT_RULES, PROCESS_RULES } from './accounts.ts';
import { CLOUD_RULES, CLUSTER_RULES } from './cloud.ts';
import { DISK_RULES, FILE_RULES, VERSION_CONTROL_RULES } from './files.ts';
import { PACKAGE_RULES, PUBLISHING_RULES } from './packages.ts';
import { NETWORK_RULES, PROTECTION_RULES, SETTING_RULES } from './protection.ts';
import { compileRow, type Matcher, type RowOf, type Rule, rowsOf, wordsOfRow } from './rule.ts';

/** Rules that readers of redirections, code and files report by name; they match no calls themselves. */
const CODE_RULES: readonly Rule[] = [
  row('output over a file', 'overwrites an existing file', { kept: true }),
  row('command over the network', 'sends a server a command that deletes or stops'),
  row('truncating redirection', 'empties an existing file', { kept: true }),
  row('write to raw disk', 'write to raw disk'),
  row('write to kernel interface', 'changes kernel or process state'),
  row('write to system file', 'changes a system file'),
  row('credential leaves', 'sends a key, token or password to another machine'),
  row('write to start file', 'changes what your own shell and tools run later', { bounded: 'writes' }),
  row('write to credentials', 'changes keys or credentials'),
  row('dd to device', 'dd to device'),
  row('dd over a file', 'overwrites an existing file', { kept: true }),
  row('tee', 'empties an existing file', { kept: true }),
  row('sponge', 'overwrites a file', { kept: true }),
  row('sort -o', 'overwrites an existing file', { kept: true }),
  row('same file in and out', 'empties the file it reads', { kept: true }),
  row('uniq to a file', 'overwrites an existing file', { kept: true }),
  row('cp over a file', 'overwrites an existing file', { kept: true }),
  row('mv over a file', 'overwrites an existing file', { kept: true }),
  row('install over a file', 'overwrites an existing file', { kept: true }),
  row('ln -f', 'replaces a link or file', { kept: true }),
  row('mv of system files', 'moves files that the system needs'),
  row('download over a file', 'overwrites an existing file'),
  row('HTTP DELETE', 'asks a server to delete'),
  row('sed -i', 'edits files in place', { kept: true }),
  row('sed w', 'empties an existing file', { kept: true }),
  row('sed e', 'sed runs text as shell commands'),
  row('awk -i inplace', 'edits files in place', { kept: true }),
  row('awk system', 'awk runs text as shell commands'),
  row('awk to a file', 'empties an existing file', { kept: true }),
  row('perl -i', 'edits files in place', { kept: true }),
  row('ruby -i', 'edits files in place', { kept: true }),
  row('ed script', 'edits files in place', { kept: true }),
  row('editor script', 'edits files in place', { kept: true }),
  row('find -exec rm', 'find -exec rm', { kept: true, named: 'files' }),
  row('DROP TABLE', 'DROP TABLE', { kept: true, named: 'data' }),
  row('DROP DATABASE', 'DROP DATABASE', { named: 'data' }),
  row('TRUNCATE TABLE', 'TRUNCATE TABLE', { kept: true, named: 'data' }),
  row('sql DROP', 'drops a database object', { kept: true }),
  row('sql DROP USER', 'removes a database account'),
  row('sql DELETE', 'deletes rows', { kept: true }),
  row('sql UPDATE', 'overwrites rows', { kept: true }),
  row('sql ALTER DROP', 'drops part of a table', { kept: true }),
  row('sql account', 'changes a database account'),
  row('sql REVOKE', 'takes away access'),
  row('sql REPLACE', 'overwrites rows', { kept: true }),
  row('sql logs', 'removes recovery logs'),
  row('sql kill', 'ends a session'),
  row('sql server', 'changes or stops the server'),
  row('sql program', 'writes files or runs programs'),
  row('database output', 'empties an existing file', { kept: true }),
  row('database restore', 'overwrites the database'),
  row('redis loss', 'removes data or changes the server'),
  row('mongosh code', 'deletes or overwrites data'),
  row('code over a file', 'empties an existing file', { kept: true }),
  row('curl | sh', 'runs code from the network unseen'),
  row('decoded code', 'runs decoded code'),
  row('unresolved code', 'runs code that can’t be resolved'),
  row('fork bomb', 'starts processes endlessly'),
  row('python venv --clear', 'deletes the environment first', { kept: true }),
  ...'python node perl ruby php'.split(' ').map((program) => codeRow(program, { kept: true })),
  ...'lua deno bun emacs Rscript R julia tclsh groovy osascript scala elixir swift ghc pwsh sbcl guile'
    .split(' ')
    .map((program) => codeRow(program)),
  row('destroying verb', 'a subcommand that removes something'),
  row('destroying option', 'an option that removes something'),
];

function codeRow(program: string, loss: Loss = {}): Rule {
  return row(`${program} code`, 'deletes, overwrites or runs something', loss);
}

/** The rules that apply to several programs. */
const SHARED: Readonly<Record<string, readonly Rule[]>> = {
  files: FILE_RULES,
  disks: DISK_RULES,
  'version control': VERSION_CONTROL_RULES,
  'processes and services': PROCESS_RULES,
  'permissions, accounts and secrets': ACCOUNT_RULES,
  'rights, logins and persistence': GRANT_RULES,
  'system settings': SETTING_RULES,
  'protection and ways in': PROTECTION_RULES,
  network: NETWORK_RULES,
  packages: PACKAGE_RULES,
  publishing: PUBLISHING_RULES,
  clusters: CLUSTER_RULES,
  'cloud and data': CLOUD_RULES,
  'redirections, code and in-place edits': CODE_RULES,
};

/** The findings of the records, as rules by family. */
const RECORD_RULES: Readonly<Record<string, readonly Rule[]>> = recordRules();

function recordRules(): Readonly<Record<string, readonly Rule[]>> {
  const families: Record<string, Rule[]> = {};
  for (const [programs, { findings = [], family = 'other programs' }] of ROWS) {
    for (const { asks, ...finding } of findings) {
      families[family] ??= [];
      families[family].push({ ...finding, ...(asks ? { of: { [programs]: asks } } : { programs }) });
    }
  }
  return families;
}

/** All rules by family: first the findings of single programs’ records, then the shared rules. */
export const FAMILIES: Readonly<Record<string, readonly Rule[]>> = Object.fromEntries(
  [...new Set([...Object.keys(SHARED), ...Object.keys(RECORD_RULES)])].map((family) => [
    family,
    [...(RECORD_RULES[family] ?? []), ...(SHARED[family] ?? [])],
  ]),
);

/** Returns every rule that is not disabled, once by name, in table order. */
export function listRules(): readonly RuleInfo[] {
  const seen = new Map<string, RuleInfo>();
  for (const [family, rules] of Object.entries(FAMILIES)) {
    for (const { name, reason } of rules) if (!seen.has(name)) seen.set(name, { name, family, reason });
  }
  return [...seen.values()];
}

/** What can happen to the loss of a rule, combined over all its rows. */
export type Loss = Pick<Rule, 'kept' | 'named' | 'bounded'>;

let losses: ReadonlyMap<string, Loss> | undefined;

export function lossOf(rule: string): Loss {
  losses ??= allLosses();
  return losses.get(rule) ?? {};
}

function allLosses(): ReadonlyMap<string, Loss> {
  const found = new Map<string, Loss>();
  for (const { name, kept, named, bounded } of Object.values(FAMILIES).flat()) {
    if (!kept && !named && !bounded) continue;
    const given = { ...(kept ? { kept } : {}), ...(named ? { named } : {}), ...(bounded ? { bounded } : {}) };
    found.set(name, { ...found.get(name), ...given });
  }
  return found;
}

type Entry = { readonly verdict: StaticVerdict; readonly matches: Matcher };

/** The rows of a program, each list in order: all, those without a required word, those with one. */
type Entries = {
  readonly all: readonly Entry[];
  readonly wordless: readonly Entry[];
  readonly byWord: ReadonlyMap<string, readonly Entry[]>;
};

const BY_PROGRAM: ReadonlyMap<string, readonly RowOf[]> = index();

function index(): ReadonlyMap<string, readonly RowOf[]> {
  const out = new Map<string, RowOf[]>();
  for (const rule of Object.values(FAMILIES).flat()) {
    for (const [program, row] of rowsOf(rule)) {
      const list = out.get(program);
      if (list) list.push(row);
      else out.set(program, [row]);
    }
  }
  return out;
}

/** Compiled when a program is first used: a command names few, and the guard starts anew for every command. */
const COMPILED = new Map<string, Entries>();

function entriesOf(program: string): Entries | undefined {
  const known = COMPILED.get(program);
  if (known) return known;
  const rows = BY_PROGRAM.get(program);
  if (!rows) return undefined;
  const made = rows.map((row) => ({
    entry: { verdict: destructive(row.rule.name, row.rule.reason), matches: compileRow(row) },
    words: wordsOfRow(row),
  }));
  const having = (word?: string) =>
    made.filter(({ words }) => words === undefined || (word !== undefined && words.includes(word)));
  const words = new Set(made.flatMap((row) => row.words ?? []));
  const entries: Entries = {
    all: made.map(({ entry }) => entry),
    wordless: having().map(({ entry }) => entry),
    byWord: new Map([...words].map((word) => [word, having(word).map(({ entry }) => entry)])),
  };
  COMPILED.set(program, entries);
  return entries;
}

/** Returns the rows that may match: for a program with many rows, only those for words in the call. */
function candidates(call: Call): readonly Entry[] {
  const entries = entriesOf(call.program);
  if (!entries || entries.byWord.size === 0) return entries?.all ?? [];
  let found: readonly Entry[] | undefined;
  for (const { text } of call.operands) {
    const having = entries.byWord.get(text);
    if (having === found || !having) continue;
    if (found) return entries.all;
    found = having;
  }
  return found ?? entries.wordless;
}

/** Returns the first row that matches this call. Rows in `disabled` count only where no other row matches. */
export function matchRules(call: Call, disabled: ReadonlySet<string>): StaticVerdict | undefined {
  let off: StaticVerdict | undefined;
  for (const { verdict, matches } of candidates(call)) {
    if (!matches(call)) continue;
    if (!disabled.has(verdict.rule ?? '')) return verdict;
    off ??= verdict;
  }
  return off;
}

/** Returns whether any row names this program. */
export function hasRules(program: string): boolean {
  return BY_PROGRAM.has(program);
}

/** All programs named by rows, for command words that are patterns (`/bin/r?`). */
export const RULE_PROGRAMS: readonly string[] = [...BY_PROGRAM.keys()];
