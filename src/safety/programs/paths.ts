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

/** Directories of system files; changing a file there is always serious. */
const SYSTEM =
  /^\/(etc|boot|usr|lib|lib32|lib64|sbin|bin|opt|var\/(lib|spool|www|mail|db)|srv|System|Library\/Launch\w+|efi)(\/|$)/;
const KERNEL = /^\/(proc|sys)\//;
/** Paths of the operating system. */
export const SYSTEM_PATH = new RegExp(`${SYSTEM.source}|${KERNEL.source}`);
/** Matches disks and partitions. */
export const DISK =
  /^\/dev\/(r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk|md\d|dm-|mapper\/|disk\/|loop\d|nbd\d|sr\d|zvol\/|mtd|mem$|kmem$|port$|pmem|zd\d|vg\w*\/|drbd)/;
const HARMLESS_DEVICE = /^(\/dev\/(null|zero|full|stdout|stderr|stdin|tty|fd\/\d+|random|urandom)|&?\d+-?|-)$/;
/** Paths through a process’s open files and directories, which may lead anywhere. */
const BEHIND_DESCRIPTOR =
  /^\/[/.]*dev\/[/.]*(fd|std(in|out|err))\/+[^/]*[^/\d]|^\/[/.]*dev\/[/.]*(fd|std(in|out|err))\/.*\//;
const KEYS = /(^|\/)(\.ssh\/|authorized_keys|\.gnupg\/|\.aws\/credentials|\.kube\/config|\.netrc|\.pgpass)/;

/** Returns a normalised absolute path; undefined where the directory or a part of the path is unknown. */
export function absolute(machine: Machine, path: string): string | undefined {
  if (hasUnknown(path) || path.includes('\0') || machine.scope.elsewhere) return undefined;
  const { cwd } = machine.scope;
  const near = machine.files ? withoutParents(machine, machine.files, path, cwd) : path;
  if (near === undefined) return undefined;
  if (isAbsolute(near)) return normalize(near);
  return cwd === undefined ? undefined : join(cwd, near);
}

/** Resolves `..`: if `a` is a link, or the working directory is one, `a/../b` starts from the link’s target. */
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

/** Returns the name under which a file is tracked: absolute if known, otherwise without a leading `./`. */
export function fileKey(machine: Machine, path: string): string {
  return absolute(machine, path) ?? path.replace(/^(\.\/)+/, '');
}

/** Returns whether the path is a disk or partition, whose content a write would destroy. */
export function isDisk(path: string): boolean {
  return DISK.test(path);
}

/** Returns whether the path belongs to the operating system. */
export function isSystemPath(path: string): boolean {
  return SYSTEM_PATH.test(path);
}

/** Returns whether a write there loses nothing: `/dev/null` and similar, and temporary files of the command. */
export function isHarmlessTarget(path: string): boolean {
  return HARMLESS_DEVICE.test(path) || path.includes(OWN_TEMP);
}

/**
 * Returns the verdict on any write to `path`, also an appending one; undefined for an ordinary file. The path is
 * relative to the current directory of the command, and its links are resolved.
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

/** Returns the same for an appending write: its target must be known, and no tool may load the file. */
export function adds(machine: Machine, path: string): StaticVerdict {
  machine.changed.add(fileKey(machine, path));
  return makes(machine, path);
}

/** Returns the same for an empty new file or directory. */
export function makes(machine: Machine, path: string): StaticVerdict {
  const special = specialTarget(machine, path);
  if (special) return special;
  if (throughLink(machine, path)) return unknown(MAY_BE_LINK);
  if (machine.files && lookAt(machine, path) === 'absent') remember(machine, path);
  const placed = isAbsolute(path) || machine.scope.near !== undefined || machine.scope.cwd !== undefined;
  return placed && !hasUnknown(path) ? harmless() : unknown('writes to an unknown place');
}

/** Returns the verdict on putting files of these or unknown names into `path`; undefined for an ordinary place. */
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

