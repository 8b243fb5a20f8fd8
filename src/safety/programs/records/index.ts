import {
  type Compiled,
  compileSpec,
  type Facts,
  type OptionSpec,
  type ProgramFacts,
  type Records,
  type Spec,
  words,
} from '../record.ts';
import { BUILD_RECORDS, CHECKERS, FORMATTING, PROJECT_TOOLS } from './build.ts';
import { COMPILERS, LANGUAGES } from './compilers.ts';
import { DATA, TABLE_TOOLS } from './data.ts';
import { ARCHIVES, FILES, MEDIA_RECORDS, REMOVING } from './files.ts';
import { GIT_RECORD } from './git.ts';
import { NETWORK } from './network.ts';
import { PACKAGES, SYSTEM_PACKAGES } from './packages.ts';
import { CLOUDS, DOCKER, SERVICES } from './services.ts';
import { SHELL, UNREAD, UNREAD_WRAPPERS, WRAPPERS_RECORDS } from './shell.ts';
import { DISKS, SYSTEM, TOOLS } from './system.ts';
import { TEXT } from './text.ts';

/** The records of all programs that the gate knows, completely or in part. */
const ALL: readonly Records[] = [
  [TEXT, FILES, ARCHIVES, REMOVING, SHELL, WRAPPERS_RECORDS, GIT_RECORD, LANGUAGES, COMPILERS, CHECKERS, FORMATTING],
  [BUILD_RECORDS, PACKAGES, PROJECT_TOOLS, SYSTEM_PACKAGES, NETWORK, DOCKER, SERVICES, DATA, MEDIA_RECORDS],
  [TABLE_TOOLS, CLOUDS, TOOLS, SYSTEM, DISKS, UNREAD_WRAPPERS, UNREAD],
].flat();

/** All rows: program names and their record. */
export const ROWS: readonly (readonly [programs: string, Spec])[] = ALL.flatMap(Object.entries<Spec>);

const SPECS: ReadonlyMap<string, Spec> = new Map(
  ROWS.flatMap(([names, spec]) => words(names).map((name) => [name, spec] as const)),
);

/** Compiled on first use: a command names few programs, and the guard starts anew for every command. */
const COMPILED = new Map<Spec, Compiled>();
const RECORDS = new Map<string, Compiled>();

/** Returns the record of a program, by the name that rules use; undefined where its options are not listed. */
export function recordOf(program: string): Compiled | undefined {
  const known = RECORDS.get(program);
  if (known) return known;
  const spec = SPECS.get(program);
  if (!spec || spec.unread) return undefined;
  const compiled = COMPILED.get(spec) ?? compileSpec(spec);
  COMPILED.set(spec, compiled);
  RECORDS.set(program, compiled);
  return compiled;
}

const NO_FACTS: ProgramFacts = factsFor('', {});
const FACTS = new Map<string, ProgramFacts>();

/** Returns the facts about a program, by the name that rules use. */
export function factsOf(program: string): ProgramFacts {
  const known = FACTS.get(program);
  if (known) return known;
  const spec = SPECS.get(program);
  if (!spec) return NO_FACTS;
  const own = Object.entries(spec.of ?? {}).find(([names]) => words(names).includes(program))?.[1];
  const facts = factsFor(program, { ...spec, ...own });
  FACTS.set(program, facts);
  return facts;
}

function factsFor(program: string, facts: Facts): ProgramFacts {
  const { values, singleDash = false, dryRun = {}, exact = false, wraps, traits, keys, reaches, code, leaves } = facts;
  const dry = Object.entries(typeof dryRun === 'string' ? { '*': dryRun } : dryRun);
  return {
    values: new Set([...valuesOf(program), ...words(values)]),
    singleDash,
    dryRun: new Map(dry.map(([sub, names]) => [sub, words(names)])),
    exact,
    wraps,
    traits: new Set(traits),
    keys: new Set(words(keys)),
    reaches: reaches === true || new Set(words(reaches)),
    code,
    leaves,
    output: facts.output ?? {},
  };
}

/** Returns the options with a value, on the program’s first level and in all its subcommands that agree. */
function valuesOf(program: string): readonly string[] {
  const record = recordOf(program);
  if (!record) return [];
  const all = [...record.options, ...optionsBelow(record)];
  const taking = (options: Iterable<readonly [string, OptionSpec]>, does: boolean) =>
    [...options].flatMap(([name, { value }]) => ((value === 'required') === does ? [name] : []));
  const other = new Set(taking(all, false));
  return [...taking(record.options, true), ...taking(all, true).filter((name) => !other.has(name))];
}

/** Returns the options of all subcommands, repeated for each that has them. */
function optionsBelow({ subs }: Compiled): readonly (readonly [string, OptionSpec])[] {
  return [...(subs?.values() ?? [])].flatMap((sub) => [...sub.options, ...optionsBelow(sub)]);
}

/** Returns whether there is any row for this program. */
export function hasRecord(program: string): boolean {
  return SPECS.has(program);
}

/** The names of all programs that run a command in their arguments. */
export const WRAPPER_NAMES: readonly string[] = ROWS.flatMap(([names, { wraps, of = {} }]) => [
  ...(wraps ? words(names) : []),
  ...Object.entries(of).flatMap(([some, own]) => (own.wraps ? words(some) : [])),
]);

/** The names of all programs whose options are listed, for the documentation. */
export const KNOWN_PROGRAMS: readonly string[] = [...SPECS.keys()].filter((name) => !SPECS.get(name)?.unread).sort();
