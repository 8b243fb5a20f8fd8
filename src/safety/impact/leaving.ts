/** Lists the data that would leave the machine: commits ahead of the remote, files with their sizes (AC-8). */
import { isCredential } from '../../knowledge/credential-files.ts';
import type { Leaving } from '../../session/action.ts';
import { bytesText } from '../../text/spelled.ts';
import { remoteOf } from '../programs/leaving.ts';
import type { Sending } from '../verdict.ts';
import { count, countText, shown } from './files.ts';
import { type GitReader, gitReader, type Wrap } from './git.ts';

/** The longest time for each lookup, in ms. */
const LOOK_MS = 1000;
const MAX_SENDINGS = 8;
const MAX_SUBJECTS = 3;
const MAX_FILES = 5;

/** Returns the sent data by receiver. Unknown parts are missing; never rejects. */
export async function leavingOf(sendings: readonly Sending[], cwd: string, wrap?: Wrap): Promise<readonly Leaving[]> {
  const git = gitReader(wrap);
  const found = await Promise.all(
    sendings.slice(0, MAX_SENDINGS).map((sending) => described(sending, cwd, git).catch(() => [plain(sending)])),
  );
  const merged = new Map<string, Leaving>();
  for (const { to, what, connects, keys } of found.flat()) {
    const known = merged.get(to);
    const all = { to, what: [...(known?.what ?? []), ...what], connects: [...(known?.connects ?? []), ...connects] };
    const secret = [...(known?.keys ?? []), ...(keys ?? [])];
    merged.set(to, secret.length > 0 ? { ...all, keys: secret } : all);
  }
  return [...merged.values()];
}

function plain({ to, what, connects = [] }: Sending): Leaving {
  return { to: to || 'the remote of this repository', what, connects };
}

async function described(sending: Sending, cwd: string, git: GitReader): Promise<readonly Leaving[]> {
  if (sending.forge !== undefined) return [await toForge(sending, sending.forge, git)];
  if (sending.git) return pushed(sending, git);
  const files = await Promise.all(sending.files.slice(0, MAX_FILES).map((path) => sizeOf(path, cwd)));
  const more = sending.files.length > MAX_FILES ? [`and ${sending.files.length - MAX_FILES} more`] : [];
  const { what, ...rest } = plain(sending);
  return [{ ...rest, what: [...what, ...files.flatMap((line) => line ?? []), ...more] }];
}

async function sizeOf(path: string, cwd: string): Promise<string | undefined> {
  const end = performance.now() + LOOK_MS;
  const total = await count([path], () => performance.now() > end);
  const size = total.files === 0 ? undefined : countText(total, LOOK_MS);
  return size === undefined ? undefined : `${shown(path, cwd)}: ${size}`;
}

/** Lists a pull request or a release, which goes to the repository of the remote. */
async function toForge(sending: Sending, forge: string, git: GitReader): Promise<Leaving> {
  const { what } = plain(sending);
  const directory = sending.git?.directory;
  const url =
    sending.to === '' && directory !== undefined ? await git(directory, ['remote', 'get-url', 'origin'], LOOK_MS) : '';
  const to = sending.to === '' ? (remoteOf(url?.trim() ?? '')?.to ?? forge) : `${forge}/${sending.to}`;
  const [host = forge] = to.split('/');
  return { to, what, connects: [`${host}:443`, `api.${host}:443`] };
}

/** Returns the commits that the remote lacks, as far as this machine knows. */
async function pushed(sending: Sending, git: GitReader): Promise<readonly Leaving[]> {
  const { directory, refs = [] } = sending.git ?? {};
  if (directory === undefined) return [plain(sending)];
  const read = async (...args: readonly string[]) => (await git(directory, args, LOOK_MS))?.trim() ?? '';
  const branch = await read('rev-parse', '--abbrev-ref', 'HEAD');
  const name = sending.to === '' ? await defaultRemote(read, branch) : sending.to;
  const urls = await read('remote', 'get-url', '--push', '--all', name);
  const addresses = urls === '' ? [(await read('ls-remote', '--get-url', name)) || name] : urls.split('\n');
  const receivers = addresses.flatMap((address) => remoteOf(address) ?? []);
  if (receivers.length === 0) return urls === '' && !/[/.:]/.test(name) ? [{ ...plain(sending), to: name }] : [];
  const ahead = await commitsAhead(read, urls === '' ? undefined : name, refs, branch);
  // Files that the command itself adds are sent as well.
  const added = sending.git?.adds ? lines(await read('ls-files', '--others', '--exclude-standard')) : [];
  const keys = [...new Set([...ahead.files, ...added])].filter(isCredential);
  const more = sending.git?.commits ? ['and what this command commits before it pushes'] : [];
  const what = [...ahead.what, ...more];
  return receivers.map(({ to, connects = [] }) => ({ to, what, connects, ...(keys.length > 0 ? { keys } : {}) }));
}

type Read = (...args: readonly string[]) => Promise<string>;

async function defaultRemote(read: Read, branch: string): Promise<string> {
  for (const key of [`branch.${branch}.pushRemote`, 'remote.pushDefault', `branch.${branch}.remote`]) {
    const set = await read('config', '--get', key);
    if (set !== '') return set;
  }
  return 'origin';
}

async function commitsAhead(
  read: Read,
  remote: string | undefined,
  refs: readonly string[],
  branch: string,
): Promise<{ readonly what: readonly string[]; readonly files: ReadonlySet<string> }> {
  const named = refs.filter((ref) => !ref.startsWith('--'));
  const sources = named.map((ref) => /^\+?([^:]*)/.exec(ref)?.[1] || 'HEAD');
  const from = refs.length === 0 ? ['HEAD'] : [...refs.filter((ref) => ref.startsWith('--')), ...sources];
  const range = [...from, '--not', remote === undefined ? '--remotes' : `--remotes=${remote}`];
  const log = await read('log', '--format=%x00%h %s', '--name-only', '-n', '500', ...range, '--');
  const commits = log.split('\0').slice(1);
  const files = new Set(commits.flatMap((commit) => lines(commit).slice(1)));
  const bytes = Number(await read('rev-list', '--disk-usage', '--objects', ...range));
  const targets = named.map((ref) => /:(.+)$/.exec(ref)?.[1] ?? ref.replace(/^\+/, ''));
  const where = refs.length === 0 ? branch : [...refs.filter((ref) => ref.startsWith('--')), ...targets].join(', ');
  const size = Number.isFinite(bytes) && bytes > 0 ? `, ${bytesText(bytes)}` : '';
  const counted = `${commits.length} commit${commits.length === 1 ? '' : 's'} to ${where}`;
  const what = [
    `${counted}, ${files.size} file${files.size === 1 ? '' : 's'}${size}`,
    ...commits.slice(0, MAX_SUBJECTS).map((commit) => commit.split('\n')[0] ?? ''),
    ...(commits.length > MAX_SUBJECTS ? [`and ${commits.length - MAX_SUBJECTS} more`] : []),
  ];
  return { what, files };
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