/** Returns the verdict on changing a file of this program, which no model may do; undefined for any other file. */
export function onOurs(machine: Machine, path: string): StaticVerdict | undefined {
  if (!isOurs(machine, path)) return undefined;
  machine.changesOurs = true;
  return OURS;
}

/**
 * Returns whether the path is one of this program’s own files, or inside its directories. `whole`: or a parent of one.
 */
function isOurs(machine: Machine, path: string, whole = false): boolean {
  const { ours = [], files } = machine;
  const full = ours.length === 0 ? undefined : absolute(machine, path);
  if (full === undefined || !files) return false;
  const isIn = (place: string, directory: string) => place === directory || place.startsWith(`${directory}/`);
  return [full, files.real(full)].some((place) =>
    ours.some((directory) => isIn(place, directory) || (whole && isIn(directory, place))),
  );
}

/** A placeholder for a file of any name. */
const SOME_NAME = 'some file';

/** Returns the places that a path may mean: as written, relative to the start directory, and with links resolved. */
function placesOf(machine: Machine, path: string): readonly string[] {
  const { near } = machine.scope;
  const written = isAbsolute(path) || near === undefined ? normalize(path) : join(near, path);
  const full = absolute(machine, path);
  const { files, root } = machine;
  if (!files || full === undefined || root === undefined) return [written];
  const real = files.real(full);
  const inside = relative(files.real(root), real);
  // Only the path from the start directory counts: the project itself may be anywhere.
  const within = inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside);
  if (!within) return [written, real];
  return isStartFile(real) ? [written, inside, real] : [written, inside];
}

/** A cache of judged places: several judges ask about each place of a command. */
const ASKED = new Map<string, StaticVerdict | undefined>();
const MAX_ASKED = 5000;

/** A new file below a web root: it is no system file unless the server executes it. */
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

/** The known state of a path; `unseen`: it could not be checked, so it may be any file. */
export type Existing = 'empty' | 'file' | 'directory' | 'absent' | 'unseen' | 'unknown';

/** The reason for a write through a name that this command may have made a link. */
export const MAY_BE_LINK = 'writes through what may be a link made just now';

/** Returns whether this command, or an earlier action of the session, created the file as a new one. */
export function isMadeHere(machine: Machine, path: string): boolean {
  const key = fileKey(machine, path);
  if (machine.scope.made.has(key)) return true;
  if (!machine.own?.has(key)) return false;
  machine.usedOwn.add(key);
  return true;
}

/** Returns the state of `path` without changing anything; `unknown` where it can’t be looked up. */
export function lookAt(machine: Machine, path: string): Existing {
  const full = absolute(machine, path);
  if (isMadeHere(machine, path)) return 'empty';
  if (!machine.files || full === undefined) return 'unknown';
  const seen = machine.files.stat(full);
  if (!seen) return 'absent';
  if (seen.kind === 'directory' || seen.kind === 'unseen') return seen.kind;
  return seen.kind === 'file' && seen.size > 0 ? 'file' : 'empty';
}

/** Returns whether the path may lead through a link that the same command made or unpacked. */
export function throughLink(machine: Machine, path: string): boolean {
  return isBehindLink(machine, fileKey(machine, path));
}

function isBehindLink(machine: Machine, key: string): boolean {
  for (const link of machine.scope.links) if (key === link || key.startsWith(`${link}/`)) return true;
  return false;
}

/** Returns whether this path is currently a link. */
export function isLink(machine: Machine, text: string): boolean {
  const path = absolute(machine, text);
  const real = machine.files?.real;
  return path !== undefined && real !== undefined && real(path) !== join(real(dirname(path)), basename(path));
}

/** Records that the command itself made this file. */
export function remember(machine: Machine, path: string): void {
  machine.scope.made.add(fileKey(machine, path));
}

/** Records that the command moves foreign files to `path`. */
export function bringsOthers(machine: Machine, path: string): void {
  const key = fileKey(machine, path);
  machine.scope.made.delete(key);
  machine.scope.brought.add(key);
}

