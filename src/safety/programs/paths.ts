import { basename, dirname, isAbsolute, join, normalize, relative } from 'node:path';
import { hasHiddenName, isHomeStart, isOwnStart, isProjectControl, runsLater } from '../../knowledge/control-files.ts';
import { isCredential } from '../../knowledge/credential-files.ts';
import { pattern } from '../../text/pattern.ts';
import { STANDARD_MODULES } from '../code/python/modules.ts';
import { type FileLook, isAllOwn, isThere } from '../files.ts';
import type { Machine } from '../shell/machine.ts';
import { hasUnknown, OWN_PROCESS, OWN_TEMP } from '../shell/taint.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import type { CallFacts } from './record.ts';

/** Directories whose files belong to the system; changing one there is never a small matter. */
const SYSTEM =
  /^\/(etc|boot|usr|lib|lib32|lib64|sbin|bin|opt|var\/(lib|spool|www|mail|db)|srv|System|Library\/Launch\w+|efi)(\/|$)/;
const KERNEL = /^\/(proc|sys)\//;
/** What belongs to the operating system. */
export const SYSTEM_PATH = new RegExp(`${SYSTEM.source}|${KERNEL.source}`);
/** Disks and partitions. */
export const DISK =
  /^\/dev\/(r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk|md\d|dm-|mapper\/|disk\/|loop\d|nbd\d|sr\d|zvol\/|mtd|mem$|kmem$|port$|pmem|zd\d|vg\w*\/|drbd)/;
const HARMLESS_DEVICE = /^(\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/\d+|random|urandom)|&?\d+-?|-)$/;
/** An open directory stands behind a number there, and what is below it may be anything. */
const BEHIND_DESCRIPTOR =
  /^\/[/.]*dev\/[/.]*(fd|std(in|out|err))\/+[^/]*[^/\d]|^\/[/.]*dev\/[/.]*(fd|std(in|out|err))\/.*\//;
const KEYS = /(^|\/)(\.ssh\/|authorized_keys|\.gnupg\/|\.aws\/credentials|\.kube\/config|\.netrc|\.pgpass)/;

/** An absolute, tidy path; undefined where the directory or a part of the path is not known. */
export function absolute(machine: Machine, path: string): string | undefined {
  if (hasUnknown(path) || path.includes('\0') || machine.scope.elsewhere) return undefined;
  const { cwd } = machine.scope;
  const near = machine.files ? withoutParents(machine, machine.files, path, cwd) : path;
  if (near === undefined) return undefined;
  if (isAbsolute(near)) return normalize(near);
  return cwd === undefined ? undefined : join(cwd, near);
}

/** `a/../b` is not `b` where `a` is a link, or the directory is one: then the way up starts where it leads. */
function withoutParents(machine: Machine, files: FileLook, path: string, cwd: string | undefined): string | undefined {
  if (!path.includes('..') || !/(^|\/)\.\.(\/|$)/.test(path)) return path;
  let at = isAbsolute(path) ? '/' : (cwd ?? '');
  if (at === '') return path;
  for (const part of path.split('/')) {
    if (part === '..' && isBehindLink(machine, at)) return undefined;
    at = part === '..' ? dirname(files.real(at)) : join(at, part);
  }
  return at;
}

/** The name under which a file is remembered: absolute where that is known, else without a leading `./`. */
export function fileKey(machine: Machine, path: string): string {
  return absolute(machine, path) ?? path.replace(/^(\.\/)+/, '');
}

/** Is this a disk or partition, so that writing to it destroys what it holds? */
export function isDisk(path: string): boolean {
  return DISK.test(path);
}

/** Does the path belong to the operating system? */
export function isSystemPath(path: string): boolean {
  return SYSTEM_PATH.test(path);
}

/** Nothing is lost by writing there: `/dev/null` and the like, and temporary files of one's own. */
export function isHarmlessTarget(path: string): boolean {
  return HARMLESS_DEVICE.test(path) || path.includes(OWN_TEMP);
}

/**
 * What holds for any write to `path`, appended or not; undefined for an ordinary file. The path counts from the
 * directory the command has changed to, and with every link in it followed.
 */
