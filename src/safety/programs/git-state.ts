/** Judges a git command by the state of the repository: files it would overwrite, and its push and fetch settings. */
import { dirname, isAbsolute, join } from 'node:path';
import { pattern } from '../../text/pattern.ts';
import { type FileLook, gitQuestion } from '../files.ts';
import type { Machine } from '../shell/machine.ts';
import { destructive, type StaticVerdict, unknown } from '../verdict.ts';
import { absolute } from './paths.ts';
import type { CallFacts, Reading } from './record.ts';

/** Returns the top directory of the repository in which a call works; undefined where none can be found. */
function repositoryOf({ machine }: CallFacts, reading: Reading): string | undefined {
  const from = reading.given
    .slice(0, reading.before)
    .flatMap(({ name, value = '' }) => (name === '-C' ? [value] : []))
    .reduce((base, next) => (isAbsolute(next) ? next : join(base, next)), '.');
  const start = absolute(machine, from);
  // A repository that the same command just cloned or created has nothing to lose.
  if (start === undefined || machine.files?.stat(start)?.kind !== 'directory') return undefined;
  return topOf(machine.files, start);
}

function topOf(files: FileLook, directory: string): string | undefined {
  if (files.stat(join(directory, '.git')) !== undefined) return directory;
  return directory === '/' ? undefined : topOf(files, dirname(directory));
}

/** Settings whose value is a program that git starts. */
const STARTS = pattern(
  String.raw`
    \[\s*(alias|filter|include|includeif|credential|gpg|pager|difftool|mergetool|sendemail|protocol|submodule)\b
    |\b(fsmonitor|hookspath|\w*editor|\w*pager|sshcommand|gitproxy|askpass|textconv|command|driver|program|vcs
    |proxy|helper|\w*pack|attributesfile|worktree\w*)\s*=
  `,
  'i',
);

/**
 * Returns the verdict on hooks and settings that were unpacked or copied together with a repository; a clone has none.
 */
export function broughtCode(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const top = call.machine.reading && repositoryOf(call, reading);
  if (top === undefined || call.machine.own?.isNew?.(top) !== true) return undefined;
  const [hooks, settings] = ['hooks', 'config'].map((name) => call.machine.reading?.look(join(top, '.git', name)));
  const noHooks = hooks?.kind === 'directory' && [...hooks.names].every((name) => name.endsWith('.sample'));
  const plain = settings?.kind === 'text' && !STARTS.test(settings.text);
  return (noHooks || hooks?.kind === 'absent') && plain
    ? undefined
    : unknown('may run hooks or settings that came with this repository', { runsFiles: true });
}

const WAITS = Symbol('git was not asked yet');

/** Returns git’s answer; undefined if git could not answer. */
function answerOf(machine: Machine, directory: string, args: readonly string[]): string | typeof WAITS | undefined {
  const found = machine.reading?.ask(gitQuestion(directory, args));
  return found ? (found.kind === 'text' ? found.text : undefined) : WAITS;
}

/**
 * Returns the untracked files that a checkout of `commit` would overwrite: git overwrites ignored files silently.
 * Commits pushed to the remote since the last fetch are unknown.
 */
export function overwritesIgnored(call: CallFacts, reading: Reading, commit: string): StaticVerdict | undefined {
  const { machine } = call;
  const top = machine.reading && repositoryOf(call, reading);
  if (top === undefined || commit.startsWith('-')) return undefined;
  const added = ['diff', '--name-only', '--diff-filter=A', '--no-renames', '--no-ext-diff', '-z'];
  const tried = commit === '-' ? ['@{-1}'] : [commit, `refs/remotes/origin/${commit}`];
  for (const one of tried) {
    const names = answerOf(machine, top, [...added, 'HEAD', one, '--']);
    if (names === WAITS) return undefined;
    if (names === undefined) continue;
    const lost = names.split('\0').find((name) => name !== '' && machine.files?.stat(join(top, name)) !== undefined);
    return lost === undefined ? undefined : unknown(`may overwrite ${lost.slice(0, 60)}, which git does not keep`);
  }
  return unknown('git could not say which files this overwrites');
}

