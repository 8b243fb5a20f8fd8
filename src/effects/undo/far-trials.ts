/**
 * Trials on a host: their files are in the host’s store, and the launcher there lists and applies them. Its answers are
 * checked and limited in size.
 */
import type { TrialMode } from '../../contracts/trials.ts';
import { shellQuote } from '../../text/shell.ts';
import {
  type AskFar,
  HOLDER_IS_GONE,
  HOLDS,
  openFar,
  openingText,
  readFarText,
  removeFar,
  writeFar,
} from './far-store.ts';
import { type FarWork, type Ran, ranFar } from './launcher.ts';
import { isBeside } from './local-trials.ts';
import { ACTION, type Opening, readNotes, TRIAL } from './record.ts';
import { type TrialDisk, type TrialPlace, treeOptions } from './trials.ts';

const MAX_LIST_CHARS = 16_000_000;
const MAX_NOTES_BYTES = 100_000;

export type FarTrialsOptions = {
  readonly host: string;
  /** The directory of the store on the host. */
  readonly directory: string;
  readonly ask: AskFar;
  /** Runs code there that may take long. */
  readonly work: AskFar;
  /**
   * Runs the launcher on the host. Never rejects.
   * @param around code to run before it, which must succeed, and code to run after it, where `$c` is its exit code
   */
  readonly launch: (
    args: readonly string[],
    around?: { readonly before: string; readonly after: string },
  ) => Promise<FarWork>;
  readonly probe: () => Promise<string | undefined>;
  /** Returns the host’s path of a directory. */
  readonly directoryOf: (place: string) => string;
  /** Returns the tree in which a command of this directory works on the host; undefined if it is unknown. */
  readonly treeOf: (directory: string) => Promise<{ readonly cwd: string; readonly tree: string } | undefined>;
};

export class FarTrialDisk implements TrialDisk {
  readonly #options: FarTrialsOptions;

  constructor(options: FarTrialsOptions) {
    this.#options = options;
  }

  readonly read = (path: string) => readFarText(this.#options.ask, path);

  probe(): Promise<string | undefined> {
    return this.#options.probe();
  }

  async open(opening: Opening, place: string, mode: TrialMode): Promise<TrialPlace> {
    const { host, ask, directory, directoryOf, treeOf } = this.#options;
    const found = await treeOf(directoryOf(place));
    const free = found && (await ask(FREE_PLACES));
    if (!found || free?.exit !== 0) throw new Error(`${host} does not say where its directory lies`);
    const { cwd, tree } = found;
    const places = SHARED_PLACES.filter(
      (each) => free.text.split('\0').includes(each) && isBeside(each, tree, directory),
    );
    const opened = await openFar(ask, directory, opening, TRIAL, HOLDS);
    if (!opened) throw new Error(`${host} did not make a place for the trial`);
    if (mode === 'project') return { ...opened, cwd, trees: [tree], asProject: true };
    return { ...opened, cwd, trees: [tree, ...places] };
  }

  async changes(trial: TrialPlace): Promise<Buffer | string> {
    const { code, output, error } = await this.#options.launch(['--changes', trial.directory, ...treeOptions(trial)]);
    if (code !== 0) return error || `${this.#options.host} does not say what it would change`;
    return output.length > MAX_LIST_CHARS ? 'it would change more than can be listed' : Buffer.from(output);
  }

  async notes({ directory }: TrialPlace): Promise<readonly string[]> {
    const path = shellQuote(`${directory}/notes`);
    const answer = await this.#options.ask(`[ ! -e ${path} ] || head -c ${MAX_NOTES_BYTES} ${path}`);
    // Any note is a reason why the trial can’t tell, and so is a missing answer.
    return answer?.exit === 0 ? readNotes(answer.text) : ['shared what its host does not tell'];
  }

  async conflicts(trial: TrialPlace): Promise<Ran> {
    const args = ['--apply', trial.directory, '--check', ...treeOptions(trial)];
    return ranFar(args, await this.#options.launch(args));
  }

  async apply(trial: TrialPlace, opening: Opening): Promise<Ran & { readonly lost?: true }> {
    const { directory } = trial;
    // One piece of code, so that a lost connection leaves either no action or one with a journal.
    const args = ['--apply', directory, ...treeOptions(trial)];
    const ran = await this.#options.launch(args, {
      before: writeFar(`${directory}/${ACTION}`, openingText({ ...opening, applied: true })),
      after: `[ $c != 0 ] || { ${removeFar(`${directory}/trial`)}; }`,
    });
    return { ...ranFar(args, ran), ...(ran.lost ? { lost: true } : {}) };
  }

  async remove({ directory }: Pick<TrialPlace, 'directory'>): Promise<void> {
    await this.#options.work(removeFar(directory));
  }

  async discardAbandoned(): Promise<void> {
    const { work, directory } = this.#options;
    await work(`(cd ${shellQuote(directory)} || exit 0
for n in $(ls | grep -x '[0-9][0-9]*'); do
  [ -e "$n/${TRIAL}" ] && [ ! -e "$n/${ACTION}" ] || continue
  ${HOLDER_IS_GONE} || continue
  rm -rf "$n" || { find "$n" -xdev -type d -exec chmod u+rwx {} \\;; rm -rf "$n"; }
done)`);
  }
}

/** Directories in which a command leaves files besides its project. */
const SHARED_PLACES = ['/tmp', '/var/tmp'];

/** Code that prints which of the shared directories exist on the host with nothing mounted in them. */
const FREE_PLACES = `(for p in ${SHARED_PLACES.join(' ')}; do
  [ ! -h "$p" ] && cd -P "$p" && [ "$(pwd -P)" = "$p" ] || continue
  grep -q "^[^ ]* [^ ]* [^ ]* [^ ]* $p/" /proc/self/mountinfo || printf '%s\\0' "$p"
done; exit 0)`;
