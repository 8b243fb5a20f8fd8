/** What the launcher holds on a host, found by trying it there, and how commands are put behind it. */
import { randomBytes } from 'node:crypto';
import type { Confinement } from '../../contracts/commands.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import type { Behind } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Answer } from './helper.ts';
import {
  isLauncher,
  type KeepThere,
  type LauncherKit,
  NOT_THE_LAUNCHER,
  type PlacedLauncher,
  placeLauncher,
  type TrialThere,
  tryLauncher,
} from './launcher.ts';

/** That a trial may write which is only a probe. */
const PROBE_BYTES = 1_000_000;

export class SandboxThere {
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

  /** Sends the launcher where it does not lie there yet, and tries it. Never rejects. */
  static async open(connection: Connection, kit: LauncherKit): Promise<SandboxThere | { readonly why: string }> {
    const ask = (code: string) => connection.ask(code);
    const placed = await placeLauncher(ask, connection.host, kit);
    if ('why' in placed) return placed;
    const sandbox = new SandboxThere(connection, placed, kit);
    sandbox.#open = await tryLauncher(ask, connection.host, placed, kit);
    sandbox.#noProject = sandbox.#open ?? (await sandbox.#whyNoProject());
    return sandbox;
  }

  /** Why no command of this mode can run there. */
  lacks(mode: Confinement): string | undefined {
    if (mode === 'project') return this.#noProject;
    return mode === 'restricted' ? this.#open : undefined;
  }

  /** What a command in Restricted is put behind. */
  restricted(directory: string): Behind {
    return this.#behind('bare', (argv, { tmp, status }) =>
      this.#kit.restricted({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status }),
    );
  }

  /** The same for one in Unrestricted, what it changes kept. */
  kept(directory: string, keep: KeepThere): Behind {
    return this.#behind('whole', (argv, { tmp, status }) =>
      this.#kit.kept({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status, keep }),
    );
  }

  /** The same for one in Project, whose tree is that of `keep`. */
  project(directory: string, keep: KeepThere): Behind {
    const wrap: Behind['wrap'] = (argv, { tmp, status }) =>
      this.#kit.project({
        ...this.#launch(argv, directory),
        ...{ tmpDir: tmp, statusFile: status, project: keep.tree, keep },
      });
    return { ...this.#behind('bare', wrap), apart: true };
  }

  /** The same for one in a trial; the launcher's last word lies in its store then. */
  trial(directory: string, trial: TrialThere): Behind {
    const wrap: Behind['wrap'] = (argv, { tmp, status }) =>
      this.#kit.trial({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status, ...trial });
    return { ...this.#behind('tmp', wrap), told: toldIn(trial.store) };
  }

  /** The launcher's last word on the command of a trial; undefined: there is none, or no answer. */
  async told({ store }: Pick<TrialThere, 'store'>): Promise<string | undefined> {
    const answer = await this.ask(`head -c 300 ${shellQuote(toldIn(store))}`);
    return answer?.exit === 0 ? answer.text.trim() : undefined;
  }

  ask(code: string): Promise<Answer | undefined> {
    return this.#connection.ask(code);
  }

  /** The same for what may take its time. Never rejects. */
  work(code: string): Promise<Answer | undefined> {
    return this.#connection.work(code);
  }

  /**
   * The launcher's own work there, which may take its time. Never rejects.
   * @param around code before it, without whose success nothing is done; and behind it, where `$c` is its exit code
   */
  async launch(
    args: readonly string[],
    { before, after }: { readonly before: string; readonly after: string } = { before: ':', after: ':' },
  ): Promise<Worked> {
    const mark = randomBytes(16).toString('hex');
    const said = shellQuote(`${this.placed.directory}/said-${mark}`);
    const work = [this.placed.path, ...args].map(shellQuote).join(' ');
    const answer = await this.#connection.work(
      `(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}; umask 077; { ${before}; } || exit 126; ${work} 2>${said}; c=$?; ${after}; printf %s ${mark}; head -c 2000 ${said}; rm -f ${said}; exit $c)`,
    );
    const { host } = this.#connection;
    if (!answer) return { code: 126, output: '', error: `${host} does not answer`, lost: true };
    if (answer.exit === NOT_THE_LAUNCHER)
      return { code: 126, output: '', error: `the launcher on ${host} is not the one that was sent` };
    const [output = '', error = ''] = answer.text.split(mark);
    return { code: answer.exit, output, error: error.trim() };
  }

  /** Found by trying: a file is made under supervision, and its making is found in the journal. Why not, in a line. */
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

  /** The same for a trial: a file that its command makes is in the list, and not in the tree. */
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
    return `nothing can be tried on ${host}${NEEDS}${saidBy(answer)}`;
  }

  /** The same for Project: a file can be made in the tree, and none beside it. */
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
    return answer?.exit === 0 ? undefined : `Project mode does not hold on ${host}${NEEDS}${saidBy(answer)}`;
  }

  #launch(argv: readonly string[], cwd: string) {
    return { launcher: this.placed.path, argv, cwd };
  }

  #behind(environment: Behind['environment'], wrap: Behind['wrap']): Behind {
    return { guard: isLauncher(this.placed), environment, wrap };
  }
}

/** Code 126: nothing was done; but where it is `lost`, nobody knows. */
export type Worked = {
  readonly code: number;
  readonly output: string;
  readonly error: string;
  readonly lost?: true;
};

function toldIn(store: string): string {
  return `${store}/told`;
}

const NEEDS = ': that needs Linux 5.12 with overlays and user namespaces for everybody';

/** What the launcher said of it there, in brackets. */
function saidBy(answer: Answer | undefined): string {
  const why = plain((answer?.text ?? '').slice(0, 300)).replace(FRAME, '');
  return why === '' ? '' : ` (${why})`;
}

const FRAME = /^aish-sandbox: set-up failed at |; the command was not run$/g;

function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