export function specialTarget(machine: Machine, path: string): StaticVerdict | undefined {
  if (isHarmlessTarget(path)) return harmless();
  if (BEHIND_DESCRIPTOR.test(path))
    return destructive('write to kernel interface', 'reaches a file through a process’s open files');
  const refused = onOurs(machine, path);
  if (refused) return refused;
  let worst: StaticVerdict | undefined = machine.scope.elsewhere
    ? unknown(`writes ${machine.scope.elsewhere === 'machine' ? 'on another machine' : 'in a container'}`)
    : undefined;
  for (const place of placesOf(machine, path)) {
    const found = isNewServed(machine, place) ? controlFile(place) : specialPlace(place);
    if (found) worst = worst ? worse(worst, found) : found;
  }
  return worst;
}

/** The same for what a call adds to: where it goes must be known, and whether something obeys the file. */
export function adds(machine: Machine, path: string): StaticVerdict {
  machine.changed.add(fileKey(machine, path));
  return makes(machine, path);
}

/** The same for what a call makes, with nothing in it. */
export function makes(machine: Machine, path: string): StaticVerdict {
  const special = specialTarget(machine, path);
  if (special) return special;
  if (throughLink(machine, path)) return unknown(MAY_BE_LINK);
  if (machine.files && lookAt(machine, path) === 'absent') remember(machine, path);
  const placed = isAbsolute(path) || machine.scope.near !== undefined || machine.scope.cwd !== undefined;
  return placed && !hasUnknown(path) ? harmless() : unknown('writes to an unknown place');
}

/**
 * What holds for putting files into the directory `path`: under these names, or under names that nobody knows.
 * Undefined: an ordinary place.
 */
export function specialDirectory(
  machine: Machine,
  path: string,
  names: readonly string[] = [SOME_NAME],
): StaticVerdict | undefined {
  let worst: StaticVerdict | undefined;
  for (const name of names) {
    const found = specialTarget(machine, join(path, name));
    if (found) worst = worst ? worse(worst, found) : found;
  }
  const anything = names.includes(SOME_NAME) || names.some((name) => /^\.?$|[*?[]/.test(name) || hasUnknown(name));
  if (!anything || worst) return worst;
  return placesOf(machine, path).some((place) => isHome(place))
    ? unknown('puts files of any name into the home directory')
    : undefined;
}

const OURS = destructive('write to start file', "changes aish-tui's own configuration or state");

/** The verdict on changing a file of this program, which no model may; undefined: it is none. */
export function onOurs(machine: Machine, path: string): StaticVerdict | undefined {
  if (!isOurs(machine, path)) return undefined;
  machine.changesOurs = true;
  return OURS;
}

/** Does the path lead into this program's own files? `whole`: or does one of them lie below it? */
function isOurs(machine: Machine, path: string, whole = false): boolean {
  const { ours = [], files } = machine;
  const full = ours.length === 0 ? undefined : absolute(machine, path);
  if (full === undefined || !files) return false;
  const isIn = (place: string, directory: string) => place === directory || place.startsWith(`${directory}/`);
  return [full, files.real(full)].some((place) =>
    ours.some((directory) => isIn(place, directory) || (whole && isIn(directory, place))),
  );
}

/** Stands for a file of any name. */
const SOME_NAME = 'some file';

/** The places that a path may mean: as written from where the command starts, and where its links lead. */
function placesOf(machine: Machine, path: string): readonly string[] {
  const { near } = machine.scope;
  const written = isAbsolute(path) || near === undefined ? normalize(path) : join(near, path);
  const full = absolute(machine, path);
  const { files, root } = machine;
  if (!files || full === undefined || root === undefined) return [written];
  const real = files.real(full);
  const inside = relative(files.real(root), real);
  // Within the directory it works in, a project may lie anywhere: what counts is the way from there.
  const within = inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside);
  if (!within) return [written, real];
  return isStartFile(real) ? [written, inside, real] : [written, inside];
}

/** Places that were looked at: each of a command is asked about by several judges. */
const ASKED = new Map<string, StaticVerdict | undefined>();
const MAX_ASKED = 5000;

/** A new file for a server to hand out: nothing of the system, but for what a server runs. */
const SERVED = /^\/(var\/www|srv)\/(?!.*\.(php\d?|phtml|phar|cgi|pl|py|jsp|aspx?|sh)$)/;

