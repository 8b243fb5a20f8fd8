/**
 * The sandbox launcher on a host. With the user's consent it is sent to a directory that only this user and root can
 * change. Its name contains its hash, which is checked before every use; a different file is never run.
 */
import { randomBytes } from 'node:crypto';
import type { Confinement } from '../../contracts/commands.ts';
import { shellQuote } from '../../text/shell.ts';
import type { Behind } from './commands.ts';
import type { Connection } from './connection.ts';
import { isRemotePath } from './facts.ts';
import type { AskHost } from './files.ts';
import type { Answer } from './helper.ts';

/** A local copy of the launcher for the architecture of a host. */
export type LauncherProgram = { readonly bytes: Buffer; readonly hash: string };

export type LauncherKit = {
  /**
   * Returns the launcher for a kind of machine.
   * @param arch `x64` or `arm64`; undefined: no launcher exists for it
   */
  program(arch: string): LauncherProgram | undefined;
  /** Parses the output of the launcher's self-test: returns why the sandbox does not work; undefined if it works. */
  whyOpen(selfTest: string): string | undefined;
  /** Returns the arguments that run `argv` in Restricted on the host. */
  restricted(launch: Launch): readonly string[];
  /** Returns the arguments that run `argv` in Unrestricted on the host, with its changes recorded. */
  kept(launch: Launch & { readonly keep: RemoteKeep }): readonly string[];
  /**
   * Returns the arguments that run `argv` in Project on the host, in the tree of `keep`; without `keep` nothing is
   * recorded.
   */
  project(launch: Launch & { readonly project: string; readonly keep?: RemoteKeep }): readonly string[];
  /** Returns the arguments that run `argv` in a trial on the host. */
  trial(launch: Launch & RemoteTrial): readonly string[];
};

/** Parameters for recording old states on a host. Sizes in bytes. */
export type RemoteKeep = {
  readonly directory: string;
  readonly tree: string;
  readonly budgetBytes: number;
  readonly fileBytes: number;
  readonly credentials: boolean;
};

/** Parameters for a trial on a host. Sizes in bytes. */
export type RemoteTrial = {
  readonly store: string;
  readonly trees: readonly string[];
  readonly spaceBytes: number;
  /** Set for the limits of Project mode. */
  readonly asProject?: true | undefined;
};

type Launch = {
  readonly launcher: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly statusFile: string;
  readonly tmpDir: string;
};

/** A launcher installed on a host. */
export type PlacedLauncher = {
  /** The private directory of the launcher, which also contains its stores. */
  readonly directory: string;
  readonly path: string;
  readonly hash: string;
  /** The host's program that computes hashes, with its arguments. */
  readonly hasher: string;
};

/** The exit code of code that found a different launcher than the launcher we sent. */
const NOT_THE_LAUNCHER = 77;

/** Bytes per question to the helper, for slow lines. */
const CHUNK_BYTES = 8192;
const ARCHITECTURES: Readonly<Record<string, string>> = {
  'Linux x86_64': 'x64',
  'Linux amd64': 'x64',
  'Linux aarch64': 'arm64',
  'Linux arm64': 'arm64',
};

/**
 * `safe` checks that only root and this user can replace a directory: every directory on the path belongs to them,
 * and others may write only to sticky ones. Checks the real path.
 */
const SAFE = `unset IFS; set -f; umask 077; me=$(id -u)
safe() {
  p=$1
  while :; do
    set -- $(ls -ldn -- "$p/.")
    case $1 in d*) ;; *) return 1 ;; esac
    case $3 in 0|"$me") ;; *) return 1 ;; esac
    case $1 in ?????w*|????????w*) case $1 in ?????????[tT]*) ;; *) return 1 ;; esac ;; esac
    [ -n "$p" ] || return 0
    p=\${p%/*}
  done
}
own() {
  [ ! -h "$1" ] && cd -P -- "$1" && d=$(pwd -P) || return 1
  set -- $(ls -ldn .)
  case $1.$3 in drwx------*."$me") safe "$d" ;; *) return 1 ;; esac
}`;

