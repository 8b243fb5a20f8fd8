/** What the launcher holds on a host, found by trying it there, and how commands are put behind it. */
import { randomBytes } from 'node:crypto';
import type { Confinement } from '../contracts/commands.ts';
import { shellQuote } from '../text/shell-quote.ts';
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
  tryLauncher,
} from './launcher.ts';

export class SandboxThere {
  readonly placed: PlacedLauncher;
  readonly #connection: Connection;
  readonly #kit: LauncherKit;
  readonly #open: string | undefined;

  private constructor(connection: Connection, placed: PlacedLauncher, kit: LauncherKit, open: string | undefined) {
    this.#connection = connection;
    this.placed = placed;
    this.#kit = kit;
    this.#open = open;
  }

  /** Sends the launcher where it does not lie there yet, and tries it. Never rejects. */
  static async open(connection: Connection, kit: LauncherKit): Promise<SandboxThere | { readonly why: string }> {
    const ask = (code: string) => connection.ask(code);
    const placed = await placeLauncher(ask, connection.host, kit);
    if ('why' in placed) return placed;
    return new SandboxThere(connection, placed, kit, await tryLauncher(ask, connection.host, placed, kit));
  }

  /** Why no command of this mode can run there. */
  lacks(mode: Confinement): string | undefined {
    if (mode === 'project') return 'Project mode is for this machine only';
    return mode === 'restricted' ? this.#open : undefined;
  }

  /** What a command in Restricted is put behind. */
  restricted(directory: string): Behind {
    return this.#behind(true, (argv, { tmp, status }) =>
      this.#kit.restricted({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status }),
    );
  }

  /** The same for one in Unrestricted, what it changes kept. */
  kept(directory: string, keep: KeepThere): Behind {
    return this.#behind(false, (argv, { tmp, status }) =>
      this.#kit.kept({ ...this.#launch(argv, directory), tmpDir: tmp, statusFile: status, keep }),
    );
  }

  ask(code: string): Promise<Answer | undefined> {
    return this.#connection.ask(code);
  }

  /** The same for what may take its time. Never rejects. */
  work(code: string): Promise<Answer | undefined> {
    return this.#connection.work(code);
  }

  /** The launcher's own work there, which may take its time. Never rejects. */
  async launch(args: readonly string[]): Promise<Worked> {
    const mark = randomBytes(16).toString('hex');
    const said = shellQuote(`${this.placed.directory}/said-${mark}`);
    const work = [this.placed.path, ...args].map(shellQuote).join(' ');
    const answer = await this.#connection.work(
      `(${isLauncher(this.placed)} || exit ${NOT_THE_LAUNCHER}; umask 077; ${work} 2>${said}; c=$?; printf %s ${mark}; head -c 2000 ${said}; rm -f ${said}; exit $c)`,
    );
    const { host } = this.#connection;
    if (!answer) return { code: 126, output: '', error: `${host} does not answer` };
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

  #launch(argv: readonly string[], cwd: string) {
    return { launcher: this.placed.path, argv, cwd };
  }

  #behind(bare: boolean, wrap: Behind['wrap']): Behind {
    return { guard: isLauncher(this.placed), bare, wrap };
  }
}

/** Code 126: nothing was done. */
export type Worked = { readonly code: number; readonly output: string; readonly error: string };

function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