export function isNewServed(machine: Machine, path: string): boolean {
  return SERVED.test(path) && machine.files !== undefined && lookAt(machine, path) === 'absent';
}

function specialPlace(path: string): StaticVerdict | undefined {
  const known = ASKED.get(path);
  if (known !== undefined || ASKED.has(path)) return known;
  const found = judgePlace(path);
  if (ASKED.size < MAX_ASKED && path.length < 100) ASKED.set(path, found);
  return found;
}

function judgePlace(path: string): StaticVerdict | undefined {
  if (isDisk(path)) return destructive('write to raw disk');
  if (path.startsWith('/dev/tcp/') || path.startsWith('/dev/udp/')) return unknown('writes to a network connection');
  if (/^\/dev\/(pts|tty|shm\/|std|watchdog$)/.test(path))
    return path.includes('watchdog') ? destructive('write to raw disk') : undefined;
  if (KERNEL.test(path)) return destructive('write to kernel interface', 'changes kernel or process state');
  if (SYSTEM.test(path)) return destructive('write to system file', 'changes a system file');
  if (KEYS.test(path)) return destructive('write to credentials', 'changes keys or credentials');
  return controlFile(path);
}

/** Whether a path is known to exist already; `unseen`: it could not be looked at, so it may be any file. */
export type Existing = 'empty' | 'file' | 'directory' | 'absent' | 'unseen' | 'unknown';

/** What is said of a write to a name that this command may have made a link. */
export const MAY_BE_LINK = 'writes through what may be a link made just now';

/** Did this command make the file, in place of nothing, or did an action of the session before it? */
export function isMadeHere(machine: Machine, path: string): boolean {
  const key = fileKey(machine, path);
  if (machine.scope.made.has(key)) return true;
  if (!machine.own?.has(key)) return false;
  machine.usedOwn.add(key);
  return true;
}

/** Looks at `path` without changing anything; `unknown` where looking is not possible. */
export function lookAt(machine: Machine, path: string): Existing {
  const full = absolute(machine, path);
  if (isMadeHere(machine, path)) return 'empty';
  if (!machine.files || full === undefined) return 'unknown';
  const seen = machine.files.stat(full);
  if (!seen) return 'absent';
  if (seen.kind === 'directory' || seen.kind === 'unseen') return seen.kind;
  return seen.kind === 'file' && seen.size > 0 ? 'file' : 'empty';
}

/** May the path lead through a link that the same command made, or brought with files of others? */
export function throughLink(machine: Machine, path: string): boolean {
  return isBehindLink(machine, fileKey(machine, path));
}

function isBehindLink(machine: Machine, key: string): boolean {
  for (const link of machine.scope.links) if (key === link || key.startsWith(`${link}/`)) return true;
  return false;
}

/** Is a link at this path now? */
export function isLink(machine: Machine, text: string): boolean {
  const path = absolute(machine, text);
  const real = machine.files?.real;
  return path !== undefined && real !== undefined && real(path) !== join(real(dirname(path)), basename(path));
}

/** Remembers that the command itself made this file. */
export function remember(machine: Machine, path: string): void {
  machine.scope.made.add(fileKey(machine, path));
}

/** Remembers that the command moves files to `path` that it did not make. */
export function bringsOthers(machine: Machine, path: string): void {
  const key = fileKey(machine, path);
  machine.scope.made.delete(key);
  machine.scope.brought.add(key);
}

