import { type Compiled, compileSpec, type Records, type Spec, words } from '../record.ts';
import { BUILD_RECORDS } from './build.ts';
import { CHECKERS } from './checkers.ts';
import { DATA } from './data.ts';
import { DISKS } from './disks.ts';
import { DOCKER } from './docker.ts';
import { FILES } from './files.ts';
import { GIT_RECORD } from './git.ts';
import { LANGUAGES } from './languages.ts';
import { MEDIA_RECORDS } from './media.ts';
import { NETWORK } from './network.ts';
import { PACKAGES } from './packages.ts';
import { SERVICES } from './services.ts';
import { SHELL } from './shell.ts';
import { SYSTEM } from './system.ts';
import { SYSTEM_PACKAGES } from './system-packages.ts';
import { TABLE_TOOLS } from './tables.ts';
import { TEXT } from './text.ts';
import { TOOLS } from './tools.ts';
import { WRAPPERS_RECORDS } from './wrappers.ts';

/** Every program that the gate knows in each part. */
const ALL: readonly Records[] = [
  TEXT,
  FILES,
  SHELL,
  WRAPPERS_RECORDS,
  GIT_RECORD,
  LANGUAGES,
  CHECKERS,
  BUILD_RECORDS,
  PACKAGES,
  SYSTEM_PACKAGES,
  NETWORK,
  DOCKER,
  SERVICES,
  DATA,
  MEDIA_RECORDS,
  TABLE_TOOLS,
  TOOLS,
  SYSTEM,
  DISKS,
];

const SPECS: ReadonlyMap<string, Spec> = new Map(
  ALL.flatMap((records) =>
    Object.entries(records).flatMap(([names, spec]) => words(names).map((name) => [name, spec] as const)),
  ),
);

/** All rows: names, and what is known of them. */
export const ROWS: readonly (readonly [programs: string, Spec])[] = ALL.flatMap(Object.entries<Spec>);

/** Made when first asked for: a command names few programs, and the guard starts for every command. */
const COMPILED = new Map<Spec, Compiled>();

/** The record of a program, by the name that rules know it by. */
export function recordOf(program: string): Compiled | undefined {
  const spec = SPECS.get(program);
  if (!spec) return undefined;
  let compiled = COMPILED.get(spec);
  if (!compiled) {
    compiled = compileSpec(spec);
    COMPILED.set(spec, compiled);
  }
  return compiled;
}

/** Names of all programs that have a record, for the documentation. */
export const KNOWN_PROGRAMS: readonly string[] = [...SPECS.keys()].sort();