const NAME = 'aish-tui-host';
/** As many as there are places. */
const MAX_LEFT = 4;
/** The candidate directories in order: recorded changes should outlive the session. */
const PLACES = '"$HOME/.cache" /var/tmp "$XDG_RUNTIME_DIR" /tmp';

/** Finds the directory, or creates it where programs can run; prints it, the architecture and the hash program. */
const FIND = `(${SAFE}
for b in ${PLACES}; do
  [ -n "$b" ] || continue
  mkdir -p "$b"; mkdir -m 700 "$b/${NAME}-$me"
  own "$b/${NAME}-$me" || continue
  t=$(mktemp "$d/run-XXXXXXXX") || continue
  printf '#!/bin/sh\\nexit 7\\n' >"$t"; chmod 500 "$t"; "$t"; r=$?; rm -f "$t"
  [ $r = 7 ] && break
done
[ "$r" = 7 ] || exit 1
for h in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do command -v \${h%% *} >/dev/null && break; h=; done
printf '%s\\0' "$d" "$(uname -sm)" "$h")`;

/** Sends the launcher if the host does not have it yet. Resolves to a line with the reason on failure. */
async function placeLauncher(
  ask: AskHost,
  host: string,
  kit: LauncherKit,
): Promise<PlacedLauncher | { readonly why: string }> {
  const found = await ask(FIND);
  if (found?.exit !== 0) return { why: `no directory on ${host} is private and lets programs run` };
  const [directory = '', system = '', hasher = ''] = found.text.split('\0');
  if (!/^\/[\w./@+ -]+$/.test(directory)) return { why: `no directory on ${host} can be used` };
  if (!/^(?:sha256sum|shasum -a 256|openssl dgst -sha256 -r)$/.test(hasher))
    return { why: `no program on ${host} can compute a file’s hash (sha256sum, shasum, openssl)` };
  const arch = ARCHITECTURES[system];
  const program = arch === undefined ? undefined : kit.program(arch);
  if (!program) return { why: `there is no launcher for ${system.replace(/[^\w ]/g, '').slice(0, 40)}` };
  const placed = { directory, path: `${directory}/launcher-${program.hash.slice(0, 16)}`, hash: program.hash, hasher };
  if ((await ask(`(${isLauncher(placed)})`))?.exit === 0) return placed;
  return (await send(ask, placed, program.bytes))
    ? placed
    : { why: `the launcher could not be sent to ${host}, or does not run there` };
}

/**
 * Writes the launcher in small pieces, compares the hash, starts it once, and only then renames it to its final name.
 */
async function send(ask: AskHost, placed: PlacedLauncher, bytes: Buffer): Promise<boolean> {
  const fresh = { ...placed, path: `${placed.directory}/new-${randomBytes(8).toString('hex')}` };
  const file = shellQuote(fresh.path);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const octal = [...bytes.subarray(at, at + CHUNK_BYTES)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
    if ((await ask(`(umask 077; printf '${octal.join('')}' >>${file})`))?.exit !== 0) return false;
  }
  const name = shellQuote(placed.path);
  const use = `${isLauncher(fresh)} && chmod 500 ${file} && ${file} --help >/dev/null && rm -rf ${name} && mv -f ${file} ${name}`;
  const done = await ask(`(${use} || { rm -f ${file}; exit 1; })`);
  return done?.exit === 0;
}

/** Returns a shell condition: the host's file is identical to the launcher we sent. */
function isLauncher({ path, hash, hasher }: PlacedLauncher): string {
  const file = shellQuote(path);
  return `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(${hasher} <${file} | cut -c 1-64)" = ${hash} ]`;
}