/** May something lie at, above or below `path` that the same command moves there? */
function holdsBrought(path: string, brought: ReadonlySet<string>): boolean {
  const [until = ''] = path.split(/[*?[]/, 1);
  const isBelow = (place: string) => place === path || place.startsWith(until === path ? `${path}/` : until);
  return [...brought].some((place) => hasUnknown(place) || isBelow(place) || path.startsWith(`${place}/`));
}

/** What is said of a target that nobody has seen. */
export const MAY_WRITE_OVER = 'may overwrite a file: it could not be checked';

/**
 * The verdict on a write that empties `path` first. Without a directory to look in it counts as over an existing
 * file; `blind` says otherwise for programs that usually make new ones.
 */
export function overwrite(
  machine: Machine,
  path: string,
  rule: string,
  reason: string,
  blind: StaticVerdict = destructive(rule, reason),
): StaticVerdict {
  machine.changed.add(fileKey(machine, path));
  const special = specialTarget(machine, path);
  if (special && special.verdict !== 'unknown') return special;
  if (/[*?[]/.test(path) && machine.files?.stat(absolute(machine, path) ?? '') === undefined)
    return destructive(rule, 'overwrites whatever file the pattern names');
  const found = lookAt(machine, path);
  if (found === 'absent' || found === 'unknown') remember(machine, path);
  if (found === 'file') return destructive(rule, reason);
  if (found === 'unseen') return destructive(rule, MAY_WRITE_OVER);
  if (special) return found === 'unknown' && !machine.files ? worse(special, blind) : special;
  if (throughLink(machine, path)) return unknown(MAY_BE_LINK);
  if (found === 'unknown') return machine.files ? unknown('writes to a file with an unknown name') : blind;
  return harmless();
}

/** Remembers that files of others were put there, from where the command starts: some of them may be links. */
export function bringsFiles(machine: Machine, path: string): void {
  const { scope } = machine;
  scope.links.add(fileKey(machine, path));
  if (!isAbsolute(path)) scope.foreign.add(join(scope.near ?? '', path));
}

/** Names of directories that programs make for what they make. */
const MADE_DIRECTORY = pattern(String.raw`
    ^(\./)?(dump|backups?|dist|out|outputs?|extracted|unpacked|tmp|temp|coverage|htmlcov|reports?|site|public
    |_build|wheels|wheelhouse|downloads?|vendor|b|build|target|rendered|manifests)(/|$)|^/tmp/[^/]+
  `);

/**
 * The verdict on a directory that gets files whose names nobody knows: it must not hold any yet, unless the program
 * `keeps` what is there.
 */
export function fillsDirectory(machine: Machine, path: string, keeps = false): StaticVerdict {
  if (isHarmlessTarget(path)) return harmless();
  const special = specialDirectory(machine, path);
  if (special) return special;
  const fresh = lookAt(machine, path) === 'absent' || machine.scope.made.has(absolute(machine, path) ?? path);
  if (fresh || (MADE_DIRECTORY.test(path) && (keeps || !machine.files))) return harmless();
  return unknown('writes files into a directory that may hold some of the same names');
}

/** From where the command starts; a full path may be that very place, except where all may write. */
function writtenPlace(near: string | undefined, path: string): string | undefined {
  if (near === undefined || isAbsolute(path)) return undefined;
  return isAbsolute(near) && !/^\/(tmp|var\/tmp|dev\/shm)(\/|$)/.test(near) ? normalize(path) : join(near, path);
}

/**
 * Does this place lie within the directory the command starts in, so that what its files say counts as the project's
 * own? What the same command has fetched does not.
 */
export function isOwnProject(machine: Machine, path: string): boolean {
  if (hasUnknown(path) || /^[~@]|:\/\//.test(path) || machine.scope.elsewhere) return false;
  const { near, foreign } = machine.scope;
  const full = absolute(machine, path);
  const { root, files } = machine;
  const looked = files && full !== undefined && root !== undefined;
  const inside = looked ? relative(files.real(root), files.real(full)) : writtenPlace(near, path);
  if (inside === undefined || isAbsolute(inside) || inside === '..' || inside.startsWith('../')) return false;
  return ![...foreign].some((place) => place === '.' || inside === place || inside.startsWith(`${place}/`));
}

/** The verdict on code of the project at this place that is run without being read. */
export function runsProject(machine: Machine, path = '.'): StaticVerdict {
  machine.runsProject = true;
  return machine.own?.isNew?.(absolute(machine, path) ?? path)
    ? unknown('runs code of a project you have not run before', { runsFiles: true })
    : harmless();
}

const HOME = /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)(?:\/|$)/;

/** Names that begin with a dot and tell no tool what to run; all others may. */
const PLAIN_HIDDEN = pattern(
  String.raw`
    ^\.(|\.|[\w-]*ignore|gitkeep|keep|nojekyll|mailmap|cache|tmp|temp|trash|ds_store|done|placeholder
    |env\.(example|sample|template|dist)|pytest_cache|mypy_cache|ruff_cache|next|nuxt|output|turbo|parcel-cache
    |nyc_output|coverage|ipynb_checkpoints|hypothesis)$
  `,
  'i',
);

/** Is this the home directory of somebody? */
function isHome(path: string): boolean {
  return /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)\/?$/.test(path);
}

/** Does the user's own shell, login or a tool of theirs run this file later? */
function isStartFile(path: string): boolean {
  const home = HOME.exec(path)?.[0];
  return isOwnStart(path) || (home !== undefined && isHomeStart(path.slice(home.length)));
}

/** Does a name on the way begin with a dot, where a tool may look for what to do? */
function isHidden(path: string): boolean {
  return hasHiddenName(path) && path.split('/').some((name) => name.startsWith('.') && !PLAIN_HIDDEN.test(name));
}

/** Would Python import this file in place of a module of its own? */
function shadowsModule(path: string): boolean {
  const name = path.endsWith('.py') ? /(?:^|\/)(\w+)\.py$/.exec(path)?.[1] : undefined;
  return name !== undefined && STANDARD_MODULES.has(name);
}

/**
 * What holds for writing to a file that decides what runs later; undefined for any other. What begins with a dot counts
 * as such unless it is known not to: each tool looks for files of its own.
 */
function controlFile(path: string): StaticVerdict | undefined {
  const tidy = path.replace(/\/\.?\//g, '/').replace(/^\.\//, '');
  if (isStartFile(tidy)) return destructive('write to start file', 'changes what your own shell and tools run later');
  return isHidden(tidy) || runsLater(tidy) !== undefined || isProjectControl(tidy) || shadowsModule(tidy)
    ? unknown('writes a file that decides what tools run')
    : undefined;
}

// Whether a command touches only files and processes that this line made, and what a kill sends.

/** Does a call delete only what this command, or an action of the session before it, has made? */
export function deletesOnlyOwn({ operands, machine }: CallFacts): boolean {
  return operands.length > 0 && operands.every(({ text }) => text.includes(OWN_TEMP) || isOwnTree(machine, text));
}

/** Is all that a path names, and all below it, the session's? */
function isOwnTree(machine: Machine, text: string): boolean {
  const { scope, own } = machine;
  const path = absolute(machine, text);
  machine.changesOurs ||= isOurs(machine, text, true);
  if (!machine.files || path === undefined || holdsBrought(path, scope.brought)) return false;
  for (let at = path; at !== '/'; at = dirname(at)) if (scope.made.has(at)) return true;
  if (own?.hides?.(path)) return !throughLink(machine, text);
  if (!own || !isAllOwn(path, own)) return false;
  if (!isThere(path) && (!own.orNothing || isCredential(path))) return false;
  machine.usedOwn.add(path);
  return true;
}

/** Does a call of `kill` name only processes that the same command, or a job of the session, has started? */
export function endsOnlyOwn({ operands, machine }: CallFacts): boolean {
  const isOwn = (text: string) => {
    if (text === OWN_PROCESS) return true;
    if (!/^\d{1,9}$/.test(text) || machine.own?.runs?.(Number(text)) !== true) return false;
    machine.usedOwn.add(text);
    return true;
  };
  return operands.length > 0 && operands.every(({ text }) => isOwn(text));
}

/** The signal a call sends, by name or number; empty: none is named. */
export const signalOf = (call: CallFacts): string => {
  const given = call.value('-s', '--signal');
  const end = call.args.findIndex((field) => field.text === '--');
  const found = (end < 0 ? call.args : call.args.slice(0, end))
    .find((field) => /^-(\d+|[A-Z]+\d?)$/.test(field.text) && !/^-[lLn]$/.test(field.text))
    ?.text.slice(1);
  return (given ?? found ?? '').replace(/^SIG/, '').toUpperCase();
};

/** Can the process not refuse it? */
export const isKill = (signal: string) => signal === '9' || signal === 'KILL';

/** Signal 0 only asks; CONT, WINCH and CHLD end nothing. */
export const isQuiet = (call: CallFacts) =>
  /^(0|CONT|WINCH|CHLD|URG|INFO|18|28|USR1|USR2|10|12|HUP|1)$/.test(signalOf(call)) ||
  call.has('-l', '--list', '-L', '--table');