type Settings = ReadonlyMap<string, readonly string[]>;

/** Returns the repository’s settings with lower-case names; undefined if they can’t be read. */
function settingsOf(call: CallFacts, reading: Reading): Settings | StaticVerdict | undefined {
  const top = call.machine.reading && repositoryOf(call, reading);
  const listed = top === undefined ? WAITS : answerOf(call.machine, top, ['config', '--list', '-z']);
  if (listed === WAITS) return undefined;
  if (listed === undefined) return unknown('git could not read this repository’s settings');
  const settings = new Map<string, string[]>();
  for (const entry of listed.split('\0')) {
    const [name = '', value = ''] = entry.split(/\n([\s\S]*)/, 2);
    const key = name.toLowerCase();
    settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

/** Normalises an address, so that two spellings compare equal. */
const placeOf = (address: string) =>
  address
    .replace(/^\w+:\/\//, '')
    .replace(/^[\w.-]+@/, '')
    .replace(/:(?=\D)/, '/')
    .replace(/(\.git)?\/*$/, '');

const ELSEWHERE = unknown('is configured to push to another address than the one named');

/** Returns the verdict on a push by the repository’s settings: its refs if it names none, and its address. */
export function configuredPush(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const settings = settingsOf(call, reading);
  if (settings === undefined || 'verdict' in settings) return settings;
  const [named, ...refs] = reading.operands.map(({ text }) => text);
  for (const [key, values] of settings) {
    if (sendsElsewhere(key, values)) return ELSEWHERE;
    const [, remote, what] = /^remote\.(.+)\.(mirror|push|pushurl)$/.exec(key) ?? [];
    if (remote === undefined || (named !== undefined && named.toLowerCase() !== remote)) continue;
    const address = settings.get(`remote.${remote}.url`)?.[0] ?? '';
    if (what === 'pushurl' && values.some((value) => placeOf(value) !== placeOf(address))) return ELSEWHERE;
    const found = what === 'mirror' ? mirrors(values) : refs.length === 0 ? refspecs(what, values) : undefined;
    if (found) return found;
  }
  return settings.get('push.default')?.at(-1) === 'matching' && refs.length === 0
    ? unknown('is configured to push every branch that the remote has')
    : undefined;
}

function sendsElsewhere(key: string, [value = '']: readonly string[]): boolean {
  if (/^url\..*\.(push)?insteadof$/.test(key)) return true;
  return /^(remote\.pushdefault|branch\..*\.pushremote)$/.test(key) && !/^(origin|upstream)$/.test(value);
}

function mirrors(values: readonly string[]): StaticVerdict | undefined {
  return /^(false|no|off|0)$/i.test(values.at(-1) ?? '')
    ? undefined
    : destructive('git push --force', 'is configured to mirror, which deletes branches that only the remote has');
}

function refspecs(what: string | undefined, values: readonly string[]): StaticVerdict | undefined {
  if (what !== 'push') return undefined;
  if (values.some((value) => /^[+:]/.test(value)))
    return destructive('git push -f', 'is configured to overwrite or delete on the remote');
  return values.some((value) => value.includes(':'))
    ? unknown('is configured to push to a branch with another name')
    : undefined;
}

/** Returns the verdict on a fetch that names no refs, by the repository’s settings. */
export function configuredFetch(call: CallFacts, reading: Reading): StaticVerdict | undefined {
  const settings = settingsOf(call, reading);
  if (settings === undefined || 'verdict' in settings) return settings;
  const named = reading.operands[0]?.text.toLowerCase();
  for (const [key, values] of settings) {
    const remote = /^remote\.(.+)\.fetch$/.exec(key)?.[1];
    const counts =
      remote !== undefined && (named === undefined || named === remote || !settings.has(`remote.${named}.url`));
    if (counts && values.some((value) => /:refs\/(?!remotes\/[\w-])/.test(value)))
      return unknown('is configured to move refs of this repository');
  }
  return undefined;
}