/** Returns a line that says why the sandbox does not work on the host; undefined if it works. */
async function tryLauncher(ask: AskHost, host: string, placed: PlacedLauncher, kit: LauncherKit) {
  const launcher = shellQuote(placed.path);
  const answer = await ask(`(${isLauncher(placed)} || exit ${NOT_THE_LAUNCHER}
umask 077; t=$(mktemp -d ${shellQuote(placed.directory)}/test-XXXXXXXX) || exit 1
mkdir "$t/tmp" "$t/target" "$t/target/dir"; echo 'must stay' >"$t/target/file"
TMPDIR=$t/tmp ${launcher} --tmp "$t/tmp" --status "$t/status" --limit wall=4 -- ${launcher} --selftest "$t/target"
tail -n 1 "$t/status"; rm -rf "$t")`);
  if (answer?.exit === NOT_THE_LAUNCHER) return `the launcher on ${host} is not the one that was sent`;
  const lines = answer?.text.trimEnd().split('\n') ?? [];
  const status = lines.pop() ?? '';
  if (!status.startsWith('exit 0 ')) return `the sandbox does not work on ${host}: ${clean(status)}`;
  const why = kit.whyOpen(lines.join('\n'));
  return why === undefined ? undefined : `${clean(why)} (${host})`;
}

function clean(text: string): string {
  return (text === '' ? 'it did not say why' : text).replace(/[\u0000-\u001f\u007f-\u009f]/g, '�').slice(0, 200);
}

/** Returns code that reports our files on a host and their sizes, without removing anything. */
export function measureCode(): string {
  return `(${SAFE}
for b in ${PLACES}; do
  [ -n "$b" ] && own "$b/${NAME}-$me" || continue
  n=$(ls "$d/undo" | grep -c '^[0-9]') ; k=$(du -skx "$d" | cut -f 1)
  printf '%s\\0%s\\0%s\\0' "$d" "$n" "$k"
done)`;
}

/** A directory that may be removed on the user's request: exactly our kind of name, without `..`. */
function isOurs(directory: string): boolean {
  return isRemotePath(directory) && new RegExp(`^${NAME}-\\d+$`).test(directory.slice(directory.lastIndexOf('/') + 1));
}

function numberTold(text = ''): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : 0;
}

/** Our data in one directory of a host. */
export type HostLeftovers = { readonly directory: string; readonly actions: number; readonly bytes: number };

export function readMeasured(text: string): readonly HostLeftovers[] {
  const fields = text.split('\0');
  const left: HostLeftovers[] = [];
  for (let at = 0; at + 2 < fields.length && left.length < MAX_LEFT; at += 3) {
    const [directory = '', actions, kilobytes] = fields.slice(at, at + 3);
    if (!/^\/[\w./@+ -]+$/.test(directory) || !isOurs(directory)) continue;
    left.push({ directory, actions: numberTold(actions), bytes: numberTold(kilobytes) * 1024 });
  }
  return left;
}

// Tests what the launcher can enforce on a host, and wraps commands in it.

/** The write limit of a probe. */
const PROBE_BYTES = 1_000_000;

export class RemoteSandbox {
  readonly placed: PlacedLauncher;
  readonly #connection: Connection;
  readonly #kit: LauncherKit;
  #open: string | undefined;
  #noProject: string | undefined;

  private constructor(connection: Connection, placed: PlacedLauncher, kit: LauncherKit) {
    this.#connection = connection;
    this.placed = placed;
    this.#kit = kit;
  }

  /** Sends the launcher if necessary and tests it. Never rejects. */
  static async open(connection: Connection, kit: LauncherKit): Promise<RemoteSandbox | { readonly why: string }> {
    const ask = (code: string) => connection.ask(code);
    const placed = await placeLauncher(ask, connection.host, kit);
    if ('why' in placed) return placed;
    const sandbox = new RemoteSandbox(connection, placed, kit);
    sandbox.#open = await tryLauncher(ask, connection.host, placed, kit);
    sandbox.#noProject = sandbox.#open ?? (await sandbox.#whyNoProject());
    return sandbox;
  }