/** Returns whether the same command may move a foreign file to `path`, above it or below it. */
function holdsBrought(path: string, brought: ReadonlySet<string>): boolean {
  const [until = ''] = path.split(/[*?[]/, 1);
  const isBelow = (place: string) => place === path || place.startsWith(until === path ? `${path}/` : until);
  return [...brought].some((place) => hasUnknown(place) || isBelow(place) || path.startsWith(`${place}/`));
}

/** The reason for a write to a target that could not be checked. */
export const MAY_WRITE_OVER = 'may overwrite a file: it could not be checked';

/**
 * Returns the verdict on a write that empties `path` first. Without a working directory it counts as an overwrite;
 * `blind` is the verdict instead for programs that usually make new files.
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

/** Records that foreign files were put at a path, relative to the start directory: some of them may be links. */
export function bringsFiles(machine: Machine, path: string): void {
  const { scope } = machine;
  scope.links.add(fileKey(machine, path));
  if (!isAbsolute(path)) scope.foreign.add(join(scope.near ?? '', path));
}

/** Names of directories that programs create for their output. */
const MADE_DIRECTORY = pattern(String.raw`
    ^(\./)?(dump|backups?|dist|out|outputs?|extracted|unpacked|tmp|temp|coverage|htmlcov|reports?|site|public
    |_build|wheels|wheelhouse|downloads?|vendor|b|build|target|rendered|manifests)(/|$)|^/tmp/[^/]+
  `);

/**
 * Returns the verdict on a directory that receives files with unknown names: it must be empty or new, unless the
 * program `keeps` existing files.
 */
export function fillsDirectory(machine: Machine, path: string, keeps = false): StaticVerdict {
  if (isHarmlessTarget(path)) return harmless();
  const special = specialDirectory(machine, path);
  if (special) return special;
  const fresh = lookAt(machine, path) === 'absent' || machine.scope.made.has(absolute(machine, path) ?? path);
  if (fresh || (MADE_DIRECTORY.test(path) && (keeps || !machine.files))) return harmless();
  return unknown('writes files into a directory that may hold some of the same names');
}

/** Returns a path relative to the start directory; a full path stays, except in directories open to everybody. */
function writtenPlace(near: string | undefined, path: string): string | undefined {
  if (near === undefined || isAbsolute(path)) return undefined;
  return isAbsolute(near) && !/^\/(tmp|var\/tmp|dev\/shm)(\/|$)/.test(near) ? normalize(path) : join(near, path);
}

/**
 * Returns whether a place is inside the start directory, so that its files count as the project’s own. Files that the
 * same command fetched do not.
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

/** Returns the verdict on code of the project at this place that runs without being read. */
export function runsProject(machine: Machine, path = '.'): StaticVerdict {
  machine.runsProject = true;
  return machine.own?.isNew?.(absolute(machine, path) ?? path)
    ? unknown('runs code of a project you have not run before', { runsFiles: true })
    : harmless();
}

/**
 * Is this a Python environment of the project, by one of the names below which no write is harmless? It must be the
 * user's, or made by this very command. Activating it, or calling a program in it, runs the project's code.
 */
export function isOwnEnvironment(machine: Machine, root: string): boolean {
  const place = fileKey(machine, root);
  const marker = join(place, 'pyvenv.cfg');
  if (!ENVIRONMENT.test(place) || !(machine.written.has(marker) || machine.files?.stat(marker))) return false;
  const named = [...(machine.own ?? []), ...machine.written.keys(), ...machine.changed, ...machine.scope.made];
  if (machine.own?.has(place) || named.some((path) => path.startsWith(join(place, 'bin/')))) return false;
  return isOwnProject(machine, root) && !throughLink(machine, root);
}

/** Names of directories into which Python environments are made. */
export const ENVIRONMENT = /(^|\/)\.?(virtual|v)?env$/;

const HOME = /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)(?:\/|$)/;

