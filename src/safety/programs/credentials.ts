import { basename, dirname, join } from 'node:path';
import { isCredential } from '../../knowledge/credential-files.ts';
import { type Field, type Machine, plain } from '../shell/machine.ts';
import { CREDENTIAL_NAME, hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { globToRegExp } from '../shell/word.ts';
import { destructive, type StaticVerdict } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';
import { type OperandRole, roleOf } from './record.ts';

// Two rules. A command line that names a credential file and sends something is destructive, whatever connects the two.
// One that names such a file and may print it asks, unless the model that reads the output runs on this machine.

export const CREDENTIAL_LEAVES: StaticVerdict = destructive(
  'credential leaves',
  'sends a key, token or password to another machine',
);

/** Characters that separate file names within a word: options, addresses, code. */
const BETWEEN = /[\s'"`()<>{},;|&=@:]+/;

/** `process.env` of JavaScript, which is not a file named `.env`. */
const VARIABLES = /(^|\.)(process|meta)\.env$/;

/** A directory that may hold nothing but credential files. */
const DIRECTORY = /(^|\/)\.[\w-]+\/?$/;

/** Returns whether a word names a credential file or a directory of them: directly, by a link or by a pattern. */
export function namesCredential(machine: Machine, { text, glob }: Field): boolean {
  if (text.includes(CREDENTIAL_NAME)) return true;
  // Code holds many words, whose targets are not resolved.
  const places = /\s/.test(text) ? undefined : machine.files;
  return text.split(BETWEEN).some((name) => {
    if (name === '' || VARIABLES.test(name)) return false;
    if (isCredential(name) || (DIRECTORY.test(name) && isCredential(`${name}/any`))) return true;
    const path = absolute(machine, name);
    if (path !== undefined && (isCredential(path) || isCredential(places?.real(path) ?? ''))) return true;
    return glob && namesFitting(machine, path ?? name).some(isCredential);
  });
}

/**
 * Returns the files that match a pattern in the last part of a path; where files can't be looked at, `.env` may be one.
 */
function namesFitting({ files }: Machine, pattern: string): readonly string[] {
  const folder = dirname(pattern);
  const last = basename(pattern);
  const fits = globToRegExp(last);
  return (files?.names(folder) ?? ['.env'])
    .filter((name) => name.startsWith('.') === last.startsWith('.') && fits.test(name))
    .map((name) => join(folder, name));
}

/** Options with which a program that usually only lists names prints a file, or runs a command that does. */
const READS = /^-(exec|execdir|ok|okdir)$|^--(files0-from|from(tab)?file)\b|^file:/;

/** A sourced file's contents go into variables, not to the screen. */
const SOURCES = /^(source|\.)$/;

/** Programs whose input is a list of names. */
const TAKES_NAMES = /^(xargs|parallel|read|mapfile|readarray)$/;

/** An address on this machine. */
const HERE = /^(https?:\/\/)?(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?([/?#]|$)|^file:/i;

/** Notes on the machine whether a call sends something, and whether it names a credential file that it may print. */
export function noteCredentials(call: Call): void {
  const { machine, io } = call;
  const { traits } = call.facts;
  // A package manager sends a release, but is mostly called for the project's scripts.
  const sends = traits.has('sends') && !traits.has('runsProject') && !staysHere(call) && !onlyAsks(call);
  machine.sends ||= sends;
  machine.namesCredential ||= TAKES_NAMES.test(call.program) && io.stdin?.includes(CREDENTIAL_NAME) === true;
  if (machine.namesCredential || (onlyNames(call) && !sends)) return;
  const unread = unreadWords(call, sends);
  machine.namesCredential =
    words(call).some((field) => namesCredential(machine, field) && !takeFrom(unread, field.text)) ||
    (sends && io.stdin !== undefined && namesCredential(machine, plain(io.stdin)));
}

/** Returns whether a call only lists names and prints no file. */
function onlyNames({ facts: { traits }, program, args }: Call): boolean {
  const namesOnly = traits.has('namesOnly') || traits.has('keepsWords') || SOURCES.test(program);
  return namesOnly && !traits.has('prints') && !args.some(({ text }) => READS.test(text));
}

/**
 * Returns the output of a call that lists names, marked if one of them may be a credential file (`find -name .env`).
 */
export function markNames(call: Call, printed: string): string {
  const lists = printed === UNKNOWN && call.facts.traits.has('namesOnly') && onlyNames(call);
  return lists && words(call).some((field) => namesCredential(call.machine, field))
    ? printed + CREDENTIAL_NAME
    : printed;
}

/** Returns the words of a call, without the one behind a "not"; a search for names interprets patterns itself. */
function words({ facts: { traits }, args }: Call): readonly Field[] {
  if (!traits.has('namesOnly') || traits.has('sends')) return args;
  return args.flatMap(({ text }, at) => (/^(!|-not)$/.test(args[at - 2]?.text ?? '') ? [] : [{ text, glob: true }]));
}

/** Returns whether all addresses that a call names are on this machine. */
function staysHere({ reading }: Call): boolean {
  return reading !== undefined && reading.operands.length > 0 && reading.operands.every(({ text }) => HERE.test(text));
}

/** Returns whether a call only runs a command on another machine, so that no file of this one is sent. */
function onlyAsks({ facts: { wraps }, reading, io }: Call): boolean {
  const isShell = wraps?.session === true && wraps.elsewhere === true && reading !== undefined;
  return isShell && io.stdin === undefined && !reading.operands.slice(1).some(({ text }) => hasUnknown(text));
}

/** Roles of operands that are written to, or judged as separate commands. */
const UNREAD: ReadonlySet<OperandRole | undefined> = new Set(['run', 'write', 'add', 'make']);

/** Returns words whose files a call neither prints nor sends: `--exclude`, targets, and the caller's own key. */
function unreadWords({ program, facts, args, reading }: Call, sends: boolean): string[] {
  const isSkipped = (name: string) => name === '--exclude' || (name === '--env-file' && !sends) || facts.keys.has(name);
  const skipped = args.flatMap(({ text }, at) =>
    isSkipped(args[at - 1]?.text ?? '') || isSkipped(/^(--[\w-]+(?==)|-\w)/.exec(text)?.[0] ?? '') ? [text] : [],
  );
  if (!reading) return skipped;
  const { given, operands, level } = reading;
  const written = given.flatMap(({ name, role, value = '' }) =>
    UNREAD.has(role) && value !== '' && !isSkipped(name) ? [value] : [],
  );
  const copies = /^(cp|install)$/.test(program) && operands.length > 1;
  const targets = operands.filter(
    ({ text }, at) =>
      (UNREAD.has(roleOf(level, at)) && !text.startsWith('@')) || (copies && at === operands.length - 1),
  );
  return [...skipped, ...written, ...targets.map(({ text }) => text)];
}

/** Removes a word from the list, also as the value of an option within a word; returns false where it is missing. */
function takeFrom(values: string[], word: string): boolean {
  const at = values.findIndex((value) => word === value || (word.startsWith('-') && word.endsWith(value)));
  return at >= 0 && values.splice(at, 1).length > 0;
}