  /** Returns why commands of this mode can't run on the host. */
  lacks(mode: Confinement): string | undefined {
    if (mode === 'project') return this.#noProject;
    return mode === 'restricted' ? this.#open : undefined;
  }

  /** Returns the wrapper of a command in Restricted. */
  restricted(directory: string): Behind {
    return this.#behind('bare', (argv, { tmp, status }) =>
      this.#kit.restricted({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status }),
    );
  }

  /** Returns how a command is started in Unrestricted on the host, with its changes recorded. */
  kept(directory: string, keep: RemoteKeep): Behind {
    return this.#behind('whole', (argv, { tmp, status }) =>
      this.#kit.kept({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status, keep }),
    );
  }

  /** Returns how a command is started in Project on the host, in the tree of `keep`. */
  project(directory: string, keep: RemoteKeep): Behind {
    const wrap: Behind['wrap'] = (argv, { tmp, status }) =>
      this.#kit.project({
        ...this.#launch(argv, directory),
        ...{ tmpDir: tmp, statusFile: status, project: keep.tree, keep },
      });
    return { ...this.#behind('bare', wrap), apart: true };
  }

  /**
   * Returns how a command is started in a trial on the host; the launcher's final report is then in the trial's store.
   */
  trial(directory: string, trial: RemoteTrial): Behind {
    const wrap: Behind['wrap'] = (argv, { tmp, status }) =>
      this.#kit.trial({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status, ...trial });
    const told = finalReportIn(trial.store);
    return trial.asProject
      ? { ...this.#behind('bare', wrap), apart: true, told }
      : { ...this.#behind('tmp', wrap), told };
  }

  /** Returns the launcher's final report on a trial's command; undefined if there is none, or no answer. */
  async told({ store }: Pick<RemoteTrial, 'store'>): Promise<string | undefined> {
    const answer = await this.ask(`head -c 300 ${shellQuote(finalReportIn(store))}`);
    return answer?.exit === 0 ? answer.text.trim() : undefined;
  }

  ask(code: string): Promise<Answer | undefined> {
    return this.#connection.ask(code);
  }

  /**
   * Runs the launcher itself on the host. Never rejects.
   * @param isShort the work is too short for a session of its own
   */
  async launch(args: readonly string[], isShort = false): Promise<Worked> {
    const mark = randomBytes(16).toString('hex');
    const said = shellQuote(`${this.placed.directory}/said-${mark}`);
    const work = [this.placed.path, ...args].map(shellQuote).join(' ');
    const code = `(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}; umask 077; AISH_HOLDER=$PPID ${work} 2>${said}; c=$?; printf %s ${mark}; head -c 2000 ${said}; rm -f ${said}; exit $c)`;
    const answer = await (isShort ? this.ask(code) : this.#connection.work(code));
    const { host } = this.#connection;
    if (!answer) return { code: 126, output: '', error: `${host} does not answer`, lost: true };
    if (answer.exit === NOT_THE_LAUNCHER)
      return { code: 126, output: '', error: `the launcher on ${host} is not the one that was sent`, replaced: true };
    const [output = '', error = ''] = answer.text.split(mark);
    return { code: answer.exit, output, error: error.trim() };
  }

  /**
   * Tests recording: creates a file under supervision and looks for it in the journal. Returns a line with the reason
   * on failure.
   */
  async whyNothingKept(): Promise<string | undefined> {
    const { host } = this.#connection;
    const launcher = shellQuote(this.placed.path);
    const answer = await this.ask(`(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}
umask 077; t=$(mktemp -d ${shellQuote(this.placed.directory)}/probe-XXXXXXXX) && mkdir -p "$t/store/1" || exit 1
${launcher} --supervise --keep "$t/store/1" -- /bin/sh -c ': > "$0"' "$t/file" 2>"$t/said"
${launcher} --undo "$t/store/1" | tr '\\000' '\\n' | grep -qx created && [ -f "$t/file" ]; c=$?
[ $c = 0 ] || head -c 200 "$t/said"
rm -rf "$t"; exit $c)`);
    if (answer?.exit === 0) return undefined;
    return `nothing is kept on ${host}: ${plain(answer?.text ?? '') || 'its kernel does not let a launcher supervise'}`;
  }

  /** Tests a trial: the created file must be in the list, and not in the tree. */
  async whyNothingTried(): Promise<string | undefined> {
    const { host } = this.#connection;
    const launcher = shellQuote(this.placed.path);
    const probe = `${this.placed.directory}/probe-${randomBytes(8).toString('hex')}`;
    const [store, tree] = [`${probe}/stores/1`, `${probe}/tree`];
    const [at, made] = [shellQuote(probe), shellQuote(`${tree}/made`)];
    const words = this.#kit.trial({
      ...this.#launch(['/bin/sh', '-c', ': >made'], tree),
      ...{ tmpDir: `${probe}/tmp`, statusFile: `${probe}/status`, store, trees: [tree], spaceBytes: PROBE_BYTES },
    });
    const answer = await this.ask(`(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}
umask 077; mkdir -p ${at} ${at}/tmp ${shellQuote(store)} ${shellQuote(tree)} || exit 1
${words.map(shellQuote).join(' ')} 2>${at}/said
${launcher} --changes ${shellQuote(store)} --tree ${shellQuote(tree)} 2>>${at}/said | tr '\\000' '\\n' | grep -qxF ${made} && [ ! -e ${made} ]; c=$?
[ $c = 0 ] || head -c 200 ${at}/said
chmod -R u+rwx ${at}; rm -rf ${at}; exit $c)`);
    if (answer?.exit === 0) return undefined;
    return `nothing can be tried on ${host}${NEEDS}${launcherMessage(answer)}`;
  }

  /**
   * Returns why Project does not work; tested by creating a file in the tree, which must work, and one beside it, which
   * must fail.
   */
  async #whyNoProject(): Promise<string | undefined> {
    const { host } = this.#connection;
    const probe = `${this.placed.directory}/probe-${randomBytes(8).toString('hex')}`;
    const [at, tree] = [shellQuote(probe), `${probe}/tree`];
    const argv = ['/bin/sh', '-c', ': >made; (: >../beside) 2>/dev/null; exit 0'];
    const files = { tmpDir: `${probe}/tmp`, statusFile: `${probe}/status` };
    const words = this.#kit.project({ ...this.#launch(argv, tree), ...files, project: tree });
    const answer = await this.ask(`(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}
umask 077; mkdir -p ${at}/tmp ${at}/tree || exit 1
${words.map(shellQuote).join(' ')} 2>${at}/said
[ -f ${at}/tree/made ] && [ ! -e ${at}/beside ]; c=$?
[ $c = 0 ] || head -c 200 ${at}/said
rm -rf ${at}; exit $c)`);
    return answer?.exit === 0 ? undefined : `Project mode does not hold on ${host}${NEEDS}${launcherMessage(answer)}`;
  }

  #launch(argv: readonly string[], cwd: string) {
    return { launcher: this.placed.path, argv, cwd };
  }

  #behind(environment: Behind['environment'], wrap: Behind['wrap']): Behind {
    return { guard: isLauncher(this.placed), environment, wrap };
  }
}

/** The result of the launcher’s work. Code 126: nothing was done. `lost`: unknown. */
type Worked = {
  readonly code: number;
  readonly output: string;
  readonly error: string;
  readonly lost?: true;
  /** Another program is in its place, and was not run. */
  readonly replaced?: true;
};

function finalReportIn(store: string): string {
  return `${store}/told`;
}

const NEEDS = ': that needs Linux 5.12 with overlays and user namespaces for everybody';

/** Returns the message of the host's launcher, in brackets. */
function launcherMessage(answer: Answer | undefined): string {
  const why = plain((answer?.text ?? '').slice(0, 300)).replace(FRAME, '');
  return why === '' ? '' : ` (${why})`;
}

const FRAME = /^aish-sandbox: set-up failed at |; the command was not run$/g;

function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