/** Matches hidden names that tell no tool what to run; any other hidden name may. */
const PLAIN_HIDDEN = pattern(
  String.raw`
    ^\.(|\.|[\w-]*ignore|gitkeep|keep|nojekyll|mailmap|cache|tmp|temp|trash|ds_store|done|placeholder
    |env\.(example|sample|template|dist)|pytest_cache|mypy_cache|ruff_cache|next|nuxt|output|turbo|parcel-cache
    |nyc_output|coverage|ipynb_checkpoints|hypothesis)$
  `,
  'i',
);

/** Returns whether this is somebody’s home directory. */
function isHome(path: string): boolean {
  return /^(~|\/root|\/home\/[^/]+|\/Users\/[^/]+|\$HOME)\/?$/.test(path);
}

/** Returns whether the user’s shell, login or another tool runs this file later. */
function isStartFile(path: string): boolean {
  const home = HOME.exec(path)?.[0];
  return isOwnStart(path) || (home !== undefined && isHomeStart(path.slice(home.length)));
}

/** Returns whether a part of the path begins with a dot, as configuration of tools does. */
function isHidden(path: string): boolean {
  return hasHiddenName(path) && path.split('/').some((name) => name.startsWith('.') && !PLAIN_HIDDEN.test(name));
}

/** Returns whether Python would import this file instead of a standard module. */
function shadowsModule(path: string): boolean {
  const name = path.endsWith('.py') ? /(?:^|\/)(\w+)\.py$/.exec(path)?.[1] : undefined;
  return name !== undefined && STANDARD_MODULES.has(name);
}

/**
 * Returns the verdict on writing to a file that decides what runs later; undefined for any other. A hidden file counts
 * as such unless it is known to be harmless, since each tool has its own files.
 */
function controlFile(path: string): StaticVerdict | undefined {
  const tidy = path.replace(/\/\.?\//g, '/').replace(/^\.\//, '');
  if (isStartFile(tidy)) return destructive('write to start file', 'changes what your own shell and tools run later');
  return isHidden(tidy) || runsLater(tidy) !== undefined || isProjectControl(tidy) || shadowsModule(tidy)
    ? unknown('writes a file that decides what tools run')
    : undefined;
}

// Decides whether a command touches only files and processes that it made itself, and which signal a kill sends.

/** Returns whether a call deletes only files that this command or an earlier action of the session made. */
export function deletesOnlyOwn({ operands, machine }: CallFacts): boolean {
  return operands.length > 0 && operands.every(({ text }) => text.includes(OWN_TEMP) || isOwnTree(machine, text));
}

/** Returns whether the session made everything that a path names, and everything below it. */
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

/** Returns whether `kill` names only processes that the same command or a job of the session started. */
export function endsOnlyOwn({ operands, machine }: CallFacts): boolean {
  const isOwn = (text: string) => {
    if (text === OWN_PROCESS) return true;
    if (!/^\d{1,9}$/.test(text) || machine.own?.runs?.(Number(text)) !== true) return false;
    machine.usedOwn.add(text);
    return true;
  };
  return operands.length > 0 && operands.every(({ text }) => isOwn(text));
}

/** Returns the signal that a call sends, by name or number; empty if none is named. */
export const signalOf = (call: CallFacts): string => {
  const given = call.value('-s', '--signal');
  const end = call.args.findIndex((field) => field.text === '--');
  const found = (end < 0 ? call.args : call.args.slice(0, end))
    .find((field) => /^-(\d+|[A-Z]+\d?)$/.test(field.text) && !/^-[lLn]$/.test(field.text))
    ?.text.slice(1);
  return (given ?? found ?? '').replace(/^SIG/, '').toUpperCase();
};

/** Returns whether the process can’t ignore the signal. */
export const isKill = (signal: string) => signal === '9' || signal === 'KILL';

/** Returns whether the signal ends nothing: 0 only tests, and CONT, WINCH and CHLD are harmless. */
export const isQuiet = (call: CallFacts) =>
  /^(0|CONT|WINCH|CHLD|URG|INFO|18|28|USR1|USR2|10|12|HUP|1)$/.test(signalOf(call)) ||
  call.has('-l', '--list', '-L', '--table');
